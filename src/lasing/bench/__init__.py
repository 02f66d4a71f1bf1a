"""What the engine costs: workloads, contenders that take turns at them, and tables of ratios measured in one run."""
