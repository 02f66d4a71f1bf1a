"""Results that can be taken one by one, or as data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, Generic, TypeVar

from lasing.errors import fault

Item = TypeVar("Item")


class Framed(Generic[Item]):
    """An iterator over results, which can also be had as frames: for each predicate a table of all that are left.

    >>> Framed(iter("ab"), lambda: {}).to_arrow(), list(Framed(iter("ab"), lambda: {}))
    ({}, ['a', 'b'])
    >>> Framed(iter("ab"), lambda: {})
    Framed(iterate over it, or ask for to_arrow(), to_pandas() or to_polars())
    """

    def __init__(self, items: Iterator[Item], tables: Callable[[], dict[str, Any]]) -> None:
        self._items = items
        self._make = tables
        self._made: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return "Framed(iterate over it, or ask for to_arrow(), to_pandas() or to_polars())"

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        return next(self._items)

    def to_arrow(self) -> dict[str, Any]:
        """An Arrow table for each predicate."""
        return dict(self._tables())

    def to_pandas(self) -> dict[str, Any]:
        """A pandas DataFrame for each predicate."""
        return in_pandas(self._tables())

    def to_polars(self) -> dict[str, Any]:
        """A Polars DataFrame for each predicate."""
        return in_polars(self._tables())

    def _tables(self) -> dict[str, Any]:
        if self._made is None:
            self._made = self._make()
        return self._made


def in_pandas(tables: dict[str, Any]) -> dict[str, Any]:
    """Arrow tables as frames of pandas."""
    _need("pandas")
    return {name: table.to_pandas() for name, table in tables.items()}


def in_polars(tables: dict[str, Any]) -> dict[str, Any]:
    """Arrow tables as frames of Polars."""
    _need("polars")
    import polars

    return {name: polars.from_arrow(table) for name, table in tables.items()}


def _need(package: str) -> None:
    if find_spec(package) is None:
        raise fault("E321", f"{package} is not installed", note=f"pip install {package}, or use to_arrow()")
