"""`Engine.stream`: updates as an asynchronous iterator, with the clock if it is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

from lasing.errors import fault
from lasing.live.clocked import push_arrival
from lasing.live.updates import Update
from lasing.timeline.clock import Clock

if TYPE_CHECKING:
    from lasing.live.engine import Engine

_A_MOMENT = 0.005
"""How many seconds the clock waits, when it is first asked, for arrivals that are there already."""

Arrivals = AsyncIterable[Any] | Iterable[Any]


async def updates(
    engine: Engine, source: Arrivals, clock: Clock | None, next_tick: Callable[[], int]
) -> AsyncIterator[Update]:
    """An update for each arrival, for each tick of the clock, if there is one, and for what waits at the end.

    Between taking an arrival and pushing it, nothing is awaited. So if the consumer is cancelled, an arrival that the
    source has handed over is in the engine, and the source itself is cancelled where it waits for the next one.
    """
    arrivals = _arrivals(source)
    alarm = None if clock is None else _Alarm(clock, asyncio.get_running_loop())
    coming: asyncio.Task[Any] | None = None
    followed = False
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(arrivals, _END))
            if alarm is not None and not followed:  # what has come is pushed before the clock goes on
                await asyncio.wait({coming}, timeout=_A_MOMENT)
                followed = True
            elif alarm is not None and not coming.done():
                alarm.set(next_tick())
                ringing = asyncio.ensure_future(alarm.rings.wait())
                try:
                    await asyncio.wait({coming, ringing}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    ringing.cancel()
            else:
                await asyncio.wait({coming})
            if coming.done():
                arrived, coming = coming.result(), None
                if arrived is _END:
                    break
                yield push_arrival(engine, arrived)
            elif (update := engine.follow_clock()) is not None:
                yield update
        yield engine.flush()
    finally:
        if alarm is not None:
            alarm.stop()
        if coming is not None:
            await _leave(engine, coming)
        if hasattr(arrivals, "aclose"):
            await arrivals.aclose()


_END = object()


async def _leave(engine: Engine, coming: asyncio.Task[Any]) -> None:
    """Stop waiting for an arrival. If it has come in the meantime, it must not be lost."""
    coming.cancel()
    with suppress(asyncio.CancelledError):
        await coming
    if not coming.cancelled() and coming.exception() is None and coming.result() is not _END:
        push_arrival(engine, coming.result())


def _arrivals(source: Arrivals) -> AsyncIterator[Any]:
    """The arrivals of any source. An iterator may block, so a thread reads it; a list is at hand."""
    match source:
        case AsyncIterable():
            return aiter(source)
        case Sequence():
            return _at_hand(source)
        case Iterable():
            return _in_thread(iter(source))
    note = 'such as [(5, [("temp", "s1", 70)])], or an asynchronous generator of these'
    raise fault("E510", f"a {type(source).__name__} is not a source of arrivals", note=note)


async def _at_hand(source: Sequence[Any]) -> AsyncIterator[Any]:
    for arrival in source:
        await asyncio.sleep(0)  # let others run
        yield arrival


async def _in_thread(source: Iterator[Any]) -> AsyncIterator[Any]:
    """What an iterator yields; a thread reads one arrival at a time, when it is asked for."""
    loop = asyncio.get_running_loop()
    while True:
        found: asyncio.Future[Any] = loop.create_future()
        Thread(target=_read_one, args=(source, found, loop), daemon=True, name="reads arrivals").start()
        arrival = await found
        if arrival is _END:
            return
        yield arrival


def _read_one(source: Iterator[Any], found: asyncio.Future[Any], loop: asyncio.AbstractEventLoop) -> None:
    """Read the next arrival, in a thread."""

    def done(set_it: Callable[[Any], None], thing: Any) -> None:
        if not found.done():  # else nobody waits for it any more
            set_it(thing)

    try:
        arrival = next(source, _END)
    except Exception as failure:
        loop.call_soon_threadsafe(done, found.set_exception, failure)
    else:
        with suppress(RuntimeError):  # the loop may have ended in the meantime
            loop.call_soon_threadsafe(done, found.set_result, arrival)


class _Alarm:
    """Wakes up a loop when a clock shows a time. A thread waits for the clock, whatever kind of clock that is."""

    def __init__(self, clock: Clock, loop: asyncio.AbstractEventLoop) -> None:
        self.rings = asyncio.Event()
        self._clock = clock
        self._loop = loop
        self._changed = Condition()
        self._until: int | None = None
        self._is_over = False
        Thread(target=self._wait, daemon=True, name="follows the clock").start()

    def set(self, until: int) -> None:
        """Ring when the clock shows a time, and not before."""
        self.rings.clear()
        with self._changed:
            self._until = until
            self._changed.notify_all()

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _wait(self) -> None:
        with self._changed:
            while not self._is_over:
                if self._until is not None and self._clock.now() >= self._until:
                    self._until = None
                    with suppress(RuntimeError):  # the loop may have ended in the meantime
                        self._loop.call_soon_threadsafe(self.rings.set)
                elif self._until is None:
                    self._changed.wait()
                else:
                    self._clock.wait(self._changed, self._until)
