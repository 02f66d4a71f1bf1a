"""ETALIS: patterns of events with intervals, after Anicic et al., *A Rule-Based Language for Complex Event Processing*."""
