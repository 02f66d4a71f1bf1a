"""Skipping idle time: a state that repeats, except for its time, will repeat until a fact arrives.

    state at t + period  =  state at t, with all recent times later by the period
    there is no output in between
    ⇒  state at t + n · period  =  state at t, with all recent times later by n · period

A time is recent if it lies less than `reach` from now. Times further back stay unchanged, and so do those further
ahead, as long as now does not come near them. `plan.idle` says in which plans this holds, and which columns are
times. States are compared by two sums of hashes of all rows and calendar entries, 128 bits together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.calendar import BUCKETS, COUNT, ENTRIES, NEXT, NO_CHUNK, TIME, bucket_of
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    AT_H,
    AT_S,
    CALENDAR,
    COUNTED,
    COUNTERS,
    DESCRIPTOR,
    DROPPED,
    FIRST_RELATION,
    FOREVER,
    HI,
    KIND,
    LO,
    LOG,
    NOW_REGISTER,
    PENDING,
    RELATIONS,
    START,
    TRACKED,
    mix,
    record,
)
from lasing.engines.local.pointers import Memory, int64, pointer, uint64
from lasing.engines.local.upkeep import is_dead, link_again
from lasing.plan.idle import Steady

LEFT_ALONE = -1
_SALT = 0x5851F42D4C957F2D


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What makes one state differ from another, and the first time ahead that is not recent."""

    sums: tuple[int, int]
    ahead: int


def stretches(rows: np.ndarray, time: int, end: int, least: int) -> Iterator[tuple[np.ndarray, int, bool]]:
    """The rows of input up to `end`, cut at gaps of at least this many time points.

    Each part comes with the time point up to which it goes, and whether it is idle: then it has no rows.
    """
    times = np.concatenate([[time], rows[:, 0], [end]])
    first, until = 0, time
    for gap in np.flatnonzero(np.diff(times) > least).tolist():
        if gap > first:
            yield rows[first:gap], int(times[gap]), False
        until = int(times[gap + 1]) - (gap < len(rows))  # the next fact is not part of the gap
        yield rows[:0], until, True
        first = gap
    if first < len(rows) or until < end:
        yield rows[first:], end, False


class Leaps:
    """Compares and moves the states of one arena; `columns` has for each relation the bits of its columns of times, and
    `others` are the places of words that are times near now."""

    def __init__(self, arena: Memory, plan: Steady, columns: np.ndarray, others: Sequence[int], counters: int) -> None:
        self._arena, self._columns, self._counters = arena, columns, counters
        self._others = np.array(others, np.int64)
        self.period, self.reach = plan.period, plan.reach
        self._landmarks = sorted(plan.landmarks)
        self.least = 8 * plan.reach + 2 * plan.period + 256
        """Shorter gaps are evaluated time point by time point."""

    def fingerprint(self, now: int) -> Fingerprint | None:
        """The fingerprint of the state at a time point; None if something is neither recent nor long ago."""
        near = 2 * self.reach
        if now - near <= self._arena[START] or any(now - near < time <= now + near for time in self._landmarks):
            return None
        one, two, ahead, clear = _look(self._arena, self._columns, now, self.reach, self._counters)
        ahead = min([ahead, *(time for time in self._landmarks if time > now)])
        return Fingerprint((int(one), int(two)), int(ahead)) if clear else None

    def rows(self) -> int:
        """How many rows have to be read to compute a fingerprint."""
        first, step = int(self._arena[FIRST_RELATION]), DESCRIPTOR
        d = first + step * np.arange(int(self._arena[RELATIONS]))
        return int((self._arena[d + HI] - self._arena[d + LO]).sum())

    def leap(self, fingerprint: Fingerprint, now: int, end: int) -> int:
        """Skip from a repeating state to the last time point up to `end` at which it repeats, and return that."""
        target = min(end, fingerprint.ahead - 2 * self.reach)
        by = (target - now) // self.period * self.period
        if by <= 0:
            return now
        _shift(self._arena, self._columns, self._others, now, self.reach, by)
        return now + by


@njit(cache=True)
def _look(array: Memory, columns: np.ndarray, now: int, reach: int, counters: int) -> tuple[int, int, int, bool]:
    """Two sums of hashes, the first time from `reach` after now on, and whether no time lies between recent and old."""
    m = pointer(array)
    one, two, ahead, clear = uint64(0), uint64(0), int64(FOREVER), True
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        kind, arity, times = m[d + KIND], m[d + ARITY], columns[r]
        if times == LEFT_ALONE or kind == LOG:
            continue
        for row in range(m[d + LO], m[d + HI]):
            b = record(m, d, row)
            dead = is_dead(m, kind, arity, b, now)
            if kind == PENDING:
                dead = m[b + arity - 1] <= now
            x = mix(uint64(r + 1), 0)
            for j in range(arity):
                value = m[b + j]
                if (times >> j) & 1:
                    if value >= now + reach:
                        ahead = min(ahead, value)
                    elif value > now - reach:
                        x = mix(x, 1)
                        value -= now
                    elif value > now - 2 * reach and not dead:
                        clear = False
                x = mix(x, value)
            if dead:
                continue
            if kind == COUNTED:
                x = mix(mix(x, m[b + m[d + AT_C]]), m[b + m[d + AT_S]] & 1)
            else:
                horizon = m[b + m[d + AT_H]]
                if now + reach <= horizon < FOREVER:
                    ahead = min(ahead, horizon)
                elif horizon < FOREVER:
                    x = mix(x, 1)
                    horizon -= now
                x = mix(x, horizon)
                if kind == TRACKED:
                    x = mix(x, m[b + m[d + AT_S]] & 1)
            one += mix(x, 1)
            two += mix(mix(x, _SALT), x)
    c = m[CALENDAR]
    for bucket in range(BUCKETS):
        chunk = m[bucket_of(m, bucket)]
        while chunk != NO_CHUNK:
            due = m[c + chunk + TIME]
            if due >= now + reach:
                ahead = min(ahead, due)
            else:
                for i in range(m[c + chunk + COUNT]):
                    x = mix(mix(uint64(0), m[c + chunk + ENTRIES + 2 * i]), due - now)
                    one += mix(x, 1)
                    two += mix(mix(x, _SALT), x)
            chunk = m[c + chunk + NEXT]
    x = mix(uint64(0), m[DROPPED])
    for i in range(counters):
        x = mix(x, m[m[COUNTERS] + i])
    return int64(one + x), int64(two + mix(x, _SALT)), ahead, clear


@njit(cache=True)
def _shift(array: Memory, columns: np.ndarray, others: np.ndarray, now: int, reach: int, by: int) -> None:
    """Move all recent times to later."""
    m = pointer(array)
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        kind, arity, times = m[d + KIND], m[d + ARITY], columns[r]
        if times == LEFT_ALONE or kind == LOG:
            continue
        for row in range(m[d + LO], m[d + HI]):
            b = record(m, d, row)
            for j in range(arity):
                if (times >> j) & 1 and now - reach < m[b + j] < now + reach:
                    m[b + j] += by
            if kind != COUNTED and now <= m[b + m[d + AT_H]] < now + reach:
                m[b + m[d + AT_H]] += by
        if times != 0:
            link_again(m, d)
    _shift_calendar(m, now + reach, by)
    for i in range(others.shape[0]):
        m[others[i]] += by
    m[m[NOW_REGISTER]] += by


@njit(cache=True)
def _shift_calendar(m: Memory, before: int, by: int) -> None:
    """Move all entries that are due before a given time to later."""
    c = m[CALENDAR]
    taken = int64(NO_CHUNK)
    for bucket in range(BUCKETS):
        chunk = m[bucket_of(m, bucket)]
        m[bucket_of(m, bucket)] = NO_CHUNK
        while chunk != NO_CHUNK:
            following = m[c + chunk + NEXT]
            m[c + chunk + NEXT] = taken
            taken = chunk
            chunk = following
    while taken != NO_CHUNK:
        following = m[c + taken + NEXT]
        if m[c + taken + TIME] < before:
            m[c + taken + TIME] += by
        head = bucket_of(m, m[c + taken + TIME])
        m[c + taken + NEXT] = m[head]
        m[head] = taken
        taken = following
