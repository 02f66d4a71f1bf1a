"""Recompute: a recursion in the counted plane.

    outcome at t  =  the least fixpoint of the rules over what is present at t

Counts do not show whether rows of a cycle still have support from outside it. So when an input has changed, the
machinery of the guaranteed plane computes the fixpoint again, on copies that hold for this time point only, and only
the differences are passed on.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    AT_H,
    DELTA,
    HI,
    LO,
    NO_ROW,
    SINCE,
    START,
    UPTO,
    copy_key,
    count,
    find,
    is_present,
    record,
    upsert,
)
from lasing.engines.local.operators.fixpoint import reach_fixpoint
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, span_words
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import GO_ON, STOPPED, spend
from lasing.engines.local.pointers import Memory
from lasing.plan.nodes import Recompute

# Its table, whether time alone changes the outcome, whether it has run before. The table: how many inputs
# and where (relation, copy), the same for boxes (source, target, back, ahead, step) and for
# outputs (relation, copy); how many scratch relations and where; how many variants of rules use the time: none.
TABLE, BY_TIME, HAS_RUN = range(FIELDS, FIELDS + 3)
INPUTS, FIRST_INPUT, BOXES, FIRST_BOX, OUTPUTS, FIRST_OUTPUT, SCRATCH, FIRST_SCRATCH, STAMPING = range(9)
PAIR, BOX = 2, 5


@njit(cache=True)
def recompute(m: Memory, op: int, t: int, _fired: int, texts: Memory) -> None:
    """Compute again if necessary, and settle the outputs."""
    table = m[op + TABLE]
    due = m[op + BY_TIME] == 1 or m[op + HAS_RUN] == 0
    for i in range(m[table + INPUTS]):
        due = due or m[m[m[table + FIRST_INPUT] + i * PAIR] + DELTA] != NO_ROW
    if not due:
        return
    m[op + HAS_RUN] = 1
    for i in range(m[table + SCRATCH]):
        d = m[m[table + FIRST_SCRATCH] + i]
        m[d + LO] = m[d + SINCE] = m[d + UPTO] = m[d + HI]
    for i in range(m[table + INPUTS]):
        _copy(m, m[m[table + FIRST_INPUT] + i * PAIR], m[m[table + FIRST_INPUT] + i * PAIR + 1], t)
    more = True
    while more:
        reach_fixpoint(m, table + STAMPING, t, texts)
        if m[STOPPED] != GO_ON:
            return
        more = False
        for i in range(m[table + BOXES]):
            more = _box(m, m[table + FIRST_BOX] + i * BOX, t) or more
    some = False
    for i in range(m[table + OUTPUTS]):
        target, copy = m[m[table + FIRST_OUTPUT] + i * PAIR], m[m[table + FIRST_OUTPUT] + i * PAIR + 1]
        some = some or m[copy + HI] > m[copy + LO]
        _differences(m, target, copy)
        settle(m, target)
    if some and m[op + BY_TIME] == 1:
        schedule(m, t + 1, WAKE_UP, 0)


@njit(cache=True)
def _copy(m: Memory, source: int, copy: int, t: int) -> None:
    """All rows that are present now."""
    for row in range(m[source + LO], m[source + HI]):
        b = record(m, source, row)
        if is_present(m, source, b):
            upsert(m, copy, copy_key(m, b, m[source + ARITY]), t)
        if spend(m, 1):
            return


@njit(cache=True)
def _box(m: Memory, box: int, t: int) -> bool:
    """Add rows (args) that are in the source at every time point of the window. Returns whether any are new."""
    source, target = m[box], m[box + 1]
    back, ahead, step = m[box + 2], m[box + 3], m[box + 4]
    pivot = t // step * step
    low = m[START] if back < 0 else max(m[START], pivot - back)
    if pivot + ahead < low:  # the window is empty
        return False
    arity = m[target + ARITY]
    news = False
    for row in range(m[source + LO], m[source + HI]):
        b = record(m, source, row)
        if m[b + arity] != low or m[b + m[source + AT_H]] < t:
            continue
        key = copy_key(m, b, arity)
        everywhere = True
        for u in range(low, pivot + ahead + 1):
            m[key + arity] = u
            if find(m, source, key) == NO_ROW or spend(m, 1):
                everywhere = False
                break
        if everywhere and upsert(m, target, key, t) == 1:
            news = True
    return news


@njit(cache=True)
def _differences(m: Memory, target: int, copy: int) -> None:
    """Set the counts of a relation to one for the rows of its copy, and to zero for all others."""
    arity, at_c = m[target + ARITY], m[target + AT_C]
    for row in range(m[target + LO], m[target + HI]):
        b = record(m, target, row)
        if m[b + at_c] > 0:
            key = copy_key(m, b, arity)
            if find(m, copy, key) == NO_ROW:
                count(m, target, key, -1)
    for row in range(m[copy + LO], m[copy + HI]):
        b = record(m, copy, row)
        key = copy_key(m, b, arity)
        there = find(m, target, key)
        if there == NO_ROW or m[record(m, target, there) + at_c] == 0:
            count(m, target, key, 1)


def _encode(node: Recompute, layout: Layout, _op: int) -> Fields:
    boxes = [(layout.at(x.source), layout.at(x.target), *span_words(x.window)) for x in node.boxes]
    scratch = {r for rule in node.rules for r in (rule.head, *(x.relation for x in rule.lookups))}
    scratch |= {r for pair in (*node.inputs, *node.outputs) for r in pair[1:]}
    scratch |= {r for x in node.boxes for r in (x.source, x.target)}
    table: list[int] = []
    for words, size in (
        ([layout.at(r) for pair in node.inputs for r in pair], PAIR),
        ([word for entry in boxes for word in entry], BOX),
        ([layout.at(r) for pair in node.outputs for r in pair], PAIR),
        (sorted(layout.at(r) for r in scratch), 1),
    ):
        table += [len(words) // size, layout.put(words)]
    layout.variants(node.rules, counted=False, scratch=True)
    return {TABLE: layout.put([*table, 0]), BY_TIME: int(node.by_time)}


OPERATOR = Operator(Recompute, recompute, _encode)
