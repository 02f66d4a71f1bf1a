"""Gate: counted rows (args, u) while u lies in a time window.

    (args, u) in the window at t  ⇔  (args, u) present at t  and  enters(u) <= t <= leaves(u)

A new row is let through, or entered in the agenda for the time at which its u enters the window; in any case it is
entered for the time after it has left.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import NO_CHUNK, entries, entry, next_chunk, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    DELTA,
    FOREVER,
    HI,
    NO_ROW,
    copy_key,
    count,
    find,
    is_present,
    next_listed,
    record,
    upsert,
)
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own, span_words
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.values import SMALL
from lasing.plan.operators import Gate
from lasing.plan.relations import Relation

# The input's relation, the output's, the agenda (args, u, when), and the window.
SOURCE, TARGET, AGENDA, BACK, AHEAD, STEP = range(FIELDS, FIELDS + 6)


@njit(cache=True)
def gate(m: Memory, op: int, t: int, fired: int, _texts: Memory) -> None:
    """Process every row that has changed, and those whose time has come."""
    source, agenda = m[op + SOURCE], m[op + AGENDA]
    arity = m[source + ARITY]
    row = m[source + DELTA]
    while row != NO_ROW:
        b = record(m, source, row)
        u = m[b + arity - 1]
        if is_present(m, source, b) and u < SMALL:
            first, last = enters(u, m[op + AHEAD], m[op + STEP]), leaves(u, m[op + BACK], m[op + STEP])
            if t < first <= last:
                _enter(m, op, b, first)
            if t <= last < FOREVER:
                _enter(m, op, b, last + 1)
        _look(m, op, b, t)
        row = next_listed(m, source, row)
        if spend(m, 1):
            return
    while fired != NO_CHUNK:
        for i in range(entries(m, fired)):
            at = entry(m, fired, i)
            if m[at] == agenda:
                _look(m, op, record(m, agenda, m[at + 1]), t)
        fired = next_chunk(m, fired)
    settle(m, m[op + TARGET])


@njit(cache=True)
def _enter(m: Memory, op: int, b: int, when: int) -> None:
    """Enter a row, given by its record, in the agenda."""
    agenda, arity = m[op + AGENDA], m[m[op + SOURCE] + ARITY]
    key = copy_key(m, b, arity)
    m[key + arity] = when
    if upsert(m, agenda, key, FOREVER) == 1:
        schedule(m, when, agenda, m[agenda + HI] - 1)


@njit(cache=True)
def _look(m: Memory, op: int, b: int, t: int) -> None:
    """Let the row (args, u), whose record is at b in some relation, through or not."""
    source, target = m[op + SOURCE], m[op + TARGET]
    arity = m[source + ARITY]
    key = copy_key(m, b, arity)
    u = m[key + arity - 1]
    found = find(m, source, key)
    wanted = found != NO_ROW and is_present(m, source, record(m, source, found)) and u < SMALL
    if wanted:
        first, last = enters(u, m[op + AHEAD], m[op + STEP]), leaves(u, m[op + BACK], m[op + STEP])
        wanted = first <= t <= last
    there = find(m, target, key)
    passed = there != NO_ROW and m[record(m, target, there) + m[target + AT_C]] > 0
    if wanted != passed:
        count(m, target, key, 1 if wanted else -1)


def _encode(node: Gate, layout: Layout, _op: int) -> Fields:
    window = dict(zip((BACK, AHEAD, STEP), span_words(node.span), strict=True))
    return {
        SOURCE: layout.at(node.source),
        TARGET: layout.at(node.target),
        AGENDA: layout.own(node),
        **window,
    }


def _agenda(node: Gate) -> Own:
    return Own(Relation(f"agenda of {node.target.name}", node.source.arity + 1), waits=True)


OPERATOR = Operator(Gate, gate, _encode, own=_agenda)
