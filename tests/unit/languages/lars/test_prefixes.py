"""Prefixes, and the values that they are part of."""

from __future__ import annotations

from pathlib import Path

import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages.lars.formatter import format_text
from lasing.logic.values import BlankNode, Constructed, Iri, TaggedLiteral, Truth, Value, literal
from lasing.logic.values.datatypes import INTEGER, XSD


def value(text: str, before: str = "") -> Value:
    (atom,) = lasing.parse(f"{before}p({text}).").background
    return atom.values[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<http://ex.org/a>", Iri("http://ex.org/a")),
        ("ex:kitchen", Iri("http://ex.org/kitchen")),
        ("ex:Room-1.b_2", Iri("http://ex.org/Room-1.b_2")),
        ("ex:1", Iri("http://ex.org/1")),
        ("xsd:integer", Iri(INTEGER)),
        ("_:b1", BlankNode("b1")),
        ('"chat"@EN', TaggedLiteral("chat", "en")),
        ('"05"^^xsd:integer', literal("05", INTEGER)),
        ('"5"^^xsd:integer', 5),
        ('"abc"^^xsd:string', "abc"),
        ('"a^^b"@en', TaggedLiteral("a^^b", "en")),
        ('"a@b"^^ex:t', literal("a@b", "http://ex.org/t")),
        ('"true"^^xsd:boolean', Truth(True)),
        ("new(room,1)", Constructed("room", (1,))),
        ("new(room,new(a,ex:b))", Constructed("room", (Constructed("a", (Iri("http://ex.org/b"),)),))),
        ("true", "true"),
        ("1.5", 1.5),
    ],
)
def test_values_in_programs(text: str, expected: Value) -> None:
    found = value(text, "#prefix ex: <http://ex.org/>. ")
    assert found == expected
    assert type(found) is type(expected)


def test_a_colon_without_a_prefix_is_that_of_a_condition() -> None:
    assert str(lasing.parse("{a:b} :- c.")) == str(lasing.parse("{a : b} :- c."))
    assert str(lasing.parse("n(N) :- N = #count{x:p(X)}.")) == "n(N) :- N = #count{x : p(X)}.\n"


def test_prefixes_hold_in_all_files(tmp_path: Path) -> None:
    (tmp_path / "names.lars").write_text("#prefix ex: <http://ex.org/>.\nb(other:a).\n")
    (tmp_path / "main.lars").write_text('#include "names.lars".\n#prefix other: <http://ex.com/>.\na(ex:a).\n')
    program = lasing.parse(tmp_path / "main.lars")
    assert {str(atom) for atom in program.background} == {"a(<http://ex.org/a>)", "b(<http://ex.com/a>)"}


@pytest.mark.parametrize(
    ("written", "formatted"),
    [
        ("#prefix  ex : <http://ex.org/> .", "#prefix ex: <http://ex.org/>.\n"),
        ("q( ex:a-1 ,_:b , other:x ):-p.", "q(ex:a-1, _:b, other:x) :- p.\n"),
        ('q(X):-p(X),X="5"^^xsd:integer,Y="a"@en.', 'q(X) :- p(X), X = "5"^^xsd:integer, Y = "a"@en.\n'),
        ("q(@f( X )+1):-p(X),@g(X)=true.", "q(@f(X) + 1) :- p(X), @g(X) = true.\n"),
    ],
)
def test_formatting_keeps_prefixes(written: str, formatted: str) -> None:
    assert format_text(SourceText("text", written)) == formatted
    assert format_text(SourceText("text", formatted)) == formatted


@pytest.mark.parametrize("text", ["contains(X,a) = true", "true = contains(X,a)", "@f(X) = true"])
def test_true_beside_a_function_is_a_truth_value(text: str) -> None:
    assert f'"true"^^<{XSD}boolean>' in str(lasing.parse(f"q(X) :- p(X), {text}."))


@pytest.mark.parametrize("text", ["X = true", 'contains(X,a) = "true"', "lower(X) = true"])
def test_true_is_a_name_elsewhere(text: str) -> None:
    assert "^^" not in str(lasing.parse(f"q(X) :- p(X), {text}."))


def test_a_time_before_a_formula_is_no_function_of_the_user() -> None:
    assert str(lasing.parse("q :- r(T,U), @min(T,U) p.")) == "q :- r(T,U), p at min(T,U).\n"


def test_streams_may_abbreviate_datatypes() -> None:
    (answer,) = lasing.run("q(X) :- p(X).", 'p("5"^^xsd:integer) at 0.')
    assert str(answer) == "0: q(5)"
