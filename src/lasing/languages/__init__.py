"""Languages: each reads its own notation and lowers it to the logic. None knows an engine."""
