"""Last: tuple and partition windows, `a in [#n]` and `a in [#n by X]`.

    present at t  =  among the last n facts of the stream, or of the atom's predicate and key

A fact adds to the count of its args when it comes, and takes that away when it is pushed out.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    AT_NEXT,
    FIRST,
    HI,
    INDEX,
    INDEX_COLUMNS,
    INDEX_KEYS,
    INDEX_WIDTH,
    KEY,
    LO,
    NO_ROW,
    count,
    head_of,
    record,
    touch,
)
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory

# An operation: the log's relation, the output's (args, T), how many facts, the predicate's number.
SOURCE, TARGET, FACTS, PREDICATE = range(1, 5)
LOG_TIME, LOG_PREDICATE, LOG_ARGS = 0, 1, 2


@njit(cache=True)
def last_facts(m: Memory, op: int) -> None:
    """A tuple window over the log of all facts: what enters it and what leaves it."""
    log, n = m[op + SOURCE], m[op + FACTS]
    before, now = m[log + FIRST], m[log + HI]
    for row in range(max(m[log + LO], before - n), min(before, now - n)):
        _count_fact(m, op, row, -1)
        if spend(m, 1):
            return
    for row in range(max(before, now - n), now):
        _count_fact(m, op, row, 1)
        if spend(m, 1):
            return
    settle(m, m[op + TARGET], 1, False)


@njit(cache=True)
def _count_fact(m: Memory, op: int, row: int, change: int) -> None:
    target, key = m[op + TARGET], m[KEY]
    b = record(m, m[op + SOURCE], row)
    if m[b + LOG_PREDICATE] == m[op + PREDICATE]:
        arity = m[target + ARITY] - 1
        for j in range(arity):
            m[key + j] = m[b + LOG_ARGS + j]
        m[key + arity] = m[b + LOG_TIME]
        count(m, target, key, change)


@njit(cache=True)
def push_out(m: Memory, op: int, key: int) -> None:
    """A fact of a partition window has come, as m[key…] in the relation (args, T): count it, and not the n+1st
    before it."""
    d, n = m[op + TARGET], m[op + FACTS]
    count(m, d, key, 1)
    p = d + INDEX + INDEX_WIDTH
    keys = m[p + INDEX_KEYS]
    probe = key + m[d + ARITY]
    for j in range(keys):
        m[probe + j] = m[key + m[p + INDEX_COLUMNS + j]]
    row = m[head_of(m, d, 1, probe)]
    seen = 0
    while row >= m[d + LO] and row != NO_ROW:
        b = record(m, d, row)
        same = True
        for j in range(keys):
            if m[b + m[p + INDEX_COLUMNS + j]] != m[probe + j]:
                same = False
                break
        if same and m[b + m[d + AT_C]] > 0:
            seen += 1
            if seen > n:
                m[b + m[d + AT_C]] -= 1
                touch(m, d, row, b)
                break
        if spend(m, 1):
            return
        row = m[b + m[d + AT_NEXT] + 1]
