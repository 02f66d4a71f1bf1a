"""Time-stamped graphs as streams of facts: each triple of a graph is a fact at the graph's time.

Blank nodes belong to their graph: the same label in two graphs is two nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasing.connectors.files import OnBytesRead
from lasing.connectors.missing import Gaps
from lasing.connectors.rdf.background import TRIPLE
from lasing.connectors.rdf.clock import Clock, property_of
from lasing.connectors.rdf.endings import need_library
from lasing.connectors.rdf.files import quads
from lasing.connectors.rdf.json_lines import stamped_objects
from lasing.connectors.rdf.lines import stamped_lines
from lasing.connectors.rdf.named_graphs import graph_times, stamped_graphs
from lasing.connectors.rows import Arity, check_arity
from lasing.connectors.tables import Columns
from lasing.errors import LasingError, fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

if TYPE_CHECKING:
    from lasing.connectors.batches import Batch  # this loads Arrow, so only when needed

Timed = tuple[int, Value, Value, Value]
"""A triple, after its time point."""


def timed_triples(
    path: Path,
    form: str,
    columns: Columns,
    tick: Tick | None,
    ordered: bool,
    progress: OnBytesRead | None = None,
    gaps: Gaps | None = None,
    times: Path | None = None,
) -> Iterator[Timed]:
    """The triples of a file of time-stamped graphs; `times` is a file with the times of the graphs."""
    name = "standard input" if str(path) == "-" else str(path)
    if columns.args is not None:
        raise fault("E505", f"{name} has triples, not columns", note=f"name only their predicate: triple={path}")
    clock = Clock(name, tick, ordered)
    match form:
        case "ntriples":
            return stamped_lines(path, clock, progress)
        case "jsonld":
            return stamped_objects(path, clock, columns.time, gaps or Gaps(), progress)
        case "jelly":
            need_library("pyjelly", f"reading {path} needs it")
            from lasing.connectors.rdf.jelly import stamped_frames  # here, because it loads pyjelly

            return stamped_frames(path, clock, property_of(columns.time), progress)
    known = None if times is None else graph_times(times, property_of(columns.time))
    return stamped_graphs(quads(path, progress), clock, property_of(columns.time), known)


def rdf_rows(found: Iterator[Timed], predicate: str | None, arity: Arity | None) -> Iterator[Fact]:
    """Triples as facts, one by one."""
    predicate = _checked(predicate, arity)
    return (Fact(timed[0], Atom(predicate, timed[1:])) for timed in found)


def rdf_batches(found: Iterator[Timed], predicate: str | None, arity: Arity | None) -> Iterator[Batch]:
    """Triples as facts in columns. If reading fails, the triples before that come first, and then the error."""
    from lasing.connectors.batches import ROWS

    predicate = _checked(predicate, arity)
    chunk: list[Timed] = []
    try:
        for timed in found:
            chunk.append(timed)
            if len(chunk) == ROWS:
                yield _batch(chunk, predicate)
                chunk = []
    except LasingError:
        if chunk:
            yield _batch(chunk, predicate)
        raise
    if chunk:
        yield _batch(chunk, predicate)


def _batch(chunk: list[Timed], predicate: str) -> Batch:
    import numpy as np

    from lasing.connectors.batches import Batch, Part, column_of

    times, *columns = zip(*chunk, strict=True)
    args: tuple[Any, ...] = tuple(column_of(column) for column in columns)
    return Batch(np.array(times, np.int64), (Part(predicate, args),))


def _checked(predicate: str | None, arity: Arity | None) -> str:
    name = predicate or TRIPLE
    check_arity(Atom(name, ("s", "p", "o")), arity, lambda: None)
    return name
