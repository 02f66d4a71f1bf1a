"""The calendar returns each entry at its time, and at no other."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from lasing.compiling import njit
from lasing.engines.local import pointers
from lasing.engines.local.calendar import (
    BUCKETS,
    MORE,
    MOST_ROWS,
    NO_CHUNK,
    ROOM,
    WAKE_UP,
    due,
    entries,
    entry,
    fire,
    next_chunk,
    next_time,
    put_back,
    renumber,
    schedule,
    schedule_rows,
)
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.inspect import entries_of
from lasing.engines.local.memory import FOREVER, HEADER
from lasing.logic.program import Program

pointer: Any = pointers.pointer


@njit(cache=False)
def enter(array: np.ndarray, times: np.ndarray, relation: int) -> None:
    """Schedule rows 0, 1, … for these times."""
    m = pointer(array)
    for i in range(times.shape[0]):
        schedule(m, times[i], relation, i)


@njit(cache=False)
def enter_rows(array: np.ndarray, time: int, relation: int, first: int, end: int) -> None:
    schedule_rows(pointer(array), time, relation, first, end)


@njit(cache=False)
def expected(array: np.ndarray, time: int, out: np.ndarray) -> int:
    """Write the first entry that is due at a time to `out`; return how many rows are due."""
    m = pointer(array)
    fired = fire(m, time)
    found = due(m, fired)
    out[0] = m[entry(m, fired, 0) + 1]
    put_back(m, fired)
    return found


@njit(cache=False)
def take(array: np.ndarray, time: int, out: np.ndarray) -> int:
    """Write the rows that are due at a time to `out`; return their number."""
    m = pointer(array)
    fired, found = fire(m, time), 0
    chunk = fired
    while chunk != NO_CHUNK:
        for i in range(entries(m, chunk)):
            out[found] = m[entry(m, chunk, i) + 1]
            found += 1
        chunk = next_chunk(m, chunk)
    put_back(m, fired)
    return found


@njit(cache=False)
def following(array: np.ndarray, after: int, until: int) -> int:
    return next_time(pointer(array), after, until)


@njit(cache=False)
def rename(array: np.ndarray, relation: int, rows: np.ndarray, low: int) -> None:
    renumber(pointer(array), relation, rows, low)


def empty() -> LocalEngine:
    """An engine without rules; its calendar has a wake-up at 0, which is taken here."""
    engine = LocalEngine(Program(()), 0)
    assert take(engine.arena, 0, np.zeros(9, np.int64)) == 1
    return engine


@pytest.mark.parametrize("reach", [10, BUCKETS - 1, 3 * BUCKETS], ids=["near", "one round", "several rounds"])
def test_entries_are_due_at_their_time(reach: int) -> None:
    chance = random.Random(reach)
    times = np.array([chance.randrange(1, reach) for _ in range(40 * ROOM)])
    engine, out = empty(), np.zeros(len(times), np.int64)
    enter(engine.arena, times, HEADER)
    now, seen = 0, 0
    while (now := following(engine.arena, now, FOREVER)) != FOREVER:
        found = take(engine.arena, now, out)
        assert sorted(out[:found].tolist()) == np.flatnonzero(times == now).tolist()
        seen += found
    assert seen == len(times)
    assert len(entries_of(engine.arena)) == 0


def test_the_next_time_may_be_anything_after_the_end_that_was_asked_for() -> None:
    engine = empty()
    enter(engine.arena, np.array([50]), WAKE_UP)
    assert following(engine.arena, 0, 50) == 50
    assert following(engine.arena, 0, 49) == FOREVER
    assert following(engine.arena, 50, 60) == FOREVER


def test_entries_follow_rows_that_get_new_ids() -> None:
    engine, out = empty(), np.zeros(9, np.int64)
    enter(engine.arena, np.array([5, 6, 7]), HEADER)
    enter(engine.arena, np.array([8]), WAKE_UP)
    rename(engine.arena, HEADER, np.array([-1, 20]), 1)
    assert sorted(entries_of(engine.arena).tolist()) == [[7, HEADER, 20], [8, WAKE_UP, 0]]  # others are gone
    assert take(engine.arena, 7, out) == 1
    assert out[0] == 20


def test_neighbouring_rows_share_an_entry() -> None:
    engine, out = empty(), np.zeros(9, np.int64)
    enter_rows(engine.arena, 5, HEADER, 10, 14)
    enter_rows(engine.arena, 5, HEADER, 20, 20)  # no row at all
    assert sorted(entries_of(engine.arena).tolist()) == [[5, HEADER, row] for row in (10, 11, 12, 13)]
    assert expected(engine.arena, 5, out) == 4
    assert out[0] == 10 + (3 << MORE)


def test_more_rows_than_an_entry_can_be_about_have_several() -> None:
    engine, out = empty(), np.zeros(9, np.int64)
    enter_rows(engine.arena, 5, HEADER, 3, 4 + MOST_ROWS)
    assert take(engine.arena, 5, out) == 2
    assert out[:2].tolist() == [3 + ((MOST_ROWS - 1) << MORE), 3 + MOST_ROWS]


def test_rows_that_share_an_entry_still_do_when_they_get_new_ids() -> None:
    engine = empty()
    enter_rows(engine.arena, 5, HEADER, 8, 14)  # 8 and 9 lie below the low mark, 11 is dead
    rename(engine.arena, HEADER, np.array([30, -1, 31, 32, 33]), 10)
    assert sorted(entries_of(engine.arena).tolist()) == [[5, HEADER, row] for row in (30, 31, 32)]
    rename(engine.arena, HEADER, np.array([-1, -1, -1]), 30)
    assert len(entries_of(engine.arena)) == 0
