"""SQL over streams, in the manner of CQL: text in, rules out."""
