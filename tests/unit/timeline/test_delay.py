"""How late facts may be."""

from __future__ import annotations

import pytest

from lasing import LasingError
from lasing.timeline.delay import delay_of

SECOND = 1_000_000


@pytest.mark.parametrize(
    ("given", "unit", "wanted"),
    [
        (0, None, 0),
        (3, None, 3),
        (3, 60 * SECOND, 180 * SECOND),
        ("10 sec", 60 * SECOND, 10 * SECOND),
        ("10s", SECOND, 10 * SECOND),
        ("1 second", SECOND, SECOND),
        ("250 ms", SECOND, SECOND // 4),
        ("2 min", SECOND, 120 * SECOND),
        ("2 minutes", SECOND, 120 * SECOND),
        (" 1 h ", SECOND, 3600 * SECOND),
        ("3 hours", SECOND, 3 * 3600 * SECOND),
        ("1 d", SECOND, 86400 * SECOND),
        ("2 days", SECOND, 2 * 86400 * SECOND),
    ],
)
def test_delays(given: int | str, unit: int | None, wanted: int) -> None:
    assert delay_of(given, unit) == wanted


@pytest.mark.parametrize("given", [-1, True, "", "soon", "10", "-5 sec", "1.5 sec", "3 weeks", "10 sec 5"])
def test_a_bad_delay_is_refused(given: int | str) -> None:
    with pytest.raises(LasingError, match="E305"):
        delay_of(given, SECOND)


def test_a_duration_needs_timestamps() -> None:
    with pytest.raises(LasingError, match=r"E503.*\n?.*plain numbers"):
        delay_of("10 sec", None)
