"""Which triples a pattern is matched against: the default graph, a named graph, or a window of a stream."""

from __future__ import annotations

from dataclasses import dataclass, field

from lasing.algebra.builder import Builder
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


@dataclass(slots=True)
class Merged:
    """Several graphs as one: a triple that two of them have is one triple. Each predicate of triples gets rules of its
    own, so that a pattern sees only the triples that it asks for."""

    parts: tuple[Graph, ...]
    builder: Builder
    _known: dict[Term | None, str] = field(default_factory=dict)

    name: None = field(default=None, init=False)
    key: tuple[Term, ...] = field(default=(), init=False)
    columns: tuple[Variable, ...] = field(default=(), init=False)

    def triple(self, subject: Term, predicate: Term, value: Term) -> Formula:
        """The literal that one of the graphs has a triple."""
        fixed = None if isinstance(predicate, Variable) else predicate
        if fixed not in self._known:
            name = self._known[fixed] = self.builder.predicate("merged")
            s, p, o = (self.builder.variable(v) for v in ("S", "P", "O"))
            for part in self.parts:
                args = (s, p, o) if fixed is None else (s, o)
                self.builder.rule(Atom(name, args), [part.triple(s, p if fixed is None else fixed, o)])
        return Atom(self._known[fixed], (subject, predicate, value) if fixed is None else (subject, value))


AnyGraph = Graph | Merged
DEFAULT = Graph()
GRAPH = "graph"
"""The predicate of the named graphs, which may be empty."""


def named(name: Term) -> Graph:
    """A named graph of the data."""
    return Graph(QUAD, None, name)
