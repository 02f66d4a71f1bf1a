"""A pipeline in one process: no Spark and no Java, with checkpoints on disk."""
