"""The logic: terms, formulas and programs, what can be said of them, and how they are printed."""
