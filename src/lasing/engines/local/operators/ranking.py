"""Ranking: the tuples of each group in order, for rules that walk through them from the best on.

    (group, terms, bounds) at t  ⇔  (group, terms) is the best of the tuples of its group that are present at t
                                    and satisfy the tests, which compare some of the terms with the bounds

There is a row for all bounds that anyone may think of, so there are no rows: a rule that knows the group and the bounds
walks to the tuple (`_best`). That takes one look if the best tuple satisfies the tests, whatever the
number of different bounds.

If a tuple x comes or goes, some rules have a different best tuple than before:

    x comes   + x, if nothing better is there now;       - the best before, if that is still there, and worse than x
    x goes    - x, if nothing better was there before;   + the best now, if that was there before, and worse than x

where all these tuples satisfy the tests. (If the best before has gone itself, and the best now has come itself, each of
them accounts for itself.) `_changed` finds this out by walking from x: up to the next tuple that satisfies the tests,
and down to the next one. A window moves over each tuple once, so these walks cost a look for each tuple that
comes, on average.

To know what was there before, tuples that go stay in the order until the next tick.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    ARITY,
    AT_C,
    AT_D,
    AT_H,
    AT_MORE,
    AT_S,
    DELTA,
    FOREVER,
    KEY,
    NO_ROW,
    NOT_LISTED,
    REGISTERS,
    TICK,
    append,
    change,
    copy_key,
    find,
    next_listed,
    record,
)
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own
from lasing.engines.local.operators.ordered import (
    BEST,
    BETTER,
    FREE,
    GREATEST,
    GROUPS,
    MARK,
    POOL,
    RULE,
    SOURCE,
    STATE,
    TERMS,
    WORSE,
    find_node,
    insert,
    new_node,
    node_at,
    take_out,
)
from lasing.engines.local.operators.variants import (
    BEFORE,
    FIRST_KEY,
    FOUND,
    ITSELF,
    KEYS,
    RELATION,
    TESTED_COLUMN,
    TESTED_COMPARISON,
    TESTED_FIRST,
    TESTED_NEGATED,
    TESTED_REGISTER,
    TESTED_WORDS,
    TESTS,
    WALKED_FROM,
)
from lasing.engines.local.pause import RUNNING, RUNNING_HEAD, spend
from lasing.engines.local.pointers import Memory
from lasing.engines.local.values import compare
from lasing.plan.operators import Ranking
from lasing.plan.relations import Relation

# Beside the fields of `ordered`: the first node that has gone, and where in a node the words of this operator are.
GONE, AFTER_TERMS = FIELDS + 1, FIELDS + 5
MORE = BEST + 1
# A node's mark says whether it has gone. What it keeps after its terms: the tick at which it came or went, and the next
# node that has gone.
STAMP, NEXT_GONE = range(2)
NODE_WORDS = 2
NOWHERE = 0
"""The result of a walk that finds nothing."""


@njit(cache=True)
def ranking(m: Memory, op: int, _t: int, _fired: int, texts: Memory) -> None:
    """Take out the tuples that went at the last tick, put in those that have come, and mark those that have gone."""
    source = m[op + SOURCE]
    m[RUNNING], m[RUNNING_HEAD] = m[op + RULE], source
    terms = m[source + ARITY]
    while m[op + GONE] != NO_ROW:
        node = m[op + GONE]
        p = node_at(m, op, node)
        m[op + GONE] = m[p + m[op + AFTER_TERMS] + NEXT_GONE]
        g = _group(m, op, p + TERMS)
        m[g + m[m[op + STATE] + AT_C]] -= 1
        take_out(m, op, g + m[m[op + STATE] + AT_MORE], node, terms)
        if spend(m, 1):
            return
    row = m[source + DELTA]
    while row != NO_ROW:
        b = record(m, source, row)
        g = _group(m, op, b)
        if change(m, source, b) > 0:
            m[g + m[m[op + STATE] + AT_C]] += 1
            node = new_node(m, op, b, terms)
            insert(m, op, g + m[m[op + STATE] + AT_MORE], node, terms, texts)
            p = node_at(m, op, node)
        else:
            node = find_node(m, op, g + m[m[op + STATE] + AT_MORE], b, terms, texts)
            p = node_at(m, op, node)
            m[p + MARK] = 1
            m[p + m[op + AFTER_TERMS] + NEXT_GONE] = m[op + GONE]
            m[op + GONE] = node
        m[p + m[op + AFTER_TERMS] + STAMP] = m[TICK]
        if spend(m, 1):
            return
        row = next_listed(m, source, row)


@njit(cache=True)
def _group(m: Memory, op: int, args: int) -> int:
    """The record of the group of a tuple; a new one, if it is the first."""
    state = m[op + STATE]
    group = find(m, state, copy_key(m, args, m[op + GROUPS]))
    if group == NO_ROW:
        group = append(m, state, m[KEY])
        g = record(m, state, group)
        m[g + m[state + AT_H]] = FOREVER
        m[g + m[state + AT_S]] = m[g + m[state + AT_C]] = 0
        m[g + m[state + AT_D]] = NOT_LISTED
        for j in range(BEST + 1):
            m[g + m[state + AT_MORE] + j] = NO_ROW
    return record(m, state, group)


# -- walks: they return where the terms of a tuple are, or NOWHERE --------------------------------------------------


@njit(cache=True)
def walk(m: Memory, step: int, _t: int, _tick: int, texts: Memory) -> None:
    """Take a step of a rule: find the tuple that it is about."""
    is_change = m[step + BEFORE] >= ITSELF
    m[step + FOUND] = _changed(m, step, texts) if is_change else _best(m, step, texts)


@njit(cache=True)
def _best(m: Memory, step: int, texts: Memory) -> int:
    """The best tuple that satisfies the tests of a step, now or before this tick."""
    op, registers = m[step + RELATION], m[REGISTERS]
    state, key = m[op + STATE], m[KEY]
    for j in range(m[step + KEYS]):
        m[key + j] = m[registers + m[m[step + FIRST_KEY] + j]]
    group = find(m, state, key)
    if group == NO_ROW:
        return NOWHERE
    node = m[record(m, state, group) + m[state + AT_MORE] + BEST]
    before = m[step + BEFORE] == 1
    while node != NO_ROW:
        p = node_at(m, op, node)
        if _is_there(m, op, p, before) and _satisfies(m, step, p + TERMS, registers, texts):
            return p + TERMS
        if spend(m, 1):
            return NOWHERE
        node = m[p + WORSE]
    return NOWHERE


@njit(cache=True)
def _changed(m: Memory, step: int, texts: Memory) -> int:
    """What a tuple that has come or gone, and satisfies the tests, changes: itself, or the tuple that it replaces."""
    op, registers = m[step + RELATION], m[REGISTERS]
    terms = m[m[op + SOURCE] + ARITY]
    terms_at = registers + m[step + WALKED_FROM]
    g = _group(m, op, terms_at)
    node = find_node(m, op, g + m[m[op + STATE] + AT_MORE], terms_at, terms, texts)
    x = node_at(m, op, node)
    has_gone, itself = m[x + MARK] == 1, m[step + BEFORE] == ITSELF
    following = m[x + BETTER]
    while following != NO_ROW:
        p = node_at(m, op, following)
        is_there = _is_there(m, op, p, has_gone) or (not itself and _is_there(m, op, p, not has_gone))
        if (is_there and _satisfies(m, step, p + TERMS, registers, texts)) or spend(m, 1):
            return NOWHERE
        following = m[p + BETTER]
    if itself:
        return x + TERMS
    following = m[x + WORSE]
    while following != NO_ROW:
        p = node_at(m, op, following)
        if _is_there(m, op, p, not has_gone) and _satisfies(m, step, p + TERMS, registers, texts):
            return p + TERMS if _is_there(m, op, p, has_gone) else NOWHERE
        if spend(m, 1):
            return NOWHERE
        following = m[p + WORSE]
    return NOWHERE


@njit(cache=True, forceinline=True)
def _is_there(m: Memory, op: int, p: int, before: bool) -> bool:
    """Whether a tuple is there now, or was there before this tick."""
    has_changed = m[p + m[op + AFTER_TERMS] + STAMP] == m[TICK]
    return (m[p + MARK] == 0) != (before and has_changed)


@njit(cache=True, forceinline=True)
def _satisfies(m: Memory, step: int, terms_at: int, registers: int, texts: Memory) -> bool:
    """Whether terms satisfy the tests of a step."""
    tests = m[step + TESTS]
    for i in range(m[tests]):
        test = tests + 1 + i * TESTED_WORDS
        term, bound = m[terms_at + m[test + TESTED_COLUMN]], m[registers + m[test + TESTED_REGISTER]]
        left, right = (term, bound) if m[test + TESTED_FIRST] == 1 else (bound, term)
        if compare(m, m[test + TESTED_COMPARISON], left, right, texts) == (m[test + TESTED_NEGATED] == 1):
            return False
    return True


# -- the plan's node -----------------------------------------------------------------------------------------------


def _encode(node: Ranking, layout: Layout, _op: int) -> Fields:
    return {
        SOURCE: layout.at(node.source),
        GONE: NO_ROW,
        STATE: layout.own(node),
        POOL: layout.own(node, 1),
        GROUPS: node.groups,
        AFTER_TERMS: TERMS + node.source.arity,
        GREATEST: int(node.greatest),
        FREE: NO_ROW,
        RULE: node.origin,
    }


def _own(node: Ranking) -> tuple[Own, Own]:
    groups = Relation(f"groups of {node.target.name}", node.groups, counted=True)
    pool = Relation(f"nodes of {node.target.name}", 0, counted=True)
    codes = tuple(range(TERMS, TERMS + node.source.arity))
    return Own(groups, more=MORE), Own(pool, more=TERMS + node.source.arity + NODE_WORDS, codes=codes)


OPERATOR = Operator(Ranking, ranking, _encode, own=_own)
