"""Turns are taken in order, and medians are of what counts."""

from __future__ import annotations

import numpy as np
import pytest

from lasing.bench.measuring.turns import Contender, Step, Timing, take_turns


class Clock:
    """A clock that the contenders advance."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def _taking(name: str, clock: Clock, log: list[str], *seconds: float) -> Contender:
    """A contender with steps of a given length; in its first turn, ten times that."""
    turns = 0

    def start() -> Step:
        nonlocal turns
        turns += 1
        log.append(name)
        factor = 10 if turns == 1 else 1
        clock.now += 1000  # preparation is not timed

        def step(number: int) -> None:
            clock.now += factor * seconds[number]

        return step

    return Contender(name, start)


def test_contenders_take_turns(clock: Clock) -> None:
    log: list[str] = []
    take_turns([_taking("a", clock, log, 1), _taking("b", clock, log, 1)], steps=1, warm=0, turns=2)
    assert log == ["a", "b"] * 3


def test_neither_the_first_turn_nor_warm_steps_count(clock: Clock) -> None:
    contender = _taking("a", clock, [], 500, 1, 2, 3)
    (timing,) = take_turns([contender], steps=4, warm=1, turns=3, clock=clock.perf_counter)
    assert timing.seconds.tolist() == [[1, 2, 3]] * 3
    assert timing.total == 6
    assert timing.step == 2


def test_ratios_are_of_turns() -> None:
    ours, baseline = np.array([[1.0, 1.0], [20.0, 20.0], [3.0, 3.0]]), np.array([[1.0, 1.0], [10.0, 10.0], [1.0, 1.0]])
    assert Timing("ours", ours).over(Timing("baseline", baseline)) == 2


def test_one_slow_turn_does_not_matter() -> None:
    seconds = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 99.0], [1.0, 2.0, 3.0]])
    assert Timing("a", seconds).total == 6
    assert Timing("a", seconds).step == 2


def test_a_contender_that_is_only_timed_cannot_be_compared() -> None:
    with pytest.raises(NotImplementedError):
        Contender("a", lambda: lambda _: None).changed_rows(None)
