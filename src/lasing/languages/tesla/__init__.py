"""TESLA: patterns of events over time, as rules."""
