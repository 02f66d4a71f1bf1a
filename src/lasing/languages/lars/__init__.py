"""The `.lars` rule language: tokens, syntax, lowering to a `Program`, and a formatter."""
