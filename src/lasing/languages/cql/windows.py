"""The windows of queries as windows of the logic: every edge is decided here (LARS, Table 2).

| window at time t | rows of the time points | as a literal |
|---|---|---|
| `[NOW]` | t | `s(X)` |
| `[RANGE L]` | t - L … t, both included | `s(X) at T in [L]` |
| `[RANGE L SLIDE D]` | t' - L … t', where t' is the last multiple of D up to t | `s(X) at T in [L step D]` |
| `[RANGE UNBOUNDED]` | all up to t | `s(X) at T in [*]` |
| `[ROWS n]` | the last n rows of this stream up to t, in the order of their arrival | `s(X) at T in [#n]` of s alone |
| `[PARTITION BY a ROWS n]` | the same for each value of a | `s(X) at T in [#n by A]` |

Lengths are in time points, which begin in 1970 or at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from lasing.languages.cql.mistakes import WINDOW, Mistake, Mistakes
from lasing.languages.cql.syntax import LastRows, Length, Now, Query, Range, Statement, StreamWindow, TickSetting
from lasing.logic.formulas import PartitionWindow, TimeWindow, WindowFunction


def window_of(window: StreamWindow, predicate: str, keys: Sequence[int], tick: int | None) -> WindowFunction:
    """The window of the logic for a window on a stream whose facts have this predicate. `keys` are the places of the
    arguments that a window is partitioned by.

    >>> window_of(StreamWindow(Range(Length(60_000, True, 0), Length(1_000, True, 0)), 0, 1), "s", (), 1_000)
    TimeWindow(back=60, ahead=0, step=1)
    """
    match window.content:
        case Now():
            return TimeWindow(0)
        case Range(None):
            return TimeWindow(None)
        case Range(length, slide) if length is not None:
            return TimeWindow(points(length, tick), 0, 1 if slide is None else points(slide, tick))
        case LastRows(count):
            return PartitionWindow(count, 0, predicate, tuple((key,) for key in keys))
        case Range():
            raise AssertionError("a range has a length or none")
        case _:
            assert_never(window.content)


def points(length: Length, tick: int | None) -> int:
    """A length of time as a number of time points."""
    if not length.has_unit:
        return length.amount
    assert tick is not None, "a length with a unit makes a tick"
    number, rest = divmod(length.amount, tick)
    if rest:
        message = f"this is not a whole number of time points of {tick} ms"
        raise Mistake(WINDOW, message, length.offset, note="change the length, or SET TICK")
    return number


def lengths_of(statements: Sequence[Statement]) -> list[Length]:
    """The lengths of all windows."""
    found = []
    for query in (s for s in statements if isinstance(s, Query)):
        for window in query.windows.values():
            if isinstance(window.content, Range):
                found += [part for part in (window.content.length, window.content.slide) if part is not None]
    return found


def tick_of(statements: Sequence[Statement], dated: bool, mistakes: Mistakes) -> int | None:
    """How many milliseconds a time point has; None if times are plain numbers.

    It is as long as `SET TICK` says. Otherwise it is a second, or a millisecond where a length is no whole number of
    seconds. It is never longer: a window has both of its ends, and longer time points would make it longer. `dated`
    says whether a stream has times that are dates.
    """
    given = [s.length for s in statements if isinstance(s, TickSetting)]
    for other in given[1:]:
        if other.amount != given[0].amount:
            mistakes.add(
                Mistake(WINDOW, "the tick is set twice", other.offset, note="queries that run together share one")
            )
    lengths = lengths_of(statements)
    if given:
        return given[0].amount
    measured = [length for length in lengths if length.has_unit]
    bare = next((length for length in lengths if not length.has_unit), None)
    if bare is not None and (measured or dated):
        note = "write a unit, such as 20 SECONDS, or say how long a time point is: SET TICK = 1 SECOND"
        mistakes.add(Mistake(WINDOW, "this length has no unit", bare.offset, note=note))
    if not measured:
        return 1_000 if dated else None
    return 1_000 if all(length.amount % 1_000 == 0 for length in measured) else 1


def slide_of(statements: Sequence[Statement], tick: int | None) -> int:
    """The time points after which all windows have slid."""
    slides = [
        window.content.slide.amount // (tick or 1) if window.content.slide.has_unit else window.content.slide.amount
        for query in statements
        if isinstance(query, Query)
        for window in query.windows.values()
        if isinstance(window.content, Range) and window.content.slide is not None
    ]
    return max(slides, default=1) or 1
