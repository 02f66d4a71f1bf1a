"""The syntax tree of a query over streams, whatever its dialect: what surrounds the SPARQL, and the SPARQL itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Dialect = Literal["SPARQL", "RSP-QL", "C-SPARQL", "CQELS"]
Operator = Literal["RSTREAM", "ISTREAM", "DSTREAM"]
Report = Literal["ON_WINDOW_CLOSE", "ON_CONTENT_CHANGE", "NON_EMPTY_CONTENT", "PERIODIC"]

OPERATORS: tuple[Operator, ...] = ("RSTREAM", "ISTREAM", "DSTREAM")
REPORTS: tuple[Report, ...] = ("ON_WINDOW_CLOSE", "ON_CONTENT_CHANGE", "NON_EMPTY_CONTENT", "PERIODIC")


@dataclass(frozen=True, slots=True)
class TimeRange:
    """`[RANGE 10s STEP 5s]`, in milliseconds; without a step, the window moves with time."""

    range: int
    step: int | None = None


@dataclass(frozen=True, slots=True)
class TripleRange:
    """`[ELEMENTS 100 STEP 10]`: the last triples. It moves after every `step` triples; without a step, at each time
    point."""

    size: int
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Everything:
    """`[ALL]`: everything since the start."""


Range = TimeRange | TripleRange | Everything


@dataclass(frozen=True, slots=True)
class StreamWindow:
    """A window on a stream. In the SPARQL that remains, its content is a graph of this name, or, without one, part of
    the default graph."""

    graph: str | None
    stream: str
    range: Range
    offset: int


@dataclass(frozen=True, slots=True)
class StreamQuery:
    """A query: its name, windows and reports, and the SPARQL that remains without them, with the same offsets."""

    dialect: Dialect
    sparql: str
    windows: tuple[StreamWindow, ...] = ()
    name: str | None = None
    makes_stream: bool = False
    operator: Operator | None = None
    reports: tuple[Report, ...] = ()
    every: int | None = None
    tick: int | None = None
    offset: int = 0
