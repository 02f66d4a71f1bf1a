"""Literals with constants read relations of their own."""

from __future__ import annotations

from dataclasses import replace

import lasing
from lasing.logic.tables import FactTable
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.optimize import optimized
from lasing.plan.show import show


def plan(program: str, table: FactTable | None = None) -> Plan:
    parsed = lasing.parse(f"#input p/3. {program}")
    return optimized(compile_plan(parsed if table is None else replace(parsed, tables=(table,))))


def test_facts_go_straight_to_the_literals_with_their_constants() -> None:
    found = plan("q(X,Y) :- p(X,a,Y) in [5], p(Y,b,_) in [5], r(X).")
    assert {feed.where for feed in found.feeds if feed.predicate == "p"} == {((1, "a"),), ((1, "b"),)}
    assert {feed.relation.arity for feed in found.feeds if feed.predicate == "p"} == {1, 2}  # `_` is not kept


def test_a_literal_without_constants_still_reads_all_facts() -> None:
    found = plan("q(X) :- p(X,a,Y), r(X). s(X) :- p(X,Y,Z), r(X).")
    assert {feed.where for feed in found.feeds if feed.predicate == "p"} == {(), ((1, "a"),)}


def test_several_constants_select_together() -> None:
    found = plan("q(X) :- p(X,a,17), r(X). s :- p(1,2,3), t.")
    assert {feed.where for feed in found.feeds if feed.predicate == "p"} == {
        ((1, "a"), (2, 17)),
        ((0, 1), (1, 2), (2, 3)),
    }


def test_derived_relations_are_not_split() -> None:
    found = plan("p(X,Y,Z) :- r(X,Y), s(Z). q(X) :- p(X,a,Y), t(X).")
    assert not [feed for feed in found.feeds if feed.where]


def test_the_time_of_a_fact_is_no_argument() -> None:
    found = plan("q(X) :- p(X,a,b) at 7 in [5], r(X).")
    assert {feed.where for feed in found.feeds if feed.predicate == "p"} == {((1, "a"), (2, "b"))}


def test_tables_and_background_facts_are_split_too() -> None:
    found = plan("p(1,a,2). p(1,b,2). q(X) :- p(X,a,Y), r(X).", FactTable.of("p", [(3, "a", 4)]))
    assert [load.where for load in found.loads] == [((1, "a"),)]
    assert [row for _, row, _ in found.background] == [(1, 2)]


def test_the_plan_shows_what_is_selected() -> None:
    text = show(plan("q(X) :- p(X,a,Y), r(X).", FactTable.of("p", [(3, "a", 4)])))
    assert "p in [0] where argument 2 is a -> <p or background where 2 is a>" in text
    assert "background: <p or background where 2 is a> from 1 facts of p where argument 2 is a" in text
