"""What derived streams remember, as rows for snapshots and for Spark's state, and back after checking them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from lasing.errors import LasingError, fault
from lasing.logic.program import Program
from lasing.logic.runs import Run, reach_of_streams
from lasing.logic.values import Undefined, Value, value_from_text, value_text
from lasing.timeline.limits import LIMIT

OPEN = -1
"""The length of a run that has not ended."""
COLUMNS = {"from": pa.int64(), "length": pa.int64(), "predicate": pa.string(), "args": pa.list_(pa.string())}


def still_reached(program: Program, runs: Iterable[Run], now: int) -> Iterator[Run]:
    """The runs that windows may see after `now`, each as it was known before now or since."""
    reach = reach_of_streams(program)
    for run in runs:
        back = reach.get(run.predicate, 0)
        if run.end is None or back is None or run.end >= now - back:
            yield run


def rows_of(runs: Iterable[Run]) -> list[list[Any]]:
    """A row (begin, length, predicate, arguments as text) for each run."""
    return [
        [run.begin, OPEN if run.end is None else run.end - run.begin, run.predicate, list(map(value_text, run.args))]
        for run in runs
    ]


def table_of(runs: Iterable[Run]) -> Any:
    """Runs as an Arrow table."""
    rows = rows_of(runs)
    columns = [[row[i] for row in rows] for i in range(len(COLUMNS))]
    return pa.table([pa.array(c, t) for c, t in zip(columns, COLUMNS.values(), strict=True)], names=list(COLUMNS))


def runs_from(rows: object, arity: Mapping[str, int], start: int | None, time: int | None) -> list[Run]:
    """The runs of rows, of the predicates with that arity; E512 if one of them cannot be."""
    if not isinstance(rows, list):
        raise _damaged("no list")
    if rows and (start is None or time is None):
        raise _damaged("a run before the timeline begins")
    found = []
    for row in rows:
        match row:
            case [int(begin), int(length), str(predicate), list(args)] if -LIMIT < begin < LIMIT:
                if predicate not in arity:
                    continue
                if len(args) != arity[predicate] or length < OPEN:
                    raise _damaged(f"a run of {predicate[:40]!r} that does not fit the program")
                assert start is not None
                assert time is not None
                if begin < start or begin + max(length, 0) > time:
                    raise _damaged(f"a run of {predicate} outside its time")
                end = None if length == OPEN else begin + length
                found.append(Run(predicate, tuple(map(_value, args)), begin, end))
            case _:
                raise _damaged(f"{str(row)[:60]} instead of a run")
    return found


def runs_from_table(table: Any, arity: Mapping[str, int], start: int | None, time: int | None) -> list[Run]:
    """The runs of an Arrow table."""
    if any(name not in table.column_names for name in COLUMNS):
        raise _damaged(f"no columns {', '.join(COLUMNS)}")
    rows = zip(*(table[name].to_pylist() for name in COLUMNS), strict=True)
    return runs_from([list(row) for row in rows], arity, start, time)


def _value(text: object) -> Value:
    try:
        value: Value = value_from_text(text) if isinstance(text, str) else ""
    except (Undefined, ValueError):
        value = ""
    if value_text(value) != text:
        raise _damaged(f"{str(text)[:40]!r} instead of a value")
    return value


def _damaged(why: str) -> LasingError:
    return fault(
        "E512",
        f"what derived streams remembered is damaged: it has {why}",
        note="take an older snapshot, or start a new engine",
    )
