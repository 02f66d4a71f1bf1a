"""Results as frames: answers, changes and intervals of each predicate."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import Any

import pytest

import lasing
from lasing.connectors import framed, frames
from lasing.logic.values import Instant

HOT = "hot(S) :- temp(S, V) in [2], V > 30. calm :- not hot(s1)."
STREAM = "temp(s1,35) at 0. temp(s2,36) at 1. temp(s1,3) at 5."


def rows(table: Any) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_a_row_of_answers_is_an_atom_at_a_time_point() -> None:
    tables = lasing.run(HOT, STREAM).to_arrow()
    assert tables["hot"].column_names == ["time", "S"]
    assert rows(tables["hot"]) == [(0, "s1"), (1, "s1"), (1, "s2"), (2, "s1"), (2, "s2"), (3, "s2")]
    assert rows(tables["calm"]) == [(3,), (4,), (5,)]


def test_changes_are_signed_and_intervals_are_as_long_as_possible() -> None:
    changes = lasing.run(HOT, STREAM).changes().to_arrow()
    assert changes["hot"].column_names == ["time", "change", "S"]
    assert rows(changes["hot"]) == [(0, 1, "s1"), (1, 1, "s2"), (3, -1, "s1"), (4, -1, "s2")]
    intervals = lasing.run(HOT, STREAM).intervals().to_arrow()
    assert rows(intervals["hot"]) == [(0, 2, "s1"), (1, 3, "s2")]
    assert rows(intervals["calm"]) == [(3, 5)]


def test_a_predicate_without_atoms_has_an_empty_frame() -> None:
    tables = lasing.run("never(X) :- p(X), X > 5.", "p(1) at 0.").to_arrow()
    assert rows(tables["never"]) == []
    assert tables["never"].column_names == ["time", "X"]


def test_dates_come_back_as_timestamps_and_so_do_instants() -> None:
    program = "#tick 1 min. #prefix xsd: <http://www.w3.org/2001/XMLSchema#>. seen(X, N) :- p(X), N = 1."
    when = Instant(1_500_000)
    stream = [("2026-01-31T08:00:20Z", "p", when)]
    (row,) = rows(lasing.run(program, stream).to_arrow()["seen"])
    assert row == (datetime(2026, 1, 31, 8, 0, tzinfo=UTC), datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC), 1)


def test_pandas_and_polars() -> None:
    assert lasing.run(HOT, STREAM).to_pandas()["hot"]["S"].tolist() == ["s1", "s1", "s2", "s1", "s2", "s2"]
    assert lasing.run(HOT, STREAM).intervals().to_polars()["hot"]["until"].to_list() == [2, 3]
    assert lasing.run(HOT, STREAM).changes().to_pandas()["calm"]["change"].tolist() == [1]


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framed, "find_spec", lambda _: None)
    with pytest.raises(lasing.LasingError, match=r"E321.*polars"):
        lasing.run(HOT, STREAM).to_polars()


def test_columns_of_a_query_have_its_names_and_duplicates() -> None:
    pytest.importorskip("rdflib")
    query = """PREFIX : <http://ex.org/>
    REGISTER RSTREAM :out AS SELECT ?v FROM NAMED WINDOW :w ON :s [RANGE PT2S STEP PT1S]
    WHERE { WINDOW :w { ?x :value ?v } }"""
    program = lasing.parse(query, language="sparql")
    value, (a, b) = (
        lasing.values.Iri("http://ex.org/value"),
        map(lasing.values.Iri, ("http://ex.org/a", "http://ex.org/b")),
    )
    run = lasing.run(program, [(0, "s", a, value, 7), (0, "s", b, value, 7)])
    table = run.to_arrow()["out"]
    assert table.column_names == ["time", "v"]
    assert rows(table)[:2] == [(1, 7), (1, 7)]


def test_several_answers_are_numbered() -> None:
    tables = lasing.run("a ; b :- c in [1].", "c at 1. c at 3.").to_arrow()
    assert tables["a"].column_names == ["time", "answer"]
    found = sorted([*rows(tables["a"]), *rows(tables["b"])])
    assert found == [(t, n) for t in (1, 2, 3) for n in (1, 2)]


def test_a_run_that_has_begun_has_no_frames() -> None:
    run = lasing.run(HOT, STREAM)
    next(run)
    with pytest.raises(lasing.LasingError, match="E323"):
        run.to_arrow()


def test_frames_can_be_asked_for_again_and_nothing_else_is_silently_missing() -> None:
    run = lasing.run(HOT, STREAM)
    intervals = run.intervals()
    assert rows(run.to_arrow()["hot"]) == rows(run.to_arrow()["hot"]) != []
    assert len(run.to_polars()["hot"]) == 6
    for ask in (run.intervals, run.changes, run.__iter__):
        with pytest.raises(lasing.LasingError, match=r"E323.*in frames already\n.*run the program again"):
            ask()
    with pytest.raises(lasing.LasingError, match=r"E323.*has already begun"):
        intervals.to_arrow()
    changes = lasing.run(HOT, STREAM).changes()
    assert "to_pandas()" in repr(changes)
    assert rows(changes.to_arrow()["hot"]) == rows(changes.to_arrow()["hot"]) != []


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_ROWS", 5)
    with pytest.raises(lasing.LasingError, match=r"E322.*6 rows"):
        lasing.run(HOT, STREAM).to_arrow()


PROGRAMS = (
    HOT,
    "hot(S, V) :- temp(S, V) in [2]. pair(S, T) :- temp(S, V) in [1], temp(T, W), V < W. some :- temp(s1, _) in [3].",
    "n(N) :- N = #count{S : temp(S, _) in [3]}. up(V, S) :- temp(S, V), not temp(S, _) in [2,-1].",
)


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("seed", range(5))
def test_all_frames_agree_with_the_answers(program: str, seed: int, engine: Any) -> None:
    draw = random.Random(seed)
    stream = [
        (time, "temp", f"s{draw.randrange(3)}", draw.choice([20, 31, 40, 40.5, "high"]))
        for time in range(20)
        for _ in range(draw.randrange(3))
    ]

    def ran() -> lasing.Run:
        return lasing.run(program, stream, start=0, end=25, engine=engine)

    expected = {(answer.time, str(atom)) for answer in ran() for atom in answer.atoms}

    def atoms(tables: dict[str, Any], leading: int) -> list[tuple[Any, ...]]:
        from lasing.connectors.arrow import has_terms, values_of_terms

        found = []
        for name, table in tables.items():
            columns = [
                values_of_terms(column.to_pylist(), name) if has_terms(kind) else column.to_pylist()
                for kind, column in zip(table.schema, table.columns, strict=True)
            ]
            for row in zip(*columns, strict=True):
                args = tuple(int(v) if isinstance(v, float) and v.is_integer() else v for v in row[leading:])
                found.append((*row[:leading], str(lasing.Atom(name, args))))
        return found

    answers = atoms(ran().to_arrow(), 1)
    assert len(answers) == len(set(answers))
    assert set(answers) == expected
    intervals = atoms(ran().intervals().to_arrow(), 2)
    assert {(t, atom) for first, until, atom in intervals for t in range(first, until + 1)} == expected
    assert sorted((h.since, h.until, str(h.atom)) for h in ran().intervals()) == sorted(intervals)
    changed = atoms(ran().changes().to_arrow(), 2)
    assert sorted(changed) == sorted(
        (change.time, sign, str(atom))
        for change in ran().changes()
        for sign, several in ((1, change.added), (-1, change.removed))
        for atom in several
    )
