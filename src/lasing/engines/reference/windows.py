"""Window functions (LARS, Definitions 2 and 3): from a stream and a reference time point to a substream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from lasing.engines.reference.stream import NOTHING, Facts, Stream
from lasing.engines.reference.structure import Structure
from lasing.logic.formulas import IntervalWindow, PartitionWindow, TimeWindow, TupleWindow, WindowFunction
from lasing.logic.program import Fact
from lasing.logic.terms import Substitution, evaluate
from lasing.timeline.intervals import Interval
from lasing.timeline.windows import interval_window, time_window, tuple_window

EMPTY = Interval(0, -1)


def window(function: WindowFunction, m: Structure, s: Stream, t: int, substitution: Substitution) -> Stream:
    """w(S, t): the substream of S that the window function selects at t."""
    beyond = s.ahead or t <= m.now
    match function:
        case TimeWindow(back, ahead, step):
            return s.narrowed(time_window(s.timeline, t, back, ahead, step), beyond)
        case IntervalWindow(lo_term, hi_term):
            lo, hi = evaluate(lo_term, substitution), evaluate(hi_term, substitution)
            if isinstance(lo, int) and isinstance(hi, int):
                return s.narrowed(interval_window(s.timeline, lo, hi), beyond)
            return s.narrowed(EMPTY, beyond)
        case TupleWindow() | PartitionWindow():
            # Data facts do not change while a time point is evaluated: the same window is the same stream.
            if (function, t) not in s.windows:
                s.windows[function, t] = _select(function, m, s, t)
            return s.windows[function, t]
        case _:
            assert_never(function)


def _select(function: TupleWindow | PartitionWindow, m: Structure, s: Stream, t: int) -> Stream:
    before = s.data.within(s.timeline & Interval(s.timeline.lo, t))
    after = s.data.within(s.timeline & Interval(t + 1, None))
    match function:
        case TupleWindow(back, ahead):
            last, following = before[-back:], after[:ahead]
            oldest = last[0].time if len(last) == back else None
            newest = t if ahead == 0 else following[-1].time if len(following) == ahead else None
            timeline = tuple_window(s.timeline, t, oldest, newest, m.now)
            return Stream(timeline, Facts([*last, *following]), NOTHING, s.ahead or t <= m.now)
        case PartitionWindow(back, ahead):
            kept = [f for group in _groups(function, before) for f in group[-back:]]
            kept += [f for group in _groups(function, after) for f in group[:ahead]]
            newest = t if ahead == 0 else None
            timeline = tuple_window(s.timeline, t, None, newest, m.now)
            return Stream(timeline, Facts(sorted(kept, key=lambda f: f.time)), NOTHING, s.ahead or t <= m.now)
        case _:
            assert_never(function)


def _groups(function: PartitionWindow, facts: Iterable[Fact]) -> Iterable[list[Fact]]:
    """The facts of the window's predicate, split by the values at its keys."""
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for fact in facts:
        if fact.atom.predicate == function.predicate:
            key = tuple(fact.atom.args[i] for positions in function.keys for i in positions)
            groups.setdefault(key, []).append(fact)
    return groups.values()
