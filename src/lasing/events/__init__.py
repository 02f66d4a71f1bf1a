"""What languages of event patterns have in common: declared events, their types, tokens, and mistakes."""
