"""Measurements: medians of interleaved repetitions, as ratios to a baseline in the same run."""
