"""Sieve: rules of one literal that compare its columns with small integers, in one pass over the new rows.

    steam(V) :- temp(V,T), V >= 100.               V in [100, ∞):  steam(V)
    veryHot(T) :- temp(V,T), V >= 100, V >= 150.       V in [150, ∞):  veryHot(T)
    liquid(V) :- temp(V,T), V >= 1, V < 100.       V in [1, 99]:   liquid(V)

The tests of a rule on a column are one range. Ranges are a tree, in which those below lie in those above: a row that is
not in a range skips all that is below it. A head that is the same for all rows of a time point is derived once.

Only small integers are compared in this way. Rows that have something else in a tested column are left to the rules'
own kernels.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import AT_H, HI, MASK, OFFSET, REGISTERS, STRIDE, TICK, UPTO
from lasing.engines.local.operators.pairs import derive
from lasing.engines.local.operators.variants import BINDS, CHANGED, FIRST_BIND, FIRST_STEP, KERNEL, RULE, STEPS
from lasing.engines.local.operators.variants import HEAD as HEAD_OF_RULE
from lasing.engines.local.pause import (
    DERIVED,
    FUEL,
    GO_ON,
    MOST_DERIVED,
    RUNNING,
    RUNNING_HEAD,
    STOPPED,
    TOO_MANY_ROWS,
    pause,
)
from lasing.engines.local.pointers import Memory, invoke
from lasing.engines.local.values import SMALL

# A sieve is a variant, of which it uses the words HEAD, CHANGED, RULE and KERNEL as any variant, and these: where its
# nodes begin and end; a list of the columns that are tested (how many, then each); a list of the variants of its rules:
# how many, then for each its place, HI of its head when the pass began, whether it is the first one with that head.
FIRST_NODE, END_NODE, TESTED, MEMBERS = STEPS, FIRST_STEP, BINDS, FIRST_BIND
# A node: a range of a column, and where to continue if a value is not in it. Or instead of a column GIVES: a rule's
# head, where its values come from (see `pairs`), how long it holds at most from now on (ANY_TIME: as long as the row),
# and if it is the same for all rows of a tick, the last tick at which it was derived, or NOT_YET; else EACH_ROW.
COLUMN, LOW, HIGH, ELSE = range(4)
GIVEN, ORIGIN, AT_MOST, LAST_TICK = range(1, 5)
NODE = 5
GIVES, ANY_TIME, NOT_YET, EACH_ROW = -1, -1, -1, 0
HAD, IS_FIRST = 1, 2
MEMBER = 3


@njit(cache=True)
def sieve(m: Memory, v: int, t: int, row: int, texts: Memory) -> None:
    """Apply all rules to the new rows of their literal, from one on."""
    d, first, last, tested, registers = m[v + CHANGED], m[v + FIRST_NODE], m[v + END_NODE], m[v + TESTED], m[REGISTERS]
    offset, mask, stride, at_h, end = m[d + OFFSET], m[d + MASK], m[d + STRIDE], m[d + AT_H], m[d + UPTO]
    tick, fuel = m[TICK], m[FUEL]
    _note_heads(m, v)
    while row < end:
        b = offset + (row & mask) * stride
        if not _is_small(m, b, tested):
            row = _leave(m, v, t, row, end, texts)
            if m[STOPPED] != GO_ON:
                return
            continue
        until = m[b + at_h]
        p = first if until >= t else last
        while p < last:
            column = m[p + COLUMN]
            if column != GIVES:
                value = m[b + column]
                p = p + NODE if (value >= m[p + LOW]) & (value <= m[p + HIGH]) else m[p + ELSE]
                continue
            if m[p + LAST_TICK] != tick:
                if m[p + LAST_TICK] != EACH_ROW:
                    m[p + LAST_TICK] = tick
                horizon = until if m[p + AT_MOST] == ANY_TIME else min(until, t + m[p + AT_MOST])
                derive(m, m[p + GIVEN], m[p + ORIGIN], b, b, registers, horizon)
            p += NODE
        row += 1
        fuel -= 1
        if fuel < 0:
            fuel = pause(m)
            if m[STOPPED] != GO_ON:
                return
    m[FUEL] = fuel
    _add_up(m, v)


@njit(cache=True, forceinline=True)
def _is_small(m: Memory, b: int, tested: int) -> bool:
    """Whether a row has small integers in all columns that are tested."""
    small = True
    for i in range(1, m[tested] + 1):
        small = small and abs(m[b + m[tested + i]]) < SMALL
    return small


@njit(cache=True)
def _leave(m: Memory, v: int, t: int, row: int, end: int, texts: Memory) -> int:
    """Leave rows that cannot be compared here, up to the next one that can, to the rules one by one. Returns that."""
    d, tested, members = m[v + CHANGED], m[v + TESTED], m[v + MEMBERS]
    following = row + 1
    while following < end and not _is_small(m, m[d + OFFSET] + (following & m[d + MASK]) * m[d + STRIDE], tested):
        following += 1
    m[d + UPTO] = following
    for i in range(m[members]):
        w = m[members + 1 + MEMBER * i]
        invoke(m[w + KERNEL], m, w, t, row, texts)
        if m[STOPPED] != GO_ON:
            break
    m[d + UPTO] = end
    return following


@njit(cache=True, forceinline=True)
def _note_heads(m: Memory, v: int) -> None:
    """Note how many rows the heads had."""
    members = m[v + MEMBERS]
    for i in range(m[members]):
        at = members + 1 + MEMBER * i
        m[at + HAD] = m[m[m[at] + HEAD_OF_RULE] + HI]


@njit(cache=True, forceinline=True)
def _add_up(m: Memory, v: int) -> None:
    """Count what was derived, but for the head that the caller counts. If that is too much, stop, and name the rule
    whose head got most."""
    members, own = m[v + MEMBERS], m[v + HEAD_OF_RULE]
    most, own_rows, by = 0, 0, v
    for i in range(m[members]):
        at = members + 1 + MEMBER * i
        w = m[at]
        if m[at + IS_FIRST] == 0:
            continue
        more = m[m[w + HEAD_OF_RULE] + HI] - m[at + HAD]
        if m[w + HEAD_OF_RULE] == own:
            own_rows = more
        else:
            m[DERIVED] += more
        if more > most:
            most, by = more, w
    if m[DERIVED] + own_rows > m[MOST_DERIVED] and m[STOPPED] == GO_ON:
        m[RUNNING], m[RUNNING_HEAD], m[STOPPED] = m[by + RULE], m[by + HEAD_OF_RULE], TOO_MANY_ROWS
