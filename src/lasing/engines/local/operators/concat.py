"""Concat: the texts of a group, one after the other.

    (group, text) at t  ⇔  text = the last terms of { terms : (group, terms) present at t }, in the order of the tuples

A group keeps how many rows it has, and its text. When a row comes or goes, Python sorts and joins all rows of the
group: n log n steps for n rows, once for all changes of a time point. The text itself has n parts, so to keep the rows
in order would not make it much cheaper.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.asking import TEXTS, ask_driver
from lasing.engines.local.memory import (
    AT_C,
    AT_D,
    AT_H,
    AT_MORE,
    AT_S,
    DELTA,
    FOREVER,
    NO_ROW,
    NOT_LISTED,
    TOUCHED,
    WORDS,
    append,
    change,
    copy_key,
    count,
    find,
    new_block,
    next_listed,
    record,
    touch,
)
from lasing.engines.local.operators.examples import BINDING, note
from lasing.engines.local.operators.fold import (
    FUNCTION,
    GROUPS,
    NO_VALUE,
    RULE,
    SOURCE,
    STATE,
    TARGET,
    VALUE,
    encode_fold,
    first_row,
    next_row,
)
from lasing.engines.local.operators.operation import Fields, Layout, Operator, Own
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import RUNNING, RUNNING_HEAD
from lasing.engines.local.pointers import Memory, release
from lasing.engines.local.values import UNDEFINED
from lasing.plan.operators import Concat
from lasing.plan.relations import Relation

WIDTH = FUNCTION
"""How many terms a tuple has; there is only one such function."""


@njit(cache=True)
def concat(m: Memory, op: int, _t: int, _fired: int, _texts: Memory) -> None:
    """Update the groups of all rows that have changed, and their texts in the output."""
    source, state = m[op + SOURCE], m[op + STATE]
    m[RUNNING], m[RUNNING_HEAD] = m[op + RULE], m[op + TARGET]
    row = m[source + DELTA]
    while row != NO_ROW:
        _take(m, op, row)
        row = next_listed(m, source, row)
    row = m[state + TOUCHED]
    while row != NO_ROW:
        _put(m, op, row)
        b = record(m, state, row)
        row = m[b + m[state + AT_D]]
        m[b + m[state + AT_D]] = NOT_LISTED
    m[state + TOUCHED] = NO_ROW
    settle(m, m[op + TARGET])


@njit(cache=True)
def _take(m: Memory, op: int, row: int) -> None:
    """Count a row that has come or gone in its group."""
    source, state = m[op + SOURCE], m[op + STATE]
    b = record(m, source, row)
    key = copy_key(m, b, m[op + GROUPS])
    group = find(m, state, key)
    if group == NO_ROW:
        group = append(m, state, key)
        g = record(m, state, group)
        m[g + m[state + AT_H]] = FOREVER
        m[g + m[state + AT_S]] = m[g + m[state + AT_C]] = 0
        m[g + m[state + AT_D]] = NOT_LISTED
        m[g + m[state + AT_MORE] + VALUE] = NO_VALUE
    g = record(m, state, group)
    touch(m, state, group, g)
    m[g + m[state + AT_C]] += change(m, source, b)


@njit(cache=True)
def _put(m: Memory, op: int, group: int) -> None:
    """Replace the old text of a group in the output with the current one."""
    state, target = m[op + STATE], m[op + TARGET]
    value = NO_VALUE
    if m[record(m, state, group) + m[state + AT_C]] > 0:
        value = _text(m, op, group)
        if value <= UNDEFINED:
            _note(m, op, group, value)
            value = NO_VALUE
    g = record(m, state, group)
    at = g + m[state + AT_MORE] + VALUE
    before = m[at]
    if value == before:
        return
    m[at] = value
    for changed, sign in ((before, -1), (value, 1)):
        if changed != NO_VALUE:
            key = copy_key(m, g, m[op + GROUPS])
            m[key + m[op + GROUPS]] = changed
            count(m, target, key, sign)


@njit(cache=True)
def _text(m: Memory, op: int, group: int) -> int:
    """The code of the text of a group that has rows, or why it has none. Python gets a copy of the rows."""
    source, state, width = m[op + SOURCE], m[op + STATE], m[op + WIDTH]
    rows = m[record(m, state, group) + m[state + AT_C]]
    words = 1 + rows * width
    block = new_block(m, words)
    if block == 0:
        return NO_VALUE
    m[block] = width
    row, known = first_row(m, op, group), 0
    while row != NO_ROW and known < rows:
        b = record(m, source, row) + m[op + GROUPS]
        for j in range(width):
            m[block + 1 + known * width + j] = m[b + j]
        row, known = next_row(m, op, group, row), known + 1
    value = ask_driver(m, TEXTS, block, known)
    release(m, block)
    m[WORDS] -= words
    return value


@njit(cache=True)
def _note(m: Memory, op: int, group: int, reason: int) -> None:
    """Count that a group has no text. An example has the group."""
    example = note(m, m[op + RULE], reason, op)
    if example != 0:
        g = record(m, m[op + STATE], group)
        for j in range(m[op + GROUPS]):
            m[example + BINDING + j] = m[g + j]


def _encode(node: Concat, layout: Layout, op: int) -> Fields:
    return {**encode_fold(node, layout, op), WIDTH: node.source.arity - node.groups}


def _groups(node: Concat) -> Own:
    return Own(Relation(f"groups of {node.target.name}", node.groups, counted=True), more=VALUE + 1, codes=(VALUE,))


OPERATOR = Operator(Concat, concat, _encode, own=_groups)
