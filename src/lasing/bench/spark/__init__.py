"""What Spark adds, and what it costs."""
