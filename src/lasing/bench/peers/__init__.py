"""What users would pick instead: other systems, each in an environment of its own, on the same files."""
