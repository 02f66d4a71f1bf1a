"""Differentiate: rules of the counted plane.

    count of a head  =  how many instances of the rules derive it
    Δ(A ⋈ B)  =  ΔA ⋈ B  +  A_before ⋈ ΔB

The inputs are complete for this tick, so every variant of every rule is applied once, to everything that changed in
the literal that it begins with (see `join`). A change has a sign, and the head's count changes by it; then heads are
settled.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import DELTA, FOREVER, NO_ROW, REGISTERS, change, next_listed, record
from lasing.engines.local.operators.join import bind, join
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.running import begin_rule, end_rule
from lasing.engines.local.operators.settle import settle
from lasing.engines.local.operators.variants import BINDS, CHANGED, FIRST_BIND, SIGN
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
        row = m[d + DELTA]
        while row != NO_ROW:
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
