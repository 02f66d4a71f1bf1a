"""Which triples a pattern is matched against: the default graph, a named graph, or a window of a stream."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.formulas import Atom, Formula, Sometime, Window, WindowFunction
from lasing.logic.terms import Term, Variable

TRIPLE, QUAD = "triple", "quad"


@dataclass(frozen=True, slots=True)
class Graph:
    """The triples of a predicate, in a window if there is one. With a `name`, they are those of a named graph.

    >>> from lasing.logic.printer import formula_text
    >>> from lasing.logic.formulas import TimeWindow
    >>> formula_text(Graph("traffic", TimeWindow(9)).triple(Variable("S"), "p", Variable("O")))
    'traffic(S,p,O) in [9]'
    """

    predicate: str = TRIPLE
    window: WindowFunction | None = None
    name: Term | None = None

    def triple(self, subject: Term, predicate: Term, value: Term) -> Formula:
        """The literal that the graph has a triple."""
        atom = Atom(self.predicate, (subject, predicate, value, *self.key))
        return atom if self.window is None else Window(self.window, Sometime(atom))

    @property
    def key(self) -> tuple[Term, ...]:
        """The name of the graph, for predicates that speak about several graphs."""
        return () if self.name is None else (self.name,)

    @property
    def columns(self) -> tuple[Variable, ...]:
        """The column that the name of the graph binds."""
        return (self.name,) if isinstance(self.name, Variable) else ()


DEFAULT = Graph()
GRAPH = "graph"
"""The predicate of the named graphs, which may be empty."""


def named(name: Term) -> Graph:
    """A named graph of the data."""
    return Graph(QUAD, None, name)
