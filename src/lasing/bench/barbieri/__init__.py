"""The experiment of Barbieri et al. (ESWC 2010): a transitive relation, kept closed while a window moves over it."""
