"""Events that are not as declared, by each way in: left out or rejected, counted, and never part of a match."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasing
from lasing.connectors.sources import Streams

PATTERN = """
event Temp(room: string, value: float);
event Smoke(room: string);
define Fire(room: string, temp: float)
from Smoke() and each Temp(room = Smoke.room, value > 45) within 10 from Smoke
with room = Smoke.room, temp = Temp.value;
"""
SMOKE = (9, "smoke", "hall")


def warned(stream: Any) -> tuple[set[str], list[str]]:
    """All atoms of a run, and the messages of its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        run = lasing.run(lasing.parse(PATTERN, language="tesla"), stream)
        atoms = {f"{atom} at {answer.time}" for answer in run for atom in answer.atoms}
    return atoms, [diagnostic.message for diagnostic in run.diagnostics()]


def as_rows(rows: list[tuple[Any, ...]], _path: Path) -> Any:
    return rows


def as_text(rows: list[tuple[Any, ...]], _path: Path) -> Any:
    return "".join(f"{name}({','.join(map(str, args))}) at {time}.\n" for time, name, *args in rows)


def as_facts(rows: list[tuple[Any, ...]], path: Path) -> Any:
    file = path / "day.facts"
    file.write_text(as_text(rows, path), encoding="utf-8")
    return file


def as_csv(rows: list[tuple[Any, ...]], path: Path) -> Any:
    lines = ["time,predicate,arg1,arg2,arg3"]
    lines += [",".join(map(str, [*row, *[""] * (5 - len(row))])) for row in rows]
    file = path / "day.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def as_json(rows: list[tuple[Any, ...]], path: Path) -> Any:
    records = [{"time": time, "predicate": name, "args": args} for time, name, *args in rows]
    file = path / "day.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return file


WAYS = (as_rows, as_text, as_facts, as_csv, as_json)


@pytest.mark.parametrize("way", WAYS)
def test_a_value_of_the_wrong_type_is_rejected(
    way: Callable[[list[tuple[Any, ...]], Path], Any], tmp_path: Path
) -> None:
    rows = [(1, "temp", "hall", 50), (2, "temp", "hall", "hot"), (3, "temp", "hall", "hot"), (4, "temp", 7, 50), SMOKE]
    atoms, messages = warned(way(rows, tmp_path))
    assert atoms == {
        "fire(hall,50) at 9",
        "rejected_temp(hall,hot) at 2",
        "rejected_temp(hall,hot) at 3",
        "rejected_temp(7,50) at 4",
    }
    assert messages == ["3 events of Temp rejected: a value has the wrong type"]


@pytest.mark.parametrize("way", WAYS)
def test_events_with_other_attributes_are_left_out_and_counted(
    way: Callable[[list[tuple[Any, ...]], Path], Any], tmp_path: Path
) -> None:
    rows = [(1, "temp", "hall"), (2, "temp", "hall", 50, 3), (3, "temp", "hall"), (4, "temp", "hall", 60), SMOKE]
    atoms, messages = warned(way(rows, tmp_path))
    assert atoms == {"fire(hall,60) at 9"}
    assert [message.split(";")[0] for message in messages] == [
        "2 facts of temp left out: 1 value instead of 2",
        "1 fact of temp left out: 3 values instead of 2",
    ]
    assert "temp(hall)" in messages[0]


@pytest.mark.parametrize("way", WAYS)
def test_events_that_are_not_declared_are_counted(
    way: Callable[[list[tuple[Any, ...]], Path], Any], tmp_path: Path
) -> None:
    atoms, messages = warned(way([(1, "tmp", "hall", 50), (2, "tmp", "hall", 60), SMOKE], tmp_path))
    assert atoms == set()
    assert messages == ["2 facts of tmp, which the program does not use"]


def test_columns_of_a_table_are_attributes_of_the_same_name_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "temp.csv").write_text("value,note,time,room\n50,a,1,hall\n,b,2,hall\n60,c,3,\n", encoding="utf-8")
    (tmp_path / "temp.jsonl").write_text(
        '{"value": 50, "room": "hall", "time": 1}\n{"room": "hall", "time": 2}\n'
        '{"value": null, "room": "hall", "time": 2}\n',
        encoding="utf-8",
    )
    frame = pa.table({"value": [50, None], "time": [1, 2], "room": ["hall", "hall"], "note": ["a", "b"]})
    pq.write_table(frame, tmp_path / "temp.parquet")
    smoke = lasing.Table(pa.table({"time": [9], "room": ["hall"]}), "smoke")
    for temp in (tmp_path / "temp.csv", tmp_path / "temp.jsonl", tmp_path / "temp.parquet", frame):
        given = Streams((temp, smoke)) if isinstance(temp, Path) else {"temp": frame, "smoke": smoke}
        atoms, messages = warned(given)
        assert atoms == {"fire(hall,50) at 9"}, temp
        assert messages, "rows without a value are counted"
        assert all("left out: no value in the column" in message for message in messages)


def test_a_table_without_an_attribute_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "temp.csv").write_text("time,room,val\n1,hall,50\n", encoding="utf-8")
    with pytest.raises(lasing.LasingError) as found:
        warned(tmp_path / "temp.csv")
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.code == "E505"
    assert "has no column value" in diagnostic.message
    assert "did you mean val?" in diagnostic.note


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_pushes(engine: lasing.EngineName) -> None:
    live = lasing.Engine(lasing.parse(PATTERN, language="tesla"), 0, engine)
    assert live.push(1, [("temp", "hall", 50)]).added == frozenset()
    with pytest.warns(lasing.LasingWarning, match="1 fact of temp left out: 1 value instead of 2"):
        live.push(2, [("temp", "hall"), ("temp", "hall", 70)])
    live.push(3, [("temp", "hall")])
    assert {str(atom) for atom in live.push(4, [("temp", "hall", "hot")]).added} == {"rejected_temp(hall,hot)"}
    with pytest.warns(lasing.LasingWarning, match="the program does not use tmp"):
        live.push(5, [("tmp", "hall", 50)])
    assert {str(atom) for atom in live.push(9, [("smoke", "hall")]).added} == {"fire(hall,50)", "fire(hall,70)"}
    messages = [diagnostic.message for diagnostic in live.diagnostics()]
    assert messages == ["2 facts of temp left out: 1 value instead of 2; for example temp(hall)"]


def test_pushed_tables_have_the_columns_of_the_attributes() -> None:
    live = lasing.Engine(lasing.parse(PATTERN, language="tesla"), 0)
    live.push(1, {"temp": pa.table({"value": [50], "room": ["hall"], "note": ["a"]})})
    live.push_batch({"temp": pa.table({"value": [60], "room": ["hall"], "time": [2]})})
    assert {str(atom) for atom in live.push(9, [("smoke", "hall")]).added} == {"fire(hall,50)", "fire(hall,60)"}
    with pytest.raises(lasing.LasingError, match="the table of temp has no column value"):
        live.push(10, {"temp": pa.table({"val": [50], "room": ["hall"]})})


def test_truth_values_are_the_names_true_and_false() -> None:
    program = lasing.parse(
        "event Door(open: bool); define Open() from Door(open = true); define Shut() from Door(open != true);",
        language="tesla",
    )
    rows = [(1, "door", True), (2, "door", False), (3, "door", "true"), (4, "door", "ajar"), (5, "door", 1)]
    with pytest.warns(lasing.LasingWarning, match="2 events of Door rejected"):
        found = {answer.time: {str(atom) for atom in answer.atoms} for answer in lasing.run(program, rows)}
    assert found == {1: {"open"}, 2: {"shut"}, 3: {"open"}, 4: {"rejected_door(ajar)"}, 5: {"rejected_door(1)"}}


LAYERS = """
event A(x: int);
define B(x: int) from A() with x = A.x;
define C(x: int) from A() and each B() within 5 from A with x = B.x consuming B;
"""
FAKED = [(1, "a", 1), (2, "b", 7), (2, "b", 7, 8), (2, "c_match", 1, 2, 3), (3, "a", 3)]


@pytest.mark.parametrize("way", WAYS)
def test_only_declared_events_come_from_the_stream(
    way: Callable[[list[tuple[Any, ...]], Path], Any], tmp_path: Path
) -> None:
    """B is defined and not declared: a fact of it is no event, just as facts of predicates that rules need."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        run = lasing.run(lasing.parse(LAYERS, language="tesla"), way(FAKED, tmp_path))
        found = {f"{atom} at {answer.time}" for answer in run for atom in answer.atoms}
    assert found == {"b(1) at 1", "b(3) at 3", "c(1) at 3"}
    assert [diagnostic.message for diagnostic in run.diagnostics()] == [
        "2 facts of b, which the program does not use",
        "1 fact of c_match, which the program does not use",
    ]


def test_only_declared_events_can_be_pushed() -> None:
    live = lasing.Engine(lasing.parse(LAYERS, language="tesla"), 0)
    live.push(1, [("a", 1)])
    with pytest.warns(lasing.LasingWarning, match="the program does not use b"):
        live.push(2, [("b", 7)])
    with pytest.warns(lasing.LasingWarning, match="the program does not use c_match"):
        live.push(2, {"c_match": pa.table({"x": [1]})})
    assert {str(atom) for atom in live.push(3, [("a", 3)]).added} == {"b(3)", "c(1)"}


def test_a_defined_event_that_is_declared_too_comes_from_both() -> None:
    program = lasing.parse("event B(x: int);" + LAYERS, language="tesla")
    rows = [(1, "a", 1), (2, "b", 7), (3, "a", 3)]
    found = {str(atom) for answer in lasing.run(program, rows) for atom in answer.atoms}
    assert found == {"b(1)", "b(7)", "b(3)", "c(1)", "c(7)"}


@pytest.mark.parametrize(("language", "text"), [("tesla", PATTERN), ("dotr", "")])
def test_patterns_have_no_constants_to_set(language: str, text: str) -> None:
    with pytest.raises(lasing.LasingError) as found:
        lasing.parse(text, {"limit": 5}, language=language)
    assert [diagnostic.code for diagnostic in found.value.diagnostics] == ["E114"]
