"""Differentiate: rules of the counted plane.

    count of a head  =  how many instances of the rules derive it
    Δ(A ⋈ B)  =  ΔA ⋈ B  +  A_before ⋈ ΔB

The inputs are complete for this tick, so every variant of every rule is applied once, to everything that changed in
the literal that it begins with (see `join`). A change has a sign, and the head's count changes by it; then heads are
settled.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import DELTA, FOREVER, KEY, NO_ROW, REGISTERS, change, next_listed, record
from lasing.engines.local.operators.ahead import GROUP, fetch_head, fetch_rows, is_far
from lasing.engines.local.operators.join import bind, join
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.running import begin_rule, end_rule
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.operators.variants import (
    BINDS,
    CHANGED,
    EARLY,
    EARLY_FIRST_KEY,
    EARLY_INDEX,
    EARLY_KEYS,
    EARLY_LOOKUP,
    EARLY_RELATION,
    FIRST_BIND,
    SIGN,
)
from lasing.engines.local.pause import GO_ON, STOPPED
from lasing.engines.local.pointers import Memory
from lasing.plan.nodes import Derive

# Where the places of the variants are, and how many there are; the same for the heads.
FIRST_VARIANT, VARIANTS, FIRST_HEAD, HEADS = range(FIELDS, FIELDS + 4)


@njit(cache=True)
def differentiate(m: Memory, op: int, t: int, _fired: int, texts: Memory) -> None:
    """Apply counted rules to everything that changed, and settle their heads."""
    registers = m[REGISTERS]
    for i in range(m[op + VARIANTS]):
        v = m[m[op + FIRST_VARIANT] + i]
        d = m[v + CHANGED]
        begin_rule(m, v)
        row, group, fetches = m[d + DELTA], 0, _is_far(m, v)
        while row != NO_ROW:
            if fetches:
                if group == 0:
                    _fetch_ahead(m, v, d, row)
                    group = GROUP
                group -= 1
            b = record(m, d, row)
            sign = m[v + SIGN] * change(m, d, b)
            if bind(m, b, m[v + BINDS], m[v + FIRST_BIND], registers):
                join(m, v, t, True, FOREVER, sign, texts)
                if m[STOPPED] != GO_ON:
                    return
            row = next_listed(m, d, row)
        if end_rule(m):
            return
    for i in range(m[op + HEADS]):
        settle(m, m[m[op + FIRST_HEAD] + i])


@njit(cache=True, forceinline=True)
def _is_far(m: Memory, v: int) -> bool:
    """Whether some lookup that needs only the changed row is in a relation that is too large for the cache."""
    early, far = m[v + EARLY], False
    for i in range(m[early]):
        far = far or is_far(m, m[early + 1 + i * EARLY_LOOKUP + EARLY_RELATION])
    return far


@njit(cache=True)
def _fetch_ahead(m: Memory, v: int, d: int, row: int) -> None:
    """Fetch what a variant looks up for a group of changes, from a row on."""
    registers, key, early = m[REGISTERS], m[KEY], m[v + EARLY]
    fetched = 0
    for _ in range(GROUP):
        if row == NO_ROW:
            break
        b = record(m, d, row)
        if bind(m, b, m[v + BINDS], m[v + FIRST_BIND], registers):
            for i in range(m[early]):
                p = early + 1 + i * EARLY_LOOKUP
                e = m[p + EARLY_RELATION]
                if is_far(m, e):
                    for j in range(m[p + EARLY_KEYS]):
                        m[key + j] = m[registers + m[m[p + EARLY_FIRST_KEY] + j]]
                    fetch_head(m, e, m[p + EARLY_INDEX], key, fetched)
                    fetched += 1
        row = next_listed(m, d, row)
    fetch_rows(m, fetched)


def _encode(node: Derive, layout: Layout, _op: int) -> Fields:
    every = layout.variants(node.rules, counted=True)
    heads = [layout.at(head) for head in node.heads]
    return {
        FIRST_VARIANT: layout.put(every),
        VARIANTS: len(every),
        FIRST_HEAD: layout.put(heads),
        HEADS: len(heads),
    }


OPERATOR = Operator(Derive, differentiate, _encode)
