"""Ticks and durations: how long a time point is, and which time point an instant of the clock belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lasing.errors import fault
from lasing.timeline.limits import BEYOND, NOTE, check_time

MILLISECONDS = {"ms": 1, "s": 1_000, "sec": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}

LONGEST_TICK = 36_500 * MILLISECONDS["d"]

_WHOLE = re.compile(r"-?[0-9]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Tick:
    """The length of a time point, in milliseconds.

    >>> Tick(60_000).count(20, "min"), Tick(60_000).count(2, "h")
    (20, 120)
    """

    milliseconds: int

    def count(self, amount: int, unit: str) -> int:
        """How many time points a duration is; ValueError where it is no whole number of them."""
        points, rest = divmod(amount * MILLISECONDS[unit], self.milliseconds)
        if rest:
            raise ValueError(f"{amount} {unit} is no whole number of time points of {self}")
        return points

    def point(self, instant: datetime) -> int:
        """The time point in which an instant lies, counted from 1970-01-01 UTC; without a zone, UTC is meant.

        >>> Tick(1_000).point(datetime(1970, 1, 1, 0, 1, 0, 999_000))
        60
        """
        aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
        return (aware - _EPOCH) // timedelta(milliseconds=self.milliseconds)

    def instant(self, point: int) -> datetime:
        """The first instant of a time point.

        >>> Tick(60_000).instant(1).isoformat()
        '1970-01-01T00:01:00+00:00'
        """
        return _EPOCH + timedelta(milliseconds=self.milliseconds * point)

    def iso(self, point: int) -> str:
        """The first instant of a time point as ISO 8601 text, in UTC; `LasingError` outside of the years 1 to 9999.

        >>> Tick(1_000).iso(61)
        '1970-01-01T00:01:01Z'
        """
        try:
            return self.instant(point).isoformat().replace("+00:00", "Z")
        except OverflowError:
            raise fault("E502", f"the time point {point} has no date", note="print times as numbers") from None

    def __str__(self) -> str:
        for unit in ("d", "h", "min", "sec", "ms"):
            amount, rest = divmod(self.milliseconds, MILLISECONDS[unit])
            if not rest:
                return f"{amount} {unit}"
        raise AssertionError("every tick is a whole number of milliseconds")


def parse_time(text: str, tick: Tick | None) -> int:
    """A time point from text: a whole number, or an ISO 8601 date and time where the program has a #tick.

    >>> parse_time("36", None), parse_time("1970-01-01T00:01:00Z", Tick(1_000))
    (36, 60)
    """
    if _WHOLE.fullmatch(text):
        if len(text) > 20:
            raise fault("E506", f"the time {_short(text)} {BEYOND}", note=NOTE)
        return check_time(int(text))
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise fault(
            "E502",
            f"{_short(text)} is not a time",
            note="write a whole number, or an ISO 8601 date and time such as 2026-01-31T08:00:00Z",
        ) from None
    if tick is None:
        raise fault(
            "E503",
            f"{_short(text)} is a date and time, but the program does not say how long a time point is",
            note="add a tick to the program, such as: #tick 1 sec.",
        )
    try:
        return tick.point(instant)
    except OverflowError:
        raise fault("E502", f"{_short(text)} is outside of the calendar") from None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
