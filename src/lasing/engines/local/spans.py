"""When a time point lies in a time window: the inverse of `lasing.timeline.windows.time_window`, for kernels.

    u in the window of t  ⇔  enters(u) <= t <= leaves(u)

`back` is negative if the window reaches to the start of the timeline, `ahead` if it ends before its pivot.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import FOREVER


@njit(cache=True, forceinline=True)
def enters(u: int, ahead: int, step: int) -> int:
    """The first evaluation time whose window has u: the first pivot from u - ahead on."""
    return u - ahead if step == 1 else -((ahead - u) // step) * step


@njit(cache=True, forceinline=True)
def leaves(u: int, back: int, step: int) -> int:
    """The last evaluation time whose window has u."""
    if back < 0:
        return FOREVER
    return u + back if step == 1 else (u + back) // step * step + step - 1


@njit(cache=True)
def window_size(t: int, back: int, ahead: int, step: int, start: int) -> int:
    """How many time points the window of t has."""
    pivot = t // step * step
    low = start if back < 0 else max(start, pivot - back)
    return max(0, pivot + ahead - low + 1)
