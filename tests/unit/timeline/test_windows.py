"""The edges of every kind of window, both of them, on a timeline that starts at 0."""

from __future__ import annotations

import pytest

from lasing.timeline.intervals import Interval
from lasing.timeline.windows import interval_window, pivot, time_window, tuple_window

TIMELINE = Interval(0, None)


def check_edges(window: Interval, first: int, last: int) -> None:
    """The window has the points first … last, and not their neighbours."""
    assert list(window) == list(range(first, last + 1))
    assert first - 1 not in window
    assert last + 1 not in window


# time points    0 1 2 3 4 5 6 7 8 9
# [3]  t = 5         [-----]
# [0]  t = 5               |
# [5]  t = 5     [---------]
# [9]  t = 5   ..[---------]           cut at the start
# [+2] t = 5               [---]
# [3,+1]             [-------]
# [*]  t = 5     [---------]
# [3,-1]             [---]
# [3,-3]             |
# [*,-2]         [-----]
@pytest.mark.parametrize(
    ("back", "ahead", "first", "last"),
    [
        (3, 0, 2, 5),
        (0, 0, 5, 5),
        (5, 0, 0, 5),
        (9, 0, 0, 5),
        (0, 2, 5, 7),
        (3, 1, 2, 6),
        (None, 0, 0, 5),
        (3, -1, 2, 4),
        (3, -3, 2, 2),
        (None, -2, 0, 3),
    ],
)
def test_edges_of_a_time_window(back: int | None, ahead: int, first: int, last: int) -> None:
    check_edges(time_window(TIMELINE, 5, back, ahead), first, last)


# time points      0 1 2 3 4 5 6 7 8 9
# [3 step 2] t = 5   [-----]              pivot 4
# [3 step 2] t = 6       [-----]          pivot 6
# [3 step 2] t = 7       [-----]          pivot 6
# [3 step 2] t = 8           [-----]      pivot 8
@pytest.mark.parametrize(("t", "first", "last"), [(5, 1, 4), (6, 3, 6), (7, 3, 6), (8, 5, 8)])
def test_a_stepped_window_moves_by_its_step(t: int, first: int, last: int) -> None:
    check_edges(time_window(TIMELINE, t, 3, 0, 2), first, last)


# time points        4 5 6 7
# timeline           [------...
# [1 step 5] t = 4 |               pivot 0: all of it lies before the start
def test_a_stepped_window_before_the_start_is_empty() -> None:
    assert not time_window(Interval(4, None), 4, 1, 0, 5)


# time points        4 5 6 7
# timeline           [------...
# [3,-1] t = 4   [-]               all of it lies before the start
# [3,-1] t = 5     [-|             the first time point that it has
def test_a_window_that_ends_before_now_is_empty_at_the_start() -> None:
    timeline = Interval(4, None)
    assert not time_window(timeline, 4, 3, -1)
    check_edges(time_window(timeline, 5, 3, -1), 4, 4)


# enclosing window       2 3 4 5 6
#                        [-------]
# [3]  t = 4           . [---]           cut at its left end
# [+3] t = 4                 [---] .     cut at its right end
@pytest.mark.parametrize(("back", "ahead", "first", "last"), [(3, 0, 2, 4), (0, 3, 4, 6), (9, 9, 2, 6)])
def test_a_window_is_cut_at_both_ends_of_the_enclosing_one(back: int, ahead: int, first: int, last: int) -> None:
    check_edges(time_window(Interval(2, 6), 4, back, ahead), first, last)


# t        -4 -3 -2 -1  0  1  2  3
# pivot    -4 -4 -2 -2  0  0  2  2       step 2: rounded down, also below zero
def test_the_pivot_is_rounded_down() -> None:
    assert [pivot(t, 2) for t in range(-4, 4)] == [-4, -4, -2, -2, 0, 0, 2, 2]


# time points   0 1 2 3 4 5 6 7 8
# facts             a   b     c d
# [#2]    t = 6     [-------]         a and b: from the older of them to t
# [#3]    t = 6 [-----------]         fewer than three: from the start
# [#2,+1] t = 6     [---------]       up to the next fact, c
# [#2,+9] t = 6     [-----------]     fewer than nine: as far as data is known
@pytest.mark.parametrize(
    ("oldest", "newest", "first", "last"), [(2, 6, 2, 6), (None, 6, 0, 6), (2, 7, 2, 7), (2, None, 2, 8)]
)
def test_edges_of_a_tuple_window(oldest: int | None, newest: int | None, first: int, last: int) -> None:
    check_edges(tuple_window(TIMELINE, 6, oldest, newest, 8), first, last)


# time points   0 1 2 3 4 5 6
# [2..4]            [---]
# [-3..1]     ..[-]                   cut at the start
# [4..4]                |
@pytest.mark.parametrize(("lo", "hi", "first", "last"), [(2, 4, 2, 4), (-3, 1, 0, 1), (4, 4, 4, 4)])
def test_edges_of_an_interval_window(lo: int, hi: int, first: int, last: int) -> None:
    check_edges(interval_window(TIMELINE, lo, hi), first, last)


@pytest.mark.parametrize(("lo", "hi"), [(4, 3), (-5, -1)])
def test_an_interval_window_without_points_on_the_timeline_is_empty(lo: int, hi: int) -> None:
    assert not interval_window(TIMELINE, lo, hi)
