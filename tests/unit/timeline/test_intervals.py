"""Intervals: both ends belong to them."""

from __future__ import annotations

from itertools import islice

import pytest

from lasing.timeline.intervals import Interval


@pytest.mark.parametrize(("point", "inside"), [(2, False), (3, True), (5, True), (6, False)])
def test_both_ends_are_inside(point: int, inside: bool) -> None:
    assert (point in Interval(3, 5)) is inside


def test_an_interval_of_one_point_is_not_empty() -> None:
    assert Interval(3, 3)
    assert list(Interval(3, 3)) == [3]


def test_an_interval_that_ends_before_it_begins_is_empty() -> None:
    assert not Interval(3, 2)
    assert list(Interval(3, 2)) == []


def test_an_endless_interval_goes_on() -> None:
    assert 10**18 in Interval(-1, None)
    assert list(islice(Interval(-1, None), 3)) == [-1, 0, 1]


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        (Interval(0, 5), Interval(3, 9), Interval(3, 5)),
        (Interval(0, None), Interval(3, 9), Interval(3, 9)),
        (Interval(0, None), Interval(3, None), Interval(3, None)),
        (Interval(0, 3), Interval(3, 9), Interval(3, 3)),
    ],
)
def test_intersection_has_the_points_of_both(left: Interval, right: Interval, both: Interval) -> None:
    assert left & right == both
    assert right & left == both


def test_the_intersection_of_intervals_apart_is_empty() -> None:
    assert not Interval(0, 2) & Interval(3, 5)
