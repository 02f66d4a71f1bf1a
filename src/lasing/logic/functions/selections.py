"""The first and last of tuples: `(T, V) = #last{U, W : temp(W) at U in [5]}`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lasing.logic.values import Value, order_key


def tuple_key(values: tuple[Value, ...]) -> tuple[Any, ...]:
    """A key for sorting tuples term by term: numbers by value, then texts by code point, then all others.

    >>> sorted([(2, "b"), (2, "a"), ("x", 1), (1.5, "z")], key=tuple_key)
    [(1.5, 'z'), (2, 'a'), (2, 'b'), ('x', 1)]
    """
    return tuple(map(order_key, values))


def selected(greatest: bool, count: int, tuples: Iterable[tuple[Value, ...]]) -> list[tuple[Value, ...]]:
    """The greatest or least of distinct tuples, as many as `count` if there are, best first.

    >>> selected(True, 2, {(1, "a"), (3, "b"), (2, "c")}), selected(False, 1, set())
    ([(3, 'b'), (2, 'c')], [])
    """
    return sorted(tuples, key=tuple_key, reverse=greatest)[:count]
