"""A query over RDF streams in the manner of CityBench's first, beside pyoxigraph on the content of each window."""
