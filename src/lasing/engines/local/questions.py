"""Python's answers to the questions of kernels (see `asking`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lasing.engines.local.asking import ARITHMETIC, BITS, CLASS, FIRST_FUNCTION, LIMB, PRECEDES, SUMMAND
from lasing.engines.local.totals import bits, limb, summand
from lasing.logic.functions import COMPARISONS, FUNCTIONS, Function, holds
from lasing.logic.functions.reasons import REASONS
from lasing.logic.values import Boxed, Undefined, Value, class_of, order_key

_COMPARISONS = {entry.kernel: comparison for comparison, entry in COMPARISONS.items()}
_ARITHMETIC = {f.kernel: f for known in FUNCTIONS.values() for f in known if f.kernel is not None}


@dataclass(frozen=True, slots=True)
class Operands(Boxed):
    """All but the last operand of a function of more than two. It has a code like a value, but is not one."""

    values: tuple[Value, ...]


Call = tuple[Function, int]
"""A function, and the number of its operands."""


@dataclass(frozen=True, slots=True)
class NoValue:
    """Why a function has no value: the place of the reason in `REASONS`."""

    reason: int


def compared(question: int, a: Value, b: Value) -> int:
    """The answer to a question about two values, if the answer is not a value itself."""
    if question == CLASS:
        return int(class_of(a))
    if question == PRECEDES:
        return int(order_key(a) < order_key(b))
    if question == SUMMAND:
        return summand(a)
    if question == BITS:
        return bits(a)
    if question == LIMB:
        assert isinstance(b, int), "it is the place of a limb"
        return limb(a, b)
    return int(holds(_COMPARISONS[question], a, b))


def computed(question: int, a: Value | Operands, b: Value, functions: Sequence[Call]) -> Value | NoValue:
    """The value of a function; `functions` are those that the plan asks for."""
    if question >= ARITHMETIC:
        function = _ARITHMETIC[question - ARITHMETIC]
        operands = min(function.most or 2, 2)
    else:
        function, operands = functions[question - FIRST_FUNCTION]
    try:
        return function.compute(b) if operands == 1 else function.compute(*_several(a), b)
    except Undefined as why:
        return NoValue(REASONS.index(str(why)))


def _several(a: Value | Operands) -> tuple[Value, ...]:
    """All operands but the last one."""
    return a.values if isinstance(a, Operands) else (a,)
