"""Functions in terms: `X + 1`, `abs(X)`. Parser, printer, types, evaluation and kernels all read this one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lasing.logic.functions import codes, reasons
from lasing.logic.values import Type, Undefined, Value, is_number, normal

Notation = Literal["infix", "prefix", "call"]

ANY_NUMBER = None
"""As the most operands of a function that takes as many as are given."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function in terms.

    `compute` takes values and returns one, or raises `Undefined`. `result` gives the type of a column of results from
    those of the operands. `kernel` is the code under which kernels know it, or None: they then ask for what `compute`
    gives. A kernel takes two operands: those that follow are taken in one by one, and a single one is given twice.
    """

    name: str
    least: int
    most: int | None
    notation: Notation
    compute: Callable[..., Value]
    result: Callable[[Sequence[Type | None]], Type]
    kernel: int | None = None
    precedence: int = 0

    def takes(self, operands: int) -> bool:
        """Whether it has a value for so many operands."""
        return self.least <= operands and (self.most is None or operands <= self.most)

    @property
    def arity_text(self) -> str:
        """How many arguments it takes, in words.

        >>> next(functions("abs")).arity_text, next(functions("min")).arity_text
        ('one argument', 'at least one argument')
        """
        number = ("no", "one", "two", "three", "four")[self.least]
        plural = "" if self.least == 1 else "s"
        return f"{'at least ' if self.most != self.least else ''}{number} argument{plural}"


def _numeric(compute: Callable[..., int | float]) -> Callable[..., Value]:
    """A function of numbers; it has no value for anything else."""

    def applied(*operands: Value) -> Value:
        for operand in operands:
            if not is_number(operand):
                raise Undefined(reasons.ON_A_NAME)
        try:
            return normal(compute(*operands))
        except ZeroDivisionError:
            raise Undefined(reasons.BY_ZERO) from None
        except OverflowError:
            raise Undefined(reasons.BEYOND_64_BITS) from None

    return applied


def _whole_of_whole(types: Sequence[Type | None]) -> Type:
    """Whole numbers give a whole number."""
    return "integer" if all(given == "integer" for given in types) else "double"


def _double(_types: Sequence[Type | None]) -> Type:
    return "double"


def _quotient(a: Any, b: Any) -> int | float:
    """Exact: an integer where it divides evenly."""
    if isinstance(a, int) and isinstance(b, int) and b and a % b == 0:
        return a // b
    return float(a / b)


def _infix(
    name: str,
    precedence: int,
    kernel: int,
    compute: Callable[[Any, Any], int | float],
    result: Callable[[Sequence[Type | None]], Type] = _whole_of_whole,
) -> Function:
    return Function(name, 2, 2, "infix", _numeric(compute), result, kernel, precedence)


_ALL = (
    _infix("+", 1, codes.ADD, lambda a, b: a + b),
    _infix("-", 1, codes.SUBTRACT, lambda a, b: a - b),
    _infix("*", 2, codes.MULTIPLY, lambda a, b: a * b),
    _infix("/", 2, codes.DIVIDE, _quotient, _double),
    _infix("div", 2, codes.DIV, lambda a, b: a // b),
    _infix("mod", 2, codes.MOD, lambda a, b: a % b),
    Function("-", 1, 1, "prefix", _numeric(lambda a: -a), _whole_of_whole, codes.NEGATE, 3),
    Function("abs", 1, 1, "call", _numeric(abs), _whole_of_whole, codes.ABS),
    Function("min", 1, ANY_NUMBER, "call", _numeric(lambda *all_: min(all_)), _whole_of_whole, codes.MIN),
    Function("max", 1, ANY_NUMBER, "call", _numeric(lambda *all_: max(all_)), _whole_of_whole, codes.MAX),
)

FUNCTIONS: dict[str, tuple[Function, ...]] = {
    name: tuple(function for function in _ALL if function.name == name) for name in dict.fromkeys(f.name for f in _ALL)
}
"""All functions by name; `-` has two, for one operand and for two."""


def functions(name: str) -> Iterator[Function]:
    """The functions of a name."""
    yield from FUNCTIONS.get(name, ())


def function_of(name: str, operands: int) -> Function:
    """The function of a name that takes so many operands."""
    found = next((function for function in functions(name) if function.takes(operands)), None)
    if found is None:
        raise AssertionError(f"there is no function {name} of {operands} operands")
    return found


def calls() -> frozenset[str]:
    """The names of functions that are written with parentheses."""
    return frozenset(name for name, known in FUNCTIONS.items() if any(f.notation == "call" for f in known))


def infixes(precedence: int) -> frozenset[str]:
    """The operators between two terms that bind as tightly as this."""
    return frozenset(f.name for f in _ALL if f.notation == "infix" and f.precedence == precedence)
