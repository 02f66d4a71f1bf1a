"""Ctrl-C in the middle of a long evaluation. The signal is sent at a pause of the engine; nothing waits for a clock."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

import lasing
from lasing.limits import Watch
from tests.unit.test_limits import AGGREGATE, COUNTED_PAIRS, ENDLESS, ENDLESS_CHOICE, NOTHING_FOUND, PAIRS, PIGEONS


class AlarmError(Exception):
    """What the user's own handler raises."""


@pytest.fixture
def send_at_a_pause(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Sends the signals in the list, one at each pause of an engine."""
    waiting: list[int] = []

    def late(_: Watch) -> bool:
        if waiting:
            os.kill(os.getpid(), waiting.pop())
        return False

    monkeypatch.setattr(Watch, "late", property(late))
    yield waiting
    assert not waiting, "the engine never paused"


@pytest.mark.parametrize(
    ("program", "number"),
    [
        (PAIRS, 30_000),
        (COUNTED_PAIRS, 30_000),
        (AGGREGATE, 30_000),
        (NOTHING_FOUND, 30_000),
        (ENDLESS, 1),
        (ENDLESS_CHOICE, 1),
        (PIGEONS, 14),
    ],
)
def test_an_interrupt_ends_a_push_and_the_engine_says_so(program: str, number: int, send_at_a_pause: list[int]) -> None:
    engine = lasing.Engine(program, start=0, max_atoms=10**9)
    send_at_a_pause.append(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        engine.push(0, [("a", i) for i in range(number)])
    with pytest.raises(lasing.LasingError, match="E317"):
        engine.push(1, [])
    with pytest.raises(lasing.LasingError, match="E317"):
        engine.answer()
    with pytest.raises(lasing.LasingError, match="E317"):
        engine.snapshot()


def test_what_a_handler_raises_is_raised(send_at_a_pause: list[int]) -> None:
    def ring(_number: int, _frame: object) -> None:
        raise AlarmError("time to go")

    before = signal.signal(signal.SIGALRM, ring)
    try:
        send_at_a_pause.append(signal.SIGALRM)
        with pytest.raises(AlarmError, match="time to go"):
            list(lasing.run(NOTHING_FOUND, [(0, "a", i) for i in range(30_000)]))
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_raises_nothing_stops_nothing(send_at_a_pause: list[int]) -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _frame: heard.append(number))
    try:
        send_at_a_pause.extend([signal.SIGUSR1] * 3)
        answers = list(lasing.run("n(X) :- a(X), a(Y), X + Y = 3.", [(0, "a", i) for i in range(2_000)]))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [signal.SIGUSR1] * 3
    assert sorted(str(atom) for atom in answers[0].atoms) == ["n(0)", "n(1)", "n(2)", "n(3)"]
