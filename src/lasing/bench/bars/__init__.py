"""The bars that the engine is to clear, and others beside it, workload by workload."""
