"""A snapshot is checked in full before an engine goes on from it: damage of any kind ends in E512."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lasing
from lasing import Atom, Engine, LasingError
from lasing.live import snapshots
from lasing.live.snapshots import KEY, checksum
from lasing.logic.values import value_from_text, value_text

PROGRAM = "hot(S) :- temp(S,V) in [5], V > 30.  n :- temp(_,_) in [#3].  k(S,V) :- temp(S,V) in [#1 by S]."
FLIPS = 2000
EDITS = 1500


@pytest.fixture(scope="module")
def engine() -> Engine:
    made = Engine(PROGRAM)
    for time in range(8):
        made.push(time, [("temp", f"s{time % 3}", time * 7.5), ("door", "Ä b", time)])
    return made


def restored(table: Any) -> Engine | None:
    """The engine restored from a snapshot, or None if it is refused; any other error fails the test."""
    try:
        return Engine.restore(PROGRAM, table)
    except LasingError as error:
        if [d.code for d in error.diagnostics] == ["E512"]:
            return None
        raise


def with_state(table: Any, state: object) -> Any:
    return table.replace_schema_metadata({KEY: state if isinstance(state, bytes) else json.dumps(state)})


def state_of(table: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(table.schema.metadata[KEY])
    return found


def signed(table: Any, state: Any) -> Any:
    """The table with a matching checksum, if one can be computed for it."""
    with suppress(LasingError, AttributeError, TypeError):
        state = {**state, "checksum": checksum(snapshots._columns(table), state)}
    return with_state(table, state)


@pytest.mark.parametrize("seed", range(0, FLIPS, 200))
@pytest.mark.parametrize("keeps_checksum", [True, False])
def test_flipped_bytes(engine: Engine, seed: int, keeps_checksum: bool) -> None:
    table = engine.snapshot()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written = sink.getvalue().to_pybytes()
    expected, refused = engine.answer(), 0
    for number in range(seed, seed + 200):
        chance, flipped = random.Random(number), bytearray(written)
        for _ in range(chance.choice([1, 1, 2, 8])):
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        try:
            read = pa.ipc.open_stream(pa.py_buffer(bytes(flipped))).read_all()
        except (pa.ArrowException, OSError, KeyError):
            continue  # Arrow itself sees that these are no table
        if not keeps_checksum:
            with suppress(KeyError, TypeError, ValueError):
                read = with_state(read, {key: state_of(read)[key] for key in ("start", "time")})
        found = restored(read)
        refused += found is None
        if found is not None and keeps_checksum:
            assert found.answer() == expected
    assert refused


def test_flipped_buffers_of_a_table_in_memory(engine: Engine) -> None:
    table, made = engine.snapshot().combine_chunks(), 0
    for seed in range(1000):
        chance = random.Random(seed)
        try:
            columns = [_flipped(table[name].chunk(0), chance) for name in table.column_names]
        except pa.ArrowInvalid:
            continue  # Arrow itself sees that these are no arrays
        made += 1
        damaged = pa.table(columns, names=table.column_names).replace_schema_metadata(table.schema.metadata)
        found = restored(damaged)
        assert found is None or found.answer() == engine.answer()
    assert made > 100


def _flipped(array: Any, chance: random.Random) -> Any:
    """An array with some bits flipped."""
    if pa.types.is_list(array.type):
        own, children = array.buffers()[:2], [_flipped(array.values, chance)]
    else:
        own, children = array.buffers(), None
    written = [None if buffer is None else bytearray(buffer.to_pybytes()) for buffer in own]
    for buffer in filter(None, written):
        if chance.random() < 0.3:
            buffer[chance.randrange(len(buffer))] ^= 1 << chance.randrange(8)
    buffers = [None if buffer is None else pa.py_buffer(bytes(buffer)) for buffer in written]
    return pa.Array.from_buffers(array.type, len(array), buffers, children=children)


def edited(table: Any, chance: random.Random) -> Any:
    """The table after one edit that a person, or a faulty program, might make."""
    rows = table.to_pylist()
    row = chance.choice(rows)
    match chance.randrange(14):
        case 0:
            row["time"] = chance.choice([-1, 99, 2**59, 2**62, -(2**63), None])
        case 1:
            row["predicate"] = chance.choice(["Temp", "", "hot", "n", "other", "not", "a\nb", None, "temp "])
        case 2:
            row["args"] = chance.choice([[], ["s1"], ["s1", "1", "2"], None, [None, "1"], ["", ""]])
        case 3:
            texts = [
                "",
                '"',
                '"a',
                "a b",
                "1.0",
                "1e999",
                "9" * 5000,
                "0x1",
                "X",
                "-",
                '"\\q"',
                "--1",
                "1e5",
                "nan",
                "ſ",
            ]
            row["args"] = [chance.choice(texts), chance.choice(["1", *texts])]
        case 4:
            rows.reverse()
        case 5:
            rows += rows
        case 6:
            rows.clear()
        case 7:
            return table.drop_columns([chance.choice(table.column_names)])
        case 8:
            name = chance.choice(table.column_names)
            return table.append_column(name, table[name])
        case 9:
            return table.rename_columns(["time", "args", "predicate"])
        case 10:
            return table.set_column(
                0, "time", table["time"].cast(chance.choice([pa.float64(), pa.string(), pa.uint64()]))
            )
        case 11:
            return table.set_column(1, "predicate", table["predicate"].cast(pa.dictionary(pa.int8(), pa.string())))
        case 12:
            return table.set_column(2, "args", pa.array([[i] for i in range(table.num_rows)]))
        case 13:
            rows = rows[chance.randrange(len(rows)) :]
    return pa.Table.from_pylist(rows, table.schema)


def edited_state(state: dict[str, Any], chance: random.Random) -> object:
    odd: list[object] = [None, "3", 3.0, True, [], {}, -1, 0, 2**59, 2**64, -(2**59), 10**30]
    match chance.randrange(6):
        case 0:
            return {**state, chance.choice(["start", "time"]): chance.choice(odd)}
        case 1:
            return {**state, "version": chance.choice([0, 2, "1", None, []])}
        case 2:
            return {key: value for key, value in state.items() if key != chance.choice(list(state))}
        case 3:
            return chance.choice([[], 1, None, "x", b"{", b"\xff", b"[" * 100_000, {**state, "more": 1}])
        case 4:
            return {**state, "checksum": chance.choice(["", None, 7, "0" * 32])}
    return state


@pytest.mark.parametrize("seed", range(0, EDITS, 100))
@pytest.mark.parametrize("fitting", [True, False])
def test_edited_tables(engine: Engine, seed: int, fitting: bool) -> None:
    """With a matching checksum, an edited table is a possible snapshot, or E512."""
    table, refused = engine.snapshot(), 0
    for number in range(seed, seed + 100):
        chance = random.Random(number)
        state: object = state_of(table)
        changed = edited(table, chance) if chance.random() < 0.8 else table
        if chance.random() < 0.4:
            state = edited_state(state_of(table), chance)
        found = restored(signed(changed, state) if fitting else with_state(changed, state))
        refused += found is None
        if found is not None:
            found.push(max(found.start or 0, found.time or 0), [("temp", "s1", 99)])
            assert Atom("hot", ("s1",)) in found.answer().atoms
    assert refused


@pytest.mark.parametrize("name", ["local", "reference", "clingo"])
def test_a_snapshot_of_any_engine_restores_in_any(engine: Engine, name: Any) -> None:
    again = Engine.restore(PROGRAM, engine.snapshot(), name)
    assert again.answer().atoms == engine.answer().atoms
    assert Engine.restore(PROGRAM, again.snapshot()).answer().atoms == engine.answer().atoms


def test_snapshots_without_a_checksum_are_read(engine: Engine) -> None:
    """Version 0.1.0 wrote them, and kept facts of unnamed predicates without their predicates."""
    table = engine.snapshot()
    state = state_of(table)
    rows = table.to_pylist()
    for row in rows:
        if row["predicate"] == "door":
            row.update(predicate="", args=[value_text(repr(row))])
    old = with_state(pa.Table.from_pylist(rows, table.schema), {"start": state["start"], "time": state["time"]})
    assert Engine.restore(PROGRAM, old).answer() == engine.answer()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_without_metadata_is_not_a_snapshot(engine: Engine, make: Any) -> None:
    assert restored(make(engine.snapshot().to_pydict())) is None


def test_a_snapshot_survives_files_and_other_types(engine: Engine, tmp_path: Any) -> None:
    table = engine.snapshot()
    pq.write_table(table, tmp_path / "state.parquet", row_group_size=3)
    wide = table.cast(
        pa.schema([("time", pa.int64()), ("predicate", pa.large_string()), ("args", pa.large_list(pa.large_string()))])
    ).replace_schema_metadata(table.schema.metadata)
    for again in (
        pq.read_table(tmp_path / "state.parquet"),
        wide,
        pa.concat_tables([table.slice(0, 2), table.slice(2)]),
    ):
        assert Engine.restore(PROGRAM, again).answer() == engine.answer()


def test_a_snapshot_of_another_program_is_refused(engine: Engine) -> None:
    with pytest.raises(LasingError, match=r"E512.*temp with 2 arguments"):
        Engine.restore("q(X) :- temp(X) in [5].", engine.snapshot())


@given(st.one_of(st.text(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)))
def test_every_value_reads_back(value: Any) -> None:
    if isinstance(value, float) and value.is_integer() and -(2**63) <= value < 2**63:
        value = int(value)
    assert value_from_text(value_text(value)) == value
    assert snapshots._value(value_text(value)) == value


def test_a_checksum_does_not_depend_on_how_a_table_lies_in_memory() -> None:
    table = pa.table({"n": [1, 2, 3], "s": ["a", "", "ccc"], "l": [["x"], [], ["y", "z"]]})
    parts = pa.concat_tables([table.slice(0, 1), table.slice(1, 2)])
    assert checksum(table, {"a": 1}) == checksum(parts, {"a": 1}) != checksum(table, {"a": 2})
    for i in range(3):
        rows = [np.array(r) for r in ([0, 1, 2], [0, 2, 1], [1, 0, 2])]
        assert (checksum(table.take(rows[i]), {}) == checksum(table, {})) == (i == 0)


SHORT = "q(X) :- temp(X, _) in [1]."


@pytest.mark.parametrize(
    ("program", "lack"),
    [
        (
            "q(X) :- temp(X, _) in [9].",
            "keeps the facts of the last 1 time point, but the program looks back 9 time points",
        ),
        ("q(X) :- temp(X, _) in [*].", "looks back all time points"),
        ("q(X) :- temp(X, _) in [#3].", "counts 3"),
        ("q(X) :- temp(X, _) in [#2 by X].", "does not keep the last 2 facts of temp"),
        ("q(X) :- door(X) in [1].", "no facts of door"),
    ],
)
def test_a_program_that_needs_more_facts_than_a_snapshot_has_is_refused(program: str, lack: str) -> None:
    engine = lasing.Engine(SHORT)
    for time in range(10):
        engine.push(time, [("temp", f"s{min(time, 3)}", 1)])
    with pytest.raises(lasing.LasingError, match="E512") as raised:
        lasing.Engine.restore(program, engine.snapshot())
    assert lack in str(raised.value)


@pytest.mark.parametrize("program", [SHORT, "q(X) :- temp(X, _).", "q(X) :- temp(X, V) in [1], V > 0.  r :- q(_)."])
def test_another_program_goes_on_from_a_snapshot_that_has_its_facts(program: str) -> None:
    engines = [lasing.Engine(SHORT), lasing.Engine(program)]
    for engine in engines:
        for time in range(10):
            engine.push(time, [("temp", f"s{time % 3}", 1)])
    restored = lasing.Engine.restore(program, engines[0].snapshot())
    assert restored.answer() == engines[1].answer()
    assert restored.push(10, [("temp", "new", 2)]).added == engines[1].push(10, [("temp", "new", 2)]).added


def test_any_program_goes_on_from_a_snapshot_before_the_first_fact() -> None:
    assert lasing.Engine.restore("q :- p in [*].", lasing.Engine(SHORT).snapshot()).start is None
