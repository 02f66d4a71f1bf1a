"""Tuples of a group in order: a chain from the worst to the best, and a search tree to find a place in it.

Operators that put tuples in order (`extremes`, `ranking`) share this. The shape of the tree does not depend on the
order in which tuples come (it is a treap: the hash of a node's number is its priority). A change costs O(log n) in a
group of n tuples, and O(1) at either end of the chain, so the newest reading and the oldest one are found at once.

Nodes come from a pool and go back to it. They are never dead, so they keep their numbers.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    AT_C,
    AT_D,
    AT_H,
    AT_MORE,
    AT_S,
    FOREVER,
    KEY,
    NO_ROW,
    NOT_LISTED,
    append,
    mix,
    record,
)
from lasing.engines.local.operators.operation import FIELDS
from lasing.engines.local.pointers import Memory, uint64
from lasing.engines.local.texts import order
from lasing.engines.local.values import NAMES, SMALL, compare, is_name, is_term, precedes
from lasing.logic.functions.codes import LESS

# The fields that all operators have that put tuples in order: the input's relation, one that is their own affair, the
# groups' relation, the nodes', how many columns group, another one of their own, whether the greatest are best, the
# first free node, the rule's number.
SOURCE, STATE, POOL, GROUPS, GREATEST, FREE, RULE = (FIELDS + i for i in (0, 2, 3, 4, 6, 7, 8))
# What a group keeps first: the root of its tree, the worst and the best node.
ROOT, WORST, BEST = range(3)
# What a node keeps: the next worse and the next better one; its place in the tree; a mark, 0 at first; its terms.
WORSE, BETTER, LEFT, RIGHT, UP, MARK, TERMS = range(7)


# -- order ---------------------------------------------------------------------------------------------------------


@njit(cache=True, forceinline=True)
def is_better(m: Memory, op: int, a: int, b: int, terms: int, texts: Memory) -> bool:
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
def node_at(m: Memory, op: int, node: int) -> int:
    """Where the words of a node are."""
    pool = m[op + POOL]
    return record(m, pool, node) + m[pool + AT_MORE]


@njit(cache=True)
def new_node(m: Memory, op: int, terms_at: int, terms: int) -> int:
    """A node with the terms at m[terms_at…]."""
    pool = m[op + POOL]
    node = m[op + FREE]
    if node == NO_ROW:
        node = append(m, pool, m[KEY])
        b = record(m, pool, node)
        m[b + m[pool + AT_H]], m[b + m[pool + AT_S]], m[b + m[pool + AT_C]] = FOREVER, 0, 1
        m[b + m[pool + AT_D]] = NOT_LISTED
    else:
        m[op + FREE] = m[node_at(m, op, node) + BETTER]
    p = node_at(m, op, node)
    m[p + LEFT] = m[p + RIGHT] = m[p + UP] = m[p + WORSE] = m[p + BETTER] = NO_ROW
    m[p + MARK] = 0
    for j in range(terms):
        m[p + TERMS + j] = m[terms_at + j]
    return node


@njit(cache=True, forceinline=True)
def _priority(node: int) -> int:
    return mix(uint64(0), node)


@njit(cache=True)
def insert(m: Memory, op: int, at: int, node: int, terms: int, texts: Memory) -> None:
    """Put a node into the chain and the tree of the group whose words are at m[at…]."""
    p = node_at(m, op, node)
    above = m[at + BEST]
    if above == NO_ROW:
        m[at + ROOT] = m[at + WORST] = m[at + BEST] = node
        return
    if is_better(m, op, p + TERMS, node_at(m, op, above) + TERMS, terms, texts):
        better = True
    elif is_better(m, op, node_at(m, op, m[at + WORST]) + TERMS, p + TERMS, terms, texts):
        above, better = m[at + WORST], False
    else:
        following = m[at + ROOT]
        better = False
        while following != NO_ROW:
            above = following
            q = node_at(m, op, above)
            better = is_better(m, op, p + TERMS, q + TERMS, terms, texts)
            following = m[q + RIGHT] if better else m[q + LEFT]
    q = node_at(m, op, above)
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
    p = node_at(m, op, node)
    m[p + WORSE], m[p + BETTER] = worse, better
    if worse == NO_ROW:
        m[at + WORST] = node
    else:
        m[node_at(m, op, worse) + BETTER] = node
    if better == NO_ROW:
        m[at + BEST] = node
    else:
        m[node_at(m, op, better) + WORSE] = node


@njit(cache=True)
def _rotate(m: Memory, op: int, at: int, node: int) -> None:
    """Exchange a node with the one above it, which keeps the order."""
    p = node_at(m, op, node)
    above = m[p + UP]
    q = node_at(m, op, above)
    side, other = (LEFT, RIGHT) if m[q + LEFT] == node else (RIGHT, LEFT)
    inner = m[p + other]
    m[q + side] = inner
    if inner != NO_ROW:
        m[node_at(m, op, inner) + UP] = above
    _hang(m, op, at, m[q + UP], above, node)
    m[p + other], m[q + UP] = above, node


@njit(cache=True, forceinline=True)
def _hang(m: Memory, op: int, at: int, above: int, before: int, node: int) -> None:
    """Put a node, or none, under `above` in place of another one."""
    if above == NO_ROW:
        m[at + ROOT] = node
    else:
        q = node_at(m, op, above)
        if m[q + LEFT] == before:
            m[q + LEFT] = node
        else:
            m[q + RIGHT] = node
    if node != NO_ROW:
        m[node_at(m, op, node) + UP] = above


@njit(cache=True)
def find_node(m: Memory, op: int, at: int, terms_at: int, terms: int, texts: Memory) -> int:
    """The node with the terms at m[terms_at…]: windows end for the oldest tuples first, at one end of the chain."""
    for end in (WORST, BEST):
        if _is_same(m, node_at(m, op, m[at + end]) + TERMS, terms_at, terms):
            return m[at + end]
    node = m[at + ROOT]
    while not _is_same(m, node_at(m, op, node) + TERMS, terms_at, terms):
        p = node_at(m, op, node)
        node = m[p + RIGHT] if is_better(m, op, terms_at, p + TERMS, terms, texts) else m[p + LEFT]
    return node


@njit(cache=True)
def take_out(m: Memory, op: int, at: int, node: int, terms: int) -> None:
    """Take a node out of the tree and the chain, and give it back."""
    p = node_at(m, op, node)
    while m[p + LEFT] != NO_ROW and m[p + RIGHT] != NO_ROW:
        left, right = m[p + LEFT], m[p + RIGHT]
        _rotate(m, op, at, left if _priority(left) > _priority(right) else right)
    _hang(m, op, at, m[p + UP], node, m[p + LEFT] if m[p + LEFT] != NO_ROW else m[p + RIGHT])
    worse, better = m[p + WORSE], m[p + BETTER]
    if worse == NO_ROW:
        m[at + WORST] = better
    else:
        m[node_at(m, op, worse) + BETTER] = better
    if better == NO_ROW:
        m[at + BEST] = worse
    else:
        m[node_at(m, op, better) + WORSE] = worse
    for j in range(terms):
        m[p + TERMS + j] = 0  # a free node holds on to no value
    m[p + BETTER], m[op + FREE] = m[op + FREE], node
