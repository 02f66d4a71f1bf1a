"""Facts on their way to shards: many rows of a DataFrame become a few rows of Arrow bytes, one for each shard.

Rows are divided where they are read, before Spark moves them. So Spark moves a few large values instead of many small
rows, and every task sends each shard the times of its facts, even if none of the facts is for that shard. This way all
shards learn the same time without asking each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lasing.connectors.missing import ERROR, SKIP, Gaps, Missing, as_terms, present
from lasing.connectors.spark_rows import ARRIVAL, BAD, refused
from lasing.errors import LasingError, fault
from lasing.logic.values import UNBOUND
from lasing.spark.arrival import marks
from lasing.spark.bad_rows import Describe
from lasing.spark.hashing import shards_of
from lasing.spark.slices import Slices
from lasing.spark.tables import Numbers, to_bytes
from lasing.spark.terms import canonical, plain, with_marks
from lasing.timeline.reorder import closed_by

PACKED = "place int, input int, number bigint, marks binary, facts binary, missing string, bad binary"
"""The facts from `input` for the shard `place`, as Arrow bytes, null if there are none. `number` counts all facts they
came with, whichever shard those are for, and `marks` has their times. A history has no `marks`, because none of it is
late. `missing` says how many rows were left out because they lack a value, as JSON by column. Only one shard of a
stream gets it, so that each row is counted once. A history counts these rows when it determines its extent. `bad` has
the table of bad rows, for the same shard."""

PACKED_SCHEMA = pa.schema(
    [
        ("place", pa.int32()),
        ("input", pa.int32()),
        ("number", pa.int64()),
        ("marks", pa.binary()),
        ("facts", pa.binary()),
        ("missing", pa.string()),
        ("bad", pa.binary()),
    ]
)
_MOST_ROWS = 1 << 19
"""How many rows are divided at once. More would make fewer and larger pieces, and take more memory."""

NO_INPUT = -1
"""Instead of an input's number: the stream has ended."""
CLOCK = -2
"""Instead of an input's number: the clock shows the instant in `number`, in microseconds from 1970-01-01 UTC."""
REPLACED = -3
"""Instead of an input's number: another program has taken the place of the one that wrote the state."""

_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Packer:
    """Divides the rows of one input: for `DataFrame.mapInArrow`. The first column is the time, the others arguments.

    A further column, beyond those named, has the slice of each row of a history, or for a stream a text that sorts in
    order of arrival.
    """

    predicate: str
    number: int
    columns: tuple[str, ...]
    key: int | None
    unit: int | None
    shards: int
    places: tuple[int, ...]
    """Spark's numbers for the shards of the first slice, then of the second, …"""
    slices: Slices | None = None
    delay: int = 0
    missing: Missing = SKIP
    terms: frozenset[int] = frozenset()
    """The positions, among `columns`, of those with terms."""
    describe: Describe | None = None
    """What to do with bad rows; None stops at them."""
    nulls: frozenset[int] = frozenset()
    """Those of `terms` that come in as plain values, some of which may be missing."""
    texts: frozenset[int] = frozenset()
    """Those of `nulls` in which a decimal is a text with all its digits."""

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        waiting: list[Any] = []
        rows = 0
        for batch in batches:
            waiting.append(batch)
            rows += batch.num_rows
            if rows >= _MOST_ROWS:
                yield self._pack(waiting)
                waiting, rows = [], 0
        if rows:
            yield self._pack(waiting)

    def _pack(self, batches: Sequence[Any]) -> Any:
        gaps = Gaps(self.missing)
        given, bad = self._sound(self._with_nulls(pa.Table.from_batches(batches)))
        given = self._present(given, gaps)
        left_out = json.dumps({column: n for (_, column), n in gaps.left_out.items()}) if gaps.left_out else None
        instants = instants_of(given.column(0))
        points = instants if self.unit is None else instants // self.unit
        arguments = {f"arg{i}": self._argument(given.column(i), i) for i in range(1, len(self.columns))}
        facts = with_marks(pa.table({"time": points, **arguments}), {f"arg{i}" for i in self.terms})
        packed_marks = None
        if self.slices is None:
            arrivals = None
            if given.num_columns > len(self.columns):
                arrivals = given.column(len(self.columns)).combine_chunks().dictionary_encode()
                facts = facts.append_column(ARRIVAL, arrivals)
            if len(points):
                packed_marks = to_bytes(marks(points, closed_by(instants, self.delay, self.unit), arrivals))
        owners = None if self.key is None else shards_of(self._key(facts, 1 + self.key), self.shards)
        packed: dict[str, list[Any]] = {name: [] for name in PACKED_SCHEMA.names}
        for piece, rows in self._pieces(given, points):
            mine, their = (facts, owners) if rows is None else (facts.take(pa.array(rows)), _taken(owners, rows))
            for shard, part in enumerate(_divided(mine, their, self.shards)):
                packed["place"].append(self.places[piece * self.shards + shard])
                packed["input"].append(self.number)
                packed["number"].append(len(instants))
                packed["marks"].append(packed_marks)
                packed["facts"].append(to_bytes(part) if part.num_rows else None)
                packed["missing"].append(None if shard else left_out)
                packed["bad"].append(None if shard or bad is None or piece else to_bytes(bad))
        return pa.record_batch([pa.array(packed[f.name], f.type) for f in PACKED_SCHEMA], schema=PACKED_SCHEMA)

    def _with_nulls(self, table: Any) -> Any:
        """The rows with terms in place of plain values where one may be missing."""
        for i in sorted(self.nulls):
            texts = as_terms(table.column(i), UNBOUND, i in self.texts)
            table = table.set_column(i, table.column_names[i], texts)
        return table

    def _sound(self, table: Any) -> tuple[Any, Any | None]:
        """The rows that are not bad, and a table of the others, if there are any."""
        describe, texts = self.describe or Describe(self.predicate), []
        if BAD in table.column_names:
            said = table.column(BAD)
            if said.null_count < len(said):
                texts += said.drop_null().to_pylist()
                table = table.filter(said.is_null())
            table = table.drop_columns([BAD])
        if not describe.stops:
            table, more = self._without_refused(table)
            texts += more
        marked = with_marks(table, {table.column_names[i] for i in self.terms})
        return marked, describe.table(texts) if texts else None

    def _without_refused(self, table: Any) -> tuple[Any, list[str]]:
        """The rows without those whose terms cannot be read, or that lack a value where that is an error."""
        reasons: dict[int, tuple[str, str, str]] = {}
        for i, name in enumerate(self.columns):
            column = table.column(i)
            if column.null_count and self.missing == ERROR:
                for row in np.flatnonzero(np.asarray(column.is_null())).tolist():
                    reasons.setdefault(row, ("E506", f"there is no value for {name}", name))
            if i in self.terms:
                for row, reason in _unreadable(column, name):
                    reasons.setdefault(row, ("E506", reason, name))
        if not reasons:
            return table, []
        rows = {row: table.slice(row, 1).to_pylist()[0] for row in reasons}
        shown = {row: dict(zip(self.columns, values.values(), strict=False)) for row, values in rows.items()}
        kept = np.setdiff1d(np.arange(table.num_rows), list(reasons))
        return table.take(pa.array(kept)), [refused(shown[row], *reasons[row]) for row in sorted(reasons)]

    def _argument(self, column: Any, position: int) -> Any:
        return canonical(column, self.columns[position]) if position in self.terms else _plain(column)

    def _key(self, facts: Any, position: int) -> Any:
        """The column by whose values facts are divided."""
        column = facts.column(position)
        return plain(column, self.columns[position]) if position in self.terms else column

    def _pieces(self, given: Any, points: Numbers) -> Iterable[tuple[int, Numbers | None]]:
        """The slices that rows belong to; a stream is one slice."""
        if self.slices is None:
            return [(0, None)]
        if given.num_columns > len(self.columns):
            slices = np.asarray(given.column(len(self.columns)))
            return [(int(number), np.flatnonzero(slices == number)) for number in np.unique(slices)]
        return self.slices.pieces(points)

    def _present(self, given: Any, gaps: Gaps) -> Any:
        """The rows that have all values. If a missing value is an error, the error shows the row that lacks it."""
        shown = dict(zip(given.column_names, self.columns, strict=False))
        whole = present(given, list(shown), gaps, self.predicate, given.column_names[0], shown)
        for name, column in zip(self.columns, whole.columns, strict=False):
            if column.null_count:
                row = whole.filter(column.is_null()).slice(0, 1).to_pylist()[0]
                values = ", ".join(f"{n}={v!r}" for n, v in zip(self.columns, row.values(), strict=False))
                message = f"a row for {self.predicate} has no value for {name}: {values}"
                raise fault("E506", message, note="leave such rows out, or fill the value in")
        return whole


def _unreadable(column: Any, name: str) -> Iterator[tuple[int, str]]:
    """The rows of a column of terms that cannot be read, with the reasons."""
    try:
        canonical(column, name)
        return
    except LasingError:
        pass
    for row, text in enumerate(column.to_pylist()):
        try:
            canonical(pa.array([text], pa.string()), name)
        except LasingError as error:
            yield row, error.diagnostics[0].message


def instants_of(column: Any) -> Numbers:
    """The instants of a column of times: timestamps and dates in microseconds, whole numbers as they are."""
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_timestamp(chunk.type):
        return np.asarray(chunk.cast(pa.timestamp("us", chunk.type.tz)).cast(pa.int64()))
    if pa.types.is_date(chunk.type):
        return np.asarray(chunk.cast(pa.int32()).cast(pa.int64())) * _DAY
    return np.asarray(chunk.cast(pa.int64()))


def _plain(column: Any) -> Any:
    """Timestamps in UTC, so that they do not depend on where they are read; other columns unchanged."""
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us", column.type.tz)).cast(pa.timestamp("us", "UTC"))
    if pa.types.is_floating(column.type):
        return pc.add(column, 0.0)
    return column


def _taken(owners: Numbers | None, rows: Numbers) -> Numbers | None:
    return None if owners is None else owners[rows]


def _divided(facts: Any, owners: Numbers | None, shards: int) -> Iterator[Any]:
    """The part of each shard; without owners, every shard gets all facts."""
    if owners is None or shards == 1:
        yield from [facts] * shards
        return
    order = np.argsort(owners, kind="stable")
    sorted_facts = facts.take(pa.array(order))
    cuts = np.searchsorted(owners[order], np.arange(shards + 1))
    for first, last in pairwise(cuts.tolist()):
        yield sorted_facts.slice(first, last - first)
