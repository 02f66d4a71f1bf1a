"""The state of a shard: how large it is, and what part of a batch it takes.

Two shards take in batches of 100,000 events, in windows of different length. What counts are the batches after the
window has filled. Time spent on the state is that of reading and writing it, and of making an engine anew from it where
a shard has come to another worker, in the shard that takes longest; how long a batch takes in all tells what the state
costs on its way between Python, the JVM and the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cells import OURS, Settings, quartiles
from lasing.bench.spark.session import A_POINT, Bench, rule, shared

NAME = "spark-state"
SHARDS = 2
SIZE, SHARE, SPENT = "MB", "% of the batch", "ms of the batch"
MEASURES = (SIZE, SHARE, SPENT)
ANEW = "engines made anew"


@dataclass(frozen=True)
class States:
    """Windows of so many rows a shard; the size of batches, and how many are measured."""

    rows: tuple[int, ...]
    batch: int
    batches: int
    contenders: tuple[str, ...] = (OURS,)

    @property
    def settings(self) -> Settings:
        return {"rows": self.rows[0], "measured": SIZE}

    def count(self) -> int:
        return len(MEASURES) * len(self.rows)

    def cells(self) -> Iterator[Cell]:
        for rows in self.rows:
            of_batches = _measure(shared(), rows, self.batch, self.batches)
            anew = sum(figures[ANEW] for figures in of_batches)
            for measure in MEASURES:
                values = [figures[measure] for figures in of_batches]
                settings: Settings = {"rows": rows, "measured": measure}
                note = f"a single run, {len(values)} batches, {anew:.0f} engines made anew"
                median = float(np.median(values))
                yield Cell(NAME, OURS, "changes", settings, median, quartiles(values), 1.0, note=note)


def _measure(bench: Bench, rows: int, batch: int, batches: int) -> list[dict[str, float]]:
    """The figures of each batch after the window has filled."""
    import pyarrow.dataset as ds

    import lasing.spark
    from lasing.spark.streaming import STATUS

    window = rows * SHARDS // A_POINT
    filling = 1 + -(-rows * SHARDS // batch)
    stream = bench.stream(bench.events(batch, filling + batches, window))
    bench.partitions(SHARDS)
    outputs = lasing.spark.reason(rule(window), output=["q"], view="changes", shards=SHARDS)({"p": stream})
    seconds = bench.run(outputs.told)[filling - 1 :]
    told = ds.dataset(bench.out, exclude_invalid_files=True)
    table = told.to_table(["until", "state_bytes", "state_seconds", "rebuilt"], filter=ds.field("kind") == STATUS)
    until, sizes, spent, anew = (np.asarray(table[name]) for name in table.column_names)
    found = []
    for point, whole in zip(np.unique(until)[filling:], seconds, strict=True):  # a batch is known by where it got to
        of_batch = until == point
        size, share = float(sizes[of_batch].mean()) / 1e6, 100 * float(spent[of_batch].max()) / whole
        found.append({SIZE: size, SHARE: share, SPENT: 1000 * whole, ANEW: float(anew[of_batch].sum())})
    return found
