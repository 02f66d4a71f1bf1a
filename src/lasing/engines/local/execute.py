"""Time points through the operators: one, or a batch of many in a row. A tick is a batch of one time point."""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.calendar import (
    NO_CHUNK,
    WAKE_UP,
    due,
    entries,
    entry,
    fire,
    next_chunk,
    next_time,
    put_back,
    schedule,
)
from lasing.engines.local.measuring import CLOCK, add_operation
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_NEXT,
    AT_ONCE,
    FIRST,
    FIRST_OPERATION,
    FOREVER,
    HI,
    INDICES,
    INPUTS,
    KEEPS_BACK,
    KEY,
    KIND,
    LO,
    NEVER,
    NOW_REGISTER,
    OPERATIONS,
    PARTNER,
    PENDING,
    READERS,
    SINCE,
    UPTO,
    WAKE,
    append,
    copy_key,
    head_of,
    record,
    upsert,
)
from lasing.engines.local.narrow import take_pairs, take_singles, take_timed, upsert_pair
from lasing.engines.local.operators.last import TARGET, push_out
from lasing.engines.local.operators.operation import KERNEL, OPERATION
from lasing.engines.local.operators.running import begin_rule, end_rule
from lasing.engines.local.operators.variants import KERNEL as RULE_KERNEL
from lasing.engines.local.output import OUT_ARGS as OUT_ARGS
from lasing.engines.local.output import OUT_PREDICATE as OUT_PREDICATE
from lasing.engines.local.output import OUT_SIGN as OUT_SIGN
from lasing.engines.local.output import OUT_TIME as OUT_TIME
from lasing.engines.local.output import OUT_UNTIL as OUT_UNTIL
from lasing.engines.local.output import PROVISIONAL as PROVISIONAL
from lasing.engines.local.output import changes, put_out, room
from lasing.engines.local.output import read_out as read_out
from lasing.engines.local.pause import DERIVED, GO_ON, NO_RULE, RUNNING, STOPPED, spend
from lasing.engines.local.pointers import Memory, call, int64, invoke, pointer
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.upkeep import begin_tick

# What a predicate's facts feed: a guaranteed relation while they lie in a window, the same forever once the window has
# any time point, a passing relation, the log of all facts, a partition window, or what facts with some constants feed.
INTO_RELATION, FOR_EVER, PASSED_ON, INTO_LOG, INTO_PARTITION, SELECTED = range(6)
SINK_KIND, SINK_TARGET, SINK_ADDED, SINK_BACK, SINK_AHEAD, SINK_STEP, SINK_TAG, SINK_LEFT_OUT = range(8)
SINK = 8
# SINK_LEFT_OUT has the arguments that are not part of the row, as bits.
# What the last column has in addition to the arguments: nothing, the fact's time, a tag. For SELECTED, the target is a
# relation from constants to the number of a table of sinks, and SINK_ADDED has the constants' columns, as bits.
PLAIN, TIMED, TAGGED = range(3)

# A row of input: its time, its predicate's number, its arguments.
IN_TIME, IN_PREDICATE, IN_ARGS = range(3)
WORK_OF_A_TICK = 16
MOST_PASSED = 4096
"""This many rows of a passing relation are read at once, so that it stays small however many facts a time point has."""
HALF_WAY = -1


@njit(cache=True)
def run_batch(
    arena: Memory, rows: np.ndarray, at: int, t: int, end: int, names: Memory, out: np.ndarray
) -> tuple[np.ndarray, int, int, int]:
    """Evaluate every time point after t and up to `end` at which something happens, with the rows from `at` on, which
    are in order of time.

    Returns early when the output is half full: how many of its rows are written, and the row and the time at which to
    continue. That time is `end` when everything is done. If the engine has stopped, the row is HALF_WAY.
    """
    m, texts = pointer(arena), pointer(names)
    written = int64(0)
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
        m[m[NOW_REGISTER]] = t
        fired = fire(m, t)
        _let_begin(m, fired)
        _take_in(m, rows, at, last, t, texts)
        _operate(m, t, fired, texts)
        if m[STOPPED] == GO_ON:
            out = room(m, out, written, changes(m) + due(m, fired))
        if m[STOPPED] != GO_ON or spend(m, WORK_OF_A_TICK):
            return out, written, HALF_WAY, t
        written = put_out(m, t, fired, out, written)
        put_back(m, fired)
        at = last
    return out, written, at, t


@njit(cache=True)
def _operate(m: Memory, t: int, fired: int, texts: Memory) -> None:
    """All operations, in the order of the plan."""
    for operation in range(m[OPERATIONS]):
        op = m[FIRST_OPERATION] + operation * OPERATION
        m[RUNNING] = NO_RULE
        began = call(m[CLOCK]) if m[CLOCK] != 0 else int64(0)
        invoke(m[op + KERNEL], m, op, t, fired, texts)
        if m[CLOCK] != 0:
            add_operation(m, operation, began)
        if m[STOPPED] != GO_ON:
            return
    if m[WAKE]:
        schedule(m, t + 1, WAKE_UP, 0)
        m[WAKE] = 0


@njit(cache=True)
def _let_begin(m: Memory, fired: int) -> None:
    """Release pending rows whose time has come, so that they hold."""
    while fired != NO_CHUNK:
        for i in range(entries(m, fired)):
            at = entry(m, fired, i)
            d, row = m[at], m[at + 1]
            if d >= 0 and m[d + KIND] == PENDING and m[d + PARTNER] > 0 and row >= m[d + LO]:
                target, b = m[d + PARTNER], record(m, d, row)
                if m[b + m[d + AT_H]] != NEVER:
                    upsert(m, target, copy_key(m, b, m[target + ARITY]), m[b + m[d + AT_H]])
        fired = next_chunk(m, fired)


@njit(cache=True)
def _take_in(m: Memory, rows: np.ndarray, first: int, last: int, t: int, texts: Memory) -> None:
    """Feed facts to everything that their predicates feed: neighbours of one predicate to one thing after the other."""
    key, inputs = m[KEY], m[INPUTS]
    while first < last:
        predicate, end = rows[np.uintp(first), IN_PREDICATE], first + 1
        while end < last and rows[np.uintp(end), IN_PREDICATE] == predicate:
            end += 1
        sinks = m[inputs + 2 * predicate]
        for s in range(m[inputs + 2 * predicate + 1]):
            sink = sinks + s * SINK
            d, kind = m[sink + SINK_TARGET], m[sink + SINK_KIND]
            if _takes_as_they_are(m, sink) and m[d + KEEPS_BACK] == AT_ONCE and 1 <= m[d + ARITY] <= 2:
                until = FOREVER if kind == FOR_EVER else leaves(t, m[sink + SINK_BACK], m[sink + SINK_STEP])
                if m[d + ARITY] == 1:
                    take_singles(m, d, rows, IN_ARGS, first, end, until)
                else:
                    take_pairs(m, d, rows, IN_ARGS, first, end, until)
                continue
            if kind == PASSED_ON and _has_one_key(m, sink):
                _take_timed(m, sink, rows, first, end, t, texts)
                continue
            for i in range(np.uintp(first), np.uintp(end)):
                if kind <= PASSED_ON:
                    _feed(m, sink, rows, i, t, texts)
                elif kind == SELECTED:
                    _feed_selected(m, sink, rows, i, t, texts)
                elif kind == INTO_LOG:
                    m[key] = t
                    m[key + 1] = predicate
                    for j in range(m[d + ARITY] - 2):
                        m[key + 2 + j] = rows[i, np.uintp(IN_ARGS + j)] if IN_ARGS + j < rows.shape[1] else 0
                    append(m, d, key)
                else:
                    arity = m[m[d + TARGET] + ARITY] - 1
                    for j in range(arity):
                        m[key + j] = rows[i, np.uintp(IN_ARGS + j)]
                    m[key + arity] = t
                    push_out(m, d, key)
        first = end


@njit(cache=True, forceinline=True)
def _takes_as_they_are(m: Memory, sink: int) -> bool:
    """Whether facts become rows at once and as they are, which is so for most."""
    kind = m[sink + SINK_KIND]
    plain = (kind == INTO_RELATION or kind == FOR_EVER) and m[sink + SINK_ADDED] == PLAIN  # noqa: SIM109
    return plain and m[sink + SINK_STEP] == 1 and m[sink + SINK_AHEAD] >= 0 and m[sink + SINK_LEFT_OUT] == 0


@njit(cache=True, forceinline=True)
def _has_one_key(m: Memory, sink: int) -> bool:
    """Whether rows of a passing relation have one argument and their time, and are found by the argument."""
    d = m[sink + SINK_TARGET]
    timed = m[sink + SINK_ADDED] == TIMED and m[sink + SINK_STEP] == 1 and m[sink + SINK_LEFT_OUT] == 0
    return timed and m[d + INDICES] == 1 and m[d + ARITY] == 2


@njit(cache=True)
def _take_timed(m: Memory, sink: int, rows: np.ndarray, first: int, end: int, t: int, texts: Memory) -> None:
    """Put facts into such a relation."""
    d, until = m[sink + SINK_TARGET], leaves(t, m[sink + SINK_BACK], 1)
    while first < end:
        some = min(end, first + MOST_PASSED)
        take_timed(m, d, rows, IN_ARGS, first, some, until)
        if m[d + HI] - m[d + LO] >= MOST_PASSED and m[STOPPED] == GO_ON:
            _pass_on(m, d, t, texts)
        first = some


@njit(cache=True, forceinline=True)
def _feed(m: Memory, sink: int, rows: np.ndarray, i: int, t: int, texts: Memory) -> None:
    """Put a fact into a guaranteed or passing relation: now, or from the time at which its window contains it."""
    left_out = m[sink + SINK_LEFT_OUT]
    d, added, step, key = m[sink + SINK_TARGET], m[sink + SINK_ADDED], m[sink + SINK_STEP], m[KEY]
    ahead = m[sink + SINK_AHEAD]
    arity = m[d + ARITY]
    kind = m[sink + SINK_KIND]
    until = FOREVER if kind == FOR_EVER else leaves(t, m[sink + SINK_BACK], step)
    if arity == 2 and _takes_as_they_are(m, sink):
        upsert_pair(m, d, rows[i, np.uintp(IN_ARGS)], rows[i, np.uintp(IN_ARGS + 1)], until)
        return
    column = IN_ARGS
    for j in range(arity - (added != PLAIN)):
        while left_out & 1:
            left_out >>= 1
            column += 1
        m[key + j] = rows[i, np.uintp(column)]
        left_out >>= 1
        column += 1
    if added != PLAIN:
        m[key + arity - 1] = t if added == TIMED else m[sink + SINK_TAG]
    if kind == PASSED_ON:
        if m[d + INDICES] != 0:
            upsert(m, d, key, until)
        else:
            m[record(m, d, append(m, d, key)) + arity] = until
        if m[d + HI] - m[d + LO] >= MOST_PASSED and m[STOPPED] == GO_ON:
            _pass_on(m, d, t, texts)
        return
    begin = enters(t, ahead, step)
    if begin > until:
        return
    if begin > t:
        m[key + arity] = begin
        d = m[d + PARTNER]
    upsert(m, d, key, until)


@njit(cache=True)
def _pass_on(m: Memory, d: int, t: int, texts: Memory) -> None:
    """Apply the rules that read a passing relation to its rows, before all facts are there, and drop them."""
    readers = m[d + READERS]
    m[d + UPTO] = m[d + HI]
    for i in range(1, m[readers] + 1):
        v = m[readers + i]
        begin_rule(m, v)
        invoke(m[v + RULE_KERNEL], m, v, t, m[d + SINCE], texts)
        if end_rule(m):
            return
    m[d + LO] = m[d + SINCE] = m[d + FIRST] = m[d + HI]


@njit(cache=True)
def _feed_selected(m: Memory, sink: int, rows: np.ndarray, i: int, t: int, texts: Memory) -> None:
    """Feed a fact to what facts with its arguments in some columns feed, if anything."""
    d, columns, key = m[sink + SINK_TARGET], m[sink + SINK_ADDED], m[KEY]
    keys, column, rest = int64(0), int64(IN_ARGS), columns
    while rest:
        if rest & 1:
            m[key + keys] = rows[i, np.uintp(column)]
            keys += 1
        rest >>= 1
        column += 1
    row = m[head_of(m, d, 1, key)]
    while row >= m[d + LO]:
        b = record(m, d, row)
        same = True
        for j in range(keys):
            same = same and m[b + j] == m[key + j]
        if same:
            table = m[INPUTS] + 2 * m[b + keys]
            for s in range(m[table + 1]):
                _feed(m, m[table] + s * SINK, rows, i, t, texts)
            return
        row = m[b + m[d + AT_NEXT] + 1]
