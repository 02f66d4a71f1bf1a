"""Recall: a window over a derived stream.

    in      args at t          ⇔  some run of args has a time point in the window of t
    always  args at t          ⇔  one run of args has all time points of the window of t, and there is one
    at      (args, u) at t     ⇔  some run of args has u, and u lies in the window of t

A run of time points c … h makes an atom present during one interval of evaluation times, given by c and h alone:

    in      enters(c) … leaves(h)
    always  enters(c + back) … leaves(h - ahead);  a run from the start needs no time points before it
    at      enters(u) … leaves(u), for each u of c … h

So `remember` enters in the agenda when an interval begins and when it ends, as soon as either is known, and this
operation counts, for each row, the intervals that contain t. What stands costs nothing. A window that does not contain
now is processed before anything is derived, all others after `remember`.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import NO_CHUNK, entries, entry, next_chunk, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_MORE,
    FOREVER,
    NO_ROW,
    START,
    append,
    copy_key,
    count,
    find,
    record,
)
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own, span_words
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory
from lasing.engines.local.spans import enters, leaves
from lasing.plan.operators import Recall
from lasing.plan.relations import Relation

# The output's relation, the agenda (its columns, when) with a change of the count, the window, what is asked about
# it, and whether it leaves out now.
TARGET, AGENDA, BACK, AHEAD, STEP, HOW, PAST = range(FIELDS, FIELDS + 7)
IN, ALWAYS, AT = range(3)
_HOW = {"in": IN, "always": ALWAYS, "at": AT}


@njit(cache=True)
def recall(m: Memory, op: int, _t: int, fired: int, _texts: Memory) -> None:
    """Count what is due, and settle."""
    target, agenda = m[op + TARGET], m[op + AGENDA]
    while fired != NO_CHUNK:
        for i in range(entries(m, fired)):
            at = entry(m, fired, i)
            if m[at] == agenda:
                b = record(m, agenda, m[at + 1])
                change = m[b + m[agenda + AT_MORE]]
                if change != 0:
                    count(m, target, copy_key(m, b, m[target + ARITY]), change)
                if spend(m, 1):
                    return
        fired = next_chunk(m, fired)
    settle(m, target)


@njit(cache=True)
def begins(m: Memory, op: int, c: int) -> int:
    """The first evaluation time at which a run from c on, if it is long enough, makes an atom present."""
    if m[op + HOW] == ALWAYS:
        if c == m[START]:
            return enters(c - m[op + AHEAD], 0, m[op + STEP])
        return FOREVER if m[op + BACK] < 0 else enters(c + m[op + BACK], 0, m[op + STEP])
    first = enters(c, m[op + AHEAD], m[op + STEP])
    return max(first, c + 1) if m[op + PAST] == 1 else first


@njit(cache=True)
def ends(m: Memory, op: int, h: int) -> int:
    """The last evaluation time at which a run up to h makes an atom present."""
    return leaves(h, -m[op + AHEAD] if m[op + HOW] == ALWAYS else m[op + BACK], m[op + STEP])


@njit(cache=True)
def enter(m: Memory, op: int, key: int, when: int, change: int, t: int, at_once: bool) -> None:
    """Change the count of the row m[key…] at a time. If that is not after t: at once, or else as soon as possible."""
    target, agenda = m[op + TARGET], m[op + AGENDA]
    if when <= t:
        if at_once:
            count(m, target, key, change)
            return
        when = t + 1
    m[key + m[target + ARITY]] = when
    row = find(m, agenda, key)
    if row == NO_ROW:
        row = append(m, agenda, key)
        b = record(m, agenda, row)
        m[b + m[agenda + AT_H]] = FOREVER
        m[b + m[agenda + AT_MORE]] = 0
        schedule(m, when, agenda, row)
    m[record(m, agenda, row) + m[agenda + AT_MORE]] += change


def _encode(node: Recall, layout: Layout, _op: int) -> Fields:
    return {
        TARGET: layout.at(node.target),
        AGENDA: layout.own(node),
        **dict(zip((BACK, AHEAD, STEP), span_words(node.span), strict=True)),
        HOW: _HOW[node.how],
        PAST: int(node.past),
    }


def _agenda(node: Recall) -> Own:
    return Own(Relation(f"agenda of {node.target.name}", node.target.arity + 1), waits=True, more=1)


OPERATOR = Operator(Recall, recall, _encode, own=_agenda)
