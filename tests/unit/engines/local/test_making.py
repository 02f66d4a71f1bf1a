"""Identifiers that kernels make are the values that Python makes, have one code each, and are forgotten in time."""

from __future__ import annotations

import pytest

import lasing
from lasing.engines.local import answers, dictionary
from lasing.engines.local import made as made_terms
from lasing.engines.local.engine import LocalEngine
from lasing.logic.functions import function_of
from lasing.logic.values import Iri, Value
from lasing.logic.values.constructed import DEEPEST, Constructed

NEW = function_of("new", 2)


def made(*operands: Value) -> Value:
    return NEW.compute(*operands)


def test_identifiers_are_those_of_the_function() -> None:
    rows: list[tuple[int, str, Value, Value]] = [(0, "p", "a", 1), (0, "p", 2.5, Iri("http://ex.org/x"))]
    (answer,) = lasing.run("q(new(f,X,Y), new(g,Y)) :- p(X,Y).", rows, engine="local")
    wanted = {lasing.Atom("q", (made("f", x, y), made("g", y))) for _, _, x, y in rows}
    assert answer.atoms == wanted
    (again,) = lasing.run("q(new(f,X,Y), new(g,Y)) :- p(X,Y).", rows, engine="reference")
    assert again.atoms == wanted


def test_a_thousand_identifiers_are_made_without_asking_python(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    original = dictionary.Dictionary._answer

    def answer_and_note(self: dictionary.Dictionary, question: int, a: int, b: int) -> int:
        asked.append(question)
        return original(self, question, a, b)

    monkeypatch.setattr(dictionary.Dictionary, "_answer", answer_and_note)
    rows = [(0, "p", i, i % 7, f"n{i % 3}") for i in range(1_000)]
    (answer,) = lasing.run("q(new(f,X,Y,Z)) :- p(X,Y,Z).", rows, engine="local")
    assert len(answer.atoms) == 1_000
    assert not asked


def test_the_same_operands_make_the_same_identifier_in_all_rules() -> None:
    program = "q(new(f,X,1)) :- p(X). r(new(f,X,Y)) :- s(X,Y). both(I) :- q(I), r(I)."
    (answer,) = lasing.run(program, "p(a) at 0. s(a,1) at 0. s(a,2) at 0. s(b,1) at 0.", engine="local")
    assert {atom.values for atom in answer.atoms if atom.predicate == "both"} == {(made("f", "a", 1),)}


def test_an_identifier_that_comes_in_is_the_one_that_is_made() -> None:
    engine = lasing.Engine("q(new(f,X,Y)) :- p(X,Y) in [3]. known(I) :- seen(I) in [3], q(I).")
    engine.push(0, [("p", "a", 1)])
    assert lasing.Atom("known", (made("f", "a", 1),)) in engine.push(1, [("seen", made("f", "a", 1))]).added
    other = lasing.Engine("q(new(f,X,Y)) :- p(X,Y) in [3]. known(I) :- seen(I) in [3], q(I).")
    other.push(0, [("seen", made("f", "a", 1)), ("seen", made("f", "a"))])
    update = other.push(1, [("p", "a", 1)])
    assert {atom for atom in update.added if atom.predicate == "known"} == {lasing.Atom("known", (made("f", "a", 1),))}


def test_nested_identifiers_end_where_python_ends_them() -> None:
    program = "q(f0). q(new(g,X,1)) :- q(X). deepest(X) :- q(X), not next(X). next(X) :- q(X), q(new(g,X,1))."
    found = {
        engine: frozenset(next(iter(lasing.run(program, [], start=0, end=0, engine=engine))).atoms)
        for engine in ("local", "reference")
    }
    assert found["local"] == found["reference"]
    assert max(v.depth for a in found["local"] for v in a.values if isinstance(v, Constructed)) == DEEPEST


@pytest.mark.parametrize("first", ["1", "2.5", "<http://ex.org/x>", "new(f,a)"])
def test_what_is_not_named_makes_no_identifier(first: str) -> None:
    program = f"q(new(F,X,Y)) :- p(F,X,Y). p({first},1,2). p(a,1,2)."
    with pytest.warns(lasing.LasingWarning, match="new"):
        (answer,) = lasing.run(program, [], start=0, end=0, engine="local")
    assert answer.atoms == {lasing.Atom("q", (made("a", 1, 2),))}


def test_functions_of_several_operands_still_ask_python() -> None:
    (answer,) = lasing.run('q(concat(X,"-",Y,"-",X)) :- p(X,Y).', "p(a,b) at 0. p(c,d) at 0.", engine="local")
    assert answer.atoms == {lasing.Atom("q", (text,)) for text in ("a-b-a", "c-d-c")}


# -- what is forgotten -------------------------------------------------------------------------------------------------


def test_identifiers_of_the_past_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 200)
    engine = LocalEngine(lasing.parse("q(new(f,X,T),X) :- p(X) at T in [2]. fixed(X) :- p(X), k(X). k(a). k(b)."), 0)
    for time in range(1_000):
        (changes,) = engine.advance(time, [lasing.Atom("p", (name,)) for name in ("a", "b")])
        assert lasing.Atom("q", (made("f", "a", time), "a")) in changes.added
        assert len(engine.dictionary._made) < 500
    assert engine.dictionary.collections > 2


def test_an_identifier_keeps_its_code_while_it_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was made of may be in no row any more: the same operands must still make the same identifier."""
    monkeypatch.setattr(dictionary, "_LEAST", 60)
    program = """
        made(new(f,X,Y)) :- p(X,Y).     #stream made/1.
        again(I) :- made(I), made(I) in [50,-1].
        noise(new(g,X,Z)) :- n(X,Z)."""
    engine = LocalEngine(lasing.parse(program), 0)
    again = []
    for time in range(120):
        facts = [lasing.Atom("n", (f"x{time}_{i}", f"y{time}_{i}")) for i in range(5)]
        if time in (0, 40, 80):
            facts.append(lasing.Atom("p", ("only", "then")))
        for changes in engine.advance(time, facts):
            again += [(time, *atom.values) for atom in changes.added if atom.predicate == "again"]
    assert engine.dictionary.collections > 2
    assert again == [(40, made("f", "only", "then")), (80, made("f", "only", "then"))]


def test_tables_of_answers_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_LEAST", 2)
    monkeypatch.setattr(made_terms, "LEAST", 2)
    rows = [(0, "p", i, j) for i in range(20) for j in range(20)]
    (answer,) = lasing.run("q(new(f,X,Y,X)) :- p(X,Y).", rows, engine="local")
    assert answer.atoms == {lasing.Atom("q", (made("f", x, y, x),)) for _, _, x, y in rows}


def test_identifiers_of_any_length_are_found_again_and_read_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours in the last operand share a line of the table; forgetting moves operands and makes the table anew."""
    monkeypatch.setattr(dictionary, "_LEAST", 300)
    program = """
        q(new(f,X)) :- p(X,Y).
        q(new(f,X,Y)) :- p(X,Y).
        q(new(f,X,Y,new(g,Y,X),2.5,Y)) :- p(X,Y).
        kept(new(f,X,Y)) :- k(X,Y) in [100].
    """
    engine = lasing.Engine(program, start=0, engine="local")
    engine.push(0, [("k", i, "old") for i in range(-20, 20)])
    before: set[Value] = set()
    for time in range(1, 30):
        pairs = [(i * time - 40, f"n{time}") for i in range(40)]
        wanted = {made("f", x) for x, _ in pairs} | {made("f", x, y) for x, y in pairs}
        wanted |= {made("f", x, y, made("g", y, x), 2.5, y) for x, y in pairs}
        update = engine.push(time, [("p", *pair) for pair in pairs])
        assert {value for (value,) in update.added_of("q")} == wanted - before
        assert {value for (value,) in update.removed_of("q")} == before - wanted
        before = wanted
        again = engine.push(time, [("k", i, "old") for i in range(-20, 20)])
        assert not again.added_of("kept")
    held = {atom.values[0] for atom in engine.answer().atoms if atom.predicate == "kept"}
    assert held == {made("f", i, "old") for i in range(-20, 20)}
