"""What values that are neither Python numbers nor Python strings have in common."""

from __future__ import annotations


class Boxed:
    """The base of the kinds that have a class of their own.

    Python's `True` equals `1`, and `Decimal("1")` equals both. A boxed value equals only values of its own class, so
    kinds stay apart in sets, in dictionaries and in the engines' tables.
    """

    __slots__ = ()
