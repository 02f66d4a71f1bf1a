"""The edges of every kind of window, defined only here.

Each function takes the enclosing timeline and the reference time point `t` and returns the window's timeline.
All ends are inclusive and are cut at the ends of the enclosing timeline (LARS, Definition 3).
"""

from __future__ import annotations

from lasing.timeline.intervals import Interval


def pivot(t: int, step: int) -> int:
    """The time point from which a stepped window counts: ⌊t/step⌋·step.

    >>> [pivot(t, 3) for t in range(-1, 7)]
    [-3, 0, 0, 0, 3, 3, 3, 6]
    """
    return t // step * step


def time_window(timeline: Interval, t: int, back: int | None, ahead: int = 0, step: int = 1) -> Interval:
    """[t'-back, t'+ahead] around the pivot t'; `back` None reaches to the timeline's start.

    With a negative `ahead`, the window ends before the pivot. Near the timeline's start it is then empty.

        time points   0 1 2 3 4 5 6 7 8
        back 3            [-----]        at t = 5
        +2                      [---]    at t = 5
        back 3, -1        [---]          at t = 5
        back 3 step 3 [-----]            at t = 5, pivot 3

    >>> time_window(Interval(0, None), 5, 3)
    Interval(lo=2, hi=5)
    >>> time_window(Interval(4, None), 5, 3, 1, 3)
    Interval(lo=4, hi=4)
    >>> time_window(Interval(0, None), 5, 3, -1), bool(time_window(Interval(5, None), 5, 3, -1))
    (Interval(lo=2, hi=4), False)
    """
    centre = pivot(t, step)
    lo = timeline.lo if back is None else centre - back
    return timeline & Interval(lo, centre + ahead)


def tuple_window(timeline: Interval, t: int, oldest: int | None, newest: int | None, known_until: int) -> Interval:
    """From the oldest of the facts before to the newest of those ahead.

    `oldest` is None if there are fewer facts than the window asks for: it then reaches back to the timeline's start.
    `newest` is None if the window asks for facts ahead and too few are known: it then reaches as far as data is known.
    A window that asks for no facts ahead passes `newest=t`.

    >>> tuple_window(Interval(0, None), 9, 4, 9, 9), tuple_window(Interval(0, None), 9, None, 9, 9)
    (Interval(lo=4, hi=9), Interval(lo=0, hi=9))
    """
    hi = max(t, known_until) if newest is None else newest
    return timeline & Interval(timeline.lo if oldest is None else oldest, hi)


def interval_window(timeline: Interval, lo: int, hi: int) -> Interval:
    """[lo, hi], whatever the reference time point.

    >>> interval_window(Interval(3, None), 0, 5)
    Interval(lo=3, hi=5)
    """
    return timeline & Interval(lo, hi)
