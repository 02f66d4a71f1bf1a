"""What surrounds the engine costs: reading, names, changes on their way out, interrupts."""
