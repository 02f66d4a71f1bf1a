"""Stream files in the language's own notation."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.connectors import files
from lasing.connectors.facts import parse_facts, read_facts
from lasing.errors import Diagnostic, LasingError
from lasing.logic.formulas import Atom, ground_atom
from lasing.logic.values import BlankNode, Constructed, Iri, TaggedLiteral, TypedLiteral
from lasing.logic.values.datatypes import INTEGER
from lasing.timeline.ticks import Tick


def finding(text: str) -> Diagnostic:
    with pytest.raises(LasingError) as caught:
        list(parse_facts(text))
    return caught.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "time", "atom"),
    [
        ("p at 36.", 36, ground_atom("p")),
        ("temp(s1, 70) at -3.", -3, ground_atom("temp", "s1", 70)),
        ("p(1.0,-7,18.5,1e-3) at 1.", 1, ground_atom("p", 1, -7, 18.5, 0.001)),
        ('p("x1","A, b) at 2.","\\n") at 1.', 1, ground_atom("p", "x1", "A, b) at 2.", "\n")),
        ("p(<http://ex.org/a>) at 1.", 1, ground_atom("p", Iri("http://ex.org/a"))),
        ('p("<http://ex.org/a>") at 1.', 1, ground_atom("p", "<http://ex.org/a>")),
        ("p(_:b1, new(room, s1, 3)) at 1.", 1, ground_atom("p", BlankNode("b1"), Constructed("room", ("s1", 3)))),
        ('p("chat"@EN) at 1.', 1, ground_atom("p", TaggedLiteral("chat", "en"))),
        (f'p("05"^^<{INTEGER}>, "5"^^<{INTEGER}>) at 1.', 1, ground_atom("p", TypedLiteral("05", INTEGER), 5)),
        ("größe(ä) at 1.", 1, ground_atom("größe", "ä")),
        ("p(a)at 1 .", 1, ground_atom("p", "a")),
        ("p(\n  a, % one\n  b %* two *%\n)\n  at\n  1\n.", 1, ground_atom("p", "a", "b")),
        ("p(9223372036854775807) at 576460752303423487.", 2**59 - 1, ground_atom("p", 2**63 - 1)),
    ],
)
def test_a_fact_in_any_layout(text: str, time: int, atom: Atom) -> None:
    assert list(parse_facts(text)) == [(time, atom)]


def test_facts_need_no_lines_and_comments_are_skipped() -> None:
    rows = parse_facts("% a. at 0.\na at 1.b at 1. %* c at 2. *% d at 3.")
    assert [(time, atom.predicate) for time, atom in rows] == [(1, "a"), (1, "b"), (3, "d")]


def test_a_time_may_be_a_date_where_there_is_a_tick() -> None:
    assert list(parse_facts('p at "1970-01-01T00:01:00Z".', Tick(1_000))) == [(60, Atom("p"))]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("p at 1.\n  q(X) at 2.", "E501", "2:5"),
        ("p(a at 1.", "E501", "1:5"),
        ("p(a).", "E501", "1:5"),
        ("p(a) at now.", "E501", "1:9"),
        ("p at 1", "E501", "1:7"),
        ("p() at 1.", "E501", "1:3"),
        ("not at 1.", "E501", "1:1"),
        ("p(in) at 1.", "E501", "1:3"),
        ("p :- q.", "E501", "1:3"),
        ("p(9223372036854775808) at 1.", "E501", "1:3"),
        ("p at 1.\n%* never closed", "E501", "2:1"),
        ('p at "2026-01-01".', "E503", "1:1"),
        ("p at 9223372036854775808.", "E506", "1:1"),
        ("p at 5.\n\np at 4.", "E504", "3:1"),
    ],
)
def test_anything_but_a_fact_is_found_at_its_place(text: str, code: str, place: str) -> None:
    found = finding(text)
    assert found.code == code
    assert str(found.place) == f"stream:{place}"


def test_rows_before_a_mistake_are_not_lost() -> None:
    rows = parse_facts("p at 1. q at 2. ?")
    assert [next(rows)[1].predicate, next(rows)[1].predicate] == ["p", "q"]


def test_disorder_is_accepted_when_it_will_be_sorted() -> None:
    assert [time for time, _ in parse_facts("p at 5. p at 4.", ordered=False)] == [5, 4]


def test_facts_and_comments_may_cross_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "p(\na,\nb\n)\nat 1.\n%* a\nlong\ncomment *%\nq\nat\n2.\n?"
    (tmp_path / "a.facts").write_text(text, encoding="utf-8")
    monkeypatch.setattr(files, "_BLOCK", 3)
    rows = read_facts(tmp_path / "a.facts")
    assert [next(rows), next(rows)] == [(1, ground_atom("p", "a", "b")), (2, ground_atom("q"))]
    with pytest.raises(LasingError) as caught:
        next(rows)
    assert str(caught.value.diagnostics[0].place) == f"{tmp_path / 'a.facts'}:12:1"


def test_a_date_without_quotes_is_refused_with_the_quoted_form() -> None:
    found = finding("p at 2026-01-01T08:00.")
    assert (found.code, found.place is not None and found.place.column) == ("E501", 6)
    assert found.message.startswith('expected the date in quotes, "2026-01-01T08:00", but found 2026')
