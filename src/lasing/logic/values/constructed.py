"""Constructed identifiers: `new(f,x,1)`, the same for the same arguments and different from all other values."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Protocol

from lasing.errors import fault
from lasing.logic.values.boxed import Boxed

if TYPE_CHECKING:
    from lasing.logic.values.table import Value

DEEPEST = 50
"""How deep identifiers may be nested: a recursion that keeps making new ones has to end."""


class Unread(Protocol):
    """What many identifiers are made of, in a form that can be read when someone looks at one of them."""

    def read(self, row: int, /) -> tuple[str, tuple[Value, ...]]:
        """The function and the arguments of one of them."""
        ...


class _Readable(Boxed):
    """Room for where the function and the arguments of an identifier can be read."""

    __slots__ = ("_row", "_unread")
    _unread: Unread | None
    _row: int


@dataclass(frozen=True, slots=True)
class Constructed(_Readable):
    """The identifier that a function makes from its arguments.

    An engine may make thousands at a time point, and often nobody looks at what is in them. So it can leave the slots
    of an identifier empty, and say where to read them.

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

    def __getattr__(self, name: str) -> object:
        """Read the slots: Python asks for an attribute here only if there is nothing in its slot."""
        if name not in ("function", "args"):
            raise AttributeError(f"an identifier has no {name}", name=name, obj=self)
        if (unread := self._unread) is not None:  # or another thread has just read it
            function, args = unread.read(self._row)
            _FUNCTION(self, function)
            _ARGS(self, args)
            _UNREAD(self, None)
        return object.__getattribute__(self, name)

    def __str__(self) -> str:
        from lasing.logic.values.table import value_text  # the table has this kind in it

        return f"new({','.join(map(value_text, (self.function, *self.args)))})"


def constructed(unread: Unread, number: int) -> list[Constructed]:
    """Many identifiers that are read when someone looks at them, from rows 0, 1, 2, …"""
    found = list(map(object.__new__, repeat(Constructed, number)))
    deque(map(_UNREAD, found, repeat(unread)), maxlen=0)
    deque(map(_ROW, found, range(number)), maxlen=0)
    return found


def one_constructed(function: str, args: tuple[Value, ...]) -> Constructed:
    """One identifier whose arguments are known not to be nested too deep."""
    found = object.__new__(Constructed)
    _FUNCTION(found, function)
    _ARGS(found, args)
    return found


_FUNCTION: Callable[[Constructed, str], None] = vars(Constructed)["function"].__set__
_ARGS: Callable[[Constructed, tuple[Value, ...]], None] = vars(Constructed)["args"].__set__
_UNREAD: Callable[[Constructed, Unread | None], None] = vars(_Readable)["_unread"].__set__
_ROW: Callable[[Constructed, int], None] = vars(_Readable)["_row"].__set__

UNBOUND = Constructed("unbound")
"""What a column without a value holds; `given(X)` has no value for it."""
