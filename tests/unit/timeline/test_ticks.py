"""Ticks, durations, and times as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from lasing.errors import LasingError
from lasing.timeline.ticks import Tick, parse_time

SECOND, MINUTE = Tick(1_000), Tick(60_000)


@pytest.mark.parametrize(
    ("amount", "unit", "points"),
    [(3_000, "ms", 3), (3, "s", 3), (3, "sec", 3), (2, "min", 120), (1, "h", 3_600), (1, "d", 86_400), (0, "h", 0)],
)
def test_a_duration_is_a_number_of_time_points(amount: int, unit: str, points: int) -> None:
    assert SECOND.count(amount, unit) == points


def test_a_duration_that_is_not_a_whole_number_of_ticks_is_refused() -> None:
    with pytest.raises(ValueError, match="90 s is not a whole number of time points of 1 min"):
        MINUTE.count(90, "s")


@pytest.mark.parametrize(
    ("instant", "point"),
    [
        (datetime(1970, 1, 1, 0, 0, 59, 999_999, UTC), 0),
        (datetime(1970, 1, 1, 0, 1, 0, 0, UTC), 1),
        (datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), -1),
        (datetime(1970, 1, 1, 2, 1, tzinfo=timezone(timedelta(hours=2))), 1),
        (datetime(1970, 1, 1, 0, 1), 1),
    ],
)
def test_an_instant_belongs_to_the_tick_that_began_last(instant: datetime, point: int) -> None:
    assert MINUTE.point(instant) == point


@pytest.mark.parametrize("point", [-61, 0, 1, 1_767_225_600])
def test_the_text_of_a_time_point_reads_back(point: int) -> None:
    assert parse_time(SECOND.iso(point), SECOND) == point


@pytest.mark.parametrize(
    ("milliseconds", "text"), [(500, "500 ms"), (90_000, "90 sec"), (7_200_000, "2 h"), (86_400_000, "1 d")]
)
def test_a_tick_is_written_in_its_largest_whole_unit(milliseconds: int, text: str) -> None:
    assert str(Tick(milliseconds)) == text


@pytest.mark.parametrize(("text", "point"), [("36", 36), ("-7", -7), ("0", 0)])
def test_a_whole_number_is_a_time_with_or_without_a_tick(text: str, point: int) -> None:
    assert parse_time(text, None) == point
    assert parse_time(text, SECOND) == point


@pytest.mark.parametrize("text", ["1970-01-01T00:01:00Z", "1970-01-01T01:01:00+01:00", "1970-01-01 00:01"])
def test_a_date_and_time_is_a_time_if_there_is_a_tick(text: str) -> None:
    assert parse_time(text, SECOND) == 60


def test_a_date_and_time_without_a_tick_asks_for_one() -> None:
    with pytest.raises(LasingError) as caught:
        parse_time("2026-01-31T08:00:00Z", None)
    assert caught.value.diagnostics[0].code == "E503"
    assert "#tick" in caught.value.diagnostics[0].note


@pytest.mark.parametrize("text", ["", "soon", "1.5", "٣", "2026-13-01", "1_000", " "])
def test_anything_but_a_time_is_refused(text: str) -> None:
    with pytest.raises(LasingError) as caught:
        parse_time(text, SECOND)
    assert caught.value.diagnostics[0].code == "E502"
