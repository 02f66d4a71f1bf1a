"""ETALIS: rules over events with intervals, after Anicic et al. (2010)."""
