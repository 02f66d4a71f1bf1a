"""Identifiers that nobody has looked at yet: their operands, as the codes that kernels made them of.

    new(fire,r1,7), new(fire,r2,7), …  =  the rows (fire,r1,7), (fire,r2,7), … of a table of codes

A pattern may have a thousand results at a time point, each with a new identifier that says how it came about. To hand
them over takes an object each, which knows its row. Only if someone looks at one of them are values made, for all of
the table at once, column by column.

Codes change when the dictionary forgets values, so it reads what is still unread and still in use before that.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from lasing.logic.values import Value

Codes = np.ndarray[Any, np.dtype[np.int64]]


class UnreadOperands:
    """Rows of codes, the function of an identifier first, and how to make values of a column."""

    __slots__ = ("__weakref__", "_args", "_codes", "_functions", "_values")

    def __init__(self, codes: Codes, values: Callable[[Codes], list[Value]]) -> None:
        self._codes = codes
        self._values: Callable[[Codes], list[Value]] | None = values
        self._functions: list[str] = []
        self._args: list[tuple[Value, ...]] = []

    def read(self, row: int) -> tuple[str, tuple[Value, ...]]:
        """The function and the arguments of one identifier."""
        self.read_all()
        return self._functions[row], self._args[row]

    def read_all(self) -> None:
        """Make the values, unless they are there. After that, the codes may change, and the engine may go."""
        if self._values is None:
            return
        size = len(self._codes)
        columns = [_once(column) for column in np.ascontiguousarray(self._codes.T)]
        every = iter(self._values(np.concatenate(columns)))  # one call for all columns
        read: list[list[Any]] = [list(islice(every, len(column))) for column in columns]
        functions, *args = (column if len(column) == size else column * size for column in read)
        self._functions, self._args = functions, list(zip(*args, strict=True))
        self._values, self._codes = None, self._codes[:0].copy()


def _once(column: Codes) -> Codes:
    """A column, or just its first row if all are the same: most operands of the results of a time point are."""
    return column[:1] if (column == column[0]).all() else column
