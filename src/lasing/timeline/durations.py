"""Durations in queries: `PT10S`, `10s`, `5 min`, or a bare number of milliseconds."""

from __future__ import annotations

import re

MILLISECONDS = {
    "ms": 1, "msec": 1, "s": 1_000, "sec": 1_000, "second": 1_000, "seconds": 1_000, "m": 60_000, "min": 60_000,
    "minute": 60_000, "minutes": 60_000, "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000, "d": 86_400_000,
    "day": 86_400_000, "days": 86_400_000,
}  # fmt: skip

_ISO = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,3}))?S)?)?", re.IGNORECASE)
_PLAIN = re.compile(r"(\d+)\s*([A-Za-z]*)")


def duration(text: str) -> int | None:
    """The milliseconds of a duration; None if the text is not one, or is not longer than nothing.

    >>> [duration(text) for text in ("PT10S", "PT1M30S", "10s", "5 min", "250", "soon", "0s")]
    [10000, 90000, 10000, 300000, 250, None, None]
    """
    if found := _ISO.fullmatch(text):
        days, hours, minutes, seconds, fraction = (part or "0" for part in found.groups())
        total = int(days) * 86_400_000 + int(hours) * 3_600_000 + int(minutes) * 60_000 + int(seconds) * 1_000
        return total + int(fraction.ljust(3, "0")) or None
    if found := _PLAIN.fullmatch(text):
        unit = MILLISECONDS.get(found[2].lower() or "ms")
        return None if unit is None else int(found[1]) * unit or None
    return None
