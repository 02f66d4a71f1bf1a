"""Functions of instants: `year(X)`, `timezone(X)`. They read the time in the time zone in which it is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from lasing.logic.functions import reasons
from lasing.logic.functions.entry import Function, call, kinds
from lasing.logic.functions.promotion import exact
from lasing.logic.values import Duration, Instant, TypedLiteral, Undefined, Value, datatypes, literal
from lasing.logic.values.moments import FIRST, LAST, clock, local_from, local_lexical, minutes_of

MOMENTS = kinds("instant", Instant, TypedLiteral)


def shifted(moment: TypedLiteral, by: Fraction) -> Value:
    """A date and time in the same time zone, later by some microseconds."""
    local, zone = _local(moment)
    if moment.datatype == datatypes.DATE_TIME and 10**100 % by.denominator:
        raise Undefined(reasons.TOO_LONG)
    return literal(local_lexical(local + by, zone), datatypes.DATE_TIME)


def _local(value: Value) -> tuple[Fraction, str]:
    """What the clock shows, and the time zone as it is written."""
    if isinstance(value, Instant):
        return Fraction(value.microseconds), "Z"
    assert isinstance(value, TypedLiteral), "the entries say so"
    found = local_from(value.lexical) if value.datatype == datatypes.DATE_TIME else None
    if found is None:
        raise Undefined(reasons.WRONG_KIND)
    return found


def _field(read: Callable[[datetime], int]) -> Callable[[Value], Value]:
    return lambda value: read(clock(_local(value)[0])[0])


def _seconds(value: Value) -> Value:
    moment, rest = clock(_local(value)[0])
    return exact(Decimal(moment.second) + Decimal(rest.numerator) / Decimal(rest.denominator))


def _timezone(value: Value) -> Value:
    zone = _local(value)[1]
    if not zone:
        raise Undefined(reasons.WRONG_KIND)
    return Duration(minutes_of(zone) * 60_000_000)


def _instant(point: Value, milliseconds: Value) -> Value:
    assert isinstance(point, int), "the entry says so"
    assert isinstance(milliseconds, int), "the entry says so"
    microseconds = point * milliseconds * 1000
    if not FIRST <= microseconds <= LAST:
        raise Undefined(reasons.BEYOND_64_BITS)
    return Instant(microseconds)


_WHOLE = kinds("whole number", int)

MOMENT_FUNCTIONS: tuple[Function, ...] = (
    *(
        call(name, (MOMENTS,), "a whole number", "integer", _field(read), f"the {name} of an instant")
        for name, read in (
            ("year", lambda moment: moment.year),
            ("month", lambda moment: moment.month),
            ("day", lambda moment: moment.day),
            ("hours", lambda moment: moment.hour),
            ("minutes", lambda moment: moment.minute),
        )
    ),
    call(
        "instant",
        (_WHOLE, _WHOLE),
        "an instant",
        "mixed",
        _instant,
        "when a time point begins, given the milliseconds of a tick: `instant(#now, 1000)`",
    ),
    call("seconds", (MOMENTS,), "an exact decimal", "mixed", _seconds, "the seconds of an instant, with fractions"),
    call("timezone", (MOMENTS,), "a duration", "mixed", _timezone, "how far its time zone is ahead of UTC"),
    call("tz", (MOMENTS,), "a text", "text", lambda value: _local(value)[1], 'its time zone as it is written, or `""`'),
)
