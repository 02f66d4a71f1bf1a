"""Time points through the operators: one, or a batch of many in a row. A tick is a batch of one time point."""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.calendar import (
    COUNT,
    ENTRIES,
    NEXT,
    NO_CHUNK,
    WAKE_UP,
    due,
    fire,
    next_time,
    put_back,
    renumber,
    schedule,
)
from lasing.engines.local.memory import (
    ANNOTATED,
    ARITY,
    AT_D,
    AT_H,
    AT_S,
    CALENDAR,
    COUNTED,
    DELTA,
    DESCRIPTOR,
    FIRST,
    FIRST_OPERATION,
    FIRST_OUTPUT,
    FIRST_RELATION,
    FOREVER,
    HI,
    INPUTS,
    KEY,
    KIND,
    LIGHT,
    LO,
    LOG,
    LOOKED_AT,
    MASK,
    NEVER,
    NO_ROW,
    NOW_REGISTER,
    OPERATIONS,
    OUTPUTS,
    PARTNER,
    PENDING,
    RELATIONS,
    TELLS_MORE,
    TICK,
    TOLD,
    TRACKED,
    WAKE,
    WORDS,
    append,
    begin_tick,
    compact,
    living,
    record,
    upsert,
    upsert_pair,
)
from lasing.engines.local.operators.box import box
from lasing.engines.local.operators.clock import clock
from lasing.engines.local.operators.fold import fold
from lasing.engines.local.operators.gate import gate
from lasing.engines.local.operators.last import last_facts, push_out
from lasing.engines.local.operators.points import points
from lasing.engines.local.operators.recompute import recompute
from lasing.engines.local.operators.rules import differentiate, fixpoint
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.operators.stamp import stamp
from lasing.engines.local.operators.track import track
from lasing.engines.local.pause import DERIVED, GO_ON, MOST_WORDS, NO_RULE, OUT_OF_MEMORY, RUNNING, STOPPED, spend
from lasing.engines.local.pointers import Memory, pointer
from lasing.engines.local.spans import enters, leaves

CLOCK, FIXPOINT, TRACK, DIFFERENTIATE, SETTLE, BOX, LAST, GATE, STAMP, FOLD, RECOMPUTE, POINTS = range(12)
OPERATION = 8

# What a predicate's facts feed: a guaranteed relation while they lie in a window, the same for ever once the window has
# any time point, the log of all facts, or a partition window.
INTO_RELATION, FOR_EVER, INTO_LOG, INTO_PARTITION = range(4)
SINK_KIND, SINK_TARGET, SINK_ADDED, SINK_BACK, SINK_AHEAD, SINK_STEP, SINK_TAG = range(7)
SINK = 7
# What stands in the last column besides the arguments: nothing, the fact's time, a tag.
PLAIN, TIMED, TAGGED = range(3)

# A row of input: its time, its predicate's number, its arguments. A row of output: the time, the predicate's number, +1
# or -1 (0: no change, but guaranteed for longer), until when it is guaranteed (PROVISIONAL where that is not known),
# the arguments.
IN_TIME, IN_PREDICATE, IN_ARGS = range(3)
OUT_TIME, OUT_PREDICATE, OUT_SIGN, OUT_UNTIL, OUT_ARGS = range(5)
PROVISIONAL = -(2**62)
WORK_OF_A_TICK = 16
HALF_WAY = -1
TAGS, FIRST_TOLD = 1, 2  # in TOLD: the rows' tags tell the predicate's number, or it is so much less


@njit(cache=True)
def run_batch(
    arena: Memory, rows: np.ndarray, at: int, t: int, end: int, names: Memory, out: np.ndarray
) -> tuple[np.ndarray, int, int, int]:
    """Evaluate every time point after t and up to `end` at which something happens, with the rows from `at` on, which
    are in order of time.

    Comes back early when the output is half full: how many of its rows are written, the row and the time at which to go
    on. That time is `end` when all is done. Where the engine has stopped, the row is HALF_WAY.
    """
    m, texts = pointer(arena), pointer(names)
    written = 0
    while 2 * written <= out.shape[0]:
        arrival = rows[at, IN_TIME] if at < rows.shape[0] else FOREVER
        following = min(arrival, next_time(m, t, min(arrival, end)))
        if following > end:
            return out, written, at, end
        t, last = following, at
        while last < rows.shape[0] and rows[last, IN_TIME] == t:
            last += 1
        m[DERIVED] = 0
        begin_tick(m, t)
        _tidy(m, t)
        m[m[NOW_REGISTER]] = t
        fired = fire(m, t)
        _let_begin(m, fired)
        _take_in(m, rows, at, last, t)
        _operate(m, t, fired, texts)
        if m[STOPPED] == GO_ON:
            out = _room(m, out, written, _changes(m) + due(m, fired))
        if m[STOPPED] != GO_ON or spend(m, WORK_OF_A_TICK):
            return out, written, HALF_WAY, t
        written = _put_out(m, t, fired, out, written)
        put_back(m, fired)
        at = last
    return out, written, at, t


@njit(cache=True)
def _operate(m: Memory, t: int, fired: int, texts: Memory) -> None:
    """All operations, in the order of the plan."""
    for operation in range(m[OPERATIONS]):
        op = m[FIRST_OPERATION] + operation * OPERATION
        code = m[op]
        m[RUNNING] = NO_RULE
        if code == CLOCK:
            clock(m, op, t)
        elif code == FIXPOINT:
            fixpoint(m, m[op + 1], m[op + 2], t, texts)
        elif code == TRACK:
            track(m, t, fired)
            if m[WAKE]:
                schedule(m, t + 1, WAKE_UP, 0)
                m[WAKE] = 0
        elif code == DIFFERENTIATE:
            differentiate(m, m[op + 1], m[op + 2], t, texts)
        elif code == SETTLE:
            settle(m, m[op + 1], 1, False)
        elif code == BOX:
            box(m, op, t)
        elif code == LAST:
            last_facts(m, op)
        elif code == GATE:
            gate(m, op, t, fired)
        elif code == STAMP:
            stamp(m, op, t)
        elif code == FOLD:
            fold(m, op, texts)
        elif code == RECOMPUTE:
            recompute(m, op, t, texts)
        elif code == POINTS:
            points(m, op, t)
        if m[STOPPED] != GO_ON:
            return


@njit(cache=True)
def _tidy(m: Memory, t: int) -> None:
    """Compact relations that are nearly full, and nearly all of dead rows, rather than let them grow.

    To look is work in proportion to the rows, so a relation is looked at only after half as many have been added.
    """
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        span, cap = m[d + HI] - m[d + LO], m[d + MASK] + 1
        if 4 * span <= 3 * cap or 2 * (m[d + HI] - m[d + LOOKED_AT]) < cap or m[d + KIND] == LOG:
            continue
        m[d + LOOKED_AT] = m[d + HI]
        share = 2 if m[d + KIND] == COUNTED else 4  # counted rows stand, and are met again: keep them together
        if share * living(m, d, t) < cap:
            low = m[d + LO]
            scheduled = m[d + KIND] == TRACKED or m[d + KIND] == PENDING
            renumbered = np.empty(span if scheduled else 0, np.int64)
            compact(m, d, t, renumbered)
            if scheduled:
                renumber(m, d, renumbered, low)
            m[d + LOOKED_AT] = m[d + HI]


@njit(cache=True)
def _let_begin(m: Memory, fired: int) -> None:
    """Let pending rows whose time has come hold."""
    key = m[KEY]
    while fired != NO_CHUNK:
        for i in range(m[m[CALENDAR] + fired + COUNT]):
            at = m[CALENDAR] + fired + ENTRIES + 2 * i
            d, row = m[at], m[at + 1]
            if d >= 0 and m[d + KIND] == PENDING and m[d + PARTNER] > 0 and row >= m[d + LO]:
                target, b = m[d + PARTNER], record(m, d, row)
                if m[b + m[d + AT_H]] != NEVER:
                    for j in range(m[target + ARITY]):
                        m[key + j] = m[b + j]
                    upsert(m, target, key, m[b + m[d + AT_H]])
        fired = m[m[CALENDAR] + fired + NEXT]


@njit(cache=True)
def _take_in(m: Memory, rows: np.ndarray, first: int, last: int, t: int) -> None:
    """Feed facts to all that is fed by their predicates."""
    key, inputs = m[KEY], m[INPUTS]
    for i in range(np.uintp(first), np.uintp(last)):
        predicate = rows[i, IN_PREDICATE]
        sinks = m[inputs + 2 * predicate]
        for s in range(m[inputs + 2 * predicate + 1]):
            sink = sinks + s * SINK
            d, kind = m[sink + SINK_TARGET], m[sink + SINK_KIND]
            if kind <= FOR_EVER:
                _feed(m, sink, rows, i, t)
            elif kind == INTO_LOG:
                m[key] = t
                m[key + 1] = predicate
                for j in range(m[d + ARITY] - 2):
                    m[key + 2 + j] = rows[i, np.uintp(IN_ARGS + j)] if IN_ARGS + j < rows.shape[1] else 0
                append(m, d, key)
            else:
                arity = m[m[d + 2] + ARITY] - 1
                for j in range(arity):
                    m[key + j] = rows[i, np.uintp(IN_ARGS + j)]
                m[key + arity] = t
                push_out(m, d, key)


@njit(cache=True, forceinline=True)
def _feed(m: Memory, sink: int, rows: np.ndarray, i: int, t: int) -> None:
    """A fact into a guaranteed relation: now, or from the time on at which its window has it."""
    d, added, step, key = m[sink + SINK_TARGET], m[sink + SINK_ADDED], m[sink + SINK_STEP], m[KEY]
    arity = m[d + ARITY]
    until = FOREVER if m[sink + SINK_KIND] == FOR_EVER else leaves(t, m[sink + SINK_BACK], step)
    if arity == 2 and added == PLAIN and step == 1:
        upsert_pair(m, d, rows[i, np.uintp(IN_ARGS)], rows[i, np.uintp(IN_ARGS + 1)], until)
        return
    for j in range(arity - (added != PLAIN)):
        m[key + j] = rows[i, np.uintp(IN_ARGS + j)]
    if added != PLAIN:
        m[key + arity - 1] = t if added == TIMED else m[sink + SINK_TAG]
    begin = t if step == 1 else enters(t, m[sink + SINK_AHEAD], step)
    if begin > until:
        return
    if begin > t:
        m[key + arity] = begin
        d = m[d + PARTNER]
    upsert(m, d, key, until)


@njit(cache=True)
def _changes(m: Memory) -> int:
    """How many rows there may be to put out, besides those that the calendar knows."""
    changes = 0
    for o in range(m[OUTPUTS]):
        d = m[m[FIRST_OUTPUT] + 2 * o]
        if m[d + KIND] != COUNTED:
            changes += m[d + HI] - m[d + FIRST]
        row = m[d + DELTA]
        while row != NO_ROW:
            changes += 1
            row = m[record(m, d, row) + m[d + AT_D]]
    return changes


@njit(cache=True)
def _room(m: Memory, out: np.ndarray, written: int, more: int) -> np.ndarray:
    """The output with room for at least that many more rows, if there is memory for it."""
    if written + more > out.shape[0] and m[WORDS] + 2 * (written + more) * out.shape[1] > m[MOST_WORDS]:
        m[STOPPED] = OUT_OF_MEMORY
        return out
    return _wider(out, written, more)


@njit(cache=True)
def _wider(out: np.ndarray, written: int, more: int) -> np.ndarray:
    """The output with room for at least that many more rows."""
    if written + more <= out.shape[0]:
        return out
    grown = np.empty((2 * (written + more), out.shape[1]), np.int64)
    grown[:written] = out[:written]
    return grown


@njit(cache=True)
def _put_out(m: Memory, t: int, fired: int, out: np.ndarray, written: int) -> int:
    """Write the changes of the output's relations, for which there is room; how many rows are written then."""
    for o in range(m[OUTPUTS]):
        d, predicate = m[m[FIRST_OUTPUT] + 2 * o], m[m[FIRST_OUTPUT] + 2 * o + 1]
        if m[d + KIND] != COUNTED and (m[ANNOTATED] or m[TELLS_MORE] or m[d + TOLD]):
            written = _put_out_new(m, d, predicate, t, out, written)
        row = NO_ROW if m[ANNOTATED] and m[d + KIND] != COUNTED else m[d + DELTA]
        while row != NO_ROW:
            b = record(m, d, row)
            sign = 1 if (m[b + m[d + AT_S]] & 1) == 1 else -1
            _write(m, d, b, predicate, t, sign, out, np.uintp(written))
            written += 1
            row = m[b + m[d + AT_D]]
    return written if m[ANNOTATED] else _put_out_ended(m, t, fired, out, written)


@njit(cache=True)
def _put_out_new(m: Memory, d: int, predicate: int, t: int, out: np.ndarray, written: int) -> int:
    """Write the rows of a guaranteed relation that are new, or newly guaranteed for longer.

    If the output is annotated, all of them, with the sign +1. Else what is only guaranteed for longer has the sign 0,
    and is written where more is to be told; what is new is written, and stamped, where nobody else has.
    """
    at_h, at_s = m[d + AT_H], m[d + AT_S]
    annotated, tells_more, told, tick = m[ANNOTATED] == 1, m[TELLS_MORE] == 1, m[d + TOLD] != 0, m[TICK]
    for row in range(m[d + FIRST], m[d + HI]):
        b = record(m, d, row)
        until = m[b + at_h]
        if until < t:
            continue
        sign = 1
        if not annotated:
            known = (m[b + at_s] & 1) == 1
            if told:
                if not known:
                    m[b + at_s] = 2 * tick + 1
                if until < FOREVER:
                    schedule(m, until + 1, d, row)
                sign = 0 if known else 1
            else:
                sign = 0 if (m[b + at_s] >> 1) < tick else 2
            if sign == 2 or (sign == 0 and not tells_more):
                continue
        _write(m, d, b, predicate, t, sign, out, np.uintp(written))
        written += 1
    return written


@njit(cache=True)
def _put_out_ended(m: Memory, t: int, fired: int, out: np.ndarray, written: int) -> int:
    """Write the rows that hold no more, of relations that only the output watches."""
    while fired != NO_CHUNK:
        for i in range(m[m[CALENDAR] + fired + COUNT]):
            at = m[CALENDAR] + fired + ENTRIES + 2 * i
            d, row = m[at], m[at + 1]
            if d >= 0 and m[d + TOLD] != 0 and row >= m[d + LO]:
                b = record(m, d, row)
                if m[b + m[d + AT_H]] < t and (m[b + m[d + AT_S]] & 1) == 1:
                    m[b + m[d + AT_S]] = 2 * m[TICK]
                    _write(m, d, b, m[d + TOLD] - FIRST_TOLD, t, -1, out, np.uintp(written))
                    written += 1
        fired = m[m[CALENDAR] + fired + NEXT]
    return written


@njit(cache=True, forceinline=True)
def _write(m: Memory, d: int, b: int, predicate: int, t: int, sign: int, out: np.ndarray, w: int) -> None:
    """Write a row of output; where the relation is shared, its tag is the predicate's number."""
    arity = m[d + ARITY]
    out[w, OUT_TIME] = t
    out[w, OUT_PREDICATE] = predicate if predicate >= 0 else m[b + arity - 1]
    out[w, OUT_SIGN] = sign
    out[w, OUT_UNTIL] = PROVISIONAL if m[d + KIND] == COUNTED else m[b + arity]
    for j in range(arity):
        out[w, np.uintp(OUT_ARGS + j)] = m[b + j]


@njit(cache=True)
def read_out(arena: Memory, out: np.ndarray) -> tuple[np.ndarray, int]:
    """All rows that hold now, as rows of output, and how many there are."""
    m = pointer(arena)
    now, written = m[m[NOW_REGISTER]], 0
    for o in range(m[OUTPUTS]):
        d, predicate = m[m[FIRST_OUTPUT] + 2 * o], m[m[FIRST_OUTPUT] + 2 * o + 1]
        arity, kind = m[d + ARITY], m[d + KIND]
        out = _wider(out, written, m[d + HI] - m[d + LO])
        for row in range(m[d + LO], m[d + HI]):
            b = record(m, d, row)
            if m[b + m[d + AT_H]] >= now if kind == LIGHT else (m[b + m[d + AT_S]] & 1) == 1:
                out[written, OUT_TIME] = now
                out[written, OUT_PREDICATE] = predicate if predicate >= 0 else m[b + arity - 1]
                out[written, OUT_SIGN] = 1
                out[written, OUT_UNTIL] = PROVISIONAL if kind == COUNTED else m[b + m[d + AT_H]]
                for j in range(arity):
                    out[written, OUT_ARGS + j] = m[b + j]
                written += 1
    return out, written
