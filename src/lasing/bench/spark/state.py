"""The state of a shard: its size, and its share of a batch.

Two shards take in batches of 100,000 events, in windows of different lengths. Only batches after the window has filled
count. Time spent on the state is the time to read and write it, and to rebuild an engine from it when a shard moves to
another worker, in the slowest shard. The time of the whole batch also shows what the state costs on its way between
Python, the JVM and the disk.
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
REBUILT = "engines rebuilt"


@dataclass(frozen=True)
class States:
    """The rows of each shard's window; the size of batches, and how many to measure."""

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
            rebuilt = sum(figures[REBUILT] for figures in of_batches)
            for measure in MEASURES:
                values = [figures[measure] for figures in of_batches]
                settings: Settings = {"rows": rows, "measured": measure}
                note = f"a single run, {len(values)} batches, {rebuilt:.0f} engines rebuilt"
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
    seconds = bench.run(outputs.results)[filling - 1 :]
    written = ds.dataset(bench.out, exclude_invalid_files=True)
    table = written.to_table(["until", "state_bytes", "state_seconds", "rebuilt"], filter=ds.field("kind") == STATUS)
    until, sizes, spent, rebuilt = (np.asarray(table[name]) for name in table.column_names)
    found = []
    for point, whole in zip(np.unique(until)[filling:], seconds, strict=True):  # the time it reached identifies a batch
        of_batch = until == point
        size, share = float(sizes[of_batch].mean()) / 1e6, 100 * float(spent[of_batch].max()) / whole
        found.append({SIZE: size, SHARE: share, SPENT: 1000 * whole, REBUILT: float(rebuilt[of_batch].sum())})
    return found
