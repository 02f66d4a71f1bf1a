"""Constructed identifiers: `new(f,x,1)`, the same for the same arguments and different from all other values."""

from __future__ import annotations

from dataclasses import dataclass
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

    @classmethod
    def made(cls, function: str, args: tuple[Value, ...]) -> Constructed:
        """The same, for arguments that are known not to be nested too deep."""
        found = object.__new__(cls)
        object.__setattr__(found, "function", function)
        object.__setattr__(found, "args", args)
        return found

    @property
    def depth(self) -> int:
        """How deep identifiers are nested in this one, itself included."""
        return 1 + max((arg.depth for arg in self.args if isinstance(arg, Constructed)), default=0)

    def __str__(self) -> str:
        from lasing.logic.values.table import value_text  # the table has this kind in it

        return f"new({','.join(map(value_text, (self.function, *self.args)))})"


UNBOUND = Constructed("unbound")
"""What a column without a value holds; `given(X)` has no value for it."""
