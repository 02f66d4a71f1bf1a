"""Time: intervals of time points, the edges of every window, ticks and durations."""
