"""Batches: the facts of a stream in columns, the counterpart of `Fact`, without an object for each fact.

A batch keeps the order of its facts. A column is an Arrow array without nulls, or `Mixed` if it has values of several
kinds. Sources yield batches in order of time; `merged_batches` merges them into one stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.errors import LasingError
from lasing.logic.program import Fact
from lasing.logic.values import Boxed, Value, is_boxed
from lasing.timeline.limits import LIMIT

Numbers = np.ndarray[Any, np.dtype[np.int64]]

ROWS = 2**16
"""The approximate number of facts in a batch."""


@dataclass(frozen=True, slots=True)
class Mixed:
    """A column of values of several kinds: for each kind, the positions of its values, in order, and an Arrow array."""

    length: int
    parts: tuple[tuple[Numbers, Any], ...]

    def __len__(self) -> int:
        return self.length

    def to_pylist(self) -> list[object]:
        found: list[object] = [None] * self.length
        for where, part in self.parts:
            for i, value in zip(where.tolist(), part.to_pylist(), strict=True):
                found[i] = value
        return found

    def between(self, first: int, last: int) -> Mixed:
        cut = []
        for where, values in self.parts:
            i, j = np.searchsorted(where, (first, last)).tolist()
            if i < j:
                cut.append((where[i:j] - first, values[i:j]))
        return Mixed(last - first, tuple(cut))

    def take(self, where: Numbers) -> Mixed:
        number = np.full(self.length, -1)
        kinds = np.empty(self.length, np.int64)
        for kind, (mine, _) in enumerate(self.parts):
            number[mine], kinds[mine] = np.arange(len(mine)), kind
        taken = []
        for kind, (_, values) in enumerate(self.parts):
            chosen = np.flatnonzero(kinds[where] == kind)
            if len(chosen):
                taken.append((chosen, values.take(pa.array(number[where[chosen]]))))
        return Mixed(len(where), tuple(taken))


@dataclass(frozen=True, slots=True)
class Terms:
    """A column of values that have classes of their own (see `logic.values`), for which Arrow has no type.

    It can be sliced and taken from like an Arrow array.
    """

    values: tuple[Value, ...]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> Terms:
        return Terms(self.values[part])

    def take(self, where: Any) -> Terms:
        return Terms(tuple(self.values[i] for i in where.to_pylist()))

    def to_pylist(self) -> list[Value]:
        return list(self.values)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A column of values of any kinds, given by a list of values and, for each row, the number of its value.

    Columns may share a list that has other values, too. It can be sliced and taken from like an Arrow array.
    """

    values: Sequence[Value]
    numbers: Numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, part: slice) -> Chosen:
        return Chosen(self.values, self.numbers[part])

    def take(self, where: Any) -> Chosen:
        return Chosen(self.values, self.numbers[where.to_numpy()])

    def to_pylist(self) -> list[Value]:
        return [self.values[number] for number in self.numbers.tolist()]

    def used(self) -> tuple[list[Value], Numbers]:
        """The values that rows have, each once, and the numbers that these values then have."""
        if len(self.numbers) < len(self.values) // 8:
            used, numbers = np.unique(self.numbers, return_inverse=True)
            return [self.values[number] for number in used.tolist()], numbers
        is_used = np.zeros(len(self.values), bool)
        is_used[self.numbers] = True
        numbers = np.cumsum(is_used) - 1
        return [self.values[number] for number in np.flatnonzero(is_used).tolist()], numbers[self.numbers]


Column = Any
"""An Arrow array without nulls, `Terms`, `Chosen`, or `Mixed`."""


@dataclass(frozen=True)
class Part:
    """The facts of one predicate in a batch: their positions, in order (None: all), and their arguments."""

    predicate: str
    args: tuple[Column, ...]
    where: Numbers | None = None


@dataclass(frozen=True)
class Batch:
    """Facts, each with its time."""

    times: Numbers
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return len(self.times)

    @cached_property
    def is_sorted(self) -> bool:
        return bool((self.times[1:] >= self.times[:-1]).all())

    def between(self, first: int, last: int) -> Batch:
        """The facts from one position to another."""
        if first == 0 and last == len(self):
            return self
        parts = []
        for part in self.parts:
            if part.where is None:
                i, j, where = first, last, None
            else:
                i, j = np.searchsorted(part.where, (first, last)).tolist()
                where = part.where[i:j] - first
            if i < j:
                parts.append(Part(part.predicate, tuple(_between(c, i, j) for c in part.args), where))
        return Batch(self.times[first:last], tuple(parts))

    def before(self, time: int) -> int:
        """How many facts come before a time point; the batch must be sorted."""
        return int(np.searchsorted(self.times, time))


def _between(column: Column, first: int, last: int) -> Column:
    return column.between(first, last) if isinstance(column, Mixed) else column[first:last]


def _taken(column: Column, where: Numbers) -> Column:
    return column.take(where) if isinstance(column, Mixed) else column.take(pa.array(where))


def without(batch: Batch, predicates: Callable[[str], bool]) -> Batch:
    """The same batch; facts of some predicates move time, but no rule sees them."""
    hidden = "not declared: {}"  # not a name, so no rule reads it
    if not any(predicates(part.predicate) for part in batch.parts):
        return batch
    parts = (replace(p, predicate=hidden.format(p.predicate)) if predicates(p.predicate) else p for p in batch.parts)
    return Batch(batch.times, tuple(parts))


def taken(batch: Batch, where: Numbers) -> Batch:
    """The facts at some positions, in a new order."""
    place = np.full(len(batch), -1)
    place[where] = np.arange(len(where))
    parts = []
    for part in batch.parts:
        new = place if part.where is None else place[part.where]
        order = np.argsort(new, kind="stable")
        order = order[np.searchsorted(new[order], 0) :]
        parts.append(
            Part(
                part.predicate,
                tuple(_taken(column, order) for column in part.args),
                None if part.where is None else new[order],
            )
        )
    return Batch(batch.times[where], tuple(parts))


def within_limit(times: Numbers) -> bool:
    """Whether all times are time points."""
    return not len(times) or bool(times.min() > -LIMIT and times.max() < LIMIT)


def sorted_sources(batches: Iterable[Batch]) -> list[Iterator[Batch]]:
    """Turn a stream in any order into sources to be merged: all of its batches, each sorted by time."""
    return [iter([b if b.is_sorted else taken(b, np.argsort(b.times, kind="stable"))]) for b in batches]


def column_of(values: Sequence[Value]) -> Column:
    """A column of Python values that are constants."""
    kinds = set(map(type, values))
    if kinds <= {int}:
        return pa.array(values, pa.int64())
    if kinds == {str}:
        return pa.array(values, pa.string())
    if kinds == {float}:
        return pa.array(values, pa.float64())
    if all(map(is_boxed, values)):
        return Terms(tuple(values))
    places: dict[type, list[int]] = {}
    for i, value in enumerate(values):
        places.setdefault(Boxed if is_boxed(value) else type(value), []).append(i)
    parts = [(np.array(where, np.int64), column_of([values[i] for i in where])) for where in places.values()]
    return Mixed(len(values), tuple(parts))


def batch_of(rows: Sequence[Fact]) -> Batch:
    """Rows as a batch."""
    shapes: dict[tuple[str, int], list[int]] = {}
    for i, (_, atom) in enumerate(rows):
        shapes.setdefault((atom.predicate, len(atom.args)), []).append(i)
    parts = []
    for (predicate, arity), where in shapes.items():
        columns = [[rows[i][1].args[k] for i in where] for k in range(arity)]
        args = tuple(column_of(column) for column in columns)  # type: ignore[arg-type]  # facts are ground
        parts.append(Part(predicate, args, None if len(shapes) == 1 else np.array(where, np.int64)))
    return Batch(np.array([time for time, _ in rows], np.int64), tuple(parts))


def batches_of(rows: Iterable[Fact]) -> Iterator[Batch]:
    """Rows as batches. If reading a row fails, the rows before it come first, and then the error."""
    chunk: list[Fact] = []
    try:
        for row in rows:
            chunk.append(row)
            if len(chunk) == ROWS:
                yield batch_of(chunk)
                chunk = []
    except LasingError:
        if chunk:
            yield batch_of(chunk)
        raise
    if chunk:
        yield batch_of(chunk)


Slab = list[Batch]
"""Batches with all facts of some time points, those of earlier sources first."""


def merged_batches(sources: Sequence[Iterator[Batch]]) -> Iterator[tuple[int, Slab, int]]:
    """All facts by time, in slabs; at the same time point, in the order of the sources.

    Each slab comes with the time of the very first fact, and with the time up to which all facts are then known. If a
    source fails, everything before the failure is yielded first.
    """
    pending: list[list[Batch]] = [[] for _ in sources]
    running = set(range(len(sources)))
    for number in range(len(sources)):
        _fetch(sources, pending, running, number)
    first = min((int(queue[0].times[0]) for queue in pending if queue), default=0)
    while running:
        safe, slowest = min((int(pending[number][-1].times[-1]), number) for number in running)
        slab = [part for queue in pending for part in _take_before(queue, safe)]
        yield first, slab, safe - 1
        _fetch(sources, pending, running, slowest)
    rest = [batch for queue in pending for batch in queue]
    if rest:
        yield first, rest, max(int(batch.times[-1]) for batch in rest)


def _fetch(sources: Sequence[Iterator[Batch]], pending: list[list[Batch]], running: set[int], number: int) -> None:
    batch = next((batch for batch in sources[number] if len(batch)), None)
    if batch is None:
        running.discard(number)
    else:
        pending[number].append(batch)


def _take_before(queue: list[Batch], time: int) -> Iterator[Batch]:
    """Remove the facts before a time point from the batches of a source, and return them."""
    kept = []
    for batch in queue:
        cut = batch.before(time)
        if cut:
            yield batch.between(0, cut)
        if cut < len(batch):
            kept.append(batch.between(cut, len(batch)))
    queue[:] = kept


def within(slab: Slab, start: int, end: int | None) -> tuple[Slab, int]:
    """The facts of a slab from a start to an end, and the number of facts before the start."""
    early, kept = 0, []
    for batch in slab:
        first, last = batch.before(start), len(batch) if end is None else batch.before(end + 1)
        early += first
        if first < last:
            kept.append(batch.between(first, last))
    return kept, early
