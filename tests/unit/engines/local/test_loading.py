"""Background tables in the local engine."""

from __future__ import annotations

from dataclasses import replace

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.logic.tables import FactTable

ROWS = [(f"s{i % 50}", f"p{i % 10}", i % 7) for i in range(500)]
TABLE = FactTable.of("triple", ROWS)


def engine(program: str, *tables: FactTable) -> LocalEngine:
    return LocalEngine(replace(lasing.parse(f"#input see/1. {program}"), tables=tables or (TABLE,)), 0)


def answers(found: LocalEngine) -> set[tuple[object, ...]]:
    return {atom.args for change in found.advance(0, [lasing.Atom("see", ("s3",))]) for atom in change.added}


def test_every_fact_is_found() -> None:
    found = engine("q(S,P,O) :- triple(S,P,O), see(S).")
    assert answers(found) == {row for row in ROWS if row[0] == "s3"}


def test_facts_are_found_by_each_of_many_constants() -> None:
    rules = "".join(f"q(S,{i},O) :- triple(S,p{i},O), see(S). " for i in range(12))
    assert answers(engine(rules)) == {(s, int(p[1:]), o) for s, p, o in ROWS if s == "s3"}


def test_constants_in_several_positions() -> None:
    rules = "".join(f"q(S,{i},{j}) :- triple(S,p{i},{j}), see(S). " for i in range(9) for j in range(9))
    expected = {(s, int(p[1:]), o) for s, p, o in ROWS if s == "s3" and p != "p9"}
    assert answers(engine(rules)) == expected


def test_values_that_no_literal_can_match_get_no_code() -> None:
    found = engine("q(S,O) :- triple(S,p3,O), see(S).")
    assert len(found.dictionary.names) == 1 + len({s for s, p, _ in ROWS if p == "p3"})
    assert answers(found) == {(s, o) for s, p, o in ROWS if s == "s3" and p == "p3"}


def test_several_tables_of_one_predicate_are_one_relation() -> None:
    other = FactTable.of("triple", [("s3", "new", 1), ROWS[3]])
    found = engine("q(S,P,O) :- triple(S,P,O), see(S).", TABLE, other)
    assert answers(found) == {row for row in ROWS if row[0] == "s3"} | {("s3", "new", 1)}


def test_loading_many_values_does_not_forget_them_at_the_next_fact() -> None:
    many = FactTable.of("triple", [(f"s{i}", "p", f"o{i}") for i in range(70_000)])
    found = engine("q(S,P,O) :- triple(S,P,O), see(S).", many)
    assert answers(found) == {("s3", "p", "o3")}
    assert found.dictionary.collections == 0
