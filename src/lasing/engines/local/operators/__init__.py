"""The operators: each takes what changed in its inputs at this tick and says what changes in its output."""
