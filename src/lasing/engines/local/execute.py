"""Time points through the operators: one, or a batch of many in a row. A tick is a batch of one time point."""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.calendar import fire, next_time, release, renumber
from lasing.engines.local.memory import (
    ARITY,
    AT_D,
    AT_H,
    AT_S,
    COUNTED,
    DELTA,
    DESCRIPTOR,
    FIRST_OPERATION,
    FIRST_OUTPUT,
    FIRST_RELATION,
    FOREVER,
    FULL,
    HI,
    INPUTS,
    KEY,
    KIND,
    LO,
    LOG,
    LOOKED_AT,
    MASK,
    NO_ROW,
    OPERATIONS,
    OUTPUTS,
    RELATIONS,
    TRACKED,
    append,
    begin_tick,
    compact,
    living,
    record,
    room,
    upsert,
)
from lasing.engines.local.operators.box import box
from lasing.engines.local.operators.last import last_facts, push_out
from lasing.engines.local.operators.rules import differentiate, fixpoint
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.operators.track import track

FIXPOINT, TRACK, DIFFERENTIATE, SETTLE, BOX, LAST = range(6)
OPERATION = 8

# What a predicate's facts feed: a guaranteed relation up to t + BACK, the log of all facts, or a partition window.
INTO_RELATION, INTO_LOG, INTO_PARTITION = range(3)
SINK_KIND, SINK_TARGET, SINK_BACK, SINK_TIMED = range(4)
SINK = 4

# A row of input: its time, its predicate's number, its arguments. A row of output: the time, the predicate's number, +1
# or -1, until when it is guaranteed (PROVISIONAL where that is not known), the arguments.
IN_TIME, IN_PREDICATE, IN_ARGS = range(3)
OUT_TIME, OUT_PREDICATE, OUT_SIGN, OUT_UNTIL, OUT_ARGS = range(5)
PROVISIONAL = -(2**62)


@njit(cache=True)
def run_batch(
    m: np.ndarray,
    c: np.ndarray,
    rows: np.ndarray,
    begin: int,
    end: int,
    start: int,
    ranks: np.ndarray,
    out: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Evaluate every time point after `begin` and up to `end` at which something happens; rows are in order of time."""
    written, at, t = 0, 0, begin
    while True:
        t = min(next_time(c, t), rows[at, IN_TIME] if at < rows.shape[0] else FOREVER)
        if t > end:
            return m, c, out, written
        last = at
        while last < rows.shape[0] and rows[last, IN_TIME] == t:
            last += 1
        m, c, out, written = _tick(m, c, rows, at, last, t, start, ranks, out, written)
        at = last


@njit(cache=True)
def _tick(
    m: np.ndarray,
    c: np.ndarray,
    rows: np.ndarray,
    first: int,
    last: int,
    t: int,
    start: int,
    ranks: np.ndarray,
    out: np.ndarray,
    written: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    begin_tick(m, t)
    m = _tidy(m, c, t)
    fired = fire(c, t)
    m = _take_in(m, rows, first, last, t)
    for operation in range(m[OPERATIONS]):
        op = m[FIRST_OPERATION] + operation * OPERATION
        code = m[op]
        if code == FIXPOINT:
            m = fixpoint(m, m[op + 1], m[op + 2], t, ranks)
        elif code == TRACK:
            c = track(m, c, t, fired)
        elif code == DIFFERENTIATE:
            m = differentiate(m, m[op + 1], m[op + 2], t, ranks)
        elif code == SETTLE:
            settle(m, m[op + 1], 1, False)
        elif code == BOX:
            m, c = box(m, c, op, t, start)
        elif code == LAST:
            m = last_facts(m, op)
    release(c, fired)
    return _put_out(m, c, t, out, written)


@njit(cache=True)
def _tidy(m: np.ndarray, c: np.ndarray, t: int) -> np.ndarray:
    """Compact relations that are nearly full of dead rows, rather than let them grow.

    To look is work in proportion to the rows, so a relation is looked at only after half as many have been added.
    """
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        span, cap = m[d + HI] - m[d + LO], m[d + MASK] + 1
        if 4 * span <= 3 * cap or 2 * (m[d + HI] - m[d + LOOKED_AT]) < cap or m[d + KIND] == LOG:
            continue
        m[d + LOOKED_AT] = m[d + HI]
        if 2 * living(m, d, t) < cap:
            low = m[d + LO]
            renumbered = compact(m, d, t)
            if m[d + KIND] == TRACKED:
                renumber(c, d, renumbered, low)
            m[d + LOOKED_AT] = m[d + HI]
    return m


@njit(cache=True)
def _take_in(m: np.ndarray, rows: np.ndarray, first: int, last: int, t: int) -> np.ndarray:
    """Feed facts to all that is fed by their predicates."""
    key, inputs = m[KEY], m[INPUTS]
    for i in range(first, last):
        table = inputs + 2 * rows[np.uintp(i), IN_PREDICATE]
        for s in range(m[np.uintp(table + 1)]):
            sink = m[np.uintp(table)] + s * SINK
            d = m[np.uintp(sink + SINK_TARGET)]
            kind = m[np.uintp(sink + SINK_KIND)]
            if kind == INTO_RELATION:
                timed = m[np.uintp(sink + SINK_TIMED)]
                arity = m[np.uintp(d + ARITY)] - timed
                back = m[np.uintp(sink + SINK_BACK)]
                done = FULL
                while done == FULL:
                    for j in range(arity):
                        m[np.uintp(key + j)] = rows[np.uintp(i), np.uintp(IN_ARGS + j)]
                    if timed == 1:
                        m[np.uintp(key + arity)] = t
                    done = upsert(m, d, key, FOREVER if back < 0 else t + back)
                    if done == FULL:
                        m = room(m, d)
            elif kind == INTO_LOG:
                m[key] = t
                m[key + 1] = rows[i, IN_PREDICATE]
                for j in range(m[d + ARITY] - 2):
                    m[key + 2 + j] = rows[i, IN_ARGS + j] if IN_ARGS + j < rows.shape[1] else 0
                while append(m, d, key) == FULL:
                    m = room(m, d)
            else:
                target = m[d + 2]
                arity = m[target + ARITY] - 1
                for j in range(arity):
                    m[key + j] = rows[i, IN_ARGS + j]
                m[key + arity] = t
                m = push_out(m, d, key)
    return m


@njit(cache=True)
def _put_out(
    m: np.ndarray, c: np.ndarray, t: int, out: np.ndarray, written: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The changes of the output's relations."""
    for o in range(m[OUTPUTS]):
        p = m[FIRST_OUTPUT] + 2 * o
        d = m[p]
        row = m[d + DELTA]
        arity = m[d + ARITY]
        while row != NO_ROW:
            b = record(m, d, row)
            if written == out.shape[0]:
                grown = np.empty((2 * written, out.shape[1]), np.int64)
                grown[:written] = out
                out = grown
            here = (m[np.uintp(b + m[d + AT_S])] & 1) == 1
            out[written, OUT_TIME] = t
            out[written, OUT_PREDICATE] = m[p + 1]
            out[written, OUT_SIGN] = 1 if here else -1
            out[written, OUT_UNTIL] = PROVISIONAL if m[d + KIND] == COUNTED else m[np.uintp(b + m[d + AT_H])]
            for j in range(arity):
                out[written, OUT_ARGS + j] = m[np.uintp(b + j)]
            written += 1
            row = m[np.uintp(b + m[d + AT_D])]
    return m, c, out, written
