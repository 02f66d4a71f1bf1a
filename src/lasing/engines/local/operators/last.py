"""Last: tuple and partition windows, `a in [#n]` and `a in [#n by X]`.

    present at t  =  among the last n facts of the stream, or of the atom's predicate and key

A fact increases the count of its args when it comes, and decreases it when it is pushed out. A tuple window reads the
log of all facts; the facts of a partition window are fed to it directly, by `push_out`.
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
    LO,
    NO_ROW,
    copy_key,
    count,
    head_of,
    record,
    touch,
)
from lasing.engines.local.operators import log as log_
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory
from lasing.plan.operators import LastFacts
from lasing.plan.relations import Relation

# The output's relation (args, T), how many facts; for a tuple window, the log's relation and the predicate's number.
TARGET, FACTS, LOG, PREDICATE = range(FIELDS, FIELDS + 4)
NO_LOG = 0
BY_KEY = 1
"""The number of the index that a partition window uses to find the facts of a key."""


@njit(cache=True)
def last_facts(m: Memory, op: int, _t: int, _fired: int, _texts: Memory) -> None:
    """Process what enters the window and what leaves it."""
    if m[op + LOG] != NO_LOG:
        _follow_log(m, op)
    settle(m, m[op + TARGET])


@njit(cache=True)
def _follow_log(m: Memory, op: int) -> None:
    log, n = m[op + LOG], m[op + FACTS]
    before, now = m[log + FIRST], m[log + HI]
    for row in range(max(m[log + LO], before - n), min(before, now - n)):
        _count_fact(m, op, row, -1)
        if spend(m, 1):
            return
    for row in range(max(before, now - n), now):
        _count_fact(m, op, row, 1)
        if spend(m, 1):
            return


@njit(cache=True)
def _count_fact(m: Memory, op: int, row: int, change: int) -> None:
    target = m[op + TARGET]
    b = record(m, m[op + LOG], row)
    if m[b + log_.PREDICATE] == m[op + PREDICATE]:
        arity = m[target + ARITY] - 1
        key = copy_key(m, b + log_.ARGS, arity)
        m[key + arity] = m[b + log_.TIME]
        count(m, target, key, change)


@njit(cache=True)
def push_out(m: Memory, op: int, key: int) -> None:
    """A fact of a partition window has come, as m[key…] in the relation (args, T): count it, and stop counting the
    n+1st last one."""
    d, n = m[op + TARGET], m[op + FACTS]
    count(m, d, key, 1)
    p = d + INDEX + BY_KEY * INDEX_WIDTH
    keys = m[p + INDEX_KEYS]
    probe = key + m[d + ARITY]
    for j in range(keys):
        m[probe + j] = m[key + m[p + INDEX_COLUMNS + j]]
    row = m[head_of(m, d, BY_KEY, probe)]
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
        row = m[b + m[d + AT_NEXT] + BY_KEY]


def _encode(node: LastFacts, layout: Layout, op: int) -> Fields:
    fields = {TARGET: layout.at(node.target), FACTS: node.facts}
    if node.keys is None:
        return {**fields, LOG: layout.log(), PREDICATE: layout.predicate(node.predicate)}
    layout.feed(node.predicate, op)
    return {**fields, LOG: NO_LOG}


def _index(node: LastFacts) -> tuple[Relation, tuple[int, ...]] | None:
    return None if node.keys is None else (node.target, node.keys)


OPERATOR = Operator(LastFacts, last_facts, _encode, reads_log=lambda node: node.keys is None, index=_index)
