"""Join: the steps of one variant of a rule.

    Δ(A ⋈ B) = ΔA ⋈ B  +  A_before ⋈ ΔB

A rule of k positive or negated literals has k variants. Variant i begins with what changed in literal i, and meets
the literals before it as they are now, those after it as they were before. Then comes a list of steps: a
probe of an index, the absence of a row, a comparison, a computation, a walk through tuples in order (see `ranking`).

In the *guaranteed* plane a change is a new row, a match carries the least horizon of its rows, and the head is
guaranteed up to it. In the *counted* plane a change has a sign, and the head's count of derivations changes by it.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_NEXT,
    CURSORS,
    DROPPED,
    HI,
    HORIZONS,
    INDEX,
    INDEX_COLUMNS,
    INDEX_WIDTH,
    KEY,
    LO,
    MASK,
    NO_ROW,
    NOW_REGISTER,
    OFFSET,
    PARTNER,
    REGISTERS,
    SINCE,
    START,
    STRIDE,
    TICK,
    UPTO,
    WAKE,
    count,
    find,
    head_of,
    present,
    put,
    record,
    upsert,
)
from lasing.engines.local.operators.examples import BINDING, MISSING, note
from lasing.engines.local.operators.sweep import sweep
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
    FIRST_BIND,
    FIRST_KEY,
    FIRST_OPERAND,
    FIRST_STEP,
    FOUND,
    HEAD,
    HEAD_REGISTERS,
    INDEX_NUMBER,
    KEYS,
    LEFT,
    MAKE,
    MAKER,
    MEMO_FIRST,
    MEMO_SECOND,
    MEMO_TICK,
    MEMO_VALUE,
    NEGATED,
    NOTED,
    NOTED_FROM,
    OPERATOR,
    PROBE,
    REGISTER,
    RELATION,
    RIGHT,
    RULE,
    SCRATCH,
    SECOND_OPERAND,
    SHOWN,
    SHOWN_REGISTER,
    SHOWN_SINCE,
    SHOWN_VARIABLE,
    SPECIAL,
    STAMPS,
    STEP,
    STEP_BINDS,
    STEP_FIRST_BIND,
    STEPS,
    STOPS,
    SWEEP,
    TARGET,
    TIME,
    TIME_REGISTER,
    WALK,
    WALKER,
    WITHIN,
    WITHIN_AHEAD,
    WITHIN_BACK,
    WITHIN_STEP,
    WITHIN_TIME,
)
from lasing.engines.local.pause import (
    FUEL,
    GO_ON,
    STOPPED,
    pause,
)
from lasing.engines.local.pointers import Memory, int64, invoke
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.values import (
    NO_TIME,
    SMALL,
    UNDEFINED,
    compare,
    compute,
    integer,
    is_double,
    is_name,
)
from lasing.logic.functions.codes import COPY

AFTER = -2
"""A cursor at AFTER - row goes on after that row; others are the row to look at, or NO_ROW."""


@njit(cache=True)
def join_any(m: Memory, v: int, t: int, row: int, texts: Memory) -> None:
    """Apply a variant of any guaranteed rule, from a new row of its first literal on."""
    d = m[v + CHANGED]
    registers, at_h, end = m[REGISTERS], m[d + AT_H], m[d + UPTO]
    while row < end:
        b = record(m, d, row)
        horizon = m[b + at_h]
        if horizon >= t and bind(m, b, m[v + BINDS], m[v + FIRST_BIND], registers):
            join(m, v, t, False, horizon, int64(1), texts)
            if m[STOPPED] != GO_ON:
                return
        row += 1


@njit(cache=True, forceinline=True)
def bind(m: Memory, b: int, binds: int, first: int, registers: int) -> bool:
    for j in range(binds):
        p = first + j * BIND
        value = m[b + m[p + COLUMN]]
        r = registers + m[p + REGISTER]
        if m[p + CHECKED] == 0:
            m[r] = value
        elif m[r] != value:
            return False
    return True


@njit(cache=True)
def join(m: Memory, v: int, t: int, counted: bool, horizon: int, sign: int, texts: Memory) -> None:
    """All ways to take the remaining steps, depth first."""
    steps = m[v + STEPS]
    first_step = m[v + FIRST_STEP]
    registers, key = m[REGISTERS], m[KEY]
    cursors, horizons = m[CURSORS], m[HORIZONS]
    tick = m[TICK]
    fuel = m[FUEL]
    begin = t
    depth = 0  # open probes; cursors has for each its step and its place, horizons the horizon before it
    at = 0
    while True:
        fuel -= 1
        if fuel < 0:
            fuel = pause(m)
            if m[STOPPED] != GO_ON:
                return
        forward = True
        if at == steps:
            _emit(m, v, t, counted, begin, horizon, sign)
            forward = False
        else:
            p = first_step + at * STEP
            code = m[p + CODE]
            if code == PROBE:
                d = m[p + RELATION]
                keys, first_key = m[p + KEYS], m[p + FIRST_KEY]
                if keys == 0:
                    row = m[d + HI] - 1
                else:
                    for j in range(keys):
                        m[key + j] = m[registers + m[first_key + j]]
                    row = m[head_of(m, d, m[p + INDEX_NUMBER], key)]
                m[cursors + 2 * depth] = at
                m[cursors + 2 * depth + 1] = row
                m[horizons + depth] = horizon
                depth += 1
                forward = False
            elif code == COMPARE:
                left = m[registers + m[p + LEFT]]
                right = m[registers + m[p + RIGHT]]
                holds = compare(m, m[p + COMPARISON], left, right, texts)
                forward = holds != (m[p + NEGATED] == 1)
                if not forward and m[p + STOPS] == 1:
                    depth -= 1  # no further row of the innermost probe will match
            elif code == ABSENT:
                forward = not _there(m, p, t, counted, tick)
            elif code == WITHIN:
                u, step = m[registers + m[p + WITHIN_TIME]], m[p + WITHIN_STEP]
                begin = max(t, enters(u, m[p + WITHIN_AHEAD], step))
                horizon = min(horizon, leaves(u, m[p + WITHIN_BACK], step))
                forward = u < SMALL and horizon >= begin
            elif code == WALK:
                invoke(m[p + WALKER], m, p, t, tick, texts)
                found_at = m[p + FOUND]
                forward = found_at != 0 and bind(m, found_at, m[p + STEP_BINDS], m[p + STEP_FIRST_BIND], registers)
            elif code == SWEEP:
                m[FUEL] = fuel
                sweep(m, v, p, t, horizon, texts)
                if m[STOPPED] != GO_ON:
                    return
                fuel = m[FUEL]
                forward = False
            elif code == TIME:
                forward = _is_time(m, v, at, m[registers + m[p + TIME_REGISTER]], sign)
            else:
                if code == MAKE:
                    invoke(m[p + MAKER], m, p, t, tick, texts)
                    value = m[p + FOUND]
                else:
                    value = _computed(m, p, registers, tick)
                target = registers + m[p + TARGET]
                if value <= UNDEFINED:
                    if sign > 0:
                        note_failure(m, v, at, value)
                    forward = False
                elif m[p + CHECK] == 1:
                    forward = m[target] == value
                else:
                    m[target] = value
        if forward:
            at += 1
            continue
        # Take the next match of the innermost open probe; close it if there is none.
        found = False
        while depth > 0 and not found:
            at = m[cursors + 2 * depth - 2]
            row = m[cursors + 2 * depth - 1]
            p = first_step + at * STEP
            d = m[p + RELATION]
            lo, mask = m[d + LO], m[d + MASK]
            offset, stride = m[d + OFFSET], m[d + STRIDE]
            at_h = m[d + AT_H]
            keys, first_key = m[p + KEYS], m[p + FIRST_KEY]
            before = m[p + BEFORE] == 1
            limit = m[d + SINCE] if before else m[d + UPTO]
            q = d + INDEX + m[p + INDEX_NUMBER] * INDEX_WIDTH + INDEX_COLUMNS
            at_next = m[d + AT_NEXT] + m[p + INDEX_NUMBER]
            binds, first_bind = m[p + STEP_BINDS], m[p + STEP_FIRST_BIND]
            if row <= AFTER:
                # Continue after the last match. The relation may have grown since, which splits chains: the match is in
                # the chain of its key, but a row that came next before need not be.
                row = AFTER - row
                row = row - 1 if keys == 0 else m[offset + (row & mask) * stride + at_next]
            while row >= lo:
                b = offset + (row & mask) * stride
                following = row - 1 if keys == 0 else m[b + at_next]
                fits = present(m, d, b, tick, before) if counted else row < limit and m[b + at_h] >= t
                if fits:
                    for j in range(keys):
                        value = m[b + m[q + j]]
                        if value != m[registers + m[first_key + j]]:
                            fits = False
                            break
                    if fits and bind(m, b, binds, first_bind, registers):
                        found = True
                        if not counted:
                            horizon = min(m[horizons + depth - 1], m[b + at_h])
                        m[cursors + 2 * depth - 1] = AFTER - row
                        break
                row = following
                fuel -= 1
                if fuel < 0:
                    fuel = pause(m)
                    if m[STOPPED] != GO_ON:
                        return
            if not found:
                depth -= 1
        if not found:
            m[FUEL] = fuel
            return
        at += 1


@njit(cache=True, forceinline=True)
def _computed(m: Memory, p: int, registers: int, tick: int) -> int:
    """The value of a step that computes."""
    left, right = m[registers + m[p + FIRST_OPERAND]], m[registers + m[p + SECOND_OPERAND]]
    if m[p + OPERATOR] <= COPY:
        return compute(m, m[p + OPERATOR], left, right)
    if m[p + MEMO_TICK] == tick and m[p + MEMO_FIRST] == left and m[p + MEMO_SECOND] == right:
        return m[p + MEMO_VALUE]  # many instances ask the same
    value = compute(m, m[p + OPERATOR], left, right)
    m[p + MEMO_TICK], m[p + MEMO_FIRST], m[p + MEMO_SECOND] = tick, left, right
    m[p + MEMO_VALUE] = value
    return value


@njit(cache=True)
def _there(m: Memory, p: int, t: int, counted: bool, tick: int) -> bool:
    """Whether the row that a step asks for is there."""
    d = m[p + RELATION]
    registers, key = m[REGISTERS], m[KEY]
    for j in range(m[d + ARITY]):
        m[key + j] = m[registers + m[m[p + FIRST_KEY] + j]]
    row = find(m, d, key)
    if row == NO_ROW:
        return False
    b = record(m, d, row)
    if counted:
        return present(m, d, b, tick, m[p + BEFORE] == 1)
    return m[b + m[d + AT_H]] >= t


@njit(cache=True)
def note_failure(m: Memory, v: int, at: int, reason: int) -> None:
    """Count that an instance of the rule has no value, found at one of its steps."""
    if at < m[v + NOTED_FROM] or (m[v + NOTED] != 0 and not _is_first(m, v)):
        return
    example = note(m, m[v + RULE], reason, v)
    if example != 0:
        shown = m[v + SHOWN]
        for j in range(m[shown]):
            p = shown + 1 + j * SHOWN_VARIABLE
            value = m[m[REGISTERS] + m[p + SHOWN_REGISTER]]
            m[example + BINDING + j] = value if m[p + SHOWN_SINCE] <= at else MISSING


@njit(cache=True)
def _is_first(m: Memory, v: int) -> bool:
    """Whether this is the first instance without a value from the same row of the changed literal, at this time."""
    key, registers = m[KEY], m[REGISTERS]
    for j in range(m[v + BINDS]):
        p = m[v + FIRST_BIND] + j * BIND
        m[key + m[p + COLUMN]] = m[registers + m[p + REGISTER]]
    return upsert(m, m[v + NOTED], key, m[m[NOW_REGISTER]]) == 1


@njit(cache=True)
def _is_time(m: Memory, v: int, at: int, code: int, sign: int) -> bool:
    """Whether a head's time is a time, and not before the start; those that are not are counted."""
    if is_name(code) or is_double(m, code):
        if sign > 0:
            note_failure(m, v, at, NO_TIME)
        return False
    if integer(m, code) >= m[START]:
        return True
    if sign > 0:
        m[DROPPED] += 1
    return False


@njit(cache=True)
def _emit(m: Memory, v: int, t: int, counted: bool, begin: int, horizon: int, sign: int) -> None:
    """The head, with the values in its registers."""
    d = m[v + HEAD]
    registers, key, head = m[REGISTERS], m[KEY], m[v + HEAD_REGISTERS]
    arity = m[d + ARITY]
    for j in range(arity):
        m[key + j] = m[registers + m[head + j]]
    if counted:
        count(m, d, key, sign)
        return
    if begin > t:
        if m[v + SPECIAL] & SCRATCH:
            return
        d = m[d + PARTNER]
        m[key + arity] = begin
    if m[v + SPECIAL] & STAMPS:
        m[WAKE] = 1
    put(m, d, key, horizon)
