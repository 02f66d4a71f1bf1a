"""Workloads, contenders, and how they take turns."""
