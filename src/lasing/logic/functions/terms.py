"""Functions in terms: `X + 1`, `abs(X)`. Parser, printer, types, evaluation and kernels all read this one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from lasing.logic.functions import codes, reasons
from lasing.logic.values import Type, Undefined, Value, is_number, normal

Notation = Literal["infix", "prefix", "call"]

ANY_NUMBER = None
"""The maximum number of operands of a function that takes any number."""


NUMBERS: tuple[type, ...] = (int, float)

Types = Sequence[Type | None]


@dataclass(frozen=True, slots=True)
class Function:
    """A function in terms: its name, the number and kinds of its operands, and its result.

    `kinds` are the classes of operands that it has a value for; None means all classes. `result` gives the type of a
    column of results from those of the operands. `definition` takes values and returns one, or raises `Undefined`.
    `kernel` is the function's code in kernels; if it is None, kernels ask for the value. A kernel takes two operands:
    it is applied again for each further operand, and a single operand is passed twice.
    """

    name: str
    least: int
    most: int | None
    notation: Notation
    kinds: tuple[type, ...] | None
    result: Callable[[Types], Type]
    definition: Callable[..., Value]
    kernel: int | None = None
    precedence: int = 0

    def compute(self, *operands: Value) -> Value:
        """The value for some operands; raises `Undefined` if there is none.

        >>> function_of("+", 2).compute(1, 2.5), function_of("/", 2).compute(6, 2)
        (3.5, 3)
        """
        if self.kinds is not None and any(type(operand) not in self.kinds for operand in operands):
            raise Undefined(reasons.ON_A_NAME if self.kinds == NUMBERS else reasons.WRONG_KIND)
        try:
            value = self.definition(*operands)
            return normal(value) if is_number(value) else value
        except ZeroDivisionError:
            raise Undefined(reasons.BY_ZERO) from None
        except OverflowError:
            raise Undefined(reasons.BEYOND_64_BITS) from None

    def takes(self, operands: int) -> bool:
        """Whether it takes this number of operands."""
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


def _whole_of_whole(types: Types) -> Type:
    """Whole numbers give a whole number."""
    return "integer" if all(given == "integer" for given in types) else "double"


def _double(_types: Types) -> Type:
    return "double"


def _quotient(a: Any, b: Any) -> int | float:
    """Exact: an integer if it divides evenly."""
    if isinstance(a, int) and isinstance(b, int) and b and a % b == 0:
        return a // b
    return float(a / b)


def _infix(
    name: str, precedence: int, kernel: int, definition: Callable[[Any, Any], Value], result: Callable[[Types], Type]
) -> Function:
    return Function(name, 2, 2, "infix", NUMBERS, result, definition, kernel, precedence)


_ALL = (
    _infix("+", 1, codes.ADD, lambda a, b: a + b, _whole_of_whole),
    _infix("-", 1, codes.SUBTRACT, lambda a, b: a - b, _whole_of_whole),
    _infix("*", 2, codes.MULTIPLY, lambda a, b: a * b, _whole_of_whole),
    _infix("/", 2, codes.DIVIDE, _quotient, _double),
    _infix("div", 2, codes.DIV, lambda a, b: a // b, _whole_of_whole),
    _infix("mod", 2, codes.MOD, lambda a, b: a % b, _whole_of_whole),
    Function("-", 1, 1, "prefix", NUMBERS, _whole_of_whole, lambda a: -a, codes.NEGATE, 3),
    Function("abs", 1, 1, "call", NUMBERS, _whole_of_whole, abs, codes.ABS),
    Function("min", 1, ANY_NUMBER, "call", NUMBERS, _whole_of_whole, lambda *all_: min(all_), codes.MIN),
    Function("max", 1, ANY_NUMBER, "call", NUMBERS, _whole_of_whole, lambda *all_: max(all_), codes.MAX),
)

FUNCTIONS: dict[str, tuple[Function, ...]] = {
    name: tuple(function for function in _ALL if function.name == name) for name in dict.fromkeys(f.name for f in _ALL)
}
"""All functions by name; `-` has two, for one operand and for two."""


def functions(name: str) -> Iterator[Function]:
    """The functions with this name."""
    yield from FUNCTIONS.get(name, ())


def function_of(name: str, operands: int) -> Function:
    """The function with this name and this number of operands."""
    found = next((function for function in functions(name) if function.takes(operands)), None)
    if found is None:
        raise AssertionError(f"there is no function {name} of {operands} operands")
    return found


@cache
def calls() -> frozenset[str]:
    """The names of functions that are written with parentheses."""
    return frozenset(name for name, known in FUNCTIONS.items() if any(f.notation == "call" for f in known))


@cache
def infixes(precedence: int) -> frozenset[str]:
    """The operators between two terms that bind as tightly as this."""
    return frozenset(f.name for f in _ALL if f.notation == "infix" and f.precedence == precedence)
