"""The bars that the engine should clear, and how other contenders compare, workload by workload."""
