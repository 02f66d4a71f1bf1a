"""The experiments of the Laser paper."""
