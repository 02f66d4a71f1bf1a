"""The windows of each dialect, as windows of the logic: every edge is decided here.

| dialect | window that closes at c | at the time point of c |
|---|---|---|
| RSP-QL | [c - range, c) | `[range,-1]`, moved by the step |
| C-SPARQL, CQELS | (c - range, c] | `[range - 1]`, moved by the step |
| CQELS, `[NOW]` | now | `[0]` |
| CQELS, `[ALL]` | all up to now | `[*]` |
| triples | the last n of the stream | `[#n]` over that stream |
| batches of triples | the n up to a multiple of the step | rules (see `batches.py`) |

Lengths are in time points. Windows move at multiples of their step, counted from 1970 or from time point 0.
"""

from __future__ import annotations

from math import gcd
from typing import assert_never

from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.syntax import Dialect, Everything, Range, StreamQuery, TimeRange, TripleRange
from lasing.logic.formulas import PartitionWindow, TimeWindow, WindowFunction


def window_of(dialect: Dialect, found: Range, predicate: str, tick: int) -> WindowFunction:
    """The window of the logic for a window on a stream.

    >>> window_of("RSP-QL", TimeRange(10_000, 5_000), "s", 1_000)
    TimeWindow(back=10, ahead=-1, step=5)
    >>> window_of("C-SPARQL", TimeRange(10_000, 5_000), "s", 5_000)
    TimeWindow(back=1, ahead=0, step=1)
    """
    match found:
        case TimeRange(0):
            return TimeWindow(0)
        case TimeRange():
            length, step = _points(found.range, tick), 1 if found.step is None else _points(found.step, tick)
            return TimeWindow(length, -1, step) if dialect == "RSP-QL" else TimeWindow(length - 1, 0, step)
        case TripleRange():
            assert found.step is None, "batches are rules of their own"
            return PartitionWindow(found.size, 0, predicate, ())
        case Everything():
            return TimeWindow(None)
        case _:
            assert_never(found)


def _points(milliseconds: int, tick: int) -> int:
    points, rest = divmod(milliseconds, tick)
    if rest:
        raise Mistake(f"{milliseconds} ms is not a whole number of ticks of {tick} ms", near="TICK", code="E703")
    return points


def tick_of(queries: list[StreamQuery]) -> int | None:
    """The tick of some queries, in milliseconds: as they say, or what divides all their lengths.

    A window that moves with time, without a step, would move only once per range; it moves every second, or, if a
    length is not a whole number of seconds, every millisecond.
    """
    said = {query.tick for query in queries if query.tick is not None}
    if len(said) > 1:
        raise Mistake("these queries have different ticks", note="queries that run together need one tick", near="TICK")
    if said:
        return said.pop()
    ranges = [window.range for query in queries for window in query.windows]
    times = [found for found in ranges if isinstance(found, TimeRange)]
    lengths = [length for found in times for length in (found.range, found.step) if length]
    lengths += [query.every for query in queries if query.every is not None]
    if not lengths:
        return 1_000 if ranges else None
    common = gcd(*lengths)
    moving = any(found.step is None for found in times) or len(times) < len(ranges)
    return (1_000 if common % 1_000 == 0 else 1) if moving else common


def period_of(query: StreamQuery, tick: int) -> int | None:
    """How many time points lie between two reports of a query; None if it reports when a batch of triples is complete,
    and at no other times."""
    if query.every is not None:
        return _points(query.every, tick)
    moving = [window.range for window in query.windows if not is_batch(window.range)]
    if query.windows and not moving:
        return None
    steps = [found.step for found in moving if isinstance(found, TimeRange) and found.step is not None]
    if len(steps) < len(moving):
        return 1
    return _points(gcd(*steps), tick) if steps else 1


def is_batch(found: Range) -> bool:
    """Whether a window moves after a number of triples."""
    return isinstance(found, TripleRange) and found.step is not None
