"""RDF data in and out."""
