"""Instants (xsd:dateTime in UTC) and durations (xsd:dayTimeDuration), both exact to the microsecond."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from lasing.errors import fault
from lasing.logic.values.boxed import Boxed
from lasing.logic.values.datatypes import DATE_TIME, DAY_TIME_DURATION
from lasing.logic.values.numbers import LARGEST, SMALLEST

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000
_LONGEST = 100  # the length up to which a lexical form is evaluated
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
LAST = (datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC) - _EPOCH) // _MICROSECOND

_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?(?:(Z)|([+-])([0-9]{2}):([0-9]{2}))?\Z",
    re.ASCII,
)
_ZONE = re.compile(r"(?:Z|[+-][0-9]{2}:[0-9]{2})?\Z", re.ASCII)
_DURATION = re.compile(
    r"(-?)P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?(?<![PT])\Z", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Instant(Boxed):
    """A point in time of the years 1 to 9999, in microseconds since 1970 began in UTC.

    >>> str(Instant(1_500_000))
    '"1970-01-01T00:00:01.5Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    """

    microseconds: int

    def __post_init__(self) -> None:
        if type(self.microseconds) is not int or not FIRST <= self.microseconds <= LAST:
            note = "instants lie in the years 1 to 9999, and are whole microseconds since 1970"
            raise fault("E506", f"{str(self.microseconds)[:60]} is not an instant", note=note)

    def __str__(self) -> str:
        return f'"{self.lexical}"^^<{DATE_TIME}>'

    @property
    def lexical(self) -> str:
        moment = _EPOCH + timedelta(microseconds=self.microseconds)
        whole = moment.replace(microsecond=0, tzinfo=None).isoformat()
        return f"{whole}{_fraction(moment.microsecond)}Z"


@dataclass(frozen=True, slots=True)
class Duration(Boxed):
    """A length of time in microseconds.

    >>> str(Duration(90_061_500_000))
    '"P1DT1H1M1.5S"^^<http://www.w3.org/2001/XMLSchema#dayTimeDuration>'
    """

    microseconds: int

    def __post_init__(self) -> None:
        if type(self.microseconds) is not int or not SMALLEST <= self.microseconds <= LARGEST:
            note = "durations are whole microseconds of at most 64 bits"
            raise fault("E506", f"{str(self.microseconds)[:60]} is not a duration", note=note)

    def __str__(self) -> str:
        return f'"{self.lexical}"^^<{DAY_TIME_DURATION}>'

    @property
    def lexical(self) -> str:
        """The canonical lexical form, such as P1DT2H3M4.5S."""
        seconds, fraction = divmod(abs(self.microseconds), _SECOND)
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        days, hours = divmod(hours, 24)
        parts = [f"{hours}H" if hours else "", f"{minutes}M" if minutes else ""]
        if seconds or fraction:
            parts.append(f"{seconds}{_fraction(fraction)}S")
        time = "".join(parts)
        if not days and not time:
            return "PT0S"
        return f"{'-' if self.microseconds < 0 else ''}P{f'{days}D' if days else ''}{f'T{time}' if time else ''}"


def instant_from(lexical: str) -> tuple[bool, Fraction] | None:
    """Whether an xsd:dateTime has a time zone, and its microseconds since 1970; None if it is not such a text."""
    found = _DATE_TIME.match(lexical)
    if found is None or len(lexical) > _LONGEST:
        return None
    *fields, fraction, utc, sign, hours, minutes = found.groups()
    year, month, day, hour, minute, second = map(int, fields)
    try:
        midnight = datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None
    end_of_day = (hour, minute, second) == (24, 0, 0) and not Fraction(fraction or 0)
    if not (hour < 24 or end_of_day) or minute > 59 or second > 59:
        return None
    offset = 0
    if sign is not None:
        offset = int(hours) * 60 + int(minutes)
        if int(minutes) > 59 or offset > 14 * 60:
            return None
        offset = -offset if sign == "-" else offset
    seconds = (midnight - _EPOCH) // _MICROSECOND // _SECOND + hour * 3600 + (minute - offset) * 60 + second
    return utc is not None or sign is not None, _microseconds(seconds, fraction)


def local_from(lexical: str) -> tuple[Fraction, str] | None:
    """What the clock shows at an xsd:dateTime, in microseconds since 1970, and its time zone as it is written.

    >>> local_from("1970-01-01T02:00:00+02:00")
    (Fraction(7200000000, 1), '+02:00')
    """
    found = instant_from(lexical)
    if found is None:
        return None
    zone = _ZONE.search(lexical)[0]  # type: ignore[index]  # it may be empty
    return found[1] + minutes_of(zone) * 60 * _SECOND, zone


def minutes_of(zone: str) -> int:
    """How far a time zone is ahead of UTC.

    >>> minutes_of("-01:30"), minutes_of("Z")
    (-90, 0)
    """
    if zone in ("", "Z"):
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes


def clock(local: Fraction) -> tuple[datetime, Fraction]:
    """A local time to the whole second, and the rest of the second; raises `OverflowError` beyond the year 9999."""
    seconds, rest = divmod(local, _SECOND)
    return _EPOCH.replace(tzinfo=None) + timedelta(seconds=seconds), Fraction(rest, _SECOND)


def local_lexical(local: Fraction, zone: str) -> str:
    """The lexical form of a local time in a time zone; raises `OverflowError` beyond the years 1 to 9999."""
    moment, rest = clock(local)
    if not FIRST <= local <= LAST + 1:
        raise OverflowError
    return f"{moment.isoformat()}{_digits(rest)}{zone}"


def _digits(fraction: Fraction) -> str:
    """A fraction of a second, whose denominator divides a power of ten: .25, or nothing."""
    digits = ""
    while fraction:
        whole, fraction = divmod(fraction * 10, 1)
        digits += str(whole)
    return f".{digits}" if digits else ""


def duration_from(lexical: str) -> Fraction | None:
    """The microseconds of an xsd:dayTimeDuration, or None if it is not such a text."""
    found = _DURATION.match(lexical)
    if found is None or len(lexical) > _LONGEST:
        return None
    sign, days, hours, minutes, written = found.groups()
    whole, point, fraction = (written or "0").partition(".")
    seconds = ((int(days or 0) * 24 + int(hours or 0)) * 60 + int(minutes or 0)) * 60 + int(whole)
    length = _microseconds(seconds, point + fraction if point else None)
    return -length if sign else length


def _fraction(microseconds: int) -> str:
    return f".{microseconds:06d}".rstrip("0") if microseconds else ""


def _microseconds(seconds: int, fraction: str | None) -> Fraction:
    """Seconds and a fraction such as .25, in microseconds, without any rounding."""
    return (seconds + Fraction(f"0{fraction or '.0'}")) * _SECOND
