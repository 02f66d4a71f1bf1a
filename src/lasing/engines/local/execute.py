"""Time points through the operators: one, or a batch of many in a row. A tick is a batch of one time point."""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.calendar import WAKE_UP, fire, next_time, release, renumber, reserve, schedule
from lasing.engines.local.memory import (
    ANNOTATED,
    ARITY,
    AT_D,
    AT_H,
    AT_S,
    COUNTED,
    DELTA,
    DESCRIPTOR,
    FIRST,
    FIRST_OPERATION,
    FIRST_OUTPUT,
    FIRST_RELATION,
    FOREVER,
    FULL,
    GROW,
    HI,
    INPUTS,
    KEY,
    KIND,
    LO,
    LOG,
    LOOKED_AT,
    MASK,
    NEVER,
    NO_ROW,
    NOW_REGISTER,
    OFFSET,
    OPERATIONS,
    OUTPUTS,
    PARTNER,
    PENDING,
    RELATIONS,
    STRIDE,
    TRACKED,
    WAKE,
    append,
    begin_tick,
    compact,
    living,
    record,
    room,
    upsert,
    upsert_pair,
)
from lasing.engines.local.operators.box import box
from lasing.engines.local.operators.clock import clock
from lasing.engines.local.operators.fold import fold
from lasing.engines.local.operators.gate import gate
from lasing.engines.local.operators.last import last_facts, push_out
from lasing.engines.local.operators.recompute import recompute
from lasing.engines.local.operators.rules import differentiate, fixpoint
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.operators.stamp import stamp
from lasing.engines.local.operators.track import new_rows, track
from lasing.engines.local.spans import enters, leaves

CLOCK, FIXPOINT, TRACK, DIFFERENTIATE, SETTLE, BOX, LAST, GATE, STAMP, FOLD, RECOMPUTE = range(11)
OPERATION = 8

# What a predicate's facts feed: a guaranteed relation while they lie in a window, the same for ever once the window has
# any time point, the log of all facts, or a partition window.
INTO_RELATION, FOR_EVER, INTO_LOG, INTO_PARTITION = range(4)
SINK_KIND, SINK_TARGET, SINK_TIMED, SINK_BACK, SINK_AHEAD, SINK_STEP = range(6)
SINK = 6
SINKS = 1024  # more than any predicate feeds

# A row of input: its time, its predicate's number, its arguments. A row of output: the time, the predicate's number, +1
# or -1, until when it is guaranteed (PROVISIONAL where that is not known), the arguments.
IN_TIME, IN_PREDICATE, IN_ARGS = range(3)
OUT_TIME, OUT_PREDICATE, OUT_SIGN, OUT_UNTIL, OUT_ARGS = range(5)
PROVISIONAL = -(2**62)


@njit(cache=True)
def run_batch(
    m: np.ndarray, c: np.ndarray, rows: np.ndarray, at: int, t: int, end: int, ranks: np.ndarray, out: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int, int]:
    """Evaluate every time point after t and up to `end` at which something happens, with the rows from `at` on, which
    are in order of time.

    Comes back early when the output is half full: how many of its rows are written, the row and the time at which to go
    on. That time is `end` when all is done.
    """
    written = 0
    while 2 * written <= out.shape[0]:
        following = min(next_time(c, t), rows[at, IN_TIME] if at < rows.shape[0] else FOREVER)
        if following > end:
            return m, c, out, written, at, end
        t, last = following, at
        while last < rows.shape[0] and rows[last, IN_TIME] == t:
            last += 1
        m, c, out, written = _tick(m, c, rows, at, last, t, ranks, out, written)
        at = last
    return m, c, out, written, at, t


@njit(cache=True)
def _tick(
    m: np.ndarray,
    c: np.ndarray,
    rows: np.ndarray,
    first: int,
    last: int,
    t: int,
    ranks: np.ndarray,
    out: np.ndarray,
    written: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    begin_tick(m, t)
    m = _tidy(m, c, t)
    m[m[NOW_REGISTER]] = t
    fired = fire(c, t)
    entry = _release(m, c, fired)
    while entry >= 0:
        m = room(m, m[GROW])
        entry = _release(m, c, entry)
    position = _take_in(m, rows, first * SINKS, last, t)
    while position >= 0:
        m = room(m, m[GROW])
        position = _take_in(m, rows, position, last, t)
    for operation in range(m[OPERATIONS]):
        op = m[FIRST_OPERATION] + operation * OPERATION
        code = m[op]
        if code == CLOCK:
            m, c = clock(m, c, op, t)
        elif code == FIXPOINT:
            m = fixpoint(m, m[op + 1], m[op + 2], t, ranks)
        elif code == TRACK:
            c = reserve(c, new_rows(m) + 1)
            track(m, c, t, fired)
            if m[WAKE]:
                schedule(c, t + 1, WAKE_UP, 0)
                m[WAKE] = 0
        elif code == DIFFERENTIATE:
            m = differentiate(m, m[op + 1], m[op + 2], t, ranks)
        elif code == SETTLE:
            settle(m, m[op + 1], 1, False)
        elif code == BOX:
            m, c = box(m, c, op, t)
        elif code == LAST:
            m = last_facts(m, op)
        elif code == GATE:
            m, c = gate(m, c, op, t, fired)
        elif code == STAMP:
            m, c = stamp(m, c, op, t)
        elif code == FOLD:
            m = fold(m, op, ranks)
        elif code == RECOMPUTE:
            m, c = recompute(m, c, op, t, ranks)
    release(c, fired)
    out = _wider(out, written + _changes(m))
    return m, c, out, _put_out(m, t, out, written)


@njit(cache=True)
def _tidy(m: np.ndarray, c: np.ndarray, t: int) -> np.ndarray:
    """Compact relations that are nearly full, and nearly all of dead rows, rather than let them grow.

    To look is work in proportion to the rows, so a relation is looked at only after half as many have been added.
    """
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        span, cap = m[d + HI] - m[d + LO], m[d + MASK] + 1
        if 4 * span <= 3 * cap or 2 * (m[d + HI] - m[d + LOOKED_AT]) < cap or m[d + KIND] == LOG:
            continue
        m[d + LOOKED_AT] = m[d + HI]
        if 4 * living(m, d, t) < cap:
            low = m[d + LO]
            scheduled = m[d + KIND] == TRACKED or m[d + KIND] == PENDING
            renumbered = np.empty(span if scheduled else 0, np.int64)
            compact(m, d, t, renumbered)
            if scheduled:
                renumber(c, d, renumbered, low)
            m[d + LOOKED_AT] = m[d + HI]
    return m


@njit(cache=True)
def _release(m: np.ndarray, c: np.ndarray, entry: int) -> int:
    """Let pending rows whose time has come hold, from an entry of the calendar on.

    Where a relation is full, it is named in m[GROW], and the entry at which to go on is returned; -1 when all is done.
    """
    key = m[KEY]
    while entry >= 0:
        d, row = c[entry + 1], c[entry + 2]
        if d >= 0 and m[d + KIND] == PENDING and m[d + PARTNER] > 0 and row >= m[d + LO]:
            target, b = m[d + PARTNER], record(m, d, row)
            if m[b + m[d + AT_H]] != NEVER:
                for j in range(m[target + ARITY]):
                    m[key + j] = m[b + j]
                if upsert(m, target, key, m[b + m[d + AT_H]]) == FULL:
                    m[GROW] = target
                    return entry
        entry = c[entry + 3]
    return -1


@njit(cache=True)
def _take_in(m: np.ndarray, rows: np.ndarray, position: int, last: int, t: int) -> int:
    """Feed facts to all that is fed by their predicates, from a position on: the row's number times SINKS plus the
    sink's.

    Where a relation is full, it is named in m[GROW], and the position at which to go on is returned; -1 when all is
    done.
    """
    key, inputs = m[KEY], m[INPUTS]
    i, s = position // SINKS, position % SINKS
    while i < last:
        table = inputs + 2 * rows[np.uintp(i), IN_PREDICATE]
        while s < m[np.uintp(table + 1)]:
            sink = m[np.uintp(table)] + s * SINK
            d = m[np.uintp(sink + SINK_TARGET)]
            kind = m[np.uintp(sink + SINK_KIND)]
            done = FULL
            if kind <= FOR_EVER:
                timed = m[np.uintp(sink + SINK_TIMED)]
                arity = m[np.uintp(d + ARITY)] - timed
                step = m[np.uintp(sink + SINK_STEP)]
                for j in range(arity):
                    m[np.uintp(key + j)] = rows[np.uintp(i), np.uintp(IN_ARGS + j)]
                if timed == 1:
                    m[np.uintp(key + arity)] = t
                until = FOREVER if kind == FOR_EVER else leaves(t, m[np.uintp(sink + SINK_BACK)], step)
                begin = t if step == 1 else enters(t, m[np.uintp(sink + SINK_AHEAD)], step)
                if begin > until:
                    done = 0
                else:
                    if begin > t:
                        m[np.uintp(key + m[np.uintp(d + ARITY)])] = begin
                        d = m[np.uintp(d + PARTNER)]
                    if m[np.uintp(d + ARITY)] == 2:
                        done = upsert_pair(m, d, m[np.uintp(key)], m[np.uintp(key + 1)], until)
                    else:
                        done = upsert(m, d, key, until)
            elif kind == INTO_LOG:
                m[key] = t
                m[key + 1] = rows[i, IN_PREDICATE]
                for j in range(m[d + ARITY] - 2):
                    m[key + 2 + j] = rows[i, IN_ARGS + j] if IN_ARGS + j < rows.shape[1] else 0
                done = append(m, d, key)
            else:
                op, d = d, m[d + 2]
                arity = m[d + ARITY] - 1
                for j in range(arity):
                    m[key + j] = rows[i, IN_ARGS + j]
                m[key + arity] = t
                done = push_out(m, op, key)
            if done == FULL:
                m[GROW] = d
                return i * SINKS + s
            s += 1
        s = 0
        i += 1
    return -1


@njit(cache=True)
def _changes(m: np.ndarray) -> int:
    """How many rows of the output have changed, or more."""
    changes = 0
    for o in range(m[OUTPUTS]):
        d = m[m[FIRST_OUTPUT] + 2 * o]
        if m[ANNOTATED] and m[d + KIND] != COUNTED:
            changes += m[d + HI] - m[d + FIRST]
            continue
        row = m[d + DELTA]
        while row != NO_ROW:
            changes += 1
            row = m[np.uintp(record(m, d, row) + m[d + AT_D])]
    return changes


@njit(cache=True)
def _wider(out: np.ndarray, rows: int) -> np.ndarray:
    """The output with room for at least that many rows."""
    if rows <= out.shape[0]:
        return out
    grown = np.empty((2 * rows, out.shape[1]), np.int64)
    grown[: out.shape[0]] = out
    return grown


@njit(cache=True)
def _put_out(m: np.ndarray, t: int, out: np.ndarray, written: int) -> int:
    """Write the changes of the output's relations, for which there is room; how many rows are written then."""
    for o in range(m[OUTPUTS]):
        p = m[FIRST_OUTPUT] + 2 * o
        d = m[p]
        row = m[d + DELTA]
        arity, at_d, at_s, at_h = m[d + ARITY], m[d + AT_D], m[d + AT_S], m[d + AT_H]
        counted = m[d + KIND] == COUNTED
        predicate = m[p + 1]
        if m[ANNOTATED] and not counted:
            written = _put_out_new(m, d, predicate, t, out, written)
            continue
        while row != NO_ROW:
            b = record(m, d, row)
            w = np.uintp(written)
            out[w, OUT_TIME] = t
            out[w, OUT_PREDICATE] = predicate
            out[w, OUT_SIGN] = 1 if (m[np.uintp(b + at_s)] & 1) == 1 else -1
            out[w, OUT_UNTIL] = PROVISIONAL if counted else m[np.uintp(b + at_h)]
            for j in range(arity):
                out[w, np.uintp(OUT_ARGS + j)] = m[np.uintp(b + j)]
            written += 1
            row = m[np.uintp(b + at_d)]
    return written


@njit(cache=True)
def _put_out_new(m: np.ndarray, d: int, predicate: int, t: int, out: np.ndarray, written: int) -> int:
    """Write the rows of a guaranteed relation that are new, or newly guaranteed for longer."""
    arity, at_h = m[d + ARITY], m[d + AT_H]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    for row in range(m[d + FIRST], m[d + HI]):
        b = offset + (row & mask) * stride
        until = m[np.uintp(b + at_h)]
        if until >= t:
            w = np.uintp(written)
            out[w, OUT_TIME] = t
            out[w, OUT_PREDICATE] = predicate
            out[w, OUT_SIGN] = 1
            out[w, OUT_UNTIL] = until
            for j in range(arity):
                out[w, np.uintp(OUT_ARGS + j)] = m[np.uintp(b + j)]
            written += 1
    return written
