"""Constructed identifiers: `new(f,x,1)`, the same for the same arguments and different from all other values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

from lasing.errors import fault
from lasing.logic.values.boxed import Boxed

if TYPE_CHECKING:
    from lasing.logic.values.table import Value

DEEPEST = 50
"""How deep identifiers may be nested: a recursion that keeps making new ones has to end."""


@dataclass(frozen=True, slots=True)
class Constructed(Boxed):
    """The identifier that a function makes from its arguments.

    >>> str(Constructed("room", ("s1", 3)))
    'new(room,s1,3)'
    """

    function: str
    args: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        if self.depth > DEEPEST:
            raise fault("E506", f"new({self.function},…) is nested deeper than {DEEPEST}")

    @property
    def depth(self) -> int:
        """How deep identifiers are nested in this one, itself included."""
        return 1 + max((arg.depth for arg in self.args if isinstance(arg, Constructed)), default=0)

    def __str__(self) -> str:
        from lasing.logic.values.table import value_text  # the table has this kind in it

        return f"new({','.join(map(value_text, (self.function, *self.args)))})"


def constructed(functions: Sequence[str], args: Iterable[tuple[Value, ...]]) -> list[Constructed]:
    """Many identifiers, whose arguments are known not to be nested too deep. (This is much faster than one by one.)

    >>> [str(one) for one in constructed(["room", "room"], [(1,), (2,)])]
    ['new(room,1)', 'new(room,2)']
    """
    found = list(map(object.__new__, repeat(Constructed, len(functions))))
    deque(map(_FUNCTION, found, functions), maxlen=0)
    deque(map(_ARGS, found, args), maxlen=0)
    return found


def one_constructed(function: str, args: tuple[Value, ...]) -> Constructed:
    """One identifier whose arguments are known not to be nested too deep."""
    found = object.__new__(Constructed)
    _FUNCTION(found, function)
    _ARGS(found, args)
    return found


_FUNCTION: Callable[[Constructed, str], None] = vars(Constructed)["function"].__set__
_ARGS: Callable[[Constructed, tuple[Value, ...]], None] = vars(Constructed)["args"].__set__

UNBOUND = Constructed("unbound")
"""What a column without a value holds; `given(X)` has no value for it."""
