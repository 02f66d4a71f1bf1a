"""Which time points are in a window, and how large windows are, agrees with `lasing.timeline`."""

from __future__ import annotations

from itertools import product

import pytest

from lasing.engines.local.spans import enters, leaves, window_size
from lasing.timeline.intervals import Interval
from lasing.timeline.windows import time_window

SPANS = [
    (back, ahead, step)
    for back, ahead, step in product((None, 0, 1, 3), (-2, -1, 0, 1, 2), (1, 2, 3))
    if back is None or back + ahead >= 0
]


@pytest.mark.parametrize(("back", "ahead", "step"), SPANS)
def test_spans_are_the_inverse_of_windows(back: int | None, ahead: int, step: int) -> None:
    start = -4
    kernel_back = -1 if back is None else back
    for t in range(start, 10):
        window = time_window(Interval(start, None), t, back, ahead, step)
        for u in range(start, 15):
            inside = enters(u, ahead, step) <= t <= leaves(u, kernel_back, step)
            assert inside == (u in window), (t, u)
        size = 0 if window.hi is None else max(0, window.hi - window.lo + 1)
        assert window_size(t, kernel_back, ahead, step, start) == size
