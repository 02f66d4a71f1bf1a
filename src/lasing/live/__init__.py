"""The push interface: push facts as they come, and get the changes at once."""
