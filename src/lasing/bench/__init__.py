"""Benchmarks: workloads, contenders that run them in turns, and tables of ratios measured in one run."""
