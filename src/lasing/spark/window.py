"""The raw window, as tables: the facts on which answers can still depend, and which must survive a failure.

To keep more than that is harmless, so of facts of one time point either all are kept or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.spark.tables import Numbers, groups_of, times_of
from lasing.spark.task import Task


def still_needed(task: Task, tables: Mapping[str, Any], until: int) -> dict[str, Any]:
    """Of facts by time, for each predicate, those that matter at `until` or after it.

    Those of `until` itself matter too: what changes at the next time point is told against what holds now.
    """
    back = task.lookback
    if back.points is None:
        return dict(tables)
    oldest = until - back.points
    if back.facts:
        times = np.sort(np.concatenate([times_of(table) for table in tables.values()]))
        past = times[: np.searchsorted(times, until, side="right")]
        oldest = min(oldest, int(past[-back.facts])) if len(past) >= back.facts else min([oldest, *past[:1].tolist()])
    kept = {}
    for predicate, table in tables.items():
        rows = times_of(table) >= oldest
        for window in task.partitions:
            if window.predicate == predicate:
                columns = [f"arg{position + 1}" for key in window.keys for position in key]
                rows |= _newest_of_each(groups_of(table, columns), times_of(table), until, window.back)
        kept[predicate] = table if rows.all() else _chosen(table, rows)
    return kept


def _newest_of_each(groups: Numbers, times: Numbers, until: int, number: int) -> Numbers:
    """The rows that are not older than the n-th newest of their group up to a time point."""
    past = np.flatnonzero(times <= until)[::-1]
    order = past[np.argsort(groups[past], kind="stable")]  # by group, newest first
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    sizes = np.diff(np.append(first, len(order)))
    oldest_kept = times[order[first + np.minimum(sizes, number) - 1]]
    found = np.zeros(len(times), bool)
    found[order] = times[order] >= np.repeat(oldest_kept, sizes)
    return found


def _chosen(table: Any, rows: Numbers) -> Any:
    """Some rows of a table: where they are its end, as most often, nothing is copied."""
    count = int(rows.sum())
    if rows[len(rows) - count :].all():
        return table.slice(len(rows) - count)
    return table.filter(pa.array(rows))
