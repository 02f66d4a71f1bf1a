"""How costs grow."""
