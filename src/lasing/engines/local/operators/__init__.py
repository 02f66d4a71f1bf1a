"""The operators: each takes what changed in its inputs at this tick and updates its output."""
