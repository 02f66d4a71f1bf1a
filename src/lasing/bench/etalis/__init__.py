"""Events with intervals: a sequence of three events against an automaton by hand."""
