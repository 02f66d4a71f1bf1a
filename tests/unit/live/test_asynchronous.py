"""`Engine.stream`: updates as an asynchronous iterator. Nothing is lost when it is cancelled, and time passes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from lasing import Engine, LasingError
from lasing.live.updates import Update
from lasing.timeline.clock import TurnedClock

SECOND = 1_000_000
PROGRAM = "hot(S) :- temp(S,V) in [1], V > 30."
ARRIVALS = [(1, [("temp", "a", 70)]), (2, [("temp", "b", 10)]), (4, [("temp", "c", 99)])]


async def handed_over(arrivals: list[Any] = ARRIVALS) -> AsyncIterator[Any]:
    for arrival in arrivals:
        await asyncio.sleep(0)
        yield arrival


def one_by_one() -> Iterator[Any]:
    yield from ARRIVALS


async def collected(engine: Engine, source: Any) -> list[tuple[int, list[str], list[str]]]:
    return [
        (update.time, sorted(map(str, update.added)), sorted(map(str, update.removed)))
        async for update in engine.stream(source)
    ]


@pytest.mark.parametrize("source", [handed_over, one_by_one, lambda: ARRIVALS])
def test_there_is_an_update_for_each_arrival(source: Any) -> None:
    found = asyncio.run(collected(Engine(PROGRAM, start=0), source()))
    assert found == [(1, ["hot(a)"], []), (2, [], []), (4, ["hot(c)"], ["hot(a)"]), (4, [], [])]


def test_facts_that_wait_come_at_the_end() -> None:
    arrivals = [(2, [("temp", "a", 70)]), (1, [("temp", "b", 70)])]
    found = asyncio.run(collected(Engine(PROGRAM, start=0, delay=5), arrivals))
    assert found[-1] == (2, ["hot(a)", "hot(b)"], [])


def test_a_failing_source_fails_the_loop_and_not_the_engine() -> None:
    async def failing() -> AsyncIterator[Any]:
        yield ARRIVALS[0]
        raise OSError("the line is dead")

    def blocking() -> Iterator[Any]:
        yield ARRIVALS[0]
        raise OSError("the line is dead")

    for source in (failing, blocking):
        engine = Engine(PROGRAM, start=0)
        with pytest.raises(OSError, match="the line is dead"):
            asyncio.run(collected(engine, source()))
        assert engine.push(2, [("temp", "b", 40)]).time == 2


@pytest.mark.parametrize("source", [5, None])
def test_something_that_yields_arrivals_is_needed(source: Any) -> None:
    with pytest.raises(LasingError, match="E510"):
        asyncio.run(collected(Engine(PROGRAM, start=0), source))


def test_after_a_cancellation_a_second_loop_goes_on() -> None:
    queue: asyncio.Queue[Any]

    async def from_queue() -> AsyncIterator[Any]:
        while (arrival := await queue.get()) is not None:
            yield arrival

    async def run() -> list[int]:
        nonlocal queue
        queue = asyncio.Queue()
        engine, times = Engine(PROGRAM, start=0), list[int]()
        begun = asyncio.Event()

        async def consume() -> None:
            async for update in engine.stream(from_queue()):
                times.append(update.time)
                begun.set()

        for _ in range(2):
            begun.clear()
            task = asyncio.create_task(consume())
            queue.put_nowait((len(times) + 1, [("temp", "a", 70)]))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        queue.put_nowait((7, [("temp", "b", 70)]))
        queue.put_nowait(None)
        await consume()
        assert sorted(map(str, engine.answer().atoms)) == ["hot(b)"]
        return times

    assert asyncio.run(run()) == [1, 2, 7, 7]


def test_what_the_source_has_handed_over_is_in_the_engine_even_if_nobody_hears_of_it() -> None:
    async def run() -> Engine:
        engine = Engine(PROGRAM, start=0)
        handed = asyncio.Event()

        async def source() -> AsyncIterator[Any]:
            handed.set()
            yield ARRIVALS[0]
            await asyncio.Event().wait()

        stream = engine.stream(source())
        waiting = asyncio.ensure_future(anext(stream))
        await handed.wait()
        waiting.cancel()
        await asyncio.wait({waiting})
        await stream.aclose()  # type: ignore[attr-defined]  # it is a generator
        return engine

    engine = asyncio.run(run())
    assert engine.time in (0, 1, -1)
    assert engine.push(2, [("temp", "b", 70)]).time == 2


def test_the_clock_goes_on_while_nobody_speaks() -> None:
    async def run() -> list[str]:
        clock = TurnedClock(10 * SECOND)
        engine = Engine("#tick 1 sec. silent :- not temp in [2].  #input temp/0.", start=5, clock=clock)
        arrivals: asyncio.Queue[Any] = asyncio.Queue()

        async def source() -> AsyncIterator[Any]:
            while (arrival := await arrivals.get()) is not None:
                yield arrival

        found: list[str] = []

        async def until(time: int, stream: AsyncIterator[Update]) -> None:
            async for update in stream:
                found.append(f"{update.time} {sorted(map(str, update.added))} {sorted(map(str, update.removed))}")
                if update.time >= time:
                    return

        stream = engine.stream(source(), clock=True)
        await until(9, stream)
        arrivals.put_nowait((10, [("temp",)]))
        await until(10, stream)
        turning = asyncio.ensure_future(until(13, stream))
        await asyncio.sleep(0)
        clock.turn_to(14 * SECOND)
        await turning
        arrivals.put_nowait(None)
        await until(99, stream)
        return found

    assert asyncio.run(run()) == [
        "9 ['silent'] []",
        "10 [] ['silent']",
        "13 ['silent'] []",
        "13 [] []",
    ]


def test_the_clock_needs_a_tick() -> None:
    with pytest.raises(LasingError, match="E503"):
        Engine(PROGRAM, start=0).stream([], clock=True)
