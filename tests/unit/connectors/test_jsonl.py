"""JSON lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.connectors.jsonl import read_jsonl
from lasing.connectors.tables import Columns
from lasing.errors import LasingError
from lasing.logic.formulas import Atom, ground_atom
from lasing.logic.program import Fact

CHOSEN = Columns("p", ("a", "b"))


def rows(folder: Path, text: str, columns: Columns) -> list[Fact]:
    path = folder / "a.jsonl"
    path.write_text(text, encoding="utf-8")
    return list(read_jsonl(path, columns))


@pytest.mark.parametrize(
    ("line", "atom"),
    [
        ('{"time": 5, "predicate": "p", "args": ["a b", 1.0, 2.5, true]}', ground_atom("p", "a b", 1, 2.5, "true")),
        ('{"time": 5, "predicate": "p", "args": []}', ground_atom("p")),
        ('{"time": 5, "predicate": "p"}', ground_atom("p")),
        ('{"arg2": 2, "arg1": "a", "predicate": "p", "time": "5"}', ground_atom("p", "a", 2)),
        ('{"time": 5, "predicate": "p", "arg1": 1, "arg2": null}', ground_atom("p", 1)),
        ('{"time": 5.0, "predicate": "p", "args": ["\\u00e4"]}', ground_atom("p", "ä")),
    ],
)
def test_an_object_names_its_predicate(tmp_path: Path, line: str, atom: Atom) -> None:
    assert rows(tmp_path, line, Columns()) == [(5, atom)]


def test_chosen_fields_are_arguments_whatever_their_order(tmp_path: Path) -> None:
    text = '{"time": 5, "a": 1, "b": 2}\n\n{"b": 4, "x": [], "a": 3, "time": 6}\n'
    assert rows(tmp_path, text, CHOSEN) == [(5, ground_atom("p", 1, 2)), (6, ground_atom("p", 3, 4))]


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ('{"time": 5,, "a": 1}', "E501", 12),
        ("[5]", "E501", 1),
        ("[" * 100_000, "E501", 1),
        ('{"time": 5, "a": 1}', "E505", 1),
        ('{"a": 1, "b": 2}', "E505", 1),
        ('{"time": null, "a": 1, "b": 2}', "E506", 1),
        ('{"time": true, "a": 1, "b": 2}', "E502", 1),
        ('{"time": 5.5, "a": 1, "b": 2}', "E502", 1),
        ('{"time": 5, "a": null, "b": 2}', "E506", 1),
        ('{"time": 5, "a": [1], "b": 2}', "E506", 1),
        ('{"time": 5, "a": NaN, "b": 2}', "E506", 1),
        ('{"time": 5, "a": 18446744073709551616, "b": 2}', "E506", 1),
        ('{"time": 3, "a": 1, "b": 2}', "E504", 1),
    ],
)
def test_what_is_wrong_is_found_at_its_line(tmp_path: Path, line: str, code: str, column: int) -> None:
    with pytest.raises(LasingError) as caught:
        rows(tmp_path, '{"time": 4, "a": 1, "b": 2}\n' + line, CHOSEN)
    found = caught.value.diagnostics[0]
    assert found.place is not None
    assert (found.code, found.place.line, found.place.column) == (code, 2, column)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"time": 5}', "E505"),
        ('{"time": 5, "predicate": "P"}', "E509"),
        ('{"time": 5, "predicate": null}', "E506"),
        ('{"time": 5, "predicate": "p", "args": "a"}', "E506"),
    ],
)
def test_an_object_must_name_a_predicate_and_list_its_arguments(tmp_path: Path, line: str, code: str) -> None:
    with pytest.raises(LasingError, match=code):
        rows(tmp_path, line, Columns())
