"""Extremes: `#first` and `#last`, the best tuples of each group.

    (group, terms) at t  ⇔  (group, terms) present at t, and fewer than `most` present tuples of the group are better

Each group keeps its tuples in order: as a chain from the worst to the best, and, to find a place in it, as a search
tree whose shape does not depend on the order in which tuples come (a treap: the hash of a node's number is its
priority). The best tuples, up to `most`, are chosen: those from the edge on. A change costs O(log n) in a group of n
tuples. At either end of the chain it costs O(1), so the newest reading and the oldest one are found at once. Then the
edge moves by as many tuples as have come and gone, whatever `most` is.

Nodes come from a pool and go back to it. They are never dead, so they keep their numbers.
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
    mix,
    next_listed,
    record,
    touch,
)
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, Own
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.pause import RUNNING, RUNNING_HEAD, spend
from lasing.engines.local.pointers import Memory, uint64
from lasing.engines.local.texts import order
from lasing.engines.local.values import NAMES, SMALL, compare, is_name, is_term, precedes
from lasing.logic.functions.codes import LESS
from lasing.plan.operators import Extremes
from lasing.plan.relations import Relation

# The input's relation, the output's, the groups', the nodes', how many columns group, how many tuples are chosen,
# whether the greatest are best, the first free node, the rule's number.
SOURCE, TARGET, STATE, POOL, GROUPS, MOST, GREATEST, FREE, RULE = range(FIELDS, FIELDS + 9)
# What a group keeps: the root of its tree, the worst and the best node, the worst that is chosen, and how many are.
ROOT, WORST, BEST, EDGE, CHOSEN = range(5)
MORE = 5
# What a node keeps: the next worse and the next better one; its place in the tree; whether it is chosen; its terms.
WORSE, BETTER, LEFT, RIGHT, UP, IS_CHOSEN, TERMS = range(7)


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
        node = _new(m, op, b + groups, terms)
        _insert(m, op, at, node, terms, texts)
        edge = m[at + EDGE]
        if edge != NO_ROW and _is_better(m, op, _node(m, op, node) + TERMS, _node(m, op, edge) + TERMS, terms, texts):
            _choose(m, op, group, node, 1)
    else:
        node = _find(m, op, at, b + groups, terms, texts)
        if m[_node(m, op, node) + IS_CHOSEN] == 1:
            if m[at + EDGE] == node:
                m[at + EDGE] = m[_node(m, op, node) + BETTER]
            _choose(m, op, group, node, -1)
        _remove(m, op, at, node)
        p = _node(m, op, node)
        for j in range(terms):
            m[p + TERMS + j] = 0  # a free node holds on to no value
        m[p + BETTER], m[op + FREE] = m[op + FREE], node


@njit(cache=True)
def _move_edge(m: Memory, op: int, group: int) -> None:
    """Choose as many of the best tuples as are wanted."""
    at = record(m, m[op + STATE], group) + m[m[op + STATE] + AT_MORE]
    while m[at + CHOSEN] > m[op + MOST]:
        edge = m[at + EDGE]
        m[at + EDGE] = m[_node(m, op, edge) + BETTER]
        _choose(m, op, group, edge, -1)
        if spend(m, 1):
            return
    while m[at + CHOSEN] < m[op + MOST]:
        edge = m[at + EDGE]
        following = m[at + BEST] if edge == NO_ROW else m[_node(m, op, edge) + WORSE]
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
    g, p = record(m, state, group), _node(m, op, node)
    m[p + IS_CHOSEN] = 1 if sign > 0 else 0
    m[g + m[state + AT_MORE] + CHOSEN] += sign
    key = copy_key(m, g, groups)
    for j in range(m[target + ARITY] - groups):
        m[key + groups + j] = m[p + TERMS + j]
    count(m, target, key, sign)


# -- order ---------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def _is_better(m: Memory, op: int, a: int, b: int, terms: int, texts: Memory) -> bool:
    """Whether the terms at m[a…] are better than those at m[b…], which are not the same."""
    for j in range(terms):
        x, y = m[a + j], m[b + j]
        if x != y:
            if -SMALL < x < SMALL and -SMALL < y < SMALL:
                return (x > y) == (m[op + GREATEST] == 1)
            return _comes_first(m, y, x, texts) == (m[op + GREATEST] == 1)
    return False


@njit(cache=True)
def _comes_first(m: Memory, a: int, b: int, texts: Memory) -> bool:
    """Whether a value comes before another one in the order of all values."""
    if is_term(a) or is_term(b):
        return precedes(m, a, b, texts)
    if is_name(a) and is_name(b):
        return order(texts, a - NAMES, b - NAMES) < 0
    if is_name(a) or is_name(b):
        return is_name(b)
    return compare(m, LESS, a, b, texts)


@njit(cache=True, forceinline=True)
def _is_same(m: Memory, a: int, b: int, terms: int) -> bool:
    same = True
    for j in range(terms):
        same = same and m[a + j] == m[b + j]
    return same


# -- nodes ---------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def _node(m: Memory, op: int, node: int) -> int:
    """Where the words of a node are."""
    pool = m[op + POOL]
    return record(m, pool, node) + m[pool + AT_MORE]


@njit(cache=True)
def _new(m: Memory, op: int, terms_at: int, terms: int) -> int:
    """A node with the terms at m[terms_at…]."""
    pool = m[op + POOL]
    node = m[op + FREE]
    if node == NO_ROW:
        node = append(m, pool, m[KEY])
        b = record(m, pool, node)
        m[b + m[pool + AT_H]], m[b + m[pool + AT_S]], m[b + m[pool + AT_C]] = FOREVER, 0, 1
        m[b + m[pool + AT_D]] = NOT_LISTED
    else:
        m[op + FREE] = m[_node(m, op, node) + BETTER]
    p = _node(m, op, node)
    m[p + LEFT] = m[p + RIGHT] = m[p + UP] = m[p + WORSE] = m[p + BETTER] = NO_ROW
    m[p + IS_CHOSEN] = 0
    for j in range(terms):
        m[p + TERMS + j] = m[terms_at + j]
    return node


@njit(cache=True, forceinline=True)
def _priority(node: int) -> int:
    return mix(uint64(0), node)


@njit(cache=True)
def _insert(m: Memory, op: int, at: int, node: int, terms: int, texts: Memory) -> None:
    """Put a node into the chain and the tree of the group whose words are at m[at…]."""
    p = _node(m, op, node)
    above = m[at + BEST]
    if above == NO_ROW:
        m[at + ROOT] = m[at + WORST] = m[at + BEST] = node
        return
    if _is_better(m, op, p + TERMS, _node(m, op, above) + TERMS, terms, texts):
        better = True
    elif _is_better(m, op, _node(m, op, m[at + WORST]) + TERMS, p + TERMS, terms, texts):
        above, better = m[at + WORST], False
    else:
        following = m[at + ROOT]
        better = False
        while following != NO_ROW:
            above = following
            q = _node(m, op, above)
            better = _is_better(m, op, p + TERMS, q + TERMS, terms, texts)
            following = m[q + RIGHT] if better else m[q + LEFT]
    q = _node(m, op, above)
    m[p + UP] = above
    if better:
        m[q + RIGHT] = node
        _chain(m, op, at, above, node, m[q + BETTER])
    else:
        m[q + LEFT] = node
        _chain(m, op, at, m[q + WORSE], node, above)
    while m[p + UP] != NO_ROW and _priority(node) > _priority(m[p + UP]):
        _rotate(m, op, at, node)


@njit(cache=True)
def _chain(m: Memory, op: int, at: int, worse: int, node: int, better: int) -> None:
    """Put a node between its neighbours."""
    p = _node(m, op, node)
    m[p + WORSE], m[p + BETTER] = worse, better
    if worse == NO_ROW:
        m[at + WORST] = node
    else:
        m[_node(m, op, worse) + BETTER] = node
    if better == NO_ROW:
        m[at + BEST] = node
    else:
        m[_node(m, op, better) + WORSE] = node


@njit(cache=True)
def _rotate(m: Memory, op: int, at: int, node: int) -> None:
    """Exchange a node with the one above it, which keeps the order."""
    p = _node(m, op, node)
    above = m[p + UP]
    q = _node(m, op, above)
    side, other = (LEFT, RIGHT) if m[q + LEFT] == node else (RIGHT, LEFT)
    inner = m[p + other]
    m[q + side] = inner
    if inner != NO_ROW:
        m[_node(m, op, inner) + UP] = above
    _hang(m, op, at, m[q + UP], above, node)
    m[p + other], m[q + UP] = above, node


@njit(cache=True, forceinline=True)
def _hang(m: Memory, op: int, at: int, above: int, before: int, node: int) -> None:
    """Put a node, or none, under `above` in place of another one."""
    if above == NO_ROW:
        m[at + ROOT] = node
    else:
        q = _node(m, op, above)
        if m[q + LEFT] == before:
            m[q + LEFT] = node
        else:
            m[q + RIGHT] = node
    if node != NO_ROW:
        m[_node(m, op, node) + UP] = above


@njit(cache=True)
def _find(m: Memory, op: int, at: int, terms_at: int, terms: int, texts: Memory) -> int:
    """The node with the terms at m[terms_at…]: windows end for the oldest tuples first, at one end of the chain."""
    for end in (WORST, BEST):
        if _is_same(m, _node(m, op, m[at + end]) + TERMS, terms_at, terms):
            return m[at + end]
    node = m[at + ROOT]
    while not _is_same(m, _node(m, op, node) + TERMS, terms_at, terms):
        p = _node(m, op, node)
        node = m[p + RIGHT] if _is_better(m, op, terms_at, p + TERMS, terms, texts) else m[p + LEFT]
    return node


@njit(cache=True)
def _remove(m: Memory, op: int, at: int, node: int) -> None:
    """Take a node out of the tree and the chain."""
    p = _node(m, op, node)
    while m[p + LEFT] != NO_ROW and m[p + RIGHT] != NO_ROW:
        left, right = m[p + LEFT], m[p + RIGHT]
        _rotate(m, op, at, left if _priority(left) > _priority(right) else right)
    _hang(m, op, at, m[p + UP], node, m[p + LEFT] if m[p + LEFT] != NO_ROW else m[p + RIGHT])
    worse, better = m[p + WORSE], m[p + BETTER]
    if worse == NO_ROW:
        m[at + WORST] = better
    else:
        m[_node(m, op, worse) + BETTER] = better
    if better == NO_ROW:
        m[at + BEST] = worse
    else:
        m[_node(m, op, better) + WORSE] = worse


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
