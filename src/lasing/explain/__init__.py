"""Why an atom holds, and why another does not: derivations from the raw window, found from the goal backwards."""
