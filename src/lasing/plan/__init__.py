"""Plans: what an incremental engine does for a program, before it is laid out in memory."""
