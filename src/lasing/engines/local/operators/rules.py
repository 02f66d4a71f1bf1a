"""Rules: joins, driven by what changed.

    Δ(A ⋈ B) = ΔA ⋈ B  +  A_before ⋈ ΔB

A rule of k positive or negated literals has k variants. Variant i begins with what changed in literal i, and meets
the literals before it as they are now, those after it as they were before. Behind that stands a list of steps: a
probe of an index, the absence of a row, a comparison, a computation.

In the *guaranteed* plane a change is a new row, a match carries the least horizon of its rows, and the head is
guaranteed up to it; several rounds reach the fixpoint of a recursion. In the *counted* plane a change has a sign, and
the head's count of derivations changes by it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lasing.engines.local.memory import (
    ARITY,
    AT_D,
    AT_H,
    AT_NEXT,
    AT_S,
    COUNTERS,
    CURSORS,
    DELTA,
    DESCRIPTOR,
    DROPPED,
    ENDLESS,
    FIRST,
    FIRST_RELATION,
    FULL,
    GROW,
    HI,
    HORIZONS,
    INDEX,
    INDEX_COLUMNS,
    INDEX_WIDTH,
    KEY,
    LO,
    MASK,
    NO_ROW,
    OFFSET,
    PARTNER,
    REGISTERS,
    RELATIONS,
    SINCE,
    START,
    STRIDE,
    TICK,
    UPTO,
    WAKE,
    WIDE,
    count,
    find,
    head_of,
    present,
    record,
    room,
    upsert,
)
from lasing.engines.local.operators.pairs import copy_rows, join_pairs
from lasing.engines.local.operators.variants import (
    ABSENT,
    BEFORE,
    BIND,
    BINDS,
    CHANGED,
    CHECK,
    CHECKED,
    CODE,
    COLUMN,
    COMPARE,
    COMPARISON,
    COPY_ROWS,
    FIRST_BIND,
    FIRST_KEY,
    FIRST_OPERAND,
    FIRST_STEP,
    GENERAL,
    HEAD,
    HEAD_REGISTERS,
    INDEX_NUMBER,
    KEYS,
    LEFT,
    NEGATED,
    OPERATOR,
    PROBE,
    REGISTER,
    RELATION,
    RIGHT,
    RULE,
    SCRATCH,
    SECOND_OPERAND,
    SHAPE,
    SIGN,
    SPECIAL,
    STAMPS,
    STEP,
    STEP_BINDS,
    STEP_FIRST_BIND,
    STEPS,
    TARGET,
    TIME,
    TIME_REGISTER,
    WITHIN,
    WITHIN_AHEAD,
    WITHIN_BACK,
    WITHIN_STEP,
    WITHIN_TIME,
)
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.values import NO_ROOM, NO_TIME, REASONS, SMALL, compare, compute, integer, is_double, is_name

MOST_ROWS = 5_000_000
"""How many rows one time point may add before the program is taken to be without end."""


@njit(cache=True)
def fixpoint(m: np.ndarray, first: int, variants: int, t: int, ranks: np.ndarray) -> np.ndarray:
    """Apply guaranteed rules until nothing new comes. The first round sees all that is new at this tick."""
    relations, base = m[RELATIONS], m[FIRST_RELATION]
    for r in range(relations):
        d = base + r * DESCRIPTOR
        m[d + UPTO] = m[d + HI]
    first_round = True
    while True:
        for v in range(variants):
            m = apply(m, m[first + v], t, False, ranks, first_round)
        first_round = False
        news, added = False, 0
        for r in range(relations):
            d = base + r * DESCRIPTOR
            added += m[d + HI] - m[d + FIRST]
            m[d + SINCE] = m[d + UPTO]
            m[d + UPTO] = m[d + HI]
            if m[d + UPTO] > m[d + SINCE]:
                news = True
        if not news:
            return m
        if added > MOST_ROWS:
            m[ENDLESS] = 1
            return m


@njit(cache=True)
def differentiate(m: np.ndarray, first: int, variants: int, t: int, ranks: np.ndarray) -> np.ndarray:
    """Apply counted rules once: their inputs are complete for this tick."""
    for v in range(variants):
        m = apply(m, m[first + v], t, True, ranks, False)
    return m


@njit(cache=True)
def apply(m: np.ndarray, v: int, t: int, counted: bool, ranks: np.ndarray, first_round: bool) -> np.ndarray:
    """One variant on everything that changed in its first literal; on all of it where the time itself has."""
    d = m[v + CHANGED]
    row, skip = m[d + DELTA] if counted else m[d + SINCE], 0
    if first_round and m[v + SPECIAL] & STAMPS:
        row = m[d + LO]
    if not counted and m[v + SHAPE] != GENERAL:
        while row >= 0:
            row = copy_rows(m, v, t, row) if m[v + SHAPE] == COPY_ROWS else join_pairs(m, v, t, row)
            if row >= 0:
                m = room(m, m[v + HEAD])
        return m
    while True:
        row, skip = _apply_from(m, v, t, counted, ranks, row, skip)
        if skip < 0:
            return m
        m = room(m, m[GROW])


@njit(cache=True)
def _apply_from(
    m: np.ndarray, v: int, t: int, counted: bool, ranks: np.ndarray, row: int, skip: int
) -> tuple[int, int]:
    """Go on from a row of the changes, of which `skip` heads are derived already.

    Where a relation is full, it is named in m[GROW], and where to go on is returned; (0, -1) when all is done. A
    guaranteed head may be derived again, so there a row begins anew; a counted one must not be counted twice.
    """
    d = m[np.uintp(v + CHANGED)]
    registers = m[np.uintp(REGISTERS)]
    binds, first_bind = m[np.uintp(v + BINDS)], m[np.uintp(v + FIRST_BIND)]
    at_h, at_s, at_d = m[np.uintp(d + AT_H)], m[np.uintp(d + AT_S)], m[np.uintp(d + AT_D)]
    end = m[np.uintp(d + UPTO)]
    while (row != NO_ROW) if counted else (row < end):
        b = record(m, d, row)
        sign = m[np.uintp(v + SIGN)]
        if counted:
            if (m[np.uintp(b + at_s)] & 1) == 0:
                sign = -sign
            following = m[np.uintp(b + at_d)]
            alive, horizon = True, 0
        else:
            following = row + 1
            horizon = m[np.uintp(b + at_h)]
            alive = horizon >= t
        if alive and _bind(m, b, binds, first_bind, registers):
            done = _join(m, v, t, counted, horizon, sign, ranks, skip)
            if done >= 0:
                return row, done if counted else 0
        skip = 0
        row = following
    return 0, -1


@njit(cache=True, forceinline=True)
def _bind(m: np.ndarray, b: int, binds: int, first: int, registers: int) -> bool:
    for j in range(binds):
        p = first + j * BIND
        value = m[np.uintp(b + m[np.uintp(p + COLUMN)])]
        r = registers + m[np.uintp(p + REGISTER)]
        if m[np.uintp(p + CHECKED)] == 0:
            m[np.uintp(r)] = value
        elif m[np.uintp(r)] != value:
            return False
    return True


@njit(cache=True)
def _join(m: np.ndarray, v: int, t: int, counted: bool, horizon: int, sign: int, ranks: np.ndarray, skip: int) -> int:
    """All ways to take the remaining steps, depth first; -1, or, where a relation is full, how many heads are
    derived."""
    steps = m[np.uintp(v + STEPS)]
    first_step = m[np.uintp(v + FIRST_STEP)]
    registers, key = m[np.uintp(REGISTERS)], m[np.uintp(KEY)]
    cursors, horizons = m[np.uintp(CURSORS)], m[np.uintp(HORIZONS)]
    tick = m[np.uintp(TICK)]
    begin = t
    derived = 0
    depth = 0  # open probes; cursors has for each its step and its next row, horizons the horizon before it
    at = 0
    while True:
        forward = True
        if at == steps:
            if derived >= skip and _emit(m, v, t, counted, begin, horizon, sign) == FULL:
                return derived
            derived += 1
            forward = False
        else:
            p = first_step + at * STEP
            code = m[np.uintp(p + CODE)]
            if code == PROBE:
                d = m[np.uintp(p + RELATION)]
                keys, first_key = m[np.uintp(p + KEYS)], m[np.uintp(p + FIRST_KEY)]
                if keys == 0:
                    row = m[np.uintp(d + HI)] - 1
                else:
                    for j in range(keys):
                        m[np.uintp(key + j)] = m[np.uintp(registers + m[np.uintp(first_key + j)])]
                    row = m[np.uintp(head_of(m, d, m[np.uintp(p + INDEX_NUMBER)], key))]
                m[np.uintp(cursors + 2 * depth)] = at
                m[np.uintp(cursors + 2 * depth + 1)] = row
                m[np.uintp(horizons + depth)] = horizon
                depth += 1
                forward = False
            elif code == COMPARE:
                left = m[np.uintp(registers + m[np.uintp(p + LEFT)])]
                right = m[np.uintp(registers + m[np.uintp(p + RIGHT)])]
                holds = compare(m, m[np.uintp(p + COMPARISON)], left, right, ranks)
                forward = holds != (m[np.uintp(p + NEGATED)] == 1)
            elif code == ABSENT:
                forward = not _there(m, p, t, counted, tick)
            elif code == WITHIN:
                u, step = m[np.uintp(registers + m[np.uintp(p + WITHIN_TIME)])], m[np.uintp(p + WITHIN_STEP)]
                begin = max(t, enters(u, m[np.uintp(p + WITHIN_AHEAD)], step))
                horizon = min(horizon, leaves(u, m[np.uintp(p + WITHIN_BACK)], step))
                forward = u < SMALL and horizon >= begin
            elif code == TIME:
                forward = _is_time(m, v, m[np.uintp(registers + m[np.uintp(p + TIME_REGISTER)])], sign, derived >= skip)
            else:
                left = m[np.uintp(registers + m[np.uintp(p + FIRST_OPERAND)])]
                right = m[np.uintp(registers + m[np.uintp(p + SECOND_OPERAND)])]
                value = compute(m, m[np.uintp(p + OPERATOR)], left, right)
                if value == NO_ROOM:
                    m[np.uintp(GROW)] = m[np.uintp(WIDE)]
                    return derived
                target = registers + m[np.uintp(p + TARGET)]
                if value < NO_ROOM:
                    if sign > 0 and derived >= skip:
                        _note(m, v, value)
                    forward = False
                elif m[np.uintp(p + CHECK)] == 1:
                    forward = m[np.uintp(target)] == value
                else:
                    m[np.uintp(target)] = value
        if forward:
            at += 1
            continue
        # Take the next match of the innermost open probe; close it where there is none.
        found = False
        while depth > 0 and not found:
            at = m[np.uintp(cursors + 2 * depth - 2)]
            row = m[np.uintp(cursors + 2 * depth - 1)]
            p = first_step + at * STEP
            d = m[np.uintp(p + RELATION)]
            lo, mask = m[np.uintp(d + LO)], m[np.uintp(d + MASK)]
            offset, stride = m[np.uintp(d + OFFSET)], m[np.uintp(d + STRIDE)]
            at_h = m[np.uintp(d + AT_H)]
            keys, first_key = m[np.uintp(p + KEYS)], m[np.uintp(p + FIRST_KEY)]
            before = m[np.uintp(p + BEFORE)] == 1
            limit = m[np.uintp(d + SINCE)] if before else m[np.uintp(d + UPTO)]
            q = d + INDEX + m[np.uintp(p + INDEX_NUMBER)] * INDEX_WIDTH + INDEX_COLUMNS
            at_next = m[np.uintp(d + AT_NEXT)] + m[np.uintp(p + INDEX_NUMBER)]
            binds, first_bind = m[np.uintp(p + STEP_BINDS)], m[np.uintp(p + STEP_FIRST_BIND)]
            while row >= lo:
                b = offset + (row & mask) * stride
                following = row - 1 if keys == 0 else m[np.uintp(b + at_next)]
                fits = present(m, d, b, tick, before) if counted else row < limit and m[np.uintp(b + at_h)] >= t
                if fits:
                    for j in range(keys):
                        value = m[np.uintp(b + m[np.uintp(q + j)])]
                        if value != m[np.uintp(registers + m[np.uintp(first_key + j)])]:
                            fits = False
                            break
                    if fits and _bind(m, b, binds, first_bind, registers):
                        found = True
                        if not counted:
                            horizon = min(m[np.uintp(horizons + depth - 1)], m[np.uintp(b + at_h)])
                        m[np.uintp(cursors + 2 * depth - 1)] = following
                        break
                row = following
            if not found:
                depth -= 1
        if not found:
            return -1
        at += 1


@njit(cache=True)
def _there(m: np.ndarray, p: int, t: int, counted: bool, tick: int) -> bool:
    """Whether the row that a step names is there."""
    d = m[np.uintp(p + RELATION)]
    registers, key = m[np.uintp(REGISTERS)], m[np.uintp(KEY)]
    for j in range(m[np.uintp(d + ARITY)]):
        m[np.uintp(key + j)] = m[np.uintp(registers + m[np.uintp(m[np.uintp(p + FIRST_KEY)] + j)])]
    row = find(m, d, key)
    if row == NO_ROW:
        return False
    b = record(m, d, row)
    if counted:
        return present(m, d, b, tick, m[np.uintp(p + BEFORE)] == 1)
    return m[np.uintp(b + m[np.uintp(d + AT_H)])] >= t


@njit(cache=True)
def _note(m: np.ndarray, v: int, reason: int) -> None:
    """Count that an instance of the rule has no value."""
    m[np.uintp(m[np.uintp(COUNTERS)] + m[np.uintp(v + RULE)] * len(REASONS) + NO_ROOM - reason)] += 1


@njit(cache=True)
def _is_time(m: np.ndarray, v: int, code: int, sign: int, first: bool) -> bool:
    """Whether a head's time is one, and not before the start; what is not is counted, the first time."""
    if is_name(code) or is_double(m, code):
        if sign > 0 and first:
            _note(m, v, NO_TIME)
        return False
    if integer(m, code) >= m[START]:
        return True
    if sign > 0 and first:
        m[DROPPED] += 1
    return False


@njit(cache=True, forceinline=True)
def _emit(m: np.ndarray, v: int, t: int, counted: bool, begin: int, horizon: int, sign: int) -> int:
    """The head, with the values in its registers; FULL where there is no room for it in the relation m[GROW]."""
    d = m[np.uintp(v + HEAD)]
    registers, key = m[np.uintp(REGISTERS)], m[np.uintp(KEY)]
    head = m[np.uintp(v + HEAD_REGISTERS)]
    arity = m[np.uintp(d + ARITY)]
    for j in range(arity):
        m[np.uintp(key + j)] = m[np.uintp(registers + m[np.uintp(head + j)])]
    if begin > t:
        if m[np.uintp(v + SPECIAL)] & SCRATCH:
            return 1
        d = m[np.uintp(d + PARTNER)]
        m[np.uintp(key + arity)] = begin
    if m[np.uintp(v + SPECIAL)] & STAMPS:
        m[np.uintp(WAKE)] = 1
    m[np.uintp(GROW)] = d
    return count(m, d, key, sign) if counted else upsert(m, d, key, horizon)
