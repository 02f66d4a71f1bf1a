"""SPARQL over graphs and RDF streams: SPARQL 1.1, RSP-QL, C-SPARQL and CQELS behind one syntax tree."""
