"""Which rows are late, by their order of arrival."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lasing.spark.arrival import course, marks
from lasing.timeline.reorder import closed_by


def marked(*rows: tuple[int, str], delay: int = 0) -> Any:
    times = np.array([time for time, _ in rows])
    return marks(times, closed_by(times, delay, None), pa.array([at for _, at in rows]).dictionary_encode())


def limits(found: Any, *arrivals: str) -> list[int]:
    limits: list[int] = found.closed_before(pa.chunked_array([pa.array(arrivals).dictionary_encode()])).tolist()
    return limits


def test_a_row_is_measured_by_those_that_arrived_before_it_in_whichever_task() -> None:
    one, other = marked((5, "b"), (9, "d")), marked((3, "a"), (7, "c"))
    found = course([one, other], None, None)
    assert limits(found, "b", "c", "d", "e") == [2, 4, 6, 8]
    assert found.closed == 8
    assert found.oldest == 3


def test_rows_that_arrive_together_do_not_make_each_other_late() -> None:
    found = course([marked((9, "a"), (1, "a")), marked((2, "a"))], None, None)
    assert limits(found, "a")[0] < 1
    assert found.oldest == 1


def test_what_was_closed_before_the_batch_and_what_is_evaluated_is_closed_to_all() -> None:
    found = course([marked((9, "a"))], 4, 6)
    assert limits(found, "a", "b") == [6, 8]
    assert found.closed == 8
    assert course([marked((2, "a"))], 4, 6).closed == 4


def test_a_late_row_is_not_the_oldest_in_time() -> None:
    found = course([marked((9, "a"), (3, "b"), (8, "b"), delay=2)], None, None)
    assert limits(found, "b") == [6]
    assert found.oldest == 8
