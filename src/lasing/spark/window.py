"""The raw window, as tables: the facts on which answers can still depend, and which must survive a failure.

To keep more than that is harmless, so of facts of one time point either all are kept or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.logic.formulas import PartitionWindow
from lasing.raw_window import Mask
from lasing.spark.tables import Numbers, groups_of, times_of
from lasing.spark.task import Task


def still_needed(task: Task, tables: Mapping[str, Any], until: int) -> dict[str, Any]:
    """Of facts by time, for each predicate, those that matter at `until` or after it.

    Those of `until` itself matter too: what changes at the next time point is told against what holds now.
    """
    if task.raw_window.keeps_all() or not tables:
        return dict(tables)
    times = np.concatenate([times_of(table) for table in tables.values()])

    def groups(window: PartitionWindow) -> Numbers:
        columns = [f"arg{position + 1}" for key in window.keys for position in key]
        return np.concatenate(
            [
                groups_of(table, columns) if predicate == window.predicate else np.full(table.num_rows, -1, np.int64)
                for predicate, table in tables.items()
            ]
        )

    rows = task.raw_window.needed(times, groups, until, whole_points=True)  # nobody knows which of two inputs was first
    kept, first = {}, 0
    for predicate, table in tables.items():
        of_it = rows[first : first + table.num_rows]
        kept[predicate] = table if of_it.all() else _chosen(table, of_it)
        first += table.num_rows
    return kept


def _chosen(table: Any, rows: Mask) -> Any:
    """Some rows of a table: where they are its end, as most often, nothing is copied."""
    count = int(rows.sum())
    if rows[len(rows) - count :].all():
        return table.slice(len(rows) - count)
    return table.filter(pa.array(rows))
