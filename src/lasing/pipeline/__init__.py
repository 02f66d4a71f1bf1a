"""Pipelines: sources, a program and sinks, said in a file and run on Spark."""
