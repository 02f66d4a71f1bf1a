"""Extremes: `#first` and `#last`, the best tuples of each group.

    (group, terms) at t  ⇔  (group, terms) present at t, and fewer than `most` present tuples of the group are better

Each group keeps its tuples in order (see `ordered`). The best, up to `most`, are chosen: those from the edge on. A
change puts a tuple into the order, or takes one out. Then the edge moves by as many tuples as have come and gone,
whatever `most` is.
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
    TOUCHED,
    append,
    change,
    copy_key,
    count,
    find,
    next_listed,
    record,
    touch,
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
    is_better,
    new_node,
    node_at,
    take_out,
)
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import RUNNING, RUNNING_HEAD, spend
from lasing.engines.local.pointers import Memory
from lasing.plan.operators import Extremes
from lasing.plan.relations import Relation

# Beside the fields of `ordered`: the output's relation, and how many tuples are chosen.
TARGET, MOST = FIELDS + 1, FIELDS + 5
# What a group keeps beside the words of `ordered`: the worst node that is chosen, and how many are.
EDGE, CHOSEN = BEST + 1, BEST + 2
MORE = BEST + 3
# A node's mark says whether it is chosen.


@njit(cache=True)
def extremes(m: Memory, op: int, _t: int, _fired: int, texts: Memory) -> None:
    """Put tuples that have come into the order, take those out that have gone, and move the edges of their groups."""
    source, state = m[op + SOURCE], m[op + STATE]
    m[RUNNING], m[RUNNING_HEAD] = m[op + RULE], m[op + TARGET]
    row = m[source + DELTA]
    while row != NO_ROW:
        _take(m, op, row, texts)
        if spend(m, 1):
            return
        row = next_listed(m, source, row)
    group = m[state + TOUCHED]
    while group != NO_ROW:
        _move_edge(m, op, group)
        g = record(m, state, group)
        group = m[g + m[state + AT_D]]
        m[g + m[state + AT_D]] = NOT_LISTED
    m[state + TOUCHED] = NO_ROW
    settle(m, m[op + TARGET])


@njit(cache=True)
def _take(m: Memory, op: int, row: int, texts: Memory) -> None:
    """Put a tuple that has come into its group, or take out one that has gone."""
    source, state = m[op + SOURCE], m[op + STATE]
    b = record(m, source, row)
    groups, terms = m[op + GROUPS], m[source + ARITY] - m[op + GROUPS]
    group = find(m, state, copy_key(m, b, groups))
    if group == NO_ROW:
        group = append(m, state, m[KEY])
        g = record(m, state, group)
        m[g + m[state + AT_H]] = FOREVER
        m[g + m[state + AT_S]] = m[g + m[state + AT_C]] = m[g + m[state + AT_MORE] + CHOSEN] = 0
        m[g + m[state + AT_D]] = NOT_LISTED
        for j in range(EDGE + 1):
            m[g + m[state + AT_MORE] + j] = NO_ROW
    g = record(m, state, group)
    touch(m, state, group, g)
    sign = change(m, source, b)
    m[g + m[state + AT_C]] += sign
    at = g + m[state + AT_MORE]
    if sign > 0:
        node = new_node(m, op, b + groups, terms)
        insert(m, op, at, node, terms, texts)
        edge = m[at + EDGE]
        if edge != NO_ROW and is_better(
            m, op, node_at(m, op, node) + TERMS, node_at(m, op, edge) + TERMS, terms, texts
        ):
            _choose(m, op, group, node, 1)
    else:
        node = find_node(m, op, at, b + groups, terms, texts)
        if m[node_at(m, op, node) + MARK] == 1:
            if m[at + EDGE] == node:
                m[at + EDGE] = m[node_at(m, op, node) + BETTER]
            _choose(m, op, group, node, -1)
        take_out(m, op, at, node, terms)


@njit(cache=True)
def _move_edge(m: Memory, op: int, group: int) -> None:
    """Choose as many of the best tuples as are wanted."""
    at = record(m, m[op + STATE], group) + m[m[op + STATE] + AT_MORE]
    while m[at + CHOSEN] > m[op + MOST]:
        edge = m[at + EDGE]
        m[at + EDGE] = m[node_at(m, op, edge) + BETTER]
        _choose(m, op, group, edge, -1)
        if spend(m, 1):
            return
    while m[at + CHOSEN] < m[op + MOST]:
        edge = m[at + EDGE]
        following = m[at + BEST] if edge == NO_ROW else m[node_at(m, op, edge) + WORSE]
        if following == NO_ROW:
            return
        m[at + EDGE] = following
        _choose(m, op, group, following, 1)
        if spend(m, 1):
            return


@njit(cache=True)
def _choose(m: Memory, op: int, group: int, node: int, sign: int) -> None:
    """Put a tuple into the output, or take it out."""
    state, target, groups = m[op + STATE], m[op + TARGET], m[op + GROUPS]
    g, p = record(m, state, group), node_at(m, op, node)
    m[p + MARK] = 1 if sign > 0 else 0
    m[g + m[state + AT_MORE] + CHOSEN] += sign
    key = copy_key(m, g, groups)
    for j in range(m[target + ARITY] - groups):
        m[key + groups + j] = m[p + TERMS + j]
    count(m, target, key, sign)


# -- the plan's node -----------------------------------------------------------------------------------------------


def _encode(node: Extremes, layout: Layout, _op: int) -> Fields:
    return {
        SOURCE: layout.at(node.source),
        TARGET: layout.at(node.target),
        STATE: layout.own(node),
        POOL: layout.own(node, 1),
        GROUPS: node.groups,
        MOST: node.most,
        GREATEST: int(node.greatest),
        FREE: NO_ROW,
        RULE: node.origin,
    }


def _own(node: Extremes) -> tuple[Own, Own]:
    terms = node.source.arity - node.groups
    groups = Relation(f"groups of {node.target.name}", node.groups, counted=True)
    pool = Relation(f"nodes of {node.target.name}", 0, counted=True)
    codes = tuple(range(TERMS, TERMS + terms))
    return Own(groups, more=MORE), Own(pool, more=TERMS + terms, codes=codes)


OPERATOR = Operator(Extremes, extremes, _encode, own=_own)
