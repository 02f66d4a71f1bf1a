"""Trees and layered graphs of isIn: some of the edges are background, the others come and go with a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lasing.bench.measuring.workloads import Array, Stream, steady
from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from lasing.reading import parse

Edge = tuple[int, int]

RULES = """
edge(X,Y) :- pos(X,Y) in [{0}].
isIn(X,Y) :- edge(X,Y).
isIn(X,Z) :- edge(X,Y), isIn(Y,Z).
#show isIn/2.
"""

NEW, RENEWED = "new", "renewed"
"""What arrives: edges that are not in the window, or those that are about to leave it."""


def tree(edges: int) -> Array:
    """A tree in which every node has three below it, as pairs of a node and the one above it.

    >>> tree(4).tolist()
    [[1, 0], [2, 0], [3, 0], [4, 1]]
    """
    nodes = np.arange(1, edges + 1)
    return np.column_stack([nodes, (nodes - 1) // 3])


def layers(edges: int) -> Array:
    """A graph of layers, each half as large as the one below it: a node is in two of the next layer, and these have
    the ones above them in common, so that most facts have several derivations."""
    found: list[Array] = []
    size, first, left = (edges + 3) // 4 + 1, 0, edges
    while left > 0 and size > 1:
        above = first + size
        size_above = (size + 1) // 2
        nodes = np.arange(size)
        one, other = nodes // 2, np.minimum(nodes // 2 + 1, size_above - 1)
        pairs = np.concatenate([np.column_stack([nodes + first, p + above]) for p in (one, other)])
        pairs = np.unique(pairs, axis=0)[:left]
        found.append(pairs)
        size, first, left = size_above, above, left - len(pairs)
    return np.concatenate(found)


SHAPES: dict[str, Callable[[int], Array]] = {"tree": tree, "layers": layers}


@dataclass(frozen=True)
class Setting:
    """A shape, how many edges are background and in the window, and how many of a thousand in the window change at
    each step."""

    shape: str
    changed: int
    arrivals: str = NEW
    background: int = 10_000
    window: int = 5_000
    points: int = 100

    @property
    def rate(self) -> int:
        """The edges that arrive at each step."""
        return max(1, self.window * self.changed // 1000)

    @property
    def length(self) -> int:
        """The number of steps that an edge stays."""
        return self.window // self.rate

    @cached_property
    def _edges(self) -> Array:
        pool = 2 * self.window
        edges = SHAPES[self.shape](self.background + pool)
        return np.random.default_rng(1).permutation(edges)

    @property
    def fixed(self) -> list[Edge]:
        """The edges that never leave."""
        return [(x, y) for x, y in self._edges[: self.background].tolist()]

    @cached_property
    def stream(self) -> Stream:
        """The edges that arrive, round and round: renewed ones come again at the last step of their stay."""
        pool = self._edges[self.background :]
        if self.arrivals == RENEWED:
            pool = pool[: self.rate * max(1, self.length - 1)]
        numbers = np.arange(self.rate * self.points) % len(pool)
        return steady(pool[numbers], self.rate, "pos")

    @property
    def program(self) -> Program:
        """The rules with the background."""
        return parse(RULES.format(self.length - 1), data=[FactTable.of("edge", self.fixed)])
