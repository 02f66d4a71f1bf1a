"""The logic: terms, formulas and programs, their analysis, and how they are printed."""
