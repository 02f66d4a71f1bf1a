"""Every way out writes values of all kinds so that they read back the same, or says that it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import lasing
from lasing.cli import app
from lasing.connectors.arrow import column_of, has_terms, table_with, values_of_terms
from lasing.connectors.batches import column_of as batch_column
from lasing.connectors.csv import cell_value
from lasing.connectors.missing import Gaps
from lasing.connectors.rows import value_of
from lasing.connectors.sinks import csv_cell
from lasing.logic.values import Iri, Value, looks_like_term, value_text
from lasing.spark.hashing import shard_of, shards_of
from tests.values import ALIKE, ONE_OF_EACH, any_value

VALUES = (*ONE_OF_EACH, *ALIKE)
TERMS = tuple(value for value in VALUES if type(value) not in (int, float, str))


def copied(folder: Path, ending: str, values: tuple[Value, ...]) -> set[Value]:
    """The values that come back when an answer is written to a file and read, row by row and in columns."""
    program, stream, out = folder / "copy.lars", folder / "p.facts", folder / f"out{ending}"
    program.write_text("q(X) :- p(X).")
    stream.write_text("".join(f"{lasing.Atom('p', (value,))} at 0.\n" for value in values), encoding="utf-8")
    app(["run", str(program), str(stream), "--output", str(out)], standalone_mode=False)
    found = []
    for engine in ("reference", "local"):
        (answer,) = lasing.run("r(X) :- q(X).", out, 0, 0, engine)
        found.append({atom.values[0] for atom in answer.atoms})
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("ending", [".facts", ".jsonl", ".parquet"])
def test_these_files_keep_all_values(tmp_path: Path, ending: str) -> None:
    assert copied(tmp_path, ending, VALUES) == set(VALUES)


def test_csv_keeps_terms_and_plain_text(tmp_path: Path) -> None:
    values = (*TERMS, 5, 18.5, "x1", "two words", "<b>", "_", "new", "news(a)", "")
    assert copied(tmp_path, ".csv", values) == set(values)


@pytest.mark.parametrize("text", ["<http://ex.org/a>", "_:b1", '"chat"@en', "new(room,s1,3)"])
def test_csv_refuses_text_that_reads_as_a_term(tmp_path: Path, text: str) -> None:
    with pytest.raises(lasing.LasingError, match="E513"):
        copied(tmp_path, ".csv", (text,))


@given(any_value())
def test_a_cell_of_csv_reads_back_unless_it_is_refused(value: Value) -> None:
    if type(value) is str and looks_like_term(value):
        with pytest.raises(lasing.LasingError, match="E513"):
            csv_cell(value)
    elif type(value) is not str:
        assert cell_value(str(csv_cell(value))) == value


def test_terms_in_json() -> None:
    rows = [{"time": 0, "x": {"term": value_text(value)}} for value in VALUES]
    assert _read_jsonl("\n".join(map(json.dumps, rows))) == set(VALUES)


@pytest.mark.parametrize("text", ["", "two words", "<no iri>", "1 2", "new("])
def test_malformed_terms_in_json(text: str) -> None:
    with pytest.raises(lasing.LasingError, match="E506"):
        _read_jsonl(json.dumps({"time": 0, "x": {"term": text}}))


def test_other_objects_in_json_are_not_values() -> None:
    with pytest.raises(lasing.LasingError, match="E506"):
        _read_jsonl('{"time": 0, "x": {"term": "a", "more": 1}}')


def _read_jsonl(text: str) -> set[Value]:
    from lasing.connectors.files import Block
    from lasing.connectors.jsonl import rows_of
    from lasing.connectors.tables import Columns, RowMaker

    maker = RowMaker("text", Columns("p"), None, True, None, Gaps())
    return {atom.values[0] for _, atom in rows_of(Block(text, 1), maker)}


@given(any_value(), any_value())
def test_a_column_of_arrow_keeps_values(one: Value, other: Value) -> None:
    column, terms = column_of([one, other])
    found = values_of_terms(column.to_pylist(), "x") if terms else list(map(value_of, column.to_pylist()))
    assert found == [one, other]


def test_frames_with_marked_columns(tmp_path: Path) -> None:
    table = table_with({"time": pa.array([0] * len(VALUES))}, {"x": column_of(VALUES)})
    pq.write_table(table, tmp_path / "p.parquet")
    assert has_terms(pq.read_schema(tmp_path / "p.parquet").field("x"))
    expected = {lasing.Atom("q", (value,)) for value in VALUES}
    for stream in (tmp_path / "p.parquet", {"p": table}):
        for engine in ("reference", "local"):
            (answer,) = lasing.run("q(X) :- p(X).", stream, 0, 0, engine)
            assert answer.atoms == expected
    live = lasing.Engine("q(X) :- p(X) in [1].")
    assert live.push(0, {"p": table.select(["x"])}).added == expected
    live.push_batch({"p": table.set_column(0, "time", pa.array([1] * len(VALUES)))})
    assert live.answer().atoms == expected
    assert lasing.Engine.restore("q(X) :- p(X) in [1].", live.snapshot()).answer().atoms == expected


def test_a_column_of_a_batch() -> None:
    column = batch_column(VALUES)
    assert column.to_pylist() == list(VALUES)
    assert batch_column(TERMS)[2:4].to_pylist() == list(TERMS[2:4])


def test_the_shard_of_a_term_is_that_of_its_text() -> None:
    texts = pa.array([value_text(value) for value in TERMS])
    assert [shard_of(value, 7) for value in TERMS] == shards_of(texts, 7).tolist()


@pytest.mark.parametrize("thing", [{"term": "a"}, object(), [Iri("http://ex.org/a")]])
def test_other_things_are_not_values(thing: object) -> None:
    with pytest.raises(lasing.LasingError, match="E506"):
        value_of(thing)


def test_truth_values_of_python_are_text_still() -> None:
    assert value_of(True) == "true"
