"""Programs as text that people read, and that reads back as the same program."""

from __future__ import annotations

from pathlib import Path

import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages import examine, translated
from lasing.languages.lars.writing import program_text, same_program
from tests.suites.finding import suite

SUITE = suite("w3c/sparql11")


def test_prefixes_constants_and_durations_are_resolved() -> None:
    program = lasing.parse(
        "#prefix ex: <http://ex.org/>. #const n = 5 min. #tick 1 sec. #show hot/1.\n"
        "hot(X) :- temp(X, V) in [n], V > 30, room(X, ex:kitchen). room(ex:s1, ex:kitchen).\n"
    )
    assert translated(program) == (
        "#prefix ex: <http://ex.org/>.\n\n#tick 1 sec.\n#show hot/1.\n\nroom(ex:s1, ex:kitchen).\n\n"
        "hot(X) :- temp(X, V) in [300], V > 30, room(X, ex:kitchen).\n"
    )


def test_the_longest_prefix_wins_and_only_those_in_use_are_declared() -> None:
    program = lasing.parse("p(<http://ex.org/a/b>). p(<http://ex.org/a/>). q(X) :- p(X).")
    prefixes = {"": "http://ex.org/", "A-B": "http://ex.org/a/", "other": "http://other/", "relative": "here"}
    text = program_text(program, prefixes)
    assert text.startswith("#prefix a_B: <http://ex.org/a/>.\n\np(a_B:b).\np(<http://ex.org/a/>).\n")
    assert same_program(lasing.parse(text), program)


def test_truth_values_are_words_beside_functions_that_give_them() -> None:
    program = lasing.parse('q(X) :- p(X), is_iri(X) = true, r(X, "true"^^xsd:boolean), X != "false"^^xsd:boolean.')
    text = translated(program)
    assert "is_iri(X) = true" in text
    assert 'r(X, "true"^^xsd:boolean)' in text
    assert 'X != "false"^^xsd:boolean' in text
    assert same_program(lasing.parse(text), program)


def test_a_comment_says_what_a_query_says_about_its_output() -> None:
    program = lasing.parse("SELECT ?b { ?a <http://e/p> ?b } ORDER BY DESC(?b)", language="sparql")
    text = program_text(program, {})
    assert "% result/3: rows of b\n% argument 2 orders the rows, from the greatest on\n" in text
    assert "% argument 3 says how many equal rows there are\n" in text
    assert same_program(lasing.parse(text), program)


@pytest.mark.parametrize("path", sorted(Path("examples").rglob("*.lars")), ids=str)
def test_the_examples_read_back(path: Path) -> None:
    program, mistakes = examine([SourceText(str(path), path.read_text(encoding="utf-8"), path)])
    if mistakes:  # it is a part of another one
        pytest.skip(mistakes[0].message)
    again, mistakes = examine([SourceText("again", translated(program))])
    assert not mistakes
    assert same_program(again, program)


@pytest.mark.skipif(SUITE is None, reason="the W3C's suite is not here (see tests/suites/finding.py)")
def test_the_queries_of_the_w3c_read_back() -> None:
    assert SUITE is not None
    compared = 0
    for path in sorted(SUITE.rglob("*.rq"))[::3]:
        program, mistakes = examine([SourceText(str(path), path.read_text(encoding="utf-8"), path)])
        if mistakes or program.tables:  # a query that loads files has its facts in a table
            continue
        again, mistakes = examine([SourceText("again", translated(program))])
        assert not mistakes, path
        assert same_program(again, program), path
        compared += 1
    assert compared > 90
