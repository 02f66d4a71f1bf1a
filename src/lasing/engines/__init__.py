"""Engines: each evaluates programs in its own way, and all of them give the answers of the reference."""
