"""The raw window, as tables: the facts that answers can still depend on, and that must survive a failure.

Keeping more than that is harmless, so either all facts of a time point are kept or none.
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
    """The facts, by predicate and in order of time, that matter at `until` or after it.

    Facts at `until` itself matter too: changes at the next time point are relative to what holds now.
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

    rows = task.raw_window.needed(times, groups, until, whole_points=True)  # inputs have no order among each other
    kept, first = {}, 0
    for predicate, table in tables.items():
        of_it = rows[first : first + table.num_rows]
        kept[predicate] = table if of_it.all() else _chosen(table, of_it)
        first += table.num_rows
    return kept


def _chosen(table: Any, rows: Mask) -> Any:
    """Some rows of a table. If they are its end, as they usually are, nothing is copied."""
    count = int(rows.sum())
    if rows[len(rows) - count :].all():
        return table.slice(len(rows) - count)
    return table.filter(pa.array(rows))
