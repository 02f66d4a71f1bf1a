"""Intervals of time points, both ends inclusive, possibly without an upper end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """The time points lo, lo+1, …, hi; `hi` is None if there is no end; lo > hi is the empty interval.

    >>> list(Interval(3, 5))
    [3, 4, 5]
    >>> 7 in Interval(3, None), 2 in Interval(3, None), bool(Interval(3, 2))
    (True, False, False)
    """

    lo: int
    hi: int | None

    def __contains__(self, point: object) -> bool:
        return isinstance(point, int) and self.lo <= point and (self.hi is None or point <= self.hi)

    def __bool__(self) -> bool:
        return self.hi is None or self.lo <= self.hi

    def __iter__(self) -> Iterator[int]:
        point = self.lo
        while self.hi is None or point <= self.hi:
            yield point
            point += 1

    def __and__(self, other: Interval) -> Interval:
        ends = [end for end in (self.hi, other.hi) if end is not None]
        return Interval(max(self.lo, other.lo), min(ends) if ends else None)
