"""Panes: aggregates over a window of facts that are told apart by their time points.

    (group, values) at t  ⇔  values = the aggregates of { (fact, u) : fact in the source at u, u in the window of t },
                             if there are any

All facts of a group at one time point enter the window together, and leave it together. So what a group keeps of them
is one record: a *pane*, with their number and their exact sum (see `sums`). A fact is added to its pane and, if its time
point is in the window, to its group; a pane that enters or leaves is added to its group, or taken away, as a whole.

Facts come in the order of time, and time points enter and leave a window in the order of time. So panes are a queue:
the oldest one leaves first, and those that are not in the window yet are the last ones. Nothing looks a pane up; a group
knows its newest one. The calendar wakes the engine when a time point enters, and when it has left.

The source has the facts of the current time point, once each, also if they come in several pushes.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import (
    AT_C,
    AT_D,
    AT_H,
    AT_MORE,
    AT_S,
    DELTA,
    FIRST,
    FOREVER,
    HI,
    KEY,
    LO,
    NEVER,
    NO_ROW,
    NOT_LISTED,
    STRIDE,
    TOUCHED,
    append,
    copy_key,
    count,
    find,
    next_listed,
    record,
    touch,
)
from lasing.engines.local.operators.examples import BINDING, NAME, note
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own, span_words
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import GO_ON, RUNNING, RUNNING_HEAD, STOPPED, spend
from lasing.engines.local.pointers import Memory, int64
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.sums import LIMBS_AT, SUM_WORDS, add, clear, is_no_number, merge, tidy, value_of
from lasing.engines.local.values import NOT_A_NUMBER, UNDEFINED
from lasing.logic.functions import AGGREGATES
from lasing.logic.functions.codes import AVERAGE, COUNT
from lasing.plan.operators import Panes
from lasing.plan.relations import Relation

# The facts' relation, the output's, the groups', the panes', where the words below are, how many panes are waiting to
# enter the window, the rule's number.
SOURCE, TARGET, STATE, QUEUE, HOW, WAITING, RULE = range(FIELDS, FIELDS + 7)
# The window, the column of values (NO_COLUMN: facts are only counted), how many functions and how many columns group;
# then the functions, and then these columns.
BACK, AHEAD, STEP, VALUE_AT, FUNCTIONS, GROUPS, LISTS = range(7)
NO_COLUMN = -1

# What a group keeps, beside the number of its facts, which is its count: its newest pane, how many values are not
# numbers, the sum, and the values in the output (NO_VALUE in the first one: none).
PANE, NAMES, SUMS = range(3)
# What a pane keeps, beside its group: how many values are not numbers, the sum, its time, its facts, one that is no
# number. The words are in the same places.
TIME, FACTS, A_NAME = range(SUMS + SUM_WORDS, SUMS + SUM_WORDS + 3)
PANE_WORDS = A_NAME + 1
NO_VALUE = -(2**63)
_NEW = 32
"""Where in the key area the new values of a group are, behind all that making a value needs."""


@njit(cache=True)
def panes(m: Memory, op: int, t: int, _fired: int, _texts: Memory) -> None:
    """Let panes leave and enter, take in what has come, and replace the values of all groups that this concerns."""
    state = m[op + STATE]
    m[RUNNING], m[RUNNING_HEAD] = m[op + RULE], m[op + TARGET]
    _let_leave(m, op, t)
    if m[op + WAITING] > 0:
        _let_enter(m, op, t)
    _take_in(m, op, t)
    if m[STOPPED] != GO_ON:
        return
    m[state + DELTA], m[state + TOUCHED] = m[state + TOUCHED], NO_ROW  # the next tick empties the list of changes
    row = m[state + DELTA]
    while row != NO_ROW:
        _put(m, op, row)
        if spend(m, 1):
            return
        row = next_listed(m, state, row)
    settle(m, m[op + TARGET])


@njit(cache=True)
def _let_leave(m: Memory, op: int, t: int) -> None:
    """Take the panes that are no longer in the window from their groups."""
    queue, how = m[op + QUEUE], m[op + HOW]
    row = m[queue + LO]
    while row < m[queue + HI]:
        b = record(m, queue, row)
        if m[b + m[queue + AT_H]] != NEVER:
            pane = b + m[queue + AT_MORE]
            if leaves(m[pane + TIME], m[how + BACK], m[how + STEP]) >= t:
                return
            _add_pane(m, op, b, pane, -1)
            clear(m, pane + SUMS)
            m[b + m[queue + AT_H]] = NEVER
        row += 1
        if spend(m, 1):
            return


@njit(cache=True)
def _let_enter(m: Memory, op: int, t: int) -> None:
    """Add the panes whose time has come to their groups."""
    queue, how = m[op + QUEUE], m[op + HOW]
    while m[op + WAITING] > 0:
        b = record(m, queue, m[queue + HI] - m[op + WAITING])
        pane = b + m[queue + AT_MORE]
        if enters(m[pane + TIME], m[how + AHEAD], m[how + STEP]) > t:
            return
        _add_pane(m, op, b, pane, 1)
        m[op + WAITING] -= 1
        if spend(m, 1):
            return


@njit(cache=True)
def _add_pane(m: Memory, op: int, b: int, pane: int, sign: int) -> None:
    """Add a pane to its group, or take it away."""
    state = m[op + STATE]
    group = _group(m, op, copy_key(m, b, m[m[op + HOW] + GROUPS]))
    g = record(m, state, group)
    more = g + m[state + AT_MORE]
    touch(m, state, group, g)
    m[g + m[state + AT_C]] += sign * m[pane + FACTS]
    m[more + NAMES] += sign * m[pane + NAMES]
    merge(m, more + SUMS, pane + SUMS, sign)


@njit(cache=True)
def _group(m: Memory, op: int, key: int) -> int:
    """The group m[key…]."""
    state = m[op + STATE]
    group = find(m, state, key)
    if group == NO_ROW:
        group = append(m, state, key)
        g = record(m, state, group)
        m[g + m[state + AT_H]] = FOREVER
        m[g + m[state + AT_S]] = m[g + m[state + AT_C]] = 0
        m[g + m[state + AT_D]] = NOT_LISTED
        more = g + m[state + AT_MORE]
        for j in range(m[state + STRIDE] - m[state + AT_MORE]):
            m[more + j] = 0
        m[more + PANE] = NO_ROW
        m[more + SUMS + SUM_WORDS] = NO_VALUE
    return group


@njit(cache=True)
def _take_in(m: Memory, op: int, t: int) -> None:
    """Add the facts that have come to the panes of their groups and, if they are in the window, to the groups."""
    source, state, queue, how = m[op + SOURCE], m[op + STATE], m[op + QUEUE], m[op + HOW]
    if m[source + FIRST] == m[source + HI]:
        return
    begin, end = enters(t, m[how + AHEAD], m[how + STEP]), leaves(t, m[how + BACK], m[how + STEP])
    if begin > end or t > end:
        return
    groups, value_at, key = m[how + GROUPS], m[how + VALUE_AT], m[KEY]
    columns, at_h = how + LISTS + m[how + FUNCTIONS], m[source + AT_H]
    _wake(m, op, t, begin, end)
    for row in range(m[source + FIRST], m[source + HI]):
        b = record(m, source, row)
        if m[b + at_h] < t:
            continue
        for j in range(groups):
            m[key + j] = m[b + m[columns + j]]
        group = _group(m, op, key)
        g = record(m, state, group)
        more = g + m[state + AT_MORE]
        p = _pane(m, op, g, more, t, begin > t)
        m[p + FACTS] += 1
        if begin <= t:
            touch(m, state, group, g)
            m[g + m[state + AT_C]] += 1
        if value_at != NO_COLUMN:
            value = m[b + value_at]
            names = add(m, p + SUMS, value, 1)
            if names != 0:
                m[p + NAMES] += 1
                m[p + A_NAME] = value
            if begin <= t:
                m[more + NAMES] += add(m, more + SUMS, value, 1)
        if spend(m, 1):
            return


@njit(cache=True)
def _wake(m: Memory, op: int, t: int, begin: int, end: int) -> None:
    """Wake the engine when the facts of this time point enter the window, and when they have left it; once."""
    queue = m[op + QUEUE]
    if m[queue + LO] < m[queue + HI]:
        b = record(m, queue, m[queue + HI] - 1)
        if m[b + m[queue + AT_MORE] + TIME] == t:
            return
    if begin > t:
        schedule(m, begin, WAKE_UP, 0)
    if end < FOREVER:
        schedule(m, end + 1, WAKE_UP, 0)


@njit(cache=True)
def _pane(m: Memory, op: int, g: int, more: int, t: int, waits: bool) -> int:
    """Where the words of the current pane of the group with the record g are.

    A group's newest pane is known by the number of its row, which may have changed since the last tick. Then the group
    gets another pane for this time point, which is as good.
    """
    queue, groups = m[op + QUEUE], m[m[op + HOW] + GROUPS]
    row = m[more + PANE]
    if m[queue + LO] <= row < m[queue + HI]:
        b = record(m, queue, row)
        pane = b + m[queue + AT_MORE]
        same = m[pane + TIME] == t
        for j in range(groups):
            same = same and m[b + j] == m[g + j]
        if same:
            return pane
    row = append(m, queue, copy_key(m, g, groups))
    b = record(m, queue, row)
    m[b + m[queue + AT_H]] = FOREVER
    pane = b + m[queue + AT_MORE]
    for j in range(PANE_WORDS):
        m[pane + j] = 0
    m[pane + TIME] = t
    m[more + PANE] = row
    if waits:
        m[op + WAITING] += 1
    return pane


@njit(cache=True)
def _put(m: Memory, op: int, group: int) -> None:
    """Replace the old values of a group in the output with the current ones."""
    state, target, how = m[op + STATE], m[op + TARGET], m[op + HOW]
    g = record(m, state, group)
    more, facts = g + m[state + AT_MORE], m[g + m[state + AT_C]]
    groups, functions = m[how + GROUPS], m[how + FUNCTIONS]
    at, key = more + SUMS + SUM_WORDS, m[KEY]
    new = key + _NEW
    known, same = facts > 0, True
    if known:
        for j in range(functions):
            value = _value(m, more, m[how + LISTS + j], facts)
            if value <= UNDEFINED:
                _note(m, op, group, value)
                known = False
            m[new + j] = value
    tidy(m, more + SUMS)
    if not known:
        m[new] = NO_VALUE
    for j in range(functions):
        same = same and m[new + j] == m[at + j]
        if not known:
            break
    if same:
        return
    for j in range(groups):
        m[key + j] = m[g + j]
    if m[at] != NO_VALUE:
        for j in range(functions):
            m[key + groups + j] = m[at + j]
        count(m, target, key, -1)
    for j in range(functions):
        m[at + j] = m[new + j]
        if not known:
            break
    if known:
        for j in range(functions):
            m[key + groups + j] = m[new + j]
        count(m, target, key, 1)


@njit(cache=True, forceinline=True)
def _value(m: Memory, more: int, function: int, facts: int) -> int:
    """The code of an aggregate of a group that has facts, or why it has no value."""
    if function == COUNT:
        return facts
    if m[more + NAMES] > 0:
        return NOT_A_NUMBER
    return value_of(m, more + SUMS, facts if function == AVERAGE else int64(0))


@njit(cache=True)
def _note(m: Memory, op: int, group: int, reason: int) -> None:
    """Count that an aggregate of a group has no value. An example has the group, and a name in it."""
    example = note(m, m[op + RULE], reason, op)
    if example == 0:
        return
    queue, groups = m[op + QUEUE], m[m[op + HOW] + GROUPS]
    g = record(m, m[op + STATE], group)
    for j in range(groups):
        m[example + BINDING + j] = m[g + j]
    if reason != NOT_A_NUMBER:
        return
    for row in range(m[queue + HI] - 1 - m[op + WAITING], m[queue + LO] - 1, -1):
        b = record(m, queue, row)
        pane = b + m[queue + AT_MORE]
        same = m[b + m[queue + AT_H]] != NEVER and m[pane + NAMES] > 0 and is_no_number(m, m[pane + A_NAME])
        for j in range(groups):
            same = same and m[b + j] == m[g + j]
        if same:
            m[example + NAME] = m[pane + A_NAME]
            return
        if spend(m, 1):
            return


def _encode(node: Panes, layout: Layout, op: int) -> Fields:
    layout.shows(op, node.origin, node.by)
    value_at = NO_COLUMN if node.value_at is None else node.value_at
    functions = [AGGREGATES[function].kernel for function in node.functions]
    lists = [*functions, *node.group_at]
    return {
        SOURCE: layout.at(node.source),
        TARGET: layout.at(node.target),
        STATE: layout.own(node, 0),
        QUEUE: layout.own(node, 1),
        HOW: layout.put([*span_words(node.span), value_at, len(functions), len(node.group_at), *lists]),
        WAITING: 0,
        RULE: node.origin,
    }


def _own(node: Panes) -> tuple[Own, Own]:
    groups = Relation(f"groups of {node.target.name}", len(node.by), counted=True)
    queue = Relation(f"panes of {node.target.name}", len(node.by))
    values = tuple(range(SUMS + SUM_WORDS, SUMS + SUM_WORDS + len(node.functions)))
    block = None if node.value_at is None else SUMS + LIMBS_AT
    return (
        Own(groups, more=SUMS + SUM_WORDS + len(values), codes=values, block=block),
        Own(queue, more=PANE_WORDS, codes=(A_NAME,), block=block, indexed=False),
    )


OPERATOR = Operator(Panes, panes, _encode, own=_own)
