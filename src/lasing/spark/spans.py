"""From changes to the times at which atoms hold, in columns: for answers and for intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from lasing.spark.tables import Numbers, groups_of, times_of

COUNT = "*count"
"""How many atoms share one row."""


def spans(changes: Any, held: Any | None) -> tuple[Any, Any]:
    """Match each + with the - that ends it.

    `changes` has columns time and change (+1, -1) and those of an atom's arguments, in order of time; `held` has a
    column `from` and the arguments of the atoms that held before. The first result has the atoms that have ended, with
    `from` and `until`; the second those that still hold, with `from` and the number of atoms that share the row.

    >>> changes = pa.table({"time": [5, 7, 8], "change": [1, 1, -1], "arg1": ["a", "b", "b"]})
    >>> ended, holds = spans(changes, None)
    >>> ended.to_pylist(), holds.to_pylist()
    ([{'from': 7, 'until': 7, 'arg1': 'b'}], [{'from': 5, '*count': 1, 'arg1': 'a'}])
    """
    arguments = [name for name in changes.column_names if name not in ("time", "change")]
    together = changes
    if held is not None and held.num_rows:
        names = {"from": "time", COUNT: "change"}
        before = held.rename_columns([names.get(name, name) for name in held.column_names])
        before = before.set_column(1, "change", before["change"].cast(pa.int8()))
        together = pa.concat_tables([before.select(changes.column_names), changes])
    groups = groups_of(together, arguments)
    order = np.argsort(groups, kind="stable")
    groups, times, sign = groups[order], times_of(together)[order], np.asarray(together["change"])[order]
    depth = np.cumsum(sign, dtype=np.int64)
    first = np.flatnonzero(np.diff(groups, prepend=-1))
    depth -= np.repeat(depth[first] - sign[first], np.diff(np.append(first, len(groups))))
    # integers that are equal as doubles share a row, which holds as long as any of them does
    edges = np.flatnonzero(((sign > 0) & (depth == sign)) | ((sign < 0) & (depth == 0)))
    begins = np.flatnonzero(sign[edges] > 0)
    ends = np.zeros(len(begins), bool)
    follows = begins + 1 < len(edges)
    ends[follows] = groups[edges[begins[follows] + 1]] == groups[edges[begins[follows]]]
    sizes = np.diff(np.append(first, len(groups)))
    count = np.repeat(depth[first + sizes - 1], sizes)
    closed, still = edges[begins[ends]], edges[begins[~ends]]
    until = times[edges[begins[ends] + 1]] - 1
    closed, until = closed[until >= times[closed]], until[until >= times[closed]]
    return (
        _with(together.take(pa.array(order[closed])).select(arguments), {"from": times[closed], "until": until}),
        _with(together.take(pa.array(order[still])).select(arguments), {"from": times[still], COUNT: count[still]}),
    )


def every_point(ended: Any, holds: Any, first: int, last: int) -> Any:
    """A row for each atom and time point from `first` to `last`, in order of time: `time` and the arguments."""
    arguments = [name for name in holds.column_names if name not in ("from", COUNT)]
    still = _with(holds.select(arguments), {"from": times_of(holds, "from"), "until": np.full(holds.num_rows, last)})
    both = pa.concat_tables([ended.select(still.column_names), still])
    begin = np.maximum(times_of(both, "from"), first)
    length = np.maximum(np.minimum(times_of(both, "until"), last) - begin + 1, 0)
    rows = np.repeat(np.arange(len(length)), length)
    offset = np.arange(len(rows)) - np.repeat(np.cumsum(length) - length, length)
    times = begin[rows] + offset
    order = np.argsort(times, kind="stable")
    return _with(both.take(pa.array(rows[order])).select(arguments), {"time": times[order]})


def netted(earlier: Any, changes: Any) -> Any:
    """Changes after earlier ones, where those of one time point and atom add up to one.

    >>> earlier = pa.table({"time": [5, 5], "change": pa.array([1, -1], pa.int8()), "arg1": ["a", "b"]})
    >>> changes = pa.table({"time": [5, 6], "change": pa.array([-1, 1], pa.int8()), "arg1": ["a", "a"]})
    >>> netted(earlier, changes).to_pylist()
    [{'time': 5, 'change': -1, 'arg1': 'b'}, {'time': 6, 'change': 1, 'arg1': 'a'}]
    """
    together = pa.concat_tables([earlier.select(changes.column_names), changes])
    arguments = [name for name in changes.column_names if name not in ("time", "change")]
    groups = groups_of(together, ["time", *arguments])
    sums = np.zeros(int(groups.max(initial=-1)) + 1, np.int64)
    np.add.at(sums, groups, np.asarray(together["change"], np.int64))
    _, first = np.unique(groups, return_index=True)
    chosen = np.repeat(np.sort(first), np.abs(sums[groups[np.sort(first)]]))
    found = together.take(pa.array(chosen))
    signs = pa.array(np.sign(sums[groups[chosen]]).astype(np.int8))
    found = found.set_column(found.column_names.index("change"), "change", signs)
    return found.take(pa.array(np.argsort(times_of(found), kind="stable")))


def _with(table: Any, columns: dict[str, Numbers]) -> Any:
    arrays = {name: pa.array(values, pa.int64()) for name, values in columns.items()}
    return pa.table({**arrays, **dict(zip(table.column_names, table.columns, strict=True))})
