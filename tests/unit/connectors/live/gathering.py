"""Take from live sources until something has come."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from lasing.connectors.live.protocol import Arrivals, LiveSource, Position

DEADLINE = 900.0
"""Ends a test that hangs."""


def gather(source: LiveSource, count: int, most: int = 100) -> list[bytes]:
    """This many payloads."""
    return [payload for arrivals in arriving(source, count, most) for payload in arrivals.payloads]


def arriving(source: LiveSource, count: int, most: int = 100) -> list[Arrivals]:
    """What brings this many payloads, or all that comes before the end."""
    found: list[Arrivals] = []
    end = monotonic() + DEADLINE
    while (left := count - sum(len(one.payloads) for one in found)) > 0 and not source.finished():
        assert monotonic() < end, f"{left} more should have come"
        arrivals = source.take(min(most, left), 0.5)
        if arrivals is not None:
            assert 0 < len(arrivals.payloads) == len(arrivals.places) <= most
            found.append(arrivals)
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    end = monotonic() + DEADLINE
    while not condition():
        assert monotonic() < end, "this should have happened"


@contextmanager
def started(source: LiveSource, position: Position | None = None) -> Iterator[LiveSource]:
    try:
        source.start(position)
        yield source
    finally:
        source.close()


@contextmanager
def warned() -> Iterator[list[str]]:
    """The warnings that come, as texts."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            yield texts
        finally:
            texts += [str(one.message) for one in found]
