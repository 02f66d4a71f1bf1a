"""Entailment over RDF, by rules: what follows from triples holds beside them, and goes when they go.

A rule set is a `.lars` file about `triple(S,P,O)`. `entailed` gives a program the rules for a predicate whose facts are
triples, wherever these come from: background, a stream, or rules that take them from a window.
"""

from lasing.entailment.entailed import Entail, entailed, with_entailment
from lasing.entailment.regimes import REGIMES, Regime, regime_of

__all__ = ["REGIMES", "Entail", "Regime", "entailed", "regime_of", "with_entailment"]
