"""⊞φ: the view through a window."""

from __future__ import annotations

from typing import assert_never

from lasing.logic.formulas import IntervalWindow, PartitionWindow, TimeWindow, TupleWindow, Window
from lasing.logic.rewrites.draft import Body, Range, is_whole_number, range_of, window_around, window_between
from lasing.logic.rewrites.standpoint import Background, Cut, Left, Standpoint


def windows(body: Body, window: Window, view: Standpoint) -> Standpoint:
    """The view of a window that is opened at a view.

    Opened now, it is a window as plain literals have it; opened at T, it cuts what is seen to the time points around T.
    """
    base = Standpoint(view.time) if window.full else view
    if not base.inside:
        raise Left("a window in a window that need not contain the time point at which it opens")
    match window.function:
        case TupleWindow() | PartitionWindow():
            raise Left("a window of facts inside another formula")
        case IntervalWindow():
            return _between(body, window.function, base, view)
        case TimeWindow():
            if view.time is None:
                return _opened_now(window.function, base)
            return _opened(window.function, base, range_of(body, view.time, view.seen))
        case _:
            assert_never(window.function)


def _opened_now(function: TimeWindow, base: Standpoint) -> Standpoint:
    if base.exact:  # a window in a window, both opened now
        outer = base.seen
        if outer is None or outer.step > 1 or function.step > 1:
            raise Left("a window with a step in another window")
        backs = [back for back in (outer.back, function.back) if back is not None]
        function = TimeWindow(min(backs, default=None), min(outer.ahead, function.ahead))
        if function.back is not None and function.back + function.ahead < 0:
            raise Left("a window in another window, without a time point in common")
    return Standpoint(None, function, True, (), _has_its_own_point(function), "ahead")


def _opened(function: TimeWindow, base: Standpoint, span: Range | None) -> Standpoint:
    time = base.time
    assert time is not None
    seen = window_around(span, function) if base.whole else base.seen
    cut = Cut(None if function.back is None else time, time, function.back or 0, function.ahead, function.step)
    background: Background = "now" if function.ahead <= 0 and base.background == "now" else "unclear"
    if base.background == "ahead" or (span is not None and span[1] <= 0):
        background = "ahead"
    return Standpoint(time, seen, base.exact, (*base.cuts, cut), _has_its_own_point(function), background)


def _has_its_own_point(function: TimeWindow) -> bool:
    """Whether a window contains the time point at which it opens, as one with a step or an end before now need not."""
    return function.step == 1 and function.ahead >= 0


def _between(body: Body, function: IntervalWindow, base: Standpoint, view: Standpoint) -> Standpoint:
    for end in (function.lo, function.hi):
        if not is_whole_number(body.known, end):
            raise Left("a window between times that no literal shows to be time points")
    seen = base.seen
    if base.whole:
        seen = window_between(range_of(body, function.lo), range_of(body, function.hi))
    span = (0, 0) if view.time is None else range_of(body, view.time, view.seen)
    background: Background = "unclear"
    if base.background == "ahead" or (span is not None and span[1] <= 0):
        background = "ahead"
    return Standpoint(base.time, seen, base.exact, (*base.cuts, Cut(function.lo, function.hi)), False, background)
