"""C-SPARQL's function for the time of a triple: `f:timestamp(?s, ?p, ?o)`, or `f:timestamp(?x)`.

It is the latest time at which a window has the triple; of one argument, the latest time of any triple that it is in.
The value is an xsd:dateTime, the instant at which that time point begins.
"""

from __future__ import annotations

from dataclasses import dataclass

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Aggregated, Condition, Extend, Group, Node, OptionalJoin, Pattern, Project, Union
from lasing.algebra.terms import call
from lasing.languages.rspql.graphs import Content, Graph
from lasing.languages.rspql.mistakes import Mistake
from lasing.logic.terms import Term, Variable

NAMES = frozenset(
    f"{namespace}timestamp"
    for namespace in (
        "http://larkc.eu/csparql/sparql/jena/ext#",
        "http://streamreasoning.org/csparql/functions#",
        "java:eu.larkc.csparql.sparql.jena.ext.",
    )
)
"""The IRIs of the function in the systems that have it."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A call of the function: the column that stands for its value, and its arguments."""

    column: Variable
    args: tuple[Term, ...]


def with_timestamps(source: Node, asked: list[Timestamp], graph: Graph, tick: int | None, builder: Builder) -> Node:
    """The rows with a column for each timestamp, missing where no window has the triple."""
    for timestamp in asked:
        if len(timestamp.args) not in (1, 3):
            raise Mistake("timestamp takes one argument, or a subject, a predicate and an object", near="timestamp")
        if not graph.windows or tick is None:
            raise Mistake("timestamp needs a window: static triples have no time", near="timestamp")
        source = OptionalJoin(source, _times(timestamp, graph.windows, tick, builder))
    return source


def _times(timestamp: Timestamp, windows: tuple[Content, ...], tick: int, builder: Builder) -> Node:
    """The arguments of a call, and the instant."""
    time, latest = builder.variable("Time"), builder.variable("Latest")
    args = timestamp.args
    found: list[Node] = []
    for window in windows:
        if len(args) == 3:
            found.append(_at(window, args, time))
            continue
        for place in range(3):
            triple: list[Term] = [builder.variable(name) for name in ("S", "P", "O")]
            triple[place] = args[0]
            found.append(_at(window, tuple(triple), time, args))
    keys = tuple(dict.fromkeys(arg for arg in args if isinstance(arg, Variable)))
    grouped = Group(Union(tuple(found)), keys, (Aggregated("max", latest, time),))
    stamped = Extend(grouped, timestamp.column, Condition(call("instant", latest, tick)))
    return Project(stamped, (*keys, timestamp.column))


def _at(window: Content, triple: tuple[Term, ...], time: Variable, shown: tuple[Term, ...] | None = None) -> Node:
    """A triple of a window and its time point."""
    columns = tuple(dict.fromkeys(term for term in (shown or triple) if isinstance(term, Variable)))
    return Pattern((window.triple_at(time, triple),), (*columns, time))
