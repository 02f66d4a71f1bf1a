"""Pauses between attempts, by a clock that the test turns."""

from __future__ import annotations

from threading import Thread

from hypothesis import given
from hypothesis import strategies as st

from lasing.connectors.live.backoff import Backoff
from lasing.timeline.clock import TurnedClock
from tests.unit.connectors.live.gathering import wait_until


@given(chances=st.lists(st.floats(0, 1, exclude_max=True), max_size=70))
def test_pauses_double_up_to_the_longest_and_chance_shortens_them_by_at_most_a_half(chances: list[float]) -> None:
    given = iter(chances)
    backoff = Backoff(first=1.0, longest=60.0, chance=lambda: next(given))
    for number in range(len(chances)):
        whole = min(60.0, 2.0**number)
        assert whole / 2 <= backoff.next_pause() <= whole


def test_a_pause_ends_when_the_clock_says_so() -> None:
    clock = TurnedClock()
    backoff = Backoff(clock, first=2.0, chance=lambda: 0.0)
    ended: list[bool] = []
    thread = Thread(target=lambda: ended.append(backoff.pause()))
    thread.start()
    wait_until(lambda: backoff.failures == 1)
    clock.turn_to(1_999_999)
    assert ended == []
    while thread.is_alive():  # the pause may not have begun when the clock was turned
        clock.turn_to(clock.now() + 2_000_000)
    assert ended == [True]


def test_stop_ends_a_pause_and_all_later_ones() -> None:
    backoff = Backoff(TurnedClock())
    ended: list[bool] = []
    thread = Thread(target=lambda: ended.append(backoff.pause()))
    thread.start()
    wait_until(lambda: backoff.failures == 1)
    backoff.stop()
    thread.join()
    assert [*ended, backoff.pause(), backoff.wait(0)] == [False, False, False]


def test_a_clock_that_is_set_back_does_not_make_a_pause_longer() -> None:
    clock = TurnedClock(10**15)
    backoff = Backoff(clock, first=1.0, chance=lambda: 0.0)
    thread = Thread(target=backoff.pause)
    thread.start()
    wait_until(lambda: backoff.failures == 1)
    clock.turn_to(0)
    while thread.is_alive():
        clock.turn_to(clock.now() + 1_000_000)
    assert clock.now() < 10**14


def test_at_least_as_long_as_the_other_side_asks() -> None:
    clock = TurnedClock()
    backoff = Backoff(clock, first=0.0)
    thread = Thread(target=lambda: backoff.pause(least=30.0))
    thread.start()
    wait_until(lambda: backoff.failures == 1)
    clock.turn_to(29_000_000)
    assert thread.is_alive()
    while thread.is_alive():
        clock.turn_to(clock.now() + 30_000_000)
