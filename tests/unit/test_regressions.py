"""Defects that were found once and must not come back."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lasing
from lasing.connectors.csv import read_csv
from lasing.connectors.facts import parse_facts
from lasing.connectors.jsonl import read_jsonl
from lasing.connectors.tables import Columns
from lasing.timeline.ticks import Tick


def atoms(program: str, stream: object, start: int | None = None, end: int | None = None) -> dict[int, list[str]]:
    return {a.time: sorted(map(str, a.atoms)) for a in lasing.run(program, stream, start, end)}


def test_a_last_derived_time_of_zero_counts() -> None:
    assert atoms("q at 0 :- p. r(T) :- (q in [1]) at T. #show r/1.", "p at -5.", end=-5) == {-5: ["r(0)", "r(1)"]}


def test_the_index_of_a_pandas_frame_is_not_an_argument() -> None:
    frame = pd.DataFrame({"time": [2, 1], "v": ["a", "b"]}).sort_values("time")
    assert atoms("q(X) :- p(X).", lasing.Table(frame, "p")) == {1: ["q(b)"], 2: ["q(a)"]}


def test_records_with_their_keys_in_another_order_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"time":1,"a":1,"b":2}\n{"time":2,"b":2,"a":1}\n')
    assert [str(atom) for _, atom in read_jsonl(path, Columns("p"))] == ["p(1,2)", "p(1,2)"]


def test_a_key_that_comes_later_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"time":1,"a":1}\n{"time":2,"a":1,"b":2}\n')
    with pytest.raises(lasing.LasingError, match=r"E505.*b is new"):
        list(read_jsonl(path, Columns("p")))


def test_a_byte_order_mark_does_not_hide_the_predicate(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\ufeffpredicate,time,arg1\np,1,x\n", encoding="utf-8")
    assert atoms("q(X) :- p(X).", path) == {1: ["q(x)"]}


def test_sums_of_large_doubles_have_a_value() -> None:
    assert atoms("s(N) :- N = #sum{V : p(V)}.", "p(1e300) at 5.") == {5: ["s(1e+300)"]}


def test_constants_may_be_defined_in_any_order() -> None:
    assert str(lasing.parse("#const a = b + 1. #const b = 1. p(a).")) == "p(2).\n"
    with pytest.raises(lasing.LasingError, match="depends on itself"):
        lasing.parse("#const a = b. #const b = a. p(a).")


def test_empty_text_survives_csv(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text('time,predicate,arg1,arg2\n1,p,a,""""""\n')
    assert [str(atom) for _, atom in read_csv(path, Columns())] == ['p(a,"")']


def test_constants_from_python_are_values_of_the_language() -> None:
    assert str(lasing.parse("q(n) :- p.", {"n": 1.0}).rules[0]) == "q(1) :- p."
    with pytest.raises(lasing.LasingError, match="E506"):
        lasing.parse("q(n) :- p.", {"n": float("inf")})


def test_many_constants_in_a_stream_are_fine() -> None:
    text = "".join(f"p(c{i}) at 1.\n" for i in range(99_999)) + "q(x,y) at 1.\n"
    assert sum(1 for _ in parse_facts(text)) == 100_000


def test_a_fractional_time_is_not_truncated() -> None:
    with pytest.raises(lasing.LasingError, match="expected a time"):
        list(parse_facts("p at 1.5.\n"))


def test_an_unfinished_fact_is_reported_at_its_end() -> None:
    with pytest.raises(lasing.LasingError) as caught:
        list(parse_facts("p at 1. q at 2"))
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert (place.line, place.column, place.text) == (1, 15, "p at 1. q at 2")


def test_line_separators_inside_of_values_do_not_end_a_row(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"time":1,"v":"a\u2028b"}\n', encoding="utf-8")
    assert [atom.args for _, atom in read_jsonl(path, Columns("p"))] == [("a\u2028b",)]


REFUSED: dict[str, Callable[[], object]] = {
    "two columns of one name": lambda: atoms(
        "q :- p(_).", lasing.Table(pa.table([[1], [2], [3]], ["time", "v", "v"]), "p")
    ),
    "a gap in the arguments": lambda: list(
        lasing.run("q :- p.", pa.table({"time": [1], "predicate": ["p"], "arg1": [None], "arg2": [1]}), missing="error")
    ),
    "a predicate that is no name": lambda: atoms("q :- p.", [(1, lasing.Atom("Foo bar"))]),
    "functions nested too deep": lambda: lasing.parse("q :- 1 = " + "abs(" * 2000 + "1" + ")" * 2000 + "."),
    "arguments nested too deep": lambda: lasing.parse("q :- p(" + "abs(" * 2000 + "1" + ")" * 2001 + "."),
    "an absurd arity": lambda: lasing.parse("#show p/" + "9" * 5000 + "."),
    "an absurd tick": lambda: lasing.parse("#tick " + "9" * 5000 + " s."),
    "a tick of ages": lambda: lasing.parse("#tick 1000000000000 d."),
    "an absurd file name": lambda: lasing.parse(Path("a" * 300)),
    "an included file with a NUL": lambda: lasing.parse('#include "a\0b".'),
    "a column of two types": lambda: atoms(
        "q :- p(_).", lasing.Table(pd.DataFrame({"time": [1, 2], "v": ["a", 1]}), "p")
    ),
    "half a character": lambda: atoms("q :- p(_).", [(1, "p", "\ud800")]),
    "half a start": lambda: atoms("q :- p.", "p at 1.", start=0.5),  # type: ignore[arg-type]
    "a program that is none": lambda: lasing.run(None, ""),  # type: ignore[arg-type]
    "the name of a program as its text": lambda: lasing.parse("hot.lars"),
    "the name of a stream as its text": lambda: atoms("q :- p.", "readings.facts"),
    "columns that are no text": lambda: atoms("q :- p.", lasing.Table(pa.table({"t": [1]}), "p", time=0)),  # type: ignore[arg-type]
    "a constant that the program does not have": lambda: lasing.parse("q :- p.", {"n": 1}),
    "a date beyond the calendar": lambda: Tick(1000).iso(10**17),
}


@pytest.mark.parametrize("work", REFUSED.values(), ids=REFUSED)
def test_refused_with_a_lasing_error(work: Callable[[], object]) -> None:
    with pytest.raises(lasing.LasingError):
        work()


def test_deep_terms_of_long_chains_are_refused() -> None:
    term = "Y"
    for _ in range(48):
        term = f"({term})" + "+1" * 100
    with pytest.raises(lasing.LasingError, match="E106"):
        lasing.parse(f"q(X) :- X = {term}, p(Y).")


def test_wide_windows_over_what_is_sparse_are_quick() -> None:
    assert atoms("q :- (p and r) in [+100000000].", "p at 1.") == {1: []}
    assert atoms("b. q :- b always in [0..9000000000], p.", "p at 1.") == {1: ["q"]}


def test_dates_of_every_kind_are_times() -> None:
    program = "#tick 1 d. q(X) :- p(X)."
    rows = [(datetime.date(1970, 1, 2), "p", 1), (np.datetime64("1970-01-03"), "p", 2), ("1970-01-04", "p", 3)]
    assert atoms(program, rows) == {1: ["q(1)"], 2: ["q(2)"], 3: ["q(3)"]}


def test_the_time_of_a_table_may_be_an_argument_too(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("time,s\n1, a \n")
    assert [str(atom) for _, atom in read_csv(path, Columns("p", ("time", "s")))] == ["p(1,a)"]


def test_a_double_key_in_json_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"time":1,"s":"a","s":"b"}\n')
    with pytest.raises(lasing.LasingError, match="two values for s"):
        list(read_jsonl(path, Columns("p")))


def test_a_negated_number_in_parentheses_is_that_number() -> None:
    program = lasing.parse("a(X) :- b(Y), X = -(3).")
    assert lasing.parse(str(program)) == program


def test_a_wrong_number_of_arguments_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.facts"
    path.write_text("p(1) at 1.\np(1,2) at 2.\n")
    with pytest.raises(lasing.LasingError) as caught:
        list(lasing.run("q(X) :- p(X).", path))
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert (place.line, place.column) == (2, 1)


def test_long_chains_of_recursion_are_not_quadratic_in_rules() -> None:
    answers = atoms("p(0) :- go. p(Y) :- p(X), X < 3000, Y = X + 1. #show p/1.", "go at 1.")
    assert len(answers[1]) == 3001
