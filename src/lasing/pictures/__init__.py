"""Pictures of what a program does on a stream: timelines."""
