"""Tables of a query's results: without helper columns, with duplicates, and empty where there is no value."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lasing.connectors.arrow import has_terms
from lasing.logic.program import Output
from lasing.logic.results import shown_columns
from lasing.logic.values import UNBOUND, mixed_text

_UNBOUND = mixed_text(UNBOUND)


def shown_table(table: Any, arguments: Sequence[str], output: Output, terms: Collection[str] = ()) -> Any:
    """What a reader sees of a table that has all columns of an output: `arguments` are their names.

    In a table of changes, a row that has more or fewer copies at a time point is added or removed as often as that.
    Columns in which values are written as terms say so themselves, or are among `terms`.
    """
    width = len(shown_columns(output))
    helpers = list(arguments[width:])
    if helpers:
        times = table[arguments[-1]].cast(pa.int64()).to_numpy() if output.counted else np.ones(len(table), np.int64)
        table = table.drop_columns(helpers)
        if "change" in table.column_names:
            table, times = _net(table, times)
        table = table.take(pa.array(np.repeat(np.arange(len(table)), times)))
    for name in arguments[:width]:
        place = table.column_names.index(name)
        field, column = table.schema.field(place), table.column(place)
        if (has_terms(field) or name in terms) and pa.types.is_string(field.type):
            kept = pc.if_else(pc.equal(column, _UNBOUND), pa.scalar(None, field.type), column)
            table = table.set_column(place, field, kept)
    return table


def _net(table: Any, times: Any) -> tuple[Any, Any]:
    """The rows that differ before and after a time point, and by how many copies."""
    signed = pa.array(table["change"].to_numpy().astype(np.int64) * times)
    keys = [name for name in table.column_names if name not in ("change", "expires_at")]
    folded = [("*signed", "sum", None)]
    if "expires_at" in table.column_names:  # if any of them is provisional, all are
        folded.append(("expires_at", "min", pc.ScalarAggregateOptions(skip_nulls=False)))
    grouped = table.append_column("*signed", signed).group_by(keys, use_threads=False).aggregate(folded)
    grouped = grouped.filter(pc.not_equal(grouped["*signed_sum"], 0))
    number = grouped["*signed_sum"].to_numpy()
    columns = {name: grouped[name] for name in keys}
    columns["change"] = pa.array(np.sign(number).astype(np.int8))
    if "expires_at" in table.column_names:
        until = grouped["expires_at_min"]
        columns["expires_at"] = pc.if_else(pa.array(number > 0), until, pa.scalar(None, until.type))
    return pa.table([columns[name] for name in table.column_names], schema=table.schema), np.abs(number)
