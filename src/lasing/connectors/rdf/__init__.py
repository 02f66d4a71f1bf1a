"""RDF data in and out: terms, graphs as background, time-stamped graphs as streams."""
