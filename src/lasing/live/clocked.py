"""An engine that follows the clock: time passes while no fact comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from lasing.connectors.feeds import Feed, Feeds
from lasing.errors import fault
from lasing.live.updates import Update
from lasing.timeline.clock import Clock

if TYPE_CHECKING:
    from lasing.live.engine import Engine

_ARRIVALS = "arrivals"


def run_clock(engine: Engine, arrivals: Iterable[Any] | None, clock: Clock, unit: int, delay: int) -> Iterator[Update]:
    """Push what arrives, and let time pass tick by tick in between; an update for each.

    A thread reads the arrivals, (time, facts) or (time, facts, source); the engine stays in the caller's thread. This
    ends with the arrivals; without any, it goes on for as long as the caller does.
    """
    feeds = Feeds([] if arrivals is None else [Feed(_ARRIVALS, iter(arrivals), True)], clock, in_threads=True)
    endless = arrivals is None
    until = clock.now()
    while feeds.running() or endless:
        for _, arrival in feeds.take(feeds.running(), until, lambda _: None):  # what has come, before the clock goes on
            yield push_arrival(engine, arrival)
        until = clock.now()
        update = engine.follow_clock()
        if update is not None:
            yield update
        else:
            until = next_over(until, unit, delay)
    yield engine.flush()


def next_over(now: int, unit: int, delay: int) -> int:
    """The next instant at which a time point is over."""
    return ((now - delay) // unit + 1) * unit + delay


def push_arrival(engine: Engine, arrival: Any) -> Update:
    """Push what arrived: a time and facts, with the name of its source if there are several."""
    match arrival:
        case (time, facts):
            return engine.push(time, facts)
        case (time, facts, str() as source):
            return engine.push(time, facts, source)
    note = 'such as ("2026-01-31T08:00:00Z", [("temp", "s1", 70)]), with the name of its source if there are several'
    raise fault("E510", f"{arrival!r} is not an arrival: a time and facts", note=note)
