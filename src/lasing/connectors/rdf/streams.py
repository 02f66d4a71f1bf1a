"""Time-stamped graphs as streams of facts: each triple of a graph is a fact at the graph's time.

Blank nodes belong to their graph: the same label in two graphs is two nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.files import OnBytesRead
from lasing.connectors.missing import Gaps
from lasing.connectors.rdf.background import TRIPLE
from lasing.connectors.rdf.clock import Clock, property_of
from lasing.connectors.rdf.endings import need_library, rdf_ending
from lasing.connectors.rdf.files import quads, quads_of_lines
from lasing.connectors.rdf.json_lines import stamped_objects
from lasing.connectors.rdf.lines import stamped_batches, stamped_lines
from lasing.connectors.rdf.named_graphs import graph_times, stamped_graphs
from lasing.connectors.rdf.timed import Timed, timed_batches
from lasing.connectors.rows import Arity, check_arity
from lasing.connectors.tables import Columns
from lasing.errors import fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.timeline.ticks import Tick

if TYPE_CHECKING:
    from lasing.connectors.batches import Batch  # this loads Arrow, so only when needed


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
    clock, gaps = _clock(path, columns, tick, ordered), gaps or Gaps()
    match form:
        case "ntriples":
            return stamped_lines(path, clock, gaps.bad, progress)
        case "jsonld":
            return stamped_objects(path, clock, columns.time, gaps, progress)
        case "jelly":
            need_library("pyjelly", f"reading {path} needs it")
            from lasing.connectors.rdf.jelly import stamped_frames  # here, because it loads pyjelly

            return stamped_frames(path, clock, property_of(columns.time), gaps.bad, progress)
    known = None if times is None else graph_times(times, property_of(columns.time))
    found = quads_of_lines(path, gaps.bad, progress) if rdf_ending(path) == ".nq" else quads(path, progress)
    return stamped_graphs(found, clock, property_of(columns.time), gaps.bad, known)


def rdf_rows(found: Iterator[Timed], predicate: str | None, arity: Arity | None) -> Iterator[Fact]:
    """Triples as facts, one by one."""
    predicate = _checked(predicate, arity)
    return (Fact(timed[0], Atom(predicate, timed[1:])) for timed in found)


def rdf_batches(found: Iterator[Timed], predicate: str | None, arity: Arity | None) -> Iterator[Batch]:
    """Triples as facts in columns. If reading fails, the triples before that come first, and then the error."""
    return timed_batches(found, _checked(predicate, arity))


def line_batches(
    path: Path,
    columns: Columns,
    tick: Tick | None,
    ordered: bool,
    progress: OnBytesRead | None,
    arity: Arity | None,
    bad: BadRows,
) -> Iterator[Batch]:
    """The triples of a file of N-Triples with times, as facts in columns."""
    clock, predicate = _clock(path, columns, tick, ordered), _checked(columns.predicate, arity)
    return stamped_batches(path, clock, predicate, bad, progress)


def _clock(path: Path, columns: Columns, tick: Tick | None, ordered: bool) -> Clock:
    name = "standard input" if str(path) == "-" else str(path)
    if columns.args is not None:
        raise fault("E505", f"{name} has triples, not columns", note=f"name only their predicate: triple={path}")
    return Clock(name, tick, ordered)


def _checked(predicate: str | None, arity: Arity | None) -> str:
    name = predicate or TRIPLE
    check_arity(Atom(name, ("s", "p", "o")), arity, lambda: None)
    return name
