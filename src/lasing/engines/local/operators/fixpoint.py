"""Fixpoint: all rules of the guaranteed plane.

    heads  =  the least fixpoint of the rules over what is guaranteed

In each round, every variant of every rule is applied to what is new in the literal that it begins with (see `join`);
the first round sees everything that is new at this tick. Only relations that have changed are visited: each has a list
of the variants that begin with it.

In a recursion, a row that is guaranteed for longer would move the guarantees of all that follows from it. That is put
off until the old guarantee ends (see `memory.keep_back` and `plan.recursive`).
"""

from __future__ import annotations

from dataclasses import dataclass

from lasing.compiling import njit
from lasing.engines.local.longer import pass_on
from lasing.engines.local.memory import (
    FOREVER,
    HI,
    KEEPS_BACK,
    KEPT_BACK,
    LATER,
    LO,
    NEWS,
    PASS_ON_AFTER,
    READERS,
    SINCE,
    UPTO,
)
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.running import begin_rule, end_rule
from lasing.engines.local.operators.variants import CHANGED, KERNEL, SPECIAL, STAMPS
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory, invoke
from lasing.plan.nodes import PlanRule

# Where two lists are: variants that use the time, and relations that keep longer guarantees back. How many, then each.
STAMPING, KEEPING = range(FIELDS, FIELDS + 2)
_SLACK = 64


@dataclass(frozen=True, slots=True)
class Fixpoint:
    """The rules of the guaranteed plane."""

    rules: tuple[PlanRule, ...]


@njit(cache=True)
def fixpoint(m: Memory, op: int, t: int, _fired: int, texts: Memory) -> None:
    """Apply guaranteed rules until there is nothing new."""
    keeping = m[op + KEEPING]
    passes_on = m[keeping] > 0 and (m[PASS_ON_AFTER] < t or _keeps_much(m, keeping))
    if passes_on:
        for i in range(1, m[keeping] + 1):
            pass_on(m, m[keeping + i])
        m[PASS_ON_AFTER] = FOREVER
    reach_fixpoint(m, m[op + STAMPING], t, texts)
    if passes_on:
        for i in range(1, m[keeping] + 1):
            m[m[keeping + i] + KEEPS_BACK] = LATER


@njit(cache=True)
def _keeps_much(m: Memory, keeping: int) -> bool:
    """Whether so many longer guarantees were kept back that these take more memory than the rows themselves."""
    for i in range(1, m[keeping] + 1):
        d = m[keeping + i]
        kept = m[d + KEPT_BACK]
        if m[kept + HI] - m[kept + LO] > _SLACK + m[d + HI] - m[d + LO]:
            return True
    return False


@njit(cache=True)
def reach_fixpoint(m: Memory, stamping: int, t: int, texts: Memory) -> None:
    """Apply rules of the guaranteed plane until there is nothing new. Those that use the time, in the list at
    `stamping`, see all rows in the first round; others see new rows, and are found by the relations that have some."""
    news = m[NEWS]
    for i in range(1, m[news] + 1):
        d = m[news + i]
        m[d + UPTO] = m[d + HI]
    for i in range(1, m[stamping] + 1):
        v = m[stamping + i]
        d = m[v + CHANGED]
        if m[d + LO] < m[d + UPTO] and _apply(m, v, t, m[d + LO], texts):
            return
    is_first, more = True, True
    while more:
        for i in range(1, m[news] + 1):  # relations that join the list meanwhile have nothing for this round
            d = m[news + i]
            if m[d + SINCE] == m[d + UPTO]:
                continue
            readers = m[d + READERS]
            for j in range(1, m[readers] + 1):
                v = m[readers + j]
                if is_first and m[v + SPECIAL] & STAMPS != 0:
                    continue
                if _apply(m, v, t, m[d + SINCE], texts):
                    return
        is_first = more = False
        for i in range(1, m[news] + 1):
            d = m[news + i]
            m[d + SINCE] = m[d + UPTO]
            m[d + UPTO] = m[d + HI]
            more = more or m[d + UPTO] > m[d + SINCE]
        if spend(m, m[news]):
            return


@njit(cache=True, forceinline=True)
def _apply(m: Memory, v: int, t: int, since: int, texts: Memory) -> bool:
    """Apply a variant to the rows from one on. Returns whether to stop."""
    begin_rule(m, v)
    invoke(m[v + KERNEL], m, v, t, since, texts)
    return end_rule(m)


def _encode(node: Fixpoint, layout: Layout, _op: int) -> Fields:
    stamping = [v for v in layout.variants(node.rules, counted=False) if layout.words[v + SPECIAL] & STAMPS]
    keeping = layout.keeping()
    return {STAMPING: layout.put([len(stamping), *stamping]), KEEPING: layout.put([len(keeping), *keeping])}


OPERATOR = Operator(Fixpoint, fixpoint, _encode)
