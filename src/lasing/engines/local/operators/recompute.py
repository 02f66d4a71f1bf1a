"""Recompute: a recursion in the counted plane.

    outcome at t  =  the least fixpoint of the rules over what is present at t

Counts do not show whether rows of a cycle still have support from outside it. So the machinery of the guaranteed plane
computes the fixpoint, on copies, and only the differences are passed on. When time alone changes the outcome, or an
input under a negation has changed, it computes all of it again. Otherwise it computes what is affected:

1. All that was derived from a row that has gone, over any number of rules, is taken back: such rows become new, rules
   find their heads, and these become new in turn. Then they are dropped.
2. Rows that were taken back, but follow from what is left, are derived again, by rules that look for them alone.
3. These, and input that has come, are new rows for the rules, as always.
"""

from __future__ import annotations

from dataclasses import replace

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    AT_H,
    AT_ONCE,
    DELTA,
    FIRST,
    FOREVER,
    HI,
    KEEPS_BACK,
    LO,
    NEVER,
    NO_ROW,
    SINCE,
    START,
    TAKE_BACK,
    UPTO,
    copy_key,
    count,
    find,
    is_present,
    next_listed,
    record,
    take_back,
    upsert,
)
from lasing.engines.local.operators.fixpoint import reach_fixpoint
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own, span_words
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import GO_ON, STOPPED, spend
from lasing.engines.local.pointers import Memory
from lasing.logic.terms import Arithmetic
from lasing.plan.nodes import Lookup, PlanRule, Recompute
from lasing.plan.optimize.merge import computes
from lasing.plan.optimize.order import ordered
from lasing.plan.relations import Relation

# Its table, whether time alone changes the outcome, whether it has run before, whether it can compute what is affected
# alone. The table: how many inputs and where (relation, copy, whether under a negation), the same for boxes (source,
# target, back, ahead, step) and for outputs (relation, copy); how many scratch relations and where (relation, the one
# for its rows that were taken back, or 0); how many variants of rules use the time: none.
TABLE, BY_TIME, HAS_RUN, IN_PART = range(FIELDS, FIELDS + 4)
INPUTS, FIRST_INPUT, BOXES, FIRST_BOX, OUTPUTS, FIRST_OUTPUT, SCRATCH, FIRST_SCRATCH, STAMPING = range(9)
INPUT, PAIR, BOX = 3, 2, 5


@njit(cache=True)
def recompute(m: Memory, op: int, t: int, _fired: int, texts: Memory) -> None:
    """Compute again if necessary, and settle the outputs."""
    table = m[op + TABLE]
    due, in_part = m[op + BY_TIME] == 1 or m[op + HAS_RUN] == 0, m[op + IN_PART] == 1 and m[op + HAS_RUN] == 1
    for i in range(m[table + INPUTS]):
        at = m[table + FIRST_INPUT] + i * INPUT
        changed = m[m[at] + DELTA] != NO_ROW
        due = due or changed
        in_part = in_part and not (changed and m[at + 2] == 1)
    if not due:
        return
    m[op + HAS_RUN] = 1
    some = False
    if in_part:
        _follow_changes(m, table, t, texts)
    else:
        some = _begin_again(m, table, t, texts, FOREVER if m[op + IN_PART] == 1 else t)
    if m[STOPPED] != GO_ON:
        return
    for i in range(m[table + OUTPUTS]):
        settle(m, m[m[table + FIRST_OUTPUT] + i * PAIR])
    if some and m[op + BY_TIME] == 1:
        schedule(m, t + 1, WAKE_UP, 0)


@njit(cache=True)
def _begin_again(m: Memory, table: int, t: int, texts: Memory, until: int) -> bool:
    """Compute everything from what is present. Returns whether anything is derived."""
    for i in range(m[table + SCRATCH]):
        d = m[m[table + FIRST_SCRATCH] + i * PAIR]
        m[d + LO] = m[d + SINCE] = m[d + UPTO] = m[d + HI]
    for i in range(m[table + INPUTS]):
        at = m[table + FIRST_INPUT] + i * INPUT
        _copy(m, m[at], m[at + 1], until)
    more = True
    while more:
        reach_fixpoint(m, table + STAMPING, t, texts)
        if m[STOPPED] != GO_ON:
            return False
        more = False
        for i in range(m[table + BOXES]):
            more = _box(m, m[table + FIRST_BOX] + i * BOX, t) or more
    some = False
    for i in range(m[table + OUTPUTS]):
        target, copy = m[m[table + FIRST_OUTPUT] + i * PAIR], m[m[table + FIRST_OUTPUT] + i * PAIR + 1]
        some = some or m[copy + HI] > m[copy + LO]
        _differences(m, target, copy)
    return some


@njit(cache=True)
def _follow_changes(m: Memory, table: int, t: int, texts: Memory) -> None:
    """Compute what is affected by the changes of the inputs."""
    first, number = m[table + FIRST_SCRATCH], m[table + SCRATCH]
    for i in range(number):
        d = m[first + i * PAIR]
        m[d + SINCE] = m[d + UPTO] = m[d + FIRST] = m[d + HI]
        m[d + KEEPS_BACK] = TAKE_BACK
    _take_changes(m, table, False)
    reach_fixpoint(m, table + STAMPING, t, texts)
    for i in range(number):
        m[m[first + i * PAIR] + KEEPS_BACK] = AT_ONCE
    if m[STOPPED] != GO_ON:
        return
    for i in range(number):
        at = first + i * PAIR
        d, again = m[at], m[at + 1]
        for row in range(m[d + FIRST], m[d + HI]):
            b = record(m, d, row)
            m[b + m[d + AT_H]] = NEVER
            if again != 0:
                upsert(m, again, b, FOREVER)
            if spend(m, 1):
                return
    _take_changes(m, table, True)
    reach_fixpoint(m, table + STAMPING, t, texts)
    for i in range(number):
        again = m[first + i * PAIR + 1]
        if again != 0:
            m[again + LO] = m[again + SINCE] = m[again + UPTO] = m[again + HI]
    if m[STOPPED] != GO_ON:
        return
    for i in range(m[table + OUTPUTS]):
        _pass_changes(m, m[m[table + FIRST_OUTPUT] + i * PAIR], m[m[table + FIRST_OUTPUT] + i * PAIR + 1])


@njit(cache=True)
def _take_changes(m: Memory, table: int, come: bool) -> None:
    """Copy input that has come, or begin to take back input that has gone."""
    for i in range(m[table + INPUTS]):
        at = m[table + FIRST_INPUT] + i * INPUT
        source, copy = m[at], m[at + 1]
        row = m[source + DELTA]
        while row != NO_ROW:
            b = record(m, source, row)
            if is_present(m, source, b) == come:
                key = copy_key(m, b, m[source + ARITY])
                if come:
                    upsert(m, copy, key, FOREVER)
                else:
                    known = find(m, copy, key)
                    if known != NO_ROW:
                        take_back(m, copy, known, key)
            row = next_listed(m, source, row)
            if spend(m, 1):
                return


@njit(cache=True)
def _pass_changes(m: Memory, target: int, copy: int) -> None:
    """Set the counts of an output for the rows that were taken back or are new."""
    arity, at_c = m[target + ARITY], m[target + AT_C]
    for row in range(m[copy + FIRST], m[copy + HI]):
        key = copy_key(m, record(m, copy, row), arity)
        there, holds = find(m, target, key), m[record(m, copy, find(m, copy, key)) + m[copy + AT_H]] == FOREVER
        counts = there != NO_ROW and m[record(m, target, there) + at_c] > 0
        if holds != counts:
            count(m, target, key, 1 if holds else -1)
        if spend(m, 1):
            return


@njit(cache=True)
def _copy(m: Memory, source: int, copy: int, until: int) -> None:
    """All rows that are present now."""
    for row in range(m[source + LO], m[source + HI]):
        b = record(m, source, row)
        if is_present(m, source, b):
            upsert(m, copy, copy_key(m, b, m[source + ARITY]), until)
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
    negated = {x.relation for rule in node.rules for x in rule.lookups if x.negated}
    again = {rule.head: layout.own(node, i) for i, rule in enumerate(_one_a_head(node))} if _in_part(node) else {}
    inputs = [(layout.at(source), layout.at(copy), int(copy in negated)) for source, copy in node.inputs]
    table: list[int] = []
    for words, size in (
        ([word for entry in inputs for word in entry], INPUT),
        ([word for entry in boxes for word in entry], BOX),
        ([layout.at(r) for pair in node.outputs for r in pair], PAIR),
        ([word for r in sorted(scratch, key=layout.at) for word in (layout.at(r), again.get(r, 0))], PAIR),
    ):
        table += [len(words) // size, layout.put(words)]
    layout.variants(node.rules, counted=False, scratch=True)
    if again:
        layout.variants([_again(rule) for rule in node.rules], counted=False, scratch=True, first=True)
    return {TABLE: layout.put([*table, 0]), BY_TIME: int(node.by_time), IN_PART: int(bool(again))}


def _in_part(node: Recompute) -> bool:
    """Whether it can compute what is affected alone: no instance is counted as one without a value, or computes its
    head, and what is derived is never under a negation."""
    inputs = {copy for _, copy in node.inputs}
    return not (node.by_time or node.boxes) and not any(
        computes(rule)
        or any(isinstance(arg, Arithmetic) for arg in rule.args)
        or any(x.walk is not None or (x.negated and x.relation not in inputs) for x in rule.lookups)
        for rule in node.rules
    )


def _one_a_head(node: Recompute) -> list[PlanRule]:
    """A rule for each head."""
    return list({rule.head: rule for rule in node.rules}.values())


def _taken_back(head: Relation) -> Relation:
    return Relation(f"taken back of {head.name}", head.arity)


def _again(rule: PlanRule) -> PlanRule:
    """The same rule, for heads that were taken back."""
    return ordered(replace(rule, lookups=(Lookup(_taken_back(rule.head), rule.args), *rule.lookups), orders=()))


def _own(node: Recompute) -> tuple[Own, ...]:
    return tuple(Own(_taken_back(rule.head)) for rule in _one_a_head(node)) if _in_part(node) else ()


OPERATOR = Operator(Recompute, recompute, _encode, own=_own)
