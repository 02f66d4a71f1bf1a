"""Costs around the engine: reading, names, handing out changes, interrupts."""
