"""The facts of several streams, as soon as they can be in order; a stream that is silent is left behind."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Queue

import pytest

from lasing.connectors.arriving import Arrived, arriving
from lasing.connectors.feeds import Feed, Row
from lasing.errors import LasingError, fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.timeline.clock import TurnedClock
from lasing.timeline.reorder import Late
from lasing.timeline.timing import Timing

SECOND = 1_000_000


def rows(*times: int) -> Iterator[Row]:
    return ((time, time, Atom("p", (time,))) for time in times)


def taken(steps: Iterator[Arrived]) -> list[tuple[int, list[tuple[int, list[str]]]]]:
    return [(step.until, [(time, list(map(str, atoms))) for time, atoms in step.facts]) for step in steps]


def no_late(late: Late[Atom]) -> None:
    raise AssertionError(late)


def test_one_stream_waits_for_its_delay() -> None:
    found = taken(arriving([Feed("a", rows(3, 1, 5, 4, 9), False)], [], Timing(2), None, no_late))
    assert found == [
        (0, []),
        (2, [(1, ["p(1)"])]),
        (6, [(3, ["p(3)"]), (4, ["p(4)"]), (5, ["p(5)"])]),
        (9, [(9, ["p(9)"])]),
    ]


def test_time_moves_with_the_slowest_stream_and_a_stream_that_ends_holds_nothing_up() -> None:
    feeds = [Feed("a", rows(1, 8), False), Feed("b", rows(2, 3), False)]
    found = taken(arriving(feeds, [Fact(3, Atom("own"))], Timing(0), None, no_late))
    assert [(time, facts) for _, step in found for time, facts in step] == [
        (1, ["p(1)"]),
        (2, ["p(2)"]),
        (3, ["own", "p(3)"]),
        (8, ["p(8)"]),
    ]


def test_late_facts_are_reported_with_their_stream() -> None:
    late: list[Late[Atom]] = []
    taken(arriving([Feed("a", rows(9, 5, 3), False)], [], Timing({"a": 3}), None, late.append))
    assert [(each.source, each.time, each.late_by) for each in late] == [("a", 5, 1), ("a", 3, 3)]


def test_an_error_comes_after_what_is_over() -> None:
    def failing() -> Iterator[Row]:
        yield from rows(1, 5)
        raise fault("E501", "broken")

    steps = arriving([Feed("a", failing(), False)], [], Timing(1), None, no_late)
    assert next(steps).until == -1
    assert taken(iter([next(steps)])) == [(3, [(1, ["p(1)"])])]
    with pytest.raises(LasingError, match="broken"):
        next(steps)


class Piped:
    """A live stream that a test fills."""

    def __init__(self, name: str) -> None:
        self._queue: Queue[int | None] = Queue()
        self.feed = Feed(name, self._rows(), True)

    def send(self, *times: int | None) -> None:
        for time in times:
            self._queue.put(time)

    def _rows(self) -> Iterator[Row]:
        while (time := self._queue.get()) is not None:
            yield time, time, Atom("p", (time,))


def test_a_silent_stream_is_left_behind_after_its_time_out() -> None:
    clock, late = TurnedClock(), list[Late[Atom]]()
    a, b = Piped("a"), Piped("b")
    steps = arriving([a.feed, b.feed], [], Timing(0, "10 s", clock), None, late.append)
    a.send(1, 5)
    b.send(2)
    while (step := next(steps)).until < 1:  # a thread may have read only the first fact of a
        assert step.until == 0
    clock.turn_to(10 * SECOND)  # b has been silent for ten seconds
    assert taken(iter([next(steps)])) == [(4, [(2, ["p(2)"])])]
    b.send(3, 7, None)  # 3 was evaluated without it
    a.send(6, None)
    rest = taken(steps)
    assert [time for _, step in rest for time, _ in step] == [5, 6, 7]
    assert [(each.source, each.time) for each in late] == [("b", 3)]
    assert late[0].late_by in (2, 3)  # depending on which of the two was read first


def test_an_error_in_a_thread_reaches_the_caller() -> None:
    def failing() -> Iterator[Row]:
        yield from rows(1)
        raise fault("E501", "broken")

    steps = arriving([Feed("a", failing(), True)], [], Timing(0, "10 s", TurnedClock()), None, no_late)
    with pytest.raises(LasingError, match="broken"):
        taken(steps)


def by_clock(feeds: list[Feed], clock: TurnedClock, delay: str, late: list[Late[Atom]]) -> Iterator[Arrived]:
    return arriving(feeds, [], Timing(delay, None, clock, follows_clock=True), SECOND, late.append)


class SilentPipe:
    """A live stream of seconds that a test fills, and that waits when it is empty."""

    def __init__(self) -> None:
        self._queue: Queue[int | None] = Queue()
        self.feed = Feed("a", self._rows(), True)

    def send(self, *times: int | None) -> None:
        for time in times:
            self._queue.put(time)

    def _rows(self) -> Iterator[Row]:
        while (time := self._queue.get()) is not None:
            yield time, time * SECOND, Atom("p", (time,))


def test_when_no_fact_comes_time_passes_by_the_clock_less_the_delay() -> None:
    clock, late, pipe = TurnedClock(100 * SECOND), list[Late[Atom]](), SilentPipe()
    steps = by_clock([pipe.feed], clock, "2 s", late)
    pipe.send(100)
    assert next(steps) == Arrived(97, [])  # what the fact closes
    for second in range(101, 106):
        clock.turn_to(second * SECOND)
        found = next(steps)
        assert found.until == second - 3
        assert [time for time, _ in found.facts] == ([100] if second == 103 else [])
    pipe.send(101, 103, None)  # 101 and 102 are over by the clock
    assert [time for step in steps for time, _ in step.facts] == [103]
    assert [(each.time, each.late_by) for each in late] == [(101, 2)]


def test_the_clock_does_not_overtake_a_file() -> None:
    clock, late, pipe = TurnedClock(10**6 * SECOND), list[Late[Atom]](), SilentPipe()
    old = ((time, time * SECOND, Atom("p", (time,))) for time in range(50))
    steps = by_clock([Feed("file", old, False), pipe.feed], clock, "2 s", late)
    clock.turn_to((10**6 + 1) * SECOND)
    pipe.send(10**6 - 1)
    pipe.send(None)
    assert [time for step in steps for time, _ in step.facts] == [*range(50), 10**6 - 1]
    assert late == []


def test_without_streams_there_is_nothing_but_the_clock() -> None:
    clock = TurnedClock(10 * SECOND)
    steps = by_clock([], clock, "0 s", [])
    clock.turn_to(11 * SECOND)
    assert next(steps) == Arrived(10, [])
    clock.turn_to(14 * SECOND)
    assert next(steps) == Arrived(13, [])


def test_a_clock_needs_a_tick() -> None:
    with pytest.raises(LasingError, match="E503"):
        next(arriving([], [], Timing(0, follows_clock=True), None, no_late))
