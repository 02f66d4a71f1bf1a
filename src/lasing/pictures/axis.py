"""Where the marks of a time axis are, and what they say: numbers, or dates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lasing.errors import LasingError
from lasing.timeline.ticks import Tick

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_STEPS = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500),
    *(n * _SECOND for n in (1, 2, 5, 10, 15, 30)),
    *(n * _MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * _HOUR for n in (1, 2, 3, 6, 12)),
    *(n * _DAY for n in (1, 2, 7, 14)),
)
"""Steps of an axis with dates, in milliseconds; beyond them, months."""
_MONTHS = 1, 3, 6, 12, 60, 120, 600, 1200, 6000


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of the axis: its time point, a label, and a second line, which is empty if it says nothing new."""

    time: int
    label: str
    below: str = ""


def marks(start: int, end: int, tick: Tick | None, most: int) -> list[Mark]:
    """At most so many marks from `start` to `end`, at round numbers or dates.

    >>> [mark.time for mark in marks(3, 42, None, 5)]
    [10, 20, 30, 40]
    >>> [(mark.label, mark.below) for mark in marks(0, 150, Tick(60_000), 4)]
    [('00:00', '1970-01-01'), ('01:00', ''), ('02:00', '')]
    """
    most = max(most, 1)
    if tick is not None:
        try:
            tick.instant(start), tick.instant(end)
        except LasingError:  # beyond the calendar
            return _numbers(start, end, most)
        return _dates(start, end, tick, most)
    return _numbers(start, end, most)


def _numbers(start: int, end: int, most: int) -> list[Mark]:
    step = 1
    for factor in _factors():
        step = factor
        if (end - start) // step < most:
            break
    times = range(-(-start // step) * step, end + 1, step) or [start]
    return [Mark(time, str(time)) for time in times]


def _factors() -> list[int]:
    return [n * 10**power for power in range(20) for n in (1, 2, 5)]


def _dates(start: int, end: int, tick: Tick, most: int) -> list[Mark]:
    length = tick.milliseconds
    for step in _STEPS:
        points, rest = divmod(step, length)
        if points and not rest and (end - start) // points < most:
            return _by_step(start, end, tick, points, step) or [_mark(start, tick, _form(step), "")]
    for months in _MONTHS:
        found = _by_month(start, end, tick, months)
        if len(found) <= most:
            return found or [_mark(start, tick, _day, "")]
    return [_mark(start, tick, _day, "")]


def _by_step(start: int, end: int, tick: Tick, points: int, step: int) -> list[Mark]:
    found: list[Mark] = []
    day = ""
    weeks = step % (7 * _DAY) == 0
    offset = 4 * _DAY // tick.milliseconds if weeks else 0  # 1970-01-01 was a Thursday, and weeks begin on Mondays
    for time in range(-(-(start - offset) // points) * points + offset, end + 1, points):
        found.append(_mark(time, tick, _form(step), day))
        day = f"{tick.instant(time):%Y-%m-%d}"
    return found


def _mark(time: int, tick: Tick, form: Callable[[datetime], str], day: str) -> Mark:
    """A mark; the day is below it if that is not said already."""
    instant = tick.instant(time)
    today = f"{instant.year:04}-{instant:%m-%d}"
    label = form(instant)
    return Mark(time, label, "" if label == today or today == day else today)


def _form(step: int) -> Callable[[datetime], str]:
    if step % _DAY == 0:
        return _day
    if step % _MINUTE == 0:
        return lambda instant: f"{instant:%H:%M}"
    if step % _SECOND == 0:
        return lambda instant: f"{instant:%H:%M:%S}"
    return lambda instant: f"{instant:%H:%M:%S}.{instant.microsecond // 1000:03}"


def _day(instant: datetime) -> str:
    return f"{instant.year:04}-{instant:%m-%d}"


def _by_month(start: int, end: int, tick: Tick, months: int) -> list[Mark]:
    """Marks at the first of every so many months."""
    found: list[Mark] = []
    first = tick.instant(start)
    number = -(-(first.year * 12 + first.month - 1) // months) * months
    while number // 12 <= 9999:
        instant = datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)
        time = (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=tick.milliseconds)
        if time > end:
            break
        if time >= start:
            found.append(Mark(time, _day(instant)))
        number += months
    return found
