"""Which triples a pattern is matched against: the default graph, a named graph, or a window of a stream."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.formulas import At, Atom, Formula, Sometime, Window, WindowFunction
from lasing.logic.terms import Term, Variable

TRIPLE, QUAD = "triple", "quad"


@dataclass(frozen=True, slots=True)
class StreamContent:
    """The content of a window on a stream, whose triples are facts of a predicate.

    >>> from lasing.logic.formulas import TimeWindow
    >>> from lasing.logic.printer import formula_text
    >>> formula_text(StreamContent("traffic", TimeWindow(9)).triple(Variable("S"), "p", Variable("O")))
    'traffic(S,p,O) in [9]'
    """

    stream: str
    window: WindowFunction

    def triple(self, subject: Term, predicate: Term, value: Term) -> Formula:
        """The literal that the window has a triple."""
        return Window(self.window, Sometime(Atom(self.stream, (subject, predicate, value))))

    def triple_at(self, time: Term, triple: tuple[Term, ...]) -> Formula:
        """The literal that the window has a triple at a time point."""
        return Window(self.window, At(time, Atom(self.stream, triple)))


@dataclass(frozen=True, slots=True)
class BatchContent:
    """The content of a window of a batch of triples: a predicate of the triples and their time points.

    >>> str(BatchContent("batch", "closes").triple(Variable("S"), "p", Variable("O")))
    'batch(S,p,O,_)'
    """

    predicate: str
    closes: str
    """The predicate that the content is new."""

    def triple(self, subject: Term, predicate: Term, value: Term) -> Formula:
        """The literal that the window has a triple."""
        return Atom(self.predicate, (subject, predicate, value, Variable("_#1")))

    def triple_at(self, time: Term, triple: tuple[Term, ...]) -> Formula:
        """The literal that the window has a triple that came at a time point."""
        return Atom(self.predicate, (*triple, time))


Content = StreamContent | BatchContent
"""The content of a window."""


@dataclass(frozen=True, slots=True)
class Graph:
    """The triples of a predicate. With a `name`, they are those of a named graph.

    >>> str(Graph("traffic").triple(Variable("S"), "p", Variable("O")))
    'traffic(S,p,O)'
    """

    predicate: str = TRIPLE
    name: Term | None = None
    windows: tuple[Content, ...] = ()
    """The windows whose content the graph has."""

    def triple(self, subject: Term, predicate: Term, value: Term) -> Atom:
        """The literal that the graph has a triple."""
        return Atom(self.predicate, (subject, predicate, value, *self.key))

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
    return Graph(QUAD, name)
