"""An entry of the table of functions: what a function takes, what it gives, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lasing.logic.functions import reasons
from lasing.logic.values import KINDS, Type, Undefined, Value, is_number, normal

Notation = Literal["infix", "prefix", "call"]

ANY_NUMBER = None
"""The maximum number of operands of a function that takes any number."""

Types = Sequence[Type | None]
Lazy = Callable[[], Value]
"""An operand that is computed when it is called; it may raise `Undefined`."""

LONGEST_TEXT = 1_000_000
"""The length up to which texts are computed: a recursion that keeps making longer ones has to end."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """Classes of values that an operand may have, under the name that the docs give them."""

    name: str
    classes: frozenset[type] | None = None


ANYTHING = Kinds("any value")
"""Every kind of value."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function in terms: its name, the number and kinds of its operands, and its result.

    `operands` says which kinds each operand may have; the last applies to all further ones. `result` gives the type of
    a column of results from those of the operands. `definition` takes values and returns one, or raises `Undefined`.
    The definition of a `lazy` function takes operands that it computes itself, and may leave alone.

    `kernel` is the function's code in kernels; if it is None, kernels ask for the value. A kernel takes two operands:
    it is applied again for each further operand, and a single operand is passed twice.
    """

    name: str
    least: int
    most: int | None
    notation: Notation
    operands: tuple[Kinds, ...]
    gives: str
    result: Callable[[Types], Type]
    definition: Callable[..., Value]
    kernel: int | None = None
    precedence: int = 0
    lazy: bool = False
    makes: bool = False
    """Whether its value is nothing but an identifier of its operands, the first of which is a name."""
    about: str = ""
    """What it computes, and an example, for the docs."""

    def compute(self, *values: Value) -> Value:
        """The value for some operands; raises `Undefined` if there is none.

        >>> from lasing.logic.functions import function_of
        >>> function_of("+", 2).compute(1, 2.5), function_of("/", 2).compute(6, 2)
        (3.5, 3)
        """
        last = len(self.operands) - 1
        for i, value in enumerate(values):
            allowed = self.operands[i if i < last else last].classes
            if allowed is not None and type(value) not in allowed:
                raise Undefined(reasons.NOT_A_NUMBER if self.kernel is not None else reasons.WRONG_KIND)
        return self._result(values)

    def compute_lazily(self, operands: Sequence[Lazy]) -> Value:
        """Same as `compute`, for a lazy function."""
        return self._result(operands)

    def _result(self, operands: Sequence[Value | Lazy]) -> Value:
        try:
            value = self.definition(*operands)
        except ZeroDivisionError:
            raise Undefined(reasons.BY_ZERO) from None
        except OverflowError:
            raise Undefined(reasons.BEYOND_64_BITS) from None
        if is_number(value):
            return normal(value)
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise Undefined(reasons.TOO_LONG)
        return value

    def takes(self, operands: int) -> bool:
        """Whether it takes this number of operands."""
        return self.least <= operands and (self.most is None or operands <= self.most)

    @property
    def arity_text(self) -> str:
        """How many arguments it takes, in words.

        >>> from lasing.logic.functions import functions
        >>> [next(functions(name)).arity_text for name in ("abs", "min", "substring")]
        ['one argument', 'at least one argument', 'two or three arguments']
        """
        words = ("no", "one", "two", "three", "four")
        number = words[self.least]
        if self.most is None:
            return f"at least {number} argument{'' if self.least == 1 else 's'}"
        if self.most != self.least:
            return f"{number} or {words[self.most]} arguments"
        return f"{number} argument{'' if self.least == 1 else 's'}"

    @property
    def gives_truth(self) -> bool:
        """Whether all its values are truth values."""
        return self.gives == TRUTH


TRUTH = "a truth value"


def call(
    name: str,
    operands: tuple[Kinds, ...],
    gives: str,
    result: Type | Callable[[Types], Type],
    definition: Callable[..., Value],
    about: str,
    least: int | None = None,
    most: int | None = -1,
    lazy: bool = False,
    makes: bool = False,
) -> Function:
    """A function that is written with parentheses, and has no kernel. It takes as many operands as it names, unless
    `least` or `most` say otherwise."""
    column = result if callable(result) else lambda _types: result
    fewest, highest = len(operands) if least is None else least, len(operands) if most == -1 else most
    return Function(
        name, fewest, highest, "call", operands, gives, column, definition, lazy=lazy, makes=makes, about=about
    )


def unknown(name: str) -> Function:
    """A function of the user before it is known which Python function it means: it has no value yet."""

    def definition(*_operands: Value) -> Value:
        raise AssertionError(f"{name} is called, but the program was not given its functions")

    return call(name, (ANYTHING,), "any value", "mixed", definition, "", least=0, most=None)


def kinds(name: str, *classes: type) -> Kinds:
    """Some classes of values under a name."""
    assert all(known in KINDS for known in classes), "values have these classes only"
    return Kinds(name, frozenset(classes))
