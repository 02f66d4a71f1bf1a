"""Ticks and durations: how long a time point is, and which time point an instant of the clock belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from lasing.errors import LasingError, fault
from lasing.timeline.limits import BEYOND, NOTE, check_time

MILLISECONDS = {"ms": 1, "s": 1_000, "sec": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}

LONGEST_TICK = 36_500 * MILLISECONDS["d"]

DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_YEAR, _MONTH, _DAY = r"(?:19|20|21)\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
LOOSE_DATE = re.compile(
    rf"{_YEAR}([-/]){_MONTH}\1{_DAY}(?![\w/-])|{_DAY}([-/]){_MONTH}\2{_YEAR}(?![\w/-])|{_MONTH}([-/]){_DAY}\3{_YEAR}(?![\w/-])"
)
"""A date in another common form: 2026-1-31, 2026/01/31, 31-01-2026, 1/31/2026."""
LOOSE_MONTH = re.compile(rf"{_YEAR}[-/]{_MONTH}(?![\w/-])")
"""A date that is not quoted, with a time of day or without."""

_WHOLE = re.compile(r"-?[0-9]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Dates:
    """Whether times came in as dates, and so go out as dates; once `decided`, later input does not change it."""

    seen: bool = False
    decided: bool = False


@dataclass(slots=True)
class Instant:
    """The last instant that was read, in microseconds from 1970-01-01 UTC: more exact than its time point."""

    microseconds: int | None = None

    def within(self, point: int, unit: int | None) -> int:
        """The instant, if it is in this time point; otherwise the first instant of the time point.

        Without a unit, times are plain numbers, and the time point is all there is to know.
        """
        if unit is None:
            return point
        known = self.microseconds
        return known if known is not None and known // unit == point else point * unit


@dataclass(frozen=True, slots=True)
class Tick:
    """The length of a time point, in milliseconds; a tick that is `watched` notes in `dates` when it reads a date, and
    one with a `last` notes there which instant it read.

    >>> Tick(60_000).count(20, "min"), Tick(60_000).count(2, "h")
    (20, 120)
    """

    milliseconds: int
    dates: Dates | None = field(default=None, compare=False, repr=False)
    last: Instant | None = field(default=None, compare=False, repr=False)

    @property
    def microseconds(self) -> int:
        return self.milliseconds * 1_000

    def watched(self) -> Tick:
        """The same tick, but it notes whether it reads dates; a tick that already does so stays as it is."""
        return self if self.dates is not None else replace(self, dates=Dates())

    def note_date(self) -> None:
        """Note that a date came in. A reader that does not use `point` calls this if its first time is a date."""
        if self.dates is not None and not self.dates.decided:
            self.dates.seen = True

    @property
    def reads_dates(self) -> bool:
        """Whether a date has come in since the tick was watched."""
        return self.dates is not None and self.dates.seen

    def count(self, amount: int, unit: str) -> int:
        """The number of time points in a duration; raises ValueError if it is not a whole number."""
        points, rest = divmod(amount * MILLISECONDS[unit], self.milliseconds)
        if rest:
            raise ValueError(f"{amount} {unit} is not a whole number of time points of {self}")
        return points

    def point(self, instant: datetime) -> int:
        """The time point that contains an instant, counted from 1970-01-01 UTC; without a time zone, it is in UTC.

        >>> Tick(1_000).point(datetime(1970, 1, 1, 0, 1, 0, 999_000))
        60
        """
        self.note_date()
        since = (instant if instant.tzinfo else instant.replace(tzinfo=UTC)) - _EPOCH
        if self.last is not None:
            self.last.microseconds = since // timedelta(microseconds=1)
        return since // timedelta(milliseconds=self.milliseconds)

    def instant(self, point: int) -> datetime:
        """The first instant of a time point; raises `LasingError` outside the years 1 to 9999.

        >>> Tick(60_000).instant(1).isoformat()
        '1970-01-01T00:01:00+00:00'
        """
        try:
            return _EPOCH + timedelta(milliseconds=self.milliseconds * point)
        except OverflowError:
            note = "dates reach from the year 1 to 9999; print times as numbers: --times numbers"
            raise fault("E502", f"the time point {point} has no date", note=note) from None

    def iso(self, point: int) -> str:
        """The first instant of a time point as ISO 8601 text, in UTC; raises `LasingError` if it has none.

        >>> Tick(1_000).iso(61)
        '1970-01-01T00:01:01Z'
        """
        return self.instant(point).isoformat().replace("+00:00", "Z")

    def __str__(self) -> str:
        for unit in ("d", "h", "min", "sec", "ms"):
            amount, rest = divmod(self.milliseconds, MILLISECONDS[unit])
            if not rest:
                return f"{amount} {unit}"
        raise AssertionError("every tick is a whole number of milliseconds")


def time_text(time: int, tick: Tick | None) -> str:
    """A time point as text; with a tick, as a date if it has one."""
    try:
        return str(time) if tick is None else tick.iso(time)
    except LasingError:  # beyond the calendar
        return str(time)


def parse_time(text: str, tick: Tick | None) -> int:
    """A time point from text: a whole number, or an ISO 8601 date and time if the program has a #tick.

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
        raise fault("E502", f"{_short(text)} is outside the calendar") from None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def iso_date(text: str) -> str:
    """A date written year first, in ISO form; empty if that would be a guess.

    >>> iso_date("2026/1/31"), iso_date("2026-01"), iso_date("01/02/2026")
    ('2026-01-31', '2026-01-01', '')
    """
    if DATE.fullmatch(text):
        return text
    year, *rest = re.split(r"[-/]", text)
    return "" if len(year) != 4 else "-".join((year, *(f"{int(part):02}" for part in (*rest, "1")[:2])))
