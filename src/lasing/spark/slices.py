"""A bounded history in slices of time, each evaluated on its own, with the facts that it looks back on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lasing.spark.tables import Numbers


@dataclass(frozen=True, slots=True)
class Slices:
    """Time points from `cuts[i]` to just before `cuts[i+1]` are slice i. Facts from `begins[i]` on belong to it.

    `begins` is before the cut by the program's lookback plus one time point, so that the changes at the first time
    point of the slice are known.
    """

    cuts: tuple[int, ...]
    begins: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def bounds(self, number: int) -> tuple[int, int]:
        """The first and the last time point of a slice."""
        return self.cuts[number], self.cuts[number + 1] - 1

    def pieces(self, points: Numbers) -> Iterator[tuple[int, Numbers]]:
        """The slices that have facts, with the numbers of their rows in order of time."""
        order = np.argsort(points, kind="stable")
        times = points[order]
        for number in range(len(self)):
            first = np.searchsorted(times, self.begins[number])
            last = np.searchsorted(times, self.cuts[number + 1])
            if first < last:
                yield number, order[first:last]


def even_cuts(start: int, end: int, slices: int) -> tuple[int, ...]:
    """Cut the time points from `start` to `end` into slices of about the same length.

    >>> even_cuts(0, 9, 3)
    (0, 3, 6, 10)
    """
    number = max(1, min(slices, end - start + 1))
    return tuple(start + (end + 1 - start) * i // number for i in range(number + 1))
