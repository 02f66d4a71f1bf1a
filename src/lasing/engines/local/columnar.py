"""The incremental engine, with facts and changes in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from lasing.connectors.batches import Batch, Column, Slab
from lasing.connectors.changed import NEVER, ChangedColumns, Values
from lasing.connectors.rows import value_of
from lasing.engines.local import memory
from lasing.engines.local.columns import encode
from lasing.engines.local.dictionary import Codes
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import (
    IN_ARGS,
    IN_PREDICATE,
    IN_TIME,
    OUT_ARGS,
    OUT_PREDICATE,
    OUT_SIGN,
    OUT_TIME,
    OUT_UNTIL,
    PROVISIONAL,
)
from lasing.engines.local.memory import FOREVER
from lasing.logic.examples import Examples
from lasing.logic.formulas import Atom


class ColumnarEngine:
    """Takes slabs of facts in order of time. No code outlives the call in which it was made.

    `counts_facts` says that some window counts facts, so that the same fact twice at one time point has to be found.
    """

    def __init__(self, engine: LocalEngine, counts_facts: bool, counts_all: bool) -> None:
        self.engine = engine
        self._counts_facts = counts_facts
        self._counts_all = counts_all

    def report_extensions(self) -> None:
        """Also report which atoms are guaranteed for longer than before, with the sign 0."""
        self.engine._arena[memory.REPORTS_EXTENSIONS] = 1

    @property
    def time(self) -> int:
        return self.engine.time

    @property
    def dropped_heads(self) -> int:
        return self.engine.dropped_heads

    @property
    def failures(self) -> Mapping[tuple[int, str], int]:
        return self.engine.failures

    @property
    def examples(self) -> Examples:
        return self.engine.examples

    def advance(self, slab: Slab, end: int) -> Iterator[ChangedColumns]:
        """What changes up to a time point, given all facts up to it."""
        with self.engine.dictionary.encoding() as encoder:
            facts = encoder.hold(self._rows(slab), IN_ARGS)
        yield from map(self._decoded, self.engine.evaluate(facts.rows, end))

    def _rows(self, slab: Slab) -> Codes:
        """Facts as rows of codes, by time."""
        parts = [self._encoded(batch) for batch in slab]
        empty = np.zeros((0, self.engine.width), np.int64)
        rows = parts[0] if len(parts) == 1 else np.concatenate([empty, *parts])
        times = rows[:, IN_TIME]
        if (times[1:] < times[:-1]).any():
            rows = rows[np.argsort(times, kind="stable")]
        if self._counts_facts and len(rows):
            _, first = np.unique(rows, axis=0, return_index=True)
            rows = rows[np.sort(first)]
        return rows

    def _encoded(self, batch: Batch) -> Codes:
        """The facts that the program uses, as rows of codes."""
        engine, numbers = self.engine, self.engine.predicates
        used = [part for part in batch.parts if self._counts_all or part.predicate in numbers]
        rows = np.zeros((len(batch), engine.width), np.int64)
        rows[:, IN_TIME] = batch.times
        if len(used) < len(batch.parts):
            rows[:, IN_PREDICATE] = -1
        for part in used:
            where = slice(None) if part.where is None else part.where
            rows[where, IN_PREDICATE] = numbers.get(part.predicate, numbers[""])
            if part.predicate not in numbers:  # it counts, and is known by its text
                atoms = _texts(part.predicate, part.args, len(rows) if part.where is None else len(part.where))
                rows[where, IN_ARGS] = engine.dictionary.codes(atoms)
                continue
            for i, column in enumerate(part.args):
                rows[where, IN_ARGS + i] = self._codes(column)
        return rows if len(used) == len(batch.parts) else rows[rows[:, IN_PREDICATE] >= 0]

    def _codes(self, column: Column) -> Codes:
        return encode(self.engine.dictionary, column, value_of)

    def _decoded(self, block: Codes) -> ChangedColumns:
        """A block of the engine's output, decoded."""
        by_column = np.ascontiguousarray(block.T)
        numbers, until = by_column[OUT_PREDICATE], by_column[OUT_UNTIL]
        outputs = list(self.engine.outputs)
        arities = np.array([arity for _, arity in outputs], np.int64)
        args = tuple(
            self._values(by_column[OUT_ARGS + i], arities[numbers] > i, bool((arities > i).all()))
            for i in range(max(arities, default=0))
        )
        return ChangedColumns(
            by_column[OUT_TIME],
            by_column[OUT_SIGN],
            np.where(until >= FOREVER, NEVER, until),
            until == PROVISIONAL,
            outputs,
            numbers,
            args,
        )

    def _values(self, codes: Codes, present: np.ndarray, everywhere: bool) -> Values:
        found = pa.array(codes if everywhere else codes[present]).dictionary_encode()
        numbers = found.indices.to_numpy().astype(np.int64)
        distinct = self.engine.dictionary.values(found.dictionary.to_numpy())
        if everywhere:
            return Values(distinct, numbers)
        placed = np.full(len(codes), -1)
        placed[present] = numbers
        return Values(distinct, placed)


def _texts(predicate: str, args: tuple[Column, ...], length: int) -> Iterator[str]:
    """Facts as texts."""
    columns = [column.to_pylist() for column in args]
    for i in range(length):
        yield str(Atom(predicate, tuple(value_of(column[i]) for column in columns)))
