"""Fixpoint: all rules of the guaranteed plane.

    heads  =  the least fixpoint of the rules over what is guaranteed

In each round, every variant of every rule is applied to what is new in the literal that it begins with (see `join`);
the first round sees everything that is new at this tick.
"""

from __future__ import annotations

from dataclasses import dataclass

from lasing.compiling import njit
from lasing.engines.local.memory import DESCRIPTOR, FIRST_RELATION, HI, LO, RELATIONS, SINCE, UPTO
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.running import begin_rule, end_rule
from lasing.engines.local.operators.variants import CHANGED, KERNEL, SPECIAL, STAMPS
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory, invoke
from lasing.plan.nodes import PlanRule

# Where the places of the variants are, and how many there are.
FIRST_VARIANT, VARIANTS = range(FIELDS, FIELDS + 2)


@dataclass(frozen=True, slots=True)
class Fixpoint:
    """The rules of the guaranteed plane."""

    rules: tuple[PlanRule, ...]


@njit(cache=True)
def fixpoint(m: Memory, op: int, t: int, _fired: int, texts: Memory) -> None:
    """Apply guaranteed rules until there is nothing new."""
    reach_fixpoint(m, m[op + FIRST_VARIANT], m[op + VARIANTS], t, texts)


@njit(cache=True)
def reach_fixpoint(m: Memory, first: int, variants: int, t: int, texts: Memory) -> None:
    """Apply rules of the guaranteed plane until there is nothing new."""
    relations, base = m[RELATIONS], m[FIRST_RELATION]
    for r in range(relations):
        d = base + r * DESCRIPTOR
        m[d + UPTO] = m[d + HI]
    first_round = True
    while True:
        for i in range(variants):
            v = m[first + i]
            d = m[v + CHANGED]
            is_full = first_round and m[v + SPECIAL] & STAMPS != 0  # all rows, if the rule uses the time
            since = m[d + LO] if is_full else m[d + SINCE]
            if since == m[d + UPTO]:  # at most ticks, that is most rules of a large program
                continue
            begin_rule(m, v)
            invoke(m[v + KERNEL], m, v, t, since, texts)
            if end_rule(m):
                return
        first_round = False
        news = False
        for r in range(relations):
            d = base + r * DESCRIPTOR
            m[d + SINCE] = m[d + UPTO]
            m[d + UPTO] = m[d + HI]
            if m[d + UPTO] > m[d + SINCE]:
                news = True
        if not news or spend(m, relations):
            return


def _encode(node: Fixpoint, layout: Layout, _op: int) -> Fields:
    every = layout.variants(node.rules, counted=False)
    return {FIRST_VARIANT: layout.put(every), VARIANTS: len(every)}


OPERATOR = Operator(Fixpoint, fixpoint, _encode)
