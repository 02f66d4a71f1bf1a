"""Which rule is running, and what it has derived: for limits, and for messages that name it."""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.measuring import CLOCK, begin_measuring, end_measuring
from lasing.engines.local.memory import HI
from lasing.engines.local.operators.variants import HEAD, RULE
from lasing.engines.local.pause import (
    DERIVED,
    GO_ON,
    MOST_DERIVED,
    RUNNING,
    RUNNING_FROM,
    RUNNING_HEAD,
    STOPPED,
    TOO_MANY_ROWS,
)
from lasing.engines.local.pointers import Memory


@njit(cache=True, forceinline=True)
def begin_rule(m: Memory, v: int) -> None:
    """Note which rule is running, and how many rows its head had before."""
    m[RUNNING] = m[v + RULE]
    m[RUNNING_HEAD] = m[v + HEAD]
    m[RUNNING_FROM] = m[m[v + HEAD] + HI]
    if m[CLOCK] != 0:
        begin_measuring(m)


@njit(cache=True, forceinline=True)
def end_rule(m: Memory) -> bool:
    """Count what the rule has added. Returns whether to stop."""
    if m[CLOCK] != 0:
        end_measuring(m)
    m[DERIVED] += m[m[RUNNING_HEAD] + HI] - m[RUNNING_FROM]
    if m[DERIVED] > m[MOST_DERIVED] and m[STOPPED] == GO_ON:
        m[STOPPED] = TOO_MANY_ROWS
    return m[STOPPED] != GO_ON
