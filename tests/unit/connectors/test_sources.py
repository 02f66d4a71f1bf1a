"""Where streams come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lasing.connectors.sources import file_source, stream_rows
from lasing.connectors.tables import Table
from lasing.errors import LasingError
from lasing.logic.formulas import Atom, ground_atom
from lasing.logic.program import Fact
from lasing.logic.values import Iri


def rows(stream: Any, sort: bool = False) -> list[Fact]:
    return list(stream_rows(stream, None, sort))


@pytest.mark.parametrize(
    ("argument", "path", "form", "predicate", "args"),
    [
        ("a/b.facts", "a/b.facts", "facts", None, None),
        ("b.CSV", "b.CSV", "csv", None, None),
        ("temp=a/b.csv", "a/b.csv", "csv", "temp", None),
        ("temp(s, v)=b.ndjson", "b.ndjson", "jsonl", "temp", ("s", "v")),
        ("temp()=b.parquet", "b.parquet", "parquet", "temp", ()),
        ("a/x=1/b.csv", "a/x=1/b.csv", "csv", None, None),
        ("-", "-", "facts", None, None),
    ],
)
def test_what_an_argument_names(
    argument: str, path: str, form: str, predicate: str | None, args: tuple[str, ...] | None
) -> None:
    source = file_source(argument)
    assert (source.path, source.format) == (Path(path), form)
    assert (source.columns.predicate, source.columns.args) == (predicate, args)


@pytest.mark.parametrize(("argument", "code"), [("b.xlsx", "E511"), ("b", "E511"), ("Temp=b.csv", "E509")])
def test_an_argument_that_names_no_stream(argument: str, code: str) -> None:
    with pytest.raises(LasingError, match=code):
        file_source(argument)


def test_a_folder_is_not_a_stream(tmp_path: Path) -> None:
    with pytest.raises(LasingError, match="E401"):
        rows(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "atom"),
    [
        ("temp.csv", "time,v\n5,1\n", ground_atom("temp", 1)),
        ("log.csv", "time,predicate,arg1\n5,temp,1\n", ground_atom("temp", 1)),
        ("temp.jsonl", '{"time": 5, "v": 1}\n', ground_atom("temp", 1)),
        ("log.jsonl", '{"time": 5, "predicate": "temp", "args": [1]}\n', ground_atom("temp", 1)),
        ("log.facts", "temp(1) at 5.", ground_atom("temp", 1)),
    ],
)
def test_rows_are_about_the_predicate_of_the_column_or_else_of_the_file(
    tmp_path: Path, name: str, text: str, atom: Atom
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert rows(tmp_path / name) == [(5, atom)]


def test_a_file_whose_name_is_no_predicate_asks_for_one(tmp_path: Path) -> None:
    (tmp_path / "2026-01.csv").write_text("time,v\n5,1\n", encoding="utf-8")
    with pytest.raises(LasingError, match="E509"):
        rows(tmp_path / "2026-01.csv")


@pytest.mark.parametrize(
    "stream",
    [
        "p(a) at 1. q(b) at 2.",
        [(1, "p", "a"), (2, "q", "b")],
        ((t, Atom(p, (x,))) for t, p, x in ((1, "p", "a"), (2, "q", "b"))),
        {"q": pa.table({"time": [2], "x": ["b"]}), "p": pa.table({"x": ["a"], "time": [1]})},
        {"q": Table(pa.table({"ts": [2], "x": ["b"]}), time="ts"), "p": pa.table({"x": ["a"], "time": [1]})},
        pa.table({"time": [1, 2], "predicate": ["p", "q"], "arg1": ["a", "b"]}),
    ],
    ids=["text", "rows", "atoms", "frames", "tables", "frame with predicates"],
)
def test_the_same_stream_in_every_form(stream: Any) -> None:
    assert rows(stream) == [(1, ground_atom("p", "a")), (2, ground_atom("q", "b"))]


def test_files_can_have_names(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("time,x\n1,a\n", encoding="utf-8")
    (tmp_path / "two.nt").write_text("<e:a> <e:b> 'c' 2 .\n".replace("'", '"'), encoding="utf-8")
    (tmp_path / "three.facts").write_text("r at 3.\n", encoding="utf-8")
    found = rows({"p": tmp_path / "one.csv", "q": tmp_path / "two.nt"})
    assert found == [(1, ground_atom("p", "a")), (2, ground_atom("q", Iri("e:a"), Iri("e:b"), "c"))]
    with pytest.raises(LasingError, match=r"E510.*have predicates of their own"):
        rows({"p": tmp_path / "three.facts"})


def test_no_stream_has_no_rows() -> None:
    assert rows(None) == []


@pytest.mark.parametrize(
    ("stream", "code"),
    [
        (5, "E510"),
        ([5], "E510"),
        ([(5,)], "E510"),
        (["p at 5."], "E510"),
        ([{"time": 5}], "E510"),
        ([(5, "P", "a")], "E509"),
        ([(5, "p", None)], "E506"),
        ([("x", "p")], "E502"),
        ({5: pa.table({"time": [1]})}, "E509"),
        ({"p": [1]}, "E510"),
        (Table(pa.table({"time": [1]})), "E505"),
    ],
)
def test_anything_but_a_stream_is_refused(stream: Any, code: str) -> None:
    with pytest.raises(LasingError, match=code):
        rows(stream)


@pytest.mark.parametrize("stream", ["p at 2. q at 1.", [(2, "p"), (1, "q")], {"p": pa.table({"time": [2, 1]})}])
def test_disorder_is_refused_unless_it_is_to_be_sorted(stream: Any) -> None:
    with pytest.raises(LasingError, match="E504"):
        rows(stream)
    assert [time for time, _ in rows(stream, sort=True)] == [1, 2]
