"""The limit for times: time points are within 2^59 of zero, and time windows are shorter than that.

So the sum of a time point and a window size is always less than 2^60, which every engine can hold. With a tick of one
millisecond, that is 18 million years to either side of 1970.
"""

from __future__ import annotations

from lasing.errors import Place, fault

LIMIT = 2**59
BEYOND = "is beyond 2^59"
NOTE = "time points and time windows are within 2^59 of zero: count time from another origin, or in larger units"


def check_time(time: int, place: Place | None = None) -> int:
    """The time point itself; an error if it is beyond the limit.

    >>> check_time(36)
    36
    """
    if not -LIMIT < time < LIMIT:
        shown = str(time) if -(10**40) < time < 10**40 else f"of about {len(hex(time)) * 6 // 5} digits"
        raise fault("E506", f"the time {shown} {BEYOND}", place, NOTE)
    return time
