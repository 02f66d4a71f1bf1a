"""Snapshots: convert the raw window of an engine to an Arrow table, and back after checking everything in it.

The table has the columns time, predicate and args, with values as written in a stream file. Its metadata has the start
of the timeline, the time point up to which everything is evaluated (both null before the first fact), the facts that
the raw window keeps, what derived streams remember, and a checksum over all of it. Snapshots of version 0.1.0 have no
checksum; they can be read too, and everything else in them is checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lasing.connectors.arrow import table_of
from lasing.errors import LasingError, fault
from lasing.live.remembered import rows_of, runs_from
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.runs import Run
from lasing.logic.values import Undefined, Value, is_name, value_from_text, value_text
from lasing.raw_window import Coverage
from lasing.timeline.limits import LIMIT

KEY = b"lasing"
VERSION = 1
_COLUMNS = {"time": pa.int64(), "predicate": pa.string(), "args": pa.list_(pa.string())}
_FIRST_FORM = {"start", "time"}
_FORM = {"version", "start", "time", "checksum"}
_OPTIONAL = {"keeps", "remembered", "waiting"}
_UNNAMED = "unnamed"


@dataclass(frozen=True, slots=True)
class WaitingState:
    """The facts that wait until they can be in order, with their sources; the last time point that is over, and the
    last one that each source has closed."""

    over: int | None
    closed: Mapping[str, int | None]
    facts: list[tuple[str, Fact]]


@dataclass(frozen=True, slots=True)
class EngineState:
    """The state of an engine: its start and time (None before the first fact), the facts of its raw window, what its
    derived streams remember, and what waits, if the engine has a delay."""

    start: int | None
    time: int | None
    window: list[Fact]
    remembered: list[Run] = field(default_factory=list)
    waiting: WaitingState | None = None


def to_table(
    start: int | None,
    time: int | None,
    window: Iterable[Fact],
    keeps: Coverage,
    remembered: Iterable[Run] = (),
    waiting: WaitingState | None = None,
) -> Any:
    """The snapshot of a state; `keeps` says which facts the raw window keeps."""
    facts = list(window)
    texts = [list(map(value_text, atom.values)) for _, atom in facts]
    columns = [[time for time, _ in facts], [atom.predicate for _, atom in facts], texts]
    table = pa.table([pa.array(c, t) for c, t in zip(columns, _COLUMNS.values(), strict=True)], names=list(_COLUMNS))
    state: dict[str, object] = {"version": VERSION, "start": start, "time": time, "keeps": _keeps_text(keeps)}
    if keeps.streams:
        state["remembered"] = rows_of(remembered)
    if waiting is not None:
        state["waiting"] = _waiting_text(waiting)
    state["checksum"] = checksum(table, state)
    return table.replace_schema_metadata({KEY: json.dumps(state)})


def from_table(snapshot: Any, arity: Mapping[str, int], needs: Coverage) -> EngineState:
    """The state of a snapshot; E512 if it is not a snapshot, is damaged, or lacks facts that the program needs.

    `arity` has the number of arguments of each predicate in the program.
    """
    table = sound(snapshot)
    stored = (table.schema.metadata or {}).get(KEY)
    if stored is None:
        raise no_snapshot("this table is not a snapshot of an engine", "keep the table's metadata with it")
    state = _state(stored)
    columns = _columns(table)
    if "checksum" in state and state["checksum"] != checksum(columns, state):
        raise no_snapshot("the snapshot's checksum is wrong: it is damaged or was edited")
    if "keeps" in state and state["start"] is not None and (lack := _keeps(state["keeps"]).lack(needs)):
        raise no_snapshot(f"the snapshot was made with another program: {lack}", "restore with that program first")
    if needs.streams and "keeps" not in state:
        raise no_snapshot("the snapshot is from before there were derived streams", "start a new engine")
    start, time = state["start"], state["time"]
    known = {predicate: arity[predicate] for predicate in needs.streams}
    remembered = runs_from(state.get("remembered", []), known, start, time)
    waiting = _waiting(state["waiting"], arity) if "waiting" in state else None
    return EngineState(start, time, _window(columns, start, time, arity), remembered, waiting)


def checksum(table: Any, beside: Mapping[str, object]) -> str:
    """A checksum over the columns of a table of integers, strings and lists of these, without nulls, and over its
    metadata `beside`. It does not depend on chunks, slices or the width of offsets."""
    covered = {key: value for key, value in beside.items() if key != "checksum"}
    digest = blake2b(json.dumps(covered, sort_keys=True).encode(), digest_size=16)
    for name in table.column_names:
        digest.update(name.encode())
        column = table[name]
        _update(digest, column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)
    return digest.hexdigest()


def sound(table: Any) -> Any:
    """The table, after checking that it is safe to read: its buffers match its schema. Raises E512 otherwise."""
    try:
        if isinstance(table, pa.Table | pa.RecordBatch):
            table.validate(full=True)
            return pa.table(table) if isinstance(table, pa.RecordBatch) else table
        found = table_of(table, "the snapshot")
        found.validate(full=True)
    except (pa.ArrowException, ValueError, AttributeError) as error:
        raise no_snapshot(f"the snapshot is damaged: {str(error).splitlines()[0][:200]}") from None
    return found


def no_snapshot(message: str, note: str = "take an older snapshot, or start a new engine") -> LasingError:
    """The error for a table from which no engine can continue."""
    return fault("E512", message, note=note)


def _update(digest: Any, array: Any) -> None:
    if pa.types.is_list(array.type):
        digest.update(np.asarray(pc.list_value_length(array), np.int64).tobytes())
        _update(digest, array.flatten())
    elif pa.types.is_string(array.type):
        digest.update(np.asarray(pc.binary_length(array), np.int64).tobytes())
        _, offsets, data = array.buffers()
        if len(array):
            ends = np.frombuffer(offsets, np.int32)[array.offset : array.offset + len(array) + 1]
            digest.update(memoryview(data)[ends[0] : ends[-1]] if data is not None else b"")
    else:
        digest.update(array.to_numpy(zero_copy_only=False).tobytes())


def _state(stored: bytes) -> dict[str, Any]:
    try:
        state = json.loads(stored)
    except (ValueError, RecursionError):
        state = None
    if not isinstance(state, dict) or set(state) - _OPTIONAL not in (_FORM, _FIRST_FORM):
        raise no_snapshot("the snapshot's metadata is damaged")
    if state.get("version", VERSION) != VERSION:
        raise no_snapshot(f"the snapshot is of version {str(state['version'])[:20]}, which this lasing cannot read")
    start, time = state["start"], state["time"]
    if (start, time) == (None, None):
        return state
    are_times = type(start) is int and type(time) is int and -LIMIT < start < LIMIT and start - 1 <= time < LIMIT
    if not are_times:
        raise no_snapshot("the snapshot's metadata has invalid times")
    return state


def _keeps_text(keeps: Coverage) -> dict[str, object]:
    predicates = None if keeps.predicates is None else sorted(keeps.predicates)
    found: dict[str, object] = {
        "points": keeps.points,
        "facts": keeps.facts,
        "by_key": dict(keeps.by_key),
        "predicates": predicates,
    }
    return found | {"streams": dict(keeps.streams)} if keeps.streams else found


def _keeps(stored: object) -> Coverage:
    match stored:
        case {
            "points": int() | None as points,
            "facts": int() as facts,
            "by_key": dict() as by_key,
            "predicates": named,
        }:
            numbers = all(isinstance(key, str) and isinstance(number, int) for key, number in by_key.items())
            names = named is None or (isinstance(named, list) and all(isinstance(name, str) for name in named))
            streams = stored.get("streams", {}) if isinstance(stored, dict) else {}
            reaches = isinstance(streams, dict) and all(r is None or isinstance(r, int) for r in streams.values())
            if numbers and names and reaches:
                return Coverage(points, facts, by_key, None if named is None else frozenset(named), streams)
    raise no_snapshot("the snapshot's metadata is damaged")


def _columns(table: Any) -> Any:
    """The columns of a snapshot in their own types; a snapshot read from a file may have other types."""
    if any(table.column_names.count(name) != 1 for name in _COLUMNS):
        raise no_snapshot(f"a snapshot has the columns {', '.join(_COLUMNS)}")
    try:
        columns = {name: table[name].cast(kind).combine_chunks() for name, kind in _COLUMNS.items()}
        found = pa.table(columns)
        found.validate(full=True)
    except pa.ArrowException as error:
        raise no_snapshot(f"the snapshot's columns have changed: {str(error)[:200]}") from None
    texts = found["args"].combine_chunks().flatten()
    if any(column.null_count for column in (*found.columns, texts)):
        raise no_snapshot("the snapshot has missing values")
    return found


def _window(table: Any, start: int | None, time: int | None, arity: Mapping[str, int]) -> list[Fact]:
    """The facts, in order; each must be a possible fact of the program."""
    times = table["time"].to_pylist()
    if times and (start is None or time is None or times[0] < start or times[-1] > time or times != sorted(times)):
        raise no_snapshot("the snapshot's facts are out of order, or outside its time")
    values = {text: _value(text) for text in pc.unique(table["args"].combine_chunks().flatten()).to_pylist()}
    unnamed = next(name for name in (f"{_UNNAMED}{i}" for i in range(len(arity) + 1)) if name not in arity)
    window = []
    for at, predicate, args in zip(times, table["predicate"].to_pylist(), table["args"].to_pylist(), strict=True):
        if arity.get(predicate, len(args)) != len(args):
            raise no_snapshot(
                f"the snapshot has a fact of {predicate} with {len(args)} arguments, but in the program it has "
                f"{arity[predicate]}",
                "restore with the program that the snapshot was made with",
            )
        if predicate and not is_name(predicate):
            raise no_snapshot(f"the snapshot has a fact of {predicate[:40]!r}, which is not a predicate")
        # Version 0.1.0 stored facts that only count without their predicate.
        window.append(Fact(at, Atom(predicate or unnamed, tuple(values[arg] for arg in args))))
    return window


def _waiting_text(waiting: WaitingState) -> dict[str, object]:
    facts = [[s, time, atom.predicate, [*map(value_text, atom.values)]] for s, (time, atom) in waiting.facts]
    return {"over": waiting.over, "closed": dict(waiting.closed), "facts": facts}


def _waiting(stored: object, arity: Mapping[str, int]) -> WaitingState:
    """The facts that wait; each must be a possible fact of the program."""
    match stored:
        case {"over": int() | None as over, "closed": dict() as closed, "facts": list() as rows}:
            facts = []
            for row in rows:
                match row:
                    case [str() as source, int() as time, str() as predicate, list() as args] if (
                        is_name(predicate) and arity.get(predicate, len(args)) == len(args) and abs(time) < LIMIT
                    ):
                        facts.append((source, Fact(time, Atom(predicate, tuple(map(_value, map(str, args)))))))
                    case _:
                        raise no_snapshot("a fact that waits in the snapshot is damaged, or not one of the program")
            if all(point is None or isinstance(point, int) for point in closed.values()):
                return WaitingState(over, closed, facts)
    raise no_snapshot("the snapshot's metadata is damaged")


def _value(text: str) -> Value:
    try:
        value = value_from_text(text)
    except (Undefined, ValueError):
        value = ""
    if value_text(value) != text:
        raise no_snapshot(f"the snapshot has {text[:40]!r} instead of a value")
    return value
