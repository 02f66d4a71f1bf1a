"""Panes: aggregates over a window of facts that are told apart by their time points.

    (group, values) at t  ⇔  values = the aggregates of { (fact, u) : fact in the source at u, u in the window of t },
                             if there are any

All facts of a group at one time point enter the window together, and leave it together. So what a group keeps of them
is one record: a *pane*, with their number and their exact sum (see `sums`). A fact is added to its pane alone. When all
facts of a tick are in, or when it enters later, the pane is added to its group as a whole; when it leaves, it is taken
away as a whole, and also while more facts come to it in another tick of the same time point.

Facts come in the order of time, and time points enter and leave a window in the order of time. So panes are a queue:
the oldest one leaves first, and those that are not in the window yet are the last ones. Nothing looks a pane up; a
group knows its newest one. The calendar wakes the engine when a time point enters, and when it has left.

The source has the facts of the current time point, once each, also if they come in several pushes.
"""

from __future__ import annotations

import numpy as np

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
    REGISTERS,
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
from lasing.engines.local.operators.join import bind
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own, span_words
from lasing.engines.local.operators.pairs import holds
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.operators.variants import (
    BINDS,
    COMPARISON,
    FIRST_BIND,
    FIRST_STEP,
    LEFT,
    NEGATED,
    RIGHT,
    STEPS,
)
from lasing.engines.local.operators.variants import STEP as STEP_WORDS
from lasing.engines.local.pause import GO_ON, RUNNING, RUNNING_HEAD, STOPPED, spend
from lasing.engines.local.pointers import Memory, int64
from lasing.engines.local.spans import enters, leaves
from lasing.engines.local.sums import (
    LIMBS_AT,
    SUM_WORDS,
    add,
    clear,
    double_of,
    has_doubles,
    is_no_number,
    merge,
    tidy,
    value_of,
)
from lasing.engines.local.values import NOT_A_NUMBER, UNDEFINED, code_of_double, fetch_double
from lasing.logic.functions import AGGREGATES
from lasing.logic.functions.codes import AVERAGE, COUNT
from lasing.plan.nodes import Lookup, PlanRule, Test
from lasing.plan.operators import Panes
from lasing.plan.relations import Relation

# The facts' relation, the output's, the groups', the panes', where the words below are, how many panes are waiting to
# enter the window, the rule's number.
SOURCE, TARGET, STATE, QUEUE, HOW, WAITING, RULE = range(FIELDS, FIELDS + 7)
# The window, the column of values (NO_COLUMN: facts are only counted), the variant of a rule that tests facts (0:
# none), how many functions and how many columns group; then the functions, and then these columns.
BACK, AHEAD, STEP, VALUE_AT, TESTS, FUNCTIONS, GROUPS, LISTS = range(8)
NO_COLUMN = -1

# What a group keeps, beside the number of its facts, which is its count: its newest pane; whether facts are coming to
# that pane, so that it is not added to the group yet; how many values are not numbers; the sum; the values in the
# output (NO_VALUE in the first one: none); and the bits of the new ones, where they are sums of doubles.
PANE, OPEN, NAMES, SUMS = range(4)
VALUES = SUMS + SUM_WORDS
# What a pane keeps, beside its group: its time, its facts, how many values are not numbers, the sum, and a value that
# is no number.
TIME, FACTS, A_NAME = PANE, OPEN, SUMS + SUM_WORDS
PANE_WORDS = A_NAME + 1
NO_VALUE = -(2**63)
_NEW = 32
"""Where in the key area the new values of a group are, behind all that making a value needs."""


@njit(cache=True)
def panes(m: Memory, op: int, t: int, _fired: int, texts: Memory) -> None:
    """Let panes leave and enter, take in what has come, and replace the values of all groups that this concerns."""
    state = m[op + STATE]
    m[RUNNING], m[RUNNING_HEAD] = m[op + RULE], m[op + TARGET]
    _let_leave(m, op, t)
    if m[op + WAITING] > 0:
        _let_enter(m, op, t)
    _take_in(m, op, t, texts)
    if m[STOPPED] != GO_ON:
        return
    m[state + DELTA], m[state + TOUCHED] = m[state + TOUCHED], NO_ROW  # the next tick empties the list of changes
    row = m[state + DELTA]
    while row != NO_ROW:
        _close(m, op, row)
        _round(m, op, row)
        row = next_listed(m, state, row)
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
    """Add a pane, whose record and words are there, to its group, or take it away."""
    state = m[op + STATE]
    group = _group(m, op, copy_key(m, b, m[m[op + HOW] + GROUPS]))
    touch(m, state, group, record(m, state, group))
    _merge(m, op, group, pane, sign)


@njit(cache=True)
def _merge(m: Memory, op: int, group: int, pane: int, sign: int) -> None:
    state = m[op + STATE]
    g = record(m, state, group)
    more = g + m[state + AT_MORE]
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
        m[more + VALUES] = NO_VALUE
    return group


@njit(cache=True)
def _take_in(m: Memory, op: int, t: int, texts: Memory) -> None:
    """Add the facts that have come to the panes of their groups and, if they are in the window, to the groups."""
    source, state, how = m[op + SOURCE], m[op + STATE], m[op + HOW]
    if m[source + FIRST] == m[source + HI]:
        return
    begin, end = enters(t, m[how + AHEAD], m[how + STEP]), leaves(t, m[how + BACK], m[how + STEP])
    if begin > end or t > end:
        return
    groups, value_at, key = m[how + GROUPS], m[how + VALUE_AT], m[KEY]
    columns, at_h, tests = how + LISTS + m[how + FUNCTIONS], m[source + AT_H], m[how + TESTS]
    _wake(m, op, t, begin, end)
    for row in range(m[source + FIRST], m[source + HI]):
        b = record(m, source, row)
        if m[b + at_h] < t or (tests != 0 and not _satisfies(m, tests, b, texts)):
            continue
        for j in range(groups):
            m[key + j] = m[b + m[columns + j]]
        group = _group(m, op, key)
        g = record(m, state, group)
        p = _pane(m, op, group, g, t, begin > t)
        m[p + FACTS] += 1
        if value_at != NO_COLUMN:
            value = m[b + value_at]
            if add(m, p + SUMS, value, 1) != 0:
                m[p + NAMES] += 1
                m[p + A_NAME] = value
        if spend(m, 1):
            return


@njit(cache=True, forceinline=True)
def _satisfies(m: Memory, v: int, b: int, texts: Memory) -> bool:
    """Whether a fact satisfies all tests, which are steps of a variant."""
    registers = m[REGISTERS]
    if not bind(m, b, m[v + BINDS], m[v + FIRST_BIND], registers):
        return False
    p = m[v + FIRST_STEP]
    for _ in range(m[v + STEPS]):
        left, right = m[registers + m[p + LEFT]], m[registers + m[p + RIGHT]]
        if holds(m, m[p + COMPARISON], left, right, texts) == (m[p + NEGATED] == 1):
            return False
        p += STEP_WORDS
    return True


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


@njit(cache=True, forceinline=True)
def _pane(m: Memory, op: int, group: int, g: int, t: int, waits: bool) -> int:
    """Where the words of the current pane of a group are, whose record is g."""
    state, queue = m[op + STATE], m[op + QUEUE]
    more = g + m[state + AT_MORE]
    if m[more + OPEN] == 1:
        return record(m, queue, m[more + PANE]) + m[queue + AT_MORE]
    return _open(m, op, group, g, t, waits)


@njit(cache=True)
def _open(m: Memory, op: int, group: int, g: int, t: int, waits: bool) -> int:
    """Same as `_pane`, for the first fact of a tick in this group.

    A group's newest pane is known by the number of its row, which may have changed since the last tick. Then the group
    gets another pane for this time point, which is as good. A pane that waits stays open only for this fact.
    """
    state, queue, groups = m[op + STATE], m[op + QUEUE], m[m[op + HOW] + GROUPS]
    more, row = g + m[state + AT_MORE], m[g + m[state + AT_MORE] + PANE]
    known = m[queue + LO] <= row < m[queue + HI]
    if known:
        b = record(m, queue, row)
        known = m[b + m[queue + AT_MORE] + TIME] == t
        for j in range(groups):
            known = known and m[b + j] == m[g + j]
    if known:
        b = record(m, queue, row)
        if not waits:
            _add_pane(m, op, b, b + m[queue + AT_MORE], -1)
    else:
        row = append(m, queue, copy_key(m, g, groups))
        b = record(m, queue, row)
        m[b + m[queue + AT_H]] = FOREVER
        for j in range(PANE_WORDS):
            m[b + m[queue + AT_MORE] + j] = 0
        m[b + m[queue + AT_MORE] + TIME] = t
        m[more + PANE] = row
        if waits:
            m[op + WAITING] += 1
    if not waits:
        m[more + OPEN] = 1
        touch(m, state, group, g)
    return b + m[queue + AT_MORE]


@njit(cache=True)
def _close(m: Memory, op: int, group: int) -> None:
    """Add the pane to a group to which facts have come."""
    state, queue = m[op + STATE], m[op + QUEUE]
    more = record(m, state, group) + m[state + AT_MORE]
    if m[more + OPEN] == 1:
        m[more + OPEN] = 0
        b = record(m, queue, m[more + PANE])
        _merge(m, op, group, b + m[queue + AT_MORE], 1)


@njit(cache=True)
def _round(m: Memory, op: int, group: int) -> None:
    """Round the sums of doubles of a group, before all codes are looked up: what that needs is far away in memory."""
    state, how = m[op + STATE], m[op + HOW]
    g = record(m, state, group)
    more, facts, functions = g + m[state + AT_MORE], m[g + m[state + AT_C]], m[how + FUNCTIONS]
    if facts == 0 or m[more + NAMES] > 0 or not has_doubles(m, more + SUMS):
        return
    for j in range(functions):
        if m[how + LISTS + j] != COUNT:
            value = double_of(m, more + SUMS, facts if m[how + LISTS + j] == AVERAGE else int64(0))
            m[more + VALUES + functions + j] = np.float64(value).view(np.int64)
            fetch_double(m, value)


@njit(cache=True)
def _put(m: Memory, op: int, group: int) -> None:
    """Replace the old values of a group in the output with the current ones."""
    state, target, how = m[op + STATE], m[op + TARGET], m[op + HOW]
    g = record(m, state, group)
    more, facts = g + m[state + AT_MORE], m[g + m[state + AT_C]]
    groups, functions = m[how + GROUPS], m[how + FUNCTIONS]
    at, key = more + VALUES, m[KEY]
    new = key + _NEW
    known, same = facts > 0, True
    if known:
        for j in range(functions):
            value = _value(m, more, m[how + LISTS + j], facts, at + functions + j)
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
def _value(m: Memory, more: int, function: int, facts: int, double: int) -> int:
    """The code of an aggregate of a group that has facts, or why it has no value. A sum of doubles is at m[double]."""
    if function == COUNT:
        return facts
    if m[more + NAMES] > 0:
        return NOT_A_NUMBER
    if has_doubles(m, more + SUMS):
        return code_of_double(m, np.int64(m[double]).view(np.float64))
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
    tests = layout.tests(_tests(node)) if node.tests else 0
    return {
        SOURCE: layout.at(node.source),
        TARGET: layout.at(node.target),
        STATE: layout.own(node, 0),
        QUEUE: layout.own(node, 1),
        HOW: layout.put([*span_words(node.span), value_at, tests, len(functions), len(node.group_at), *lists]),
        WAITING: 0,
        RULE: node.origin,
    }


def _queue(node: Panes) -> Relation:
    return Relation(f"panes of {node.target.name}", len(node.by))


def _tests(node: Panes) -> PlanRule:
    """A rule whose steps are the tests."""
    tests = tuple(Test(test.comparison, test.left, test.right, test.negated) for test in node.tests)
    group = tuple(node.names[column] for column in node.group_at)
    return PlanRule(_queue(node), group, (Lookup(node.source, node.names),), tests, node.origin)


def _own(node: Panes) -> tuple[Own, Own]:
    groups = Relation(f"groups of {node.target.name}", len(node.by), counted=True)
    queue = _queue(node)
    values = tuple(range(VALUES, VALUES + len(node.functions)))
    block = None if node.value_at is None else SUMS + LIMBS_AT
    return (
        Own(groups, more=VALUES + 2 * len(values), codes=values, block=block),
        Own(queue, more=PANE_WORDS, codes=(A_NAME,), block=block, indexed=False),
    )


OPERATOR = Operator(Panes, panes, _encode, own=_own)
