"""How late facts may be: a number of time points, or a duration."""

from __future__ import annotations

import re

from lasing.errors import fault
from lasing.timeline.ticks import MILLISECONDS

_DURATION = re.compile(r"\s*([0-9]+)\s*([a-z]+)\s*")
_LONG_NAMES = {"second": "sec", "minute": "min", "hour": "h", "day": "d", "millisecond": "ms"}


def delay_of(given: int | str, unit: int | None) -> int:
    """A delay in microseconds where a time point has `unit` of them, else in time points.

    >>> delay_of("10 sec", 60_000_000), delay_of(2, 60_000_000), delay_of(2, None)
    (10000000, 120000000, 2)
    """
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given if unit is None else given * unit
    found = _DURATION.fullmatch(given) if isinstance(given, str) else None
    word = "" if found is None else found[2]
    one = word.removesuffix("s")
    name = next((n for n in (word, one, _LONG_NAMES.get(one, "")) if n in MILLISECONDS), None)
    if found is None or name is None:
        note = 'a delay is a number of time points, or a duration such as "10 sec", "2 min", "1 h"'
        raise fault("E305", f"{given!r} is no delay", note=note)
    if unit is None:
        note = "give the delay as a number of time points"
        raise fault("E503", f"the delay is {given}, but times are plain numbers", note=note)
    return int(found[1]) * MILLISECONDS[name] * 1000
