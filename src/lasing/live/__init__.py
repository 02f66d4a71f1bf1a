"""An engine that is fed by hand: facts pushed as they come, updates heard at once."""
