"""How much each rule adds and how long it takes: the kernels' side. `figures` is the driver's side.

While the kernels have no clock, nothing is measured, which costs one test per rule and operation.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.memory import DESCRIPTOR, FIRST_RELATION, HI, NOW_REGISTER, RELATIONS
from lasing.engines.local.pause import RUNNING, RUNNING_FROM, RUNNING_HEAD
from lasing.engines.local.pointers import Memory, call, pointer
from lasing.engines.local.upkeep import living

# The words of the arena's header that belong to this file: where the figures are, and the address of a function that
# returns nanoseconds, 0 while nothing is measured.
FIGURES, CLOCK = 38, 39
# The figures: when the running rule began, where those of operations begin, then two words per rule.
BEGAN, FIRST_OPERATION, FIRST_RULE = range(3)
ROWS, NANOSECONDS = range(2)
RULE = 2


@njit(cache=True)
def begin_measuring(m: Memory) -> None:
    """A rule begins."""
    m[m[FIGURES] + BEGAN] = call(m[CLOCK])


@njit(cache=True)
def end_measuring(m: Memory) -> None:
    """The running rule ends: add up what it added, and how long it took."""
    figures = m[FIGURES]
    rule = figures + FIRST_RULE + m[RUNNING] * RULE
    m[rule + ROWS] += m[m[RUNNING_HEAD] + HI] - m[RUNNING_FROM]
    m[rule + NANOSECONDS] += call(m[CLOCK]) - m[figures + BEGAN]


@njit(cache=True)
def add_operation(m: Memory, operation: int, began: int) -> None:
    """An operation ends: add up how long it took."""
    m[m[m[FIGURES] + FIRST_OPERATION] + operation] += call(m[CLOCK]) - began


@njit(cache=True)
def rows_alive(array: Memory) -> np.ndarray:
    """How many rows of each relation are alive now."""
    m = pointer(array)
    found = np.empty(m[RELATIONS], np.int64)
    for r in range(found.shape[0]):
        found[r] = living(m, m[FIRST_RELATION] + r * DESCRIPTOR, m[m[NOW_REGISTER]])
    return found


def room_for_figures(rules: int, operations: int, at: int) -> list[int]:
    """The figures of a plan, all 0, for a place of the arena. The last rule is for rules that the plan adds."""
    first = at + FIRST_RULE + (rules + 1) * RULE
    return [0, first] + [0] * ((rules + 1) * RULE + operations)
