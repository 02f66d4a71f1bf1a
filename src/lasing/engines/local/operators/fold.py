"""Fold: aggregates.

    (group, value) at t  ⇔  value = the aggregate of { terms : (group, terms) present at t },  if there are any

Each group keeps how many rows it has, and how many of their first terms are not numbers. For a sum or an average, it
also keeps their exact sum (see `sums`); a change adds a term or takes it away, and the value is rounded once, when all
changes are in. For a least or greatest, it keeps the first few terms (see `leaders`).

So a change of a count, a sum or an average costs the same in a group of any size. The rows of a group are searched for
the least or greatest only when the first few have all gone. If they go in no order, that hardly ever happens; if they
go one after the other, as the least of rising values in a window does, it happens a few times, until all terms are in
order. Values of other kinds than numbers and names are searched at each change, because Python has to compare them.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    AT_C,
    AT_D,
    AT_H,
    AT_MORE,
    AT_NEXT,
    AT_S,
    DELTA,
    FOREVER,
    HI,
    INDEX,
    INDEX_COLUMNS,
    INDEX_KEYS,
    INDEX_WIDTH,
    KEY,
    LO,
    NO_ROW,
    NOT_LISTED,
    STRIDE,
    TOUCHED,
    append,
    change,
    copy_key,
    count,
    find,
    head_of,
    is_present,
    next_listed,
    record,
    touch,
)
from lasing.engines.local.operators.examples import BINDING, NAME, note
from lasing.engines.local.operators.leaders import (
    BLOCK,
    KNOWN,
    LEADERS,
    RING,
    SIZE,
    best,
    enter,
    expect,
    forget,
    give_back,
    strike,
)
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import RUNNING, RUNNING_HEAD, spend
from lasing.engines.local.pointers import Memory, int64
from lasing.engines.local.sums import LIMBS_AT, SUM_WORDS, add, is_no_number, tidy, value_of
from lasing.engines.local.values import (
    NOT_A_NUMBER,
    NOT_COMPARABLE,
    UNDEFINED,
    class_of,
    is_name,
    is_term,
)
from lasing.logic.functions import AGGREGATES
from lasing.logic.functions.codes import AVERAGE as AVG
from lasing.logic.functions.codes import COUNT, SUM
from lasing.logic.functions.codes import GREATEST as MAX
from lasing.logic.functions.codes import LEAST as MIN
from lasing.logic.values import Class
from lasing.plan.operators import Fold
from lasing.plan.relations import Relation

# The input's relation, the output's, the groups', how many columns group, the function, the input's index by group (-1:
# none), the rule's number.
SOURCE, TARGET, STATE, GROUPS, FUNCTION, BY_GROUP, RULE = range(FIELDS, FIELDS + 7)
# What a group keeps: the value in the output (NO_VALUE: none), and how many of the first terms are not numbers;
VALUE, NAMES = range(2)
# for a sum or an average, the words of `sums`;
SUMS = 2
# for a least or greatest, how many are neither numbers nor names, and the first few.
TERMS, FIRST_FEW = range(2, 4)
NO_VALUE = -(2**63)
_NO_CLASS = int(Class.WITHOUT_MAGNITUDE)


@njit(cache=True)
def fold(m: Memory, op: int, _t: int, _fired: int, texts: Memory) -> None:
    """Update the groups of all rows that have changed, and their values in the output."""
    source, state = m[op + SOURCE], m[op + STATE]
    m[RUNNING], m[RUNNING_HEAD] = m[op + RULE], m[op + TARGET]
    row = m[source + DELTA]
    while row != NO_ROW:
        _take(m, op, row, texts)
        row = next_listed(m, source, row)
    row = m[state + TOUCHED]
    while row != NO_ROW:
        _put(m, op, row, texts)
        b = record(m, state, row)
        row = m[b + m[state + AT_D]]
        m[b + m[state + AT_D]] = NOT_LISTED
    m[state + TOUCHED] = NO_ROW
    settle(m, m[op + TARGET])


@njit(cache=True)
def _take(m: Memory, op: int, row: int, texts: Memory) -> None:
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
        for j in range(m[state + STRIDE] - m[state + AT_MORE]):
            m[g + m[state + AT_MORE] + j] = 0
        m[g + m[state + AT_MORE] + VALUE] = NO_VALUE
    g = record(m, state, group)
    touch(m, state, group, g)
    sign = change(m, source, b)
    m[g + m[state + AT_C]] += sign
    rows, function = m[g + m[state + AT_C]], m[op + FUNCTION]
    if function == COUNT:
        return
    more, first = g + m[state + AT_MORE], m[b + m[op + GROUPS]]
    if function in (SUM, AVG):
        m[more + NAMES] += add(m, more + SUMS, first, sign)
        return
    if is_name(first):
        m[more + NAMES] += sign
    if is_term(first):
        m[more + TERMS] += sign
    if sign < 0:
        strike(m, more + FIRST_FEW, function, first, texts)
    elif m[more + TERMS] > 0 or 0 < m[more + NAMES] < rows:
        forget(m, more + FIRST_FEW)  # they may not compare
    else:
        enter(m, more + FIRST_FEW, function, first, rows - 1, texts)


@njit(cache=True)
def _put(m: Memory, op: int, group: int, texts: Memory) -> None:
    """Replace the old value of a group in the output with the current one."""
    state, target = m[op + STATE], m[op + TARGET]
    g = record(m, state, group)
    value = NO_VALUE
    if m[g + m[state + AT_C]] > 0:
        value = _value(m, op, group, texts)
        if value <= UNDEFINED:
            _note(m, op, group, value)
            value = NO_VALUE
    more = g + m[state + AT_MORE]
    if m[op + FUNCTION] in (SUM, AVG):
        tidy(m, more + SUMS)
    elif m[op + FUNCTION] != COUNT and m[g + m[state + AT_C]] == 0:
        give_back(m, more + FIRST_FEW)
    at = more + VALUE
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
def _note(m: Memory, op: int, group: int, reason: int) -> None:
    """Count that the aggregate of a group has no value. An example has the group, and a name in it."""
    example = note(m, m[op + RULE], reason, op)
    if example == 0:
        return
    g = record(m, m[op + STATE], group)
    for j in range(m[op + GROUPS]):
        m[example + BINDING + j] = m[g + j]
    if reason in (NOT_A_NUMBER, NOT_COMPARABLE):
        row = first_row(m, op, group)
        while row != NO_ROW:
            first = m[record(m, m[op + SOURCE], row) + m[op + GROUPS]]
            if is_no_number(m, first) if reason == NOT_A_NUMBER else is_name(first):
                m[example + NAME] = first
                return
            row = next_row(m, op, group, row)


@njit(cache=True)
def _value(m: Memory, op: int, group: int, texts: Memory) -> int:
    """The code of the aggregate of a group that has rows, or why it has no value."""
    state, function = m[op + STATE], m[op + FUNCTION]
    g = record(m, state, group)
    rows, more = m[g + m[state + AT_C]], g + m[state + AT_MORE]
    if function == COUNT:
        return rows
    names = m[more + NAMES]
    if function in (MIN, MAX):
        if not _compare(m, op, group) if m[more + TERMS] > 0 else 0 < names < rows:
            return NOT_COMPARABLE
        if m[more + FIRST_FEW + KNOWN] == 0:
            _search(m, op, group, texts)
        return best(m, more + FIRST_FEW)
    if names > 0:
        return NOT_A_NUMBER
    return value_of(m, more + SUMS, rows if function == AVG else int64(0))


@njit(cache=True)
def _search(m: Memory, op: int, group: int, texts: Memory) -> None:
    """Find the first few terms of a group that has rows."""
    state = m[op + STATE]
    g = record(m, state, group)
    leaders = g + m[state + AT_MORE] + FIRST_FEW
    expect(m, leaders, m[g + m[state + AT_C]])
    row, seen = first_row(m, op, group), 0
    while row != NO_ROW:
        first = m[record(m, m[op + SOURCE], row) + m[op + GROUPS]]
        enter(m, leaders, m[op + FUNCTION], first, seen, texts)
        row, seen = next_row(m, op, group, row), seen + 1
        if spend(m, 1):
            break


@njit(cache=True)
def _compare(m: Memory, op: int, group: int) -> bool:
    """Whether all first terms of a group that has rows compare with one another."""
    row, kind = first_row(m, op, group), int64(_NO_CLASS)
    while row != NO_ROW:
        mine = class_of(m, m[record(m, m[op + SOURCE], row) + m[op + GROUPS]])
        if mine == _NO_CLASS or kind not in (_NO_CLASS, mine):
            return False
        kind = mine
        row = next_row(m, op, group, row)
        if spend(m, 1):
            break
    return True


@njit(cache=True)
def first_row(m: Memory, op: int, group: int) -> int:
    """The newest row of a group that is present."""
    source, state, key = m[op + SOURCE], m[op + STATE], m[KEY]
    if m[op + BY_GROUP] < 0:
        return _present(m, op, group, m[source + HI] - 1)
    p = source + INDEX + m[op + BY_GROUP] * INDEX_WIDTH
    g = record(m, state, group)
    for j in range(m[p + INDEX_KEYS]):
        m[key + j] = m[g + m[p + INDEX_COLUMNS + j]]
    return _present(m, op, group, m[head_of(m, source, m[op + BY_GROUP], key)])


@njit(cache=True)
def next_row(m: Memory, op: int, group: int, row: int) -> int:
    """The row of a group that is present and comes before that one."""
    return _present(m, op, group, _before(m, op, row))


@njit(cache=True)
def _before(m: Memory, op: int, row: int) -> int:
    source = m[op + SOURCE]
    if m[op + BY_GROUP] < 0:
        return row - 1
    return m[record(m, source, row) + m[source + AT_NEXT] + m[op + BY_GROUP]]


@njit(cache=True)
def _present(m: Memory, op: int, group: int, row: int) -> int:
    """The first row from there on that is in the group and present, or NO_ROW."""
    source, state = m[op + SOURCE], m[op + STATE]
    g = record(m, state, group)
    while row >= m[source + LO]:
        b = record(m, source, row)
        same = is_present(m, source, b)
        for j in range(m[op + GROUPS]):
            same = same and m[b + j] == m[g + j]
        if same:
            return row
        row = _before(m, op, row)
        if spend(m, 1):
            return NO_ROW
    return NO_ROW


def encode_fold(node: Fold, layout: Layout, op: int) -> Fields:
    layout.shows(op, node.origin, node.by)
    return {
        SOURCE: layout.at(node.source),
        TARGET: layout.at(node.target),
        STATE: layout.own(node),
        GROUPS: node.groups,
        FUNCTION: AGGREGATES[node.function].kernel,
        BY_GROUP: layout.index(node.source, tuple(range(node.groups))) if node.groups and _searches(node) else -1,
        RULE: node.origin,
    }


def _picks(node: Fold) -> bool:
    """Whether it picks one of the terms, for which the rows of a group may have to be searched."""
    return AGGREGATES[node.function].picks is not None


def _searches(node: Fold) -> bool:
    """Whether the rows of a group may have to be read again."""
    return _picks(node) or AGGREGATES[node.function].sorts


def _groups(node: Fold) -> Own:
    groups = Relation(f"groups of {node.target.name}", node.groups, counted=True)
    if _picks(node):
        ring = range(FIRST_FEW + RING, FIRST_FEW + LEADERS)
        return Own(
            groups,
            more=FIRST_FEW + LEADERS,
            codes=(VALUE, *ring),
            block=FIRST_FEW + BLOCK,
            codes_in_block=FIRST_FEW + SIZE,
        )
    if AGGREGATES[node.function].weight == "one":
        return Own(groups, more=VALUE + 1, codes=(VALUE,))
    return Own(groups, more=SUMS + SUM_WORDS, codes=(VALUE,), block=SUMS + LIMBS_AT)


OPERATOR = Operator(Fold, fold, encode_fold, own=_groups)
