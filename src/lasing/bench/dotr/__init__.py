"""The experiments of Section 5 of the DOTR paper: event patterns over graphs, beside the same patterns by hand."""
