"""Named graphs with a time: a property of the graph, in the default graph, or a file that lists the times.

    <http://ex.org/g1> prov:generatedAtTime "2026-01-31T08:00:00Z"^^xsd:dateTime .
    <http://ex.org/g1> { <http://ex.org/s1> <http://ex.org/celsius> 21.5 }

The time may come before its graph or after it. Other triples of the default graph have no time, and are left out.
"""

from __future__ import annotations

import csv
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pyoxigraph import BlankNode as BlankTerm
from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.files import read_text
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.clock import Clock
from lasing.connectors.rdf.endings import rdf_ending
from lasing.connectors.rdf.files import quads
from lasing.connectors.rdf.terms import Term, value_of_term
from lasing.errors import LasingError, Place, fault
from lasing.logic.values import BlankNode, Value

MOST_GRAPHS = 1 << 16
"""How many graphs are remembered. One that comes back after more than this number of others needs its time again."""
MOST_WAITING = 1 << 20
"""How many triples may wait for the times of their graphs."""
MOST_VALUES = 1 << 20

Times = Mapping[str, Value]


class TermValues:
    """The values of terms, remembered because terms repeat. Blank nodes depend on the graph, so they are not."""

    def __init__(self) -> None:
        self._known: dict[Any, Value] = {}

    def __call__(self, term: Term, blank: Blanks) -> Value:
        value = self._known.get(term)
        if value is None:
            value = value_of_term(term, blank)
            if type(value) is BlankNode:
                return value
            if len(self._known) >= MOST_VALUES:
                self._known.clear()
            self._known[term] = value
        return value


def stamped_graphs(
    found: Iterable[Quad], clock: Clock, time_property: str, bad: BadRows, times: Times | None = None
) -> Iterator[tuple[int, Value, Value, Value]]:
    """The triples of all graphs, each after its time point, as soon as both are known. A graph whose time is wrong is
    bad as a whole."""
    values, stamp = TermValues(), NamedNode(time_property)
    scope, number = scope_of(clock.name), 0
    known: OrderedDict[Any, tuple[int, Blanks]] = OrderedDict()
    waiting: dict[Any, list[Quad]] = {}
    lost: set[Any] = set()
    held = 0

    def stamped(graph: Any, time: Value) -> tuple[int, Blanks] | None:
        nonlocal number
        try:
            point = clock.point(time, what=f"the graph {graph}")
            if graph in known and known[graph][0] != point:
                raise clock.wrong("it has two times", None, f"the graph {graph}")
        except LasingError as error:
            lost.add(graph)
            bad.take(error, Place(clock.name, 0, 1, str(graph)))
            bad.stop()
            return None
        if graph not in known:
            number += 1
            known[graph] = point, Blanks(f"{scope}g{number}")
            if len(known) > MOST_GRAPHS:
                known.popitem(last=False)
        return known[graph]

    for quad in found:
        graph = quad.graph_name
        if type(graph) is DefaultGraph:
            if quad.predicate == stamp and not isinstance(quad.object, NamedNode | BlankTerm):
                when = stamped(quad.subject, value_of_term(quad.object))
                early = waiting.pop(quad.subject, ())
                held -= len(early)
                if when is not None:
                    for one in early:
                        yield when[0], *triple(one, values, when[1])
            continue
        if graph in lost:
            continue
        at = known.get(graph)
        if at is None and times is not None and str(getattr(graph, "value", "")) in times:
            at = stamped(graph, times[graph.value])
            if at is None:
                continue
        if at is None:
            waiting.setdefault(graph, []).append(quad)
            held += 1
            if held > MOST_WAITING:
                break
            continue
        yield at[0], *triple(quad, values, at[1])
    for graph in waiting:
        more = f'give it one in the default graph: {graph} <{time_property}> "2026-01-31T08:00:00Z"^^xsd:dateTime'
        note = f"{more}\nor name another property with --time, or a file with --graph-times"
        bad.take(clock.wrong("it has no time", None, f"the graph {graph}", note), Place(clock.name, 0, 1, str(graph)))
    bad.stop()


def triple(quad: Quad, values: TermValues, blank: Blanks) -> tuple[Value, Value, Value]:
    """The values of a triple's terms."""
    return values(quad.subject, blank), values(quad.predicate, blank), values(quad.object, blank)


def graph_times(path: Path, time_property: str) -> Times:
    """The times of graphs, from an RDF file with the property, or from a CSV file with the columns graph and time."""
    if rdf_ending(path):
        found: dict[str, Value] = {}
        for quad in quads(path):
            if quad.predicate == NamedNode(time_property) and isinstance(quad.object, Literal):
                found[str(getattr(quad.subject, "value", ""))] = value_of_term(quad.object)
        return found
    rows = csv.DictReader(read_text(path).splitlines())
    names = rows.fieldnames or ()
    missing = next((name for name in ("graph", "time") if name not in names), None)
    if missing is not None:
        raise fault("E505", f"{path} has no column {missing}", note="its columns are graph and time")
    listed: dict[str, Value] = {}
    for line, row in enumerate(rows, 2):
        graph, time = row["graph"], row["time"]
        if not graph or not time:
            raise fault("E505", "a row has a graph and its time", Place(str(path), line, 1))
        listed[graph.strip().removeprefix("<").removesuffix(">")] = time.strip()
    return listed
