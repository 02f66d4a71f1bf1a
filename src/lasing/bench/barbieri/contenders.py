"""The closure from scratch, and by deletion and rederivation (DRed), with Python's dictionaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from lasing.bench.barbieri.workloads import Edge, Setting

Closure = dict[int, set[int]]
"""All that each node is in."""


def from_scratch(edges: Iterable[Edge]) -> Closure:
    """The closure of a graph without cycles: each node once.

    >>> from_scratch([(1, 2), (2, 3)])[1]
    {2, 3}
    """
    above: dict[int, list[int]] = defaultdict(list)
    for x, y in edges:
        above[x].append(y)
    found: Closure = {}

    def reach(node: int) -> set[int]:  # as deep as the graph, which has few levels
        direct = above[node]
        reached = set(direct)
        for one in direct:
            if one in above:
                known = found.get(one)
                reached |= reach(one) if known is None else known
        found[node] = reached
        return reached

    for node in above:
        if node not in found:
            reach(node)
    return found


_NOTHING: set[int] = set()


class Scratch:
    """Evaluates a step from scratch: the edges of the window, and their closure."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._fixed = setting.fixed

    def step(self, t: int) -> Closure:
        """The closure at a time point."""
        stream = self._setting.stream
        first = max(0, t + 1 - self._setting.length)
        rows = stream.rows[stream.bounds[first] : stream.bounds[t + 1], 2:].tolist()
        return from_scratch([*self._fixed, *dict.fromkeys((x, y) for x, y in rows)])


class Dred:
    """Deletion and rederivation: delete all that may rest on what has gone, derive again what still holds."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._arrived: dict[Edge, int] = {}
        self.above: dict[int, set[int]] = defaultdict(set)
        self.below: dict[int, set[int]] = defaultdict(set)
        self.closure: dict[int, set[int]] = defaultdict(set)
        self._insert(setting.fixed)

    def step(self, t: int) -> None:
        """Move the window: edges that have come again stay."""
        stream, length = self._setting.stream, self._setting.length
        rows = stream.rows[stream.bounds[t] : stream.bounds[t + 1], 2:].tolist()
        coming = [(x, y) for x, y in rows]
        inserted = [edge for edge in dict.fromkeys(coming) if edge not in self._arrived]
        for edge in coming:
            self._arrived[edge] = t
        old = t - length
        gone: list[Edge] = []
        if old >= 0:
            leaving = stream.rows[stream.bounds[old] : stream.bounds[old + 1], 2:].tolist()
            gone = [(x, y) for x, y in leaving if self._arrived.get((x, y)) == old]
            for edge in gone:
                del self._arrived[edge]
        self._delete(gone)
        self._insert(inserted)

    def _delete(self, edges: list[Edge]) -> None:
        above, below, closure = self.above, self.below, self.closure
        # Overestimate, on the graph as it was: isIn(X,Z) :- edge(X,Y), isIn(Y,Z).
        doubtful: set[Edge] = set()
        waiting: list[Edge] = []
        for x, y in edges:
            waiting.append((x, y))
            waiting.extend((x, z) for z in closure.get(y, _NOTHING))
        while waiting:
            pair = waiting.pop()
            if pair not in doubtful:
                doubtful.add(pair)
                x, z = pair
                waiting.extend((w, z) for w in below.get(x, _NOTHING))
        for x, y in edges:
            above[x].discard(y)
            below[y].discard(x)
        for x, z in doubtful:
            closure[x].discard(z)
        # Rederive: what has another derivation, and what follows from that.
        for x, z in doubtful:
            if z not in closure[x] and any(y == z or z in closure.get(y, _NOTHING) for y in above[x]):
                again = [(x, z)]
                while again:
                    x2, z2 = again.pop()
                    if z2 not in closure[x2]:
                        closure[x2].add(z2)
                        again.extend((w, z2) for w in below.get(x2, _NOTHING) if (w, z2) in doubtful)

    def _insert(self, edges: list[Edge]) -> None:
        above, below, closure = self.above, self.below, self.closure
        for x, y in edges:
            above[x].add(y)
            below[y].add(x)
            waiting = [(x, z) for z in (y, *closure.get(y, _NOTHING)) if z not in closure[x]]
            while waiting:
                low, high = waiting.pop()
                if high not in closure[low]:
                    closure[low].add(high)
                    waiting.extend((w, high) for w in below.get(low, _NOTHING) if high not in closure[w])
