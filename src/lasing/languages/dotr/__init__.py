"""DOTR: TESLA patterns whose events are SPARQL queries over each instant, and whose results are graphs."""
