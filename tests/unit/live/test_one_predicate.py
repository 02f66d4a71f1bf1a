"""`Update.added_of` and `removed_of` have what `added` and `removed` have of one predicate."""

from __future__ import annotations

import pytest

from lasing import Engine
from lasing.live.updates import Update

PROGRAM = """
    made(new(f,X,Y), X) :- p(X,Y) in [3].
    seen(X) :- p(X,Y), not q(X).
    some :- p(X,Y).
"""


def check(update: Update) -> None:
    for predicate in ("made", "seen", "some", "other"):
        for atoms, rows in (
            (update.added, update.added_of(predicate)),
            (update.removed, update.removed_of(predicate)),
        ):
            assert set(rows) == {atom.values for atom in atoms if atom.predicate == predicate}
            assert len(rows) == len(set(rows))


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("facts", [1, 20, 200])
def test_it_is_what_the_sets_have(engine: str, facts: int) -> None:
    running = Engine(PROGRAM, start=0, engine=engine)  # type: ignore[arg-type]  # it is one of them
    update = running.push(1, [("p", i, f"n{i % 7}") for i in range(facts)])
    assert len(update.added_of("made")) == facts
    assert update.added_of("some") == [()]
    check(update)
    update = running.push(2, [("q", 0)])
    assert sorted(update.removed_of("seen")) == [(i,) for i in range(facts)]
    check(update)
    check(running.push(40, [("p", 5, "n5")]))  # several time points: what came and went in between is no change


def test_corrected_answers_have_it_too() -> None:
    engine = Engine("late(X) :- p(X) in [5].", start=0, delay=10, corrections=True)
    engine.push(5, [("p", "a")])
    update = engine.push(4, [("p", "b")])
    assert update.added_of("late") == [("b",)]
    assert update.removed_of("late") == []


def test_a_query_has_its_rows() -> None:
    pytest.importorskip("rdflib")
    from lasing import parse
    from lasing.logic.values import Iri

    text = "PREFIX : <http://ex.org/> SELECT ?x WHERE { ?x :knows ?y . }"
    engine = Engine(parse(text, language="sparql"), start=0)
    ada, knows = Iri("http://ex.org/ada"), Iri("http://ex.org/knows")
    update = engine.push(1, [("triple", ada, knows, Iri(f"http://ex.org/{name}")) for name in ("bob", "eve")])
    (predicate,) = {str(row[0]) for row in update.rows()[0]}
    assert update.added_of(predicate) == [(ada,), (ada,)]


def test_a_program_with_choices_has_it_while_there_is_one_answer() -> None:
    engine = Engine("a(X) :- p(X), not b(X). b(X) :- p(X), not a(X). a(X) :- r(X).", start=0)
    assert engine.push(1, [("r", 1)]).added_of("a") == [(1,)]
