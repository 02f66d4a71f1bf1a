"""Rules of two literals without tests, or of one that tests or computes: most rules, so they have their own loops.

They do what `join` does for any rule of the guaranteed plane, without registers and without a stack.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.asking import NOT_KNOWN, known_value
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_NEXT,
    INDEX,
    INDEX_COLUMNS,
    INDEX_HEADS,
    INDEX_SHIFT,
    INDEX_WIDTH,
    INDICES,
    KEY,
    LO,
    NEVER,
    PARTNER,
    REGISTERS,
    SINCE,
    UPTO,
    add_key,
    put,
    record,
    slot,
    upsert,
)
from lasing.engines.local.narrow import upsert_pair, upsert_single
from lasing.engines.local.operators.join import bind, note_failure
from lasing.engines.local.operators.variants import (
    BEFORE,
    BINDS,
    CHANGED,
    CODE,
    COMPARE,
    COMPARISON,
    FIRST_BIND,
    FIRST_OPERAND,
    FIRST_STEP,
    FOUND,
    FROM_CHANGED,
    FROM_PROBED,
    HEAD,
    HEAD_FROM,
    INDEX_NUMBER,
    KEY_FROM,
    KEYS,
    LEFT,
    MAKE,
    MAKER,
    NEGATED,
    OPERATOR,
    RELATION,
    RIGHT,
    SECOND_OPERAND,
    STEP,
    STEPS,
    TARGET,
    WITHIN_AHEAD,
    WITHIN_BACK,
    WITHIN_STEP,
    WITHIN_TIME,
)
from lasing.engines.local.pause import FUEL, GO_ON, STOPPED, pause
from lasing.engines.local.pointers import Memory, int64, invoke, uint64
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.values import SMALL, UNDEFINED, compare, compute, double, is_double
from lasing.logic.functions.codes import GREATER, GREATER_EQUAL, LESS, LESS_EQUAL


@njit(cache=True, forceinline=True)
def _place(m: Memory, origin: int, changed: int, probed: int, registers: int) -> int:
    """Where a value is, given where the records of the two rows begin."""
    base = m[origin]
    at = m[origin + 1]
    if base == FROM_CHANGED:
        return changed + at
    if base == FROM_PROBED:
        return probed + at
    return registers + at


@njit(cache=True, forceinline=True)
def derive(m: Memory, d: int, origin: int, changed: int, probed: int, registers: int, horizon: int) -> None:
    """Derive a head, whose values come from two rows and from registers."""
    arity = m[d + ARITY]
    if arity == 2 and m[d + INDICES] != 0:
        x = m[_place(m, origin, changed, probed, registers)]
        y = m[_place(m, origin + 2, changed, probed, registers)]
        upsert_pair(m, d, x, y, horizon)
        return
    if arity == 1 and m[d + INDICES] != 0:
        upsert_single(m, d, m[_place(m, origin, changed, probed, registers)], horizon)
        return
    key = m[KEY]
    for j in range(arity):
        m[key + j] = m[_place(m, origin + 2 * j, changed, probed, registers)]
    put(m, d, key, horizon)


@njit(cache=True)
def copy_rows(m: Memory, v: int, t: int, row: int, _texts: Memory) -> None:
    """A rule of one literal, from a new row of it on."""
    d, head, origin = m[v + CHANGED], m[v + HEAD], m[v + HEAD_FROM]
    registers, at_h, end = m[REGISTERS], m[d + AT_H], m[d + UPTO]
    fuel = m[FUEL]
    while row < end:
        b = record(m, d, row)
        horizon = m[b + at_h]
        if horizon >= t:
            derive(m, head, origin, b, b, registers, horizon)
        row += 1
        fuel -= 1
        if fuel < 0:
            fuel = pause(m)
            if m[STOPPED] != GO_ON:
                return
    m[FUEL] = fuel


@njit(cache=True)
def filter_rows(m: Memory, v: int, t: int, row: int, texts: Memory) -> None:
    """A rule of one literal that compares terms, or asks whether a time lies in a window, from a new row on."""
    d, head, origin = m[v + CHANGED], m[v + HEAD], m[v + HEAD_FROM]
    registers, at_h, end = m[REGISTERS], m[d + AT_H], m[d + UPTO]
    binds, first_bind = m[v + BINDS], m[v + FIRST_BIND]
    first, last = m[v + FIRST_STEP], m[v + FIRST_STEP] + m[v + STEPS] * STEP
    head_moves = head == d  # then its records may move as well
    last_b, until = int64(0), NEVER  # the row from which a head was derived last, and until when that holds
    fuel = m[FUEL]
    while row < end:
        b = record(m, d, row)
        horizon, begin = m[b + at_h], t
        if horizon >= t:
            bind(m, b, binds, first_bind, registers)
            p = first
            while p < last:
                if m[p + CODE] == COMPARE:
                    left, right = m[registers + m[p + LEFT]], m[registers + m[p + RIGHT]]
                    if holds(m, m[p + COMPARISON], left, right, texts) == (m[p + NEGATED] == 1):
                        break
                else:
                    u, step = m[registers + m[p + WITHIN_TIME]], m[p + WITHIN_STEP]
                    begin = max(t, enters(u, m[p + WITHIN_AHEAD], step))
                    horizon = min(horizon, leaves(u, m[p + WITHIN_BACK], step))
                    if u >= SMALL or horizon < begin:
                        break
                p += STEP
            if m[STOPPED] != GO_ON:  # the driver could not compare two terms
                return
            if p == last:
                if begin > t:
                    _put_off(m, head, origin, b, registers, begin, horizon)
                elif horizon > until or not _is_same(m, head, origin, b, last_b, registers):
                    derive(m, head, origin, b, b, registers, horizon)
                    last_b, until = b, NEVER if head_moves else horizon
        row += 1
        fuel -= 1
        if fuel < 0:
            fuel = pause(m)
            if m[STOPPED] != GO_ON:
                return
    m[FUEL] = fuel


@njit(cache=True, forceinline=True)
def holds(m: Memory, comparison: int, left: int, right: int, texts: Memory) -> bool:
    """Whether a comparison holds; the codes of small integers compare as they are."""
    if left < SMALL and right < SMALL:
        if comparison == LESS:
            return left < right
        if comparison == GREATER_EQUAL:
            return left >= right
        if comparison == GREATER:
            return left > right
        if comparison == LESS_EQUAL:
            return left <= right
    if (left < SMALL or is_double(m, left)) and is_double(m, right):  # they compare as doubles: see `values`
        x, y = double(m, left), double(m, right)
        if comparison == LESS:
            return x < y
        if comparison == GREATER_EQUAL:
            return x >= y
        if comparison == GREATER:
            return x > y
        if comparison == LESS_EQUAL:
            return x <= y
    return compare(m, comparison, left, right, texts)


@njit(cache=True, forceinline=True)
def _is_same(m: Memory, head: int, origin: int, changed: int, other: int, registers: int) -> bool:
    """Whether two rows give the same head. Often neighbours do, such as those that differ in what only a test needs."""
    for j in range(m[head + ARITY]):
        if (
            m[_place(m, origin + 2 * j, changed, changed, registers)]
            != m[_place(m, origin + 2 * j, other, other, registers)]
        ):
            return False
    return True


@njit(cache=True)
def _put_off(m: Memory, head: int, origin: int, row: int, registers: int, begin: int, horizon: int) -> None:
    """The head is to hold from a later time on."""
    key = m[KEY]
    for j in range(m[head + ARITY]):
        m[key + j] = m[_place(m, origin + 2 * j, row, row, registers)]
    m[key + m[head + ARITY]] = begin
    upsert(m, m[head + PARTNER], key, horizon)


@njit(cache=True)
def compute_rows(m: Memory, v: int, t: int, row: int, texts: Memory) -> None:
    """A rule of one literal that computes terms, from a new row of the literal on."""
    d, head, origin = m[v + CHANGED], m[v + HEAD], m[v + HEAD_FROM]
    registers, at_h, end = m[REGISTERS], m[d + AT_H], m[d + UPTO]
    binds, first_bind = m[v + BINDS], m[v + FIRST_BIND]
    first, last = m[v + FIRST_STEP], m[v + FIRST_STEP] + m[v + STEPS] * STEP
    fuel = m[FUEL]
    while row < end:
        b = record(m, d, row)
        horizon = m[b + at_h]
        if horizon >= t:
            bind(m, b, binds, first_bind, registers)
            p = first
            while p < last:
                if m[p + CODE] == MAKE:
                    invoke(m[p + MAKER], m, p, t, int64(0), texts)
                    value = m[p + FOUND]
                else:
                    left, right = m[registers + m[p + FIRST_OPERAND]], m[registers + m[p + SECOND_OPERAND]]
                    value = known_value(m, m[p + OPERATOR], left, right)
                    if value == NOT_KNOWN:
                        value = compute(m, m[p + OPERATOR], left, right)
                if value <= UNDEFINED:
                    note_failure(m, v, (p - first) // STEP, value)
                    break
                m[registers + m[p + TARGET]] = value
                p += STEP
            if m[STOPPED] != GO_ON:  # a function of the driver failed
                return
            if p == last:
                derive(m, head, origin, b, b, registers, horizon)
        row += 1
        fuel -= 1
        if fuel < 0:
            fuel = pause(m)
            if m[STOPPED] != GO_ON:
                return
    m[FUEL] = fuel


@njit(cache=True)
def join_pairs(m: Memory, v: int, t: int, row: int, _texts: Memory) -> None:
    """A rule of two literals, from a new row of one of them on."""
    d, head, origin = m[v + CHANGED], m[v + HEAD], m[v + HEAD_FROM]
    registers, at_h, end = m[REGISTERS], m[d + AT_H], m[d + UPTO]
    p = m[v + FIRST_STEP]
    keys, key_from = m[p + KEYS], m[v + KEY_FROM]
    e, index = m[p + RELATION], m[p + INDEX_NUMBER]
    q = e + INDEX + index * INDEX_WIDTH
    column, lo = m[q + INDEX_COLUMNS], m[e + LO]
    probed_h, at_next = m[e + AT_H], m[e + AT_NEXT] + index
    limit = m[e + SINCE] if m[p + BEFORE] == 1 else m[e + UPTO]
    head_moves = head == d or head == e  # a row that is derived may make the relation grow that is being read
    fuel = m[FUEL]
    while row < end:
        fuel -= 1
        a = record(m, d, row)
        until = m[a + at_h]
        if until >= t:
            value = m[_place(m, key_from, a, a, registers)]
            x = add_key(uint64(0), value)
            for j in range(1, keys):
                x = add_key(x, m[_place(m, key_from + 2 * j, a, a, registers)])
            other = m[m[q + INDEX_HEADS] + slot(x, m[q + INDEX_SHIFT])]
            while other >= lo:
                b = record(m, e, other)
                other_until = m[b + probed_h]
                following = m[b + at_next]
                if other_until >= t and other < limit and m[b + column] == value:
                    same = True
                    for j in range(1, keys):
                        if m[b + m[q + INDEX_COLUMNS + j]] != m[_place(m, key_from + 2 * j, a, a, registers)]:
                            same = False
                            break
                    if same:
                        derive(m, head, origin, a, b, registers, min(until, other_until))
                        if head_moves:
                            # Chains may have been split, so that the row that came next is now in another one: only
                            # rows with this key are surely in ours.
                            a = record(m, d, row)
                            following = m[record(m, e, other) + at_next]
                other = following
                fuel -= 1
                if fuel < 0:
                    fuel = pause(m)
                    if m[STOPPED] != GO_ON:
                        return
        row += 1
    m[FUEL] = fuel
