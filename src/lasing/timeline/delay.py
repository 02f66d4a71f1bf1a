"""How late facts may be, as a number of time points or a duration; and how long an input may be silent."""

from __future__ import annotations

import re
from datetime import timedelta

from lasing.errors import fault
from lasing.timeline.ticks import MILLISECONDS

_DURATION = re.compile(r"\s*([0-9]+)\s*([a-z]+)\s*")
_LONG_NAMES = {"second": "sec", "minute": "min", "hour": "h", "day": "d", "millisecond": "ms"}


Delay = int | str | timedelta
"""A number of time points, or a duration."""


def delay_of(given: Delay, unit: int | None) -> int:
    """A delay in microseconds if a time point has `unit` microseconds, otherwise in time points.

    >>> delay_of("10 sec", 60_000_000), delay_of(2, 60_000_000), delay_of(2, None)
    (10000000, 120000000, 2)
    """
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given if unit is None else given * unit
    microseconds = _duration(given)
    if microseconds is None:
        note = 'a delay is a number of time points, or a duration such as "10 sec", "2 min", "1 h"'
        raise fault("E305", f"{given!r} is not a delay", note=note)
    if unit is None:
        note = "give the delay as a number of time points"
        raise fault("E503", f"the delay is {given}, but times are plain numbers", note=note)
    return microseconds


def silence_of(given: object) -> int:
    """How long an input may be silent, in microseconds by the clock.

    >>> silence_of("5 min")
    300000000
    """
    microseconds = _duration(given)
    if microseconds is None:
        note = 'give a duration by the clock, such as "10 sec", "5 min", "1 h"'
        raise fault("E305", f"{given!r} is not a duration after which an input is idle", note=note)
    return microseconds


def _duration(given: object) -> int | None:
    """The microseconds of a `timedelta`, or of a text such as "10 sec"; None if it is not a duration."""
    if isinstance(given, timedelta):
        return given // timedelta(microseconds=1) if given >= timedelta(0) else None
    found = _DURATION.fullmatch(given) if isinstance(given, str) else None
    word = "" if found is None else found[2]
    one = word.removesuffix("s")
    name = next((n for n in (word, one, _LONG_NAMES.get(one, "")) if n in MILLISECONDS), None)
    return None if found is None or name is None else int(found[1]) * MILLISECONDS[name] * 1000
