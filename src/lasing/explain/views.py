"""The part of the stream that a window selects, and when what is seen through it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from lasing.explain.evidence import Args, Evidence, Facts, View
from lasing.explain.premises import Leaving
from lasing.logic.formulas import IntervalWindow, PartitionWindow, TimeWindow, TupleWindow, WindowFunction
from lasing.logic.terms import Substitution, evaluate
from lasing.timeline.intervals import Interval
from lasing.timeline.windows import interval_window, pivot, time_window, tuple_window

Fact = tuple[int, str, Args]
_EMPTY = Interval(0, -1)


def view_of(function: WindowFunction, evidence: Evidence, view: View, t: int, substitution: Substitution) -> View:
    """w(S, t): the part of a view that a window selects at t. Raises `Undefined` if an end of it has no value."""
    ahead = view.ahead or t <= evidence.now
    match function:
        case TimeWindow(back, forward, step):
            return view.narrowed(time_window(view.timeline, t, back, forward, step), ahead)
        case IntervalWindow(lo_term, hi_term):
            lo, hi = evaluate(lo_term, substitution), evaluate(hi_term, substitution)
            whole = isinstance(lo, int) and isinstance(hi, int)
            return view.narrowed(interval_window(view.timeline, lo, hi) if whole else _EMPTY, ahead)  # type: ignore[arg-type]
        case TupleWindow() | PartitionWindow():
            key = function, t, id(view.data), view.timeline
            known = evidence.counted.get(key)
            if known is None:
                known = evidence.counted[key] = _counted(function, evidence, view, t)
            timeline, facts = known
            return View(timeline, facts, sees_derived=False, ahead=ahead)
        case _:
            assert_never(function)


def _counted(function: TupleWindow | PartitionWindow, evidence: Evidence, view: View, t: int) -> tuple[Interval, Facts]:
    """The timeline and the facts of a window that counts facts."""
    inside = [fact for fact in view.data.log if fact[0] in view.timeline]
    before, after = [f for f in inside if f[0] <= t], [f for f in inside if f[0] > t]
    match function:
        case TupleWindow(back, forward):
            last, following = before[-back:], after[:forward]
            oldest = last[0][0] if len(last) == back else None
            newest = t if forward == 0 else following[-1][0] if len(following) == forward else None
            return tuple_window(view.timeline, t, oldest, newest, evidence.now), Facts([*last, *following])
        case PartitionWindow(back, forward):
            kept = [f for group in _groups(function, before) for f in group[-back:]]
            kept += [f for group in _groups(function, after) for f in group[:forward]]
            newest = t if forward == 0 else None
            timeline = tuple_window(view.timeline, t, None, newest, evidence.now)
            return timeline, Facts(sorted(kept, key=lambda fact: fact[0]))
        case _:
            assert_never(function)


def _groups(function: PartitionWindow, facts: Iterable[Fact]) -> Iterable[list[Fact]]:
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for fact in facts:
        if fact[1] == function.predicate:
            key = tuple(fact[2][i] for positions in function.keys for i in positions)
            groups.setdefault(key, []).append(fact)
    return groups.values()


def leaving(function: WindowFunction, view: View, time: int, predicate: str, args: Args) -> Leaving:
    """When a fact at a time point is no longer seen through a window, as time goes on."""
    match function:
        case TimeWindow(int(back), _, step):
            return Leaving(time=pivot(time + back + step, step))
        case TupleWindow(back):
            newer = next((n for n, f in enumerate(reversed(view.data.log)) if f == (time, predicate, args)), 0)
            return Leaving(facts=back - newer)
        case PartitionWindow(back, _, _, keys):
            key = [args[i] for positions in keys for i in positions]
            group = [f for f in view.data.log if [f[2][i] for positions in keys for i in positions] == key]
            newer = next((n for n, f in enumerate(reversed(group)) if f == (time, predicate, args)), 0)
            return Leaving(facts=back - newer)
        case TimeWindow() | IntervalWindow():
            return Leaving()
        case _:
            assert_never(function)
