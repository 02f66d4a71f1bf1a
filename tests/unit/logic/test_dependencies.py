"""Strata and cycles."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.dependencies import signed_atoms, stratify


def signs(literal: str) -> dict[str, str]:
    """The sign of each atom of a literal."""
    (rule,) = lasing.parse(f"h :- {literal}, b(T).").rules
    return {atom.predicate: sign for atom, sign in signed_atoms(rule.body[0])}


def test_what_is_chosen_depends_on_body_and_condition() -> None:
    strata = stratify(lasing.parse("a :- p. 1 {c : not b} :- a. b :- a. :~ c, not d. [1] d :- c."))
    assert strata.level == {"a": 0, "b": 0, "c": 1, "d": 1}
    assert not strata.cycles


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("p always in [3]", {"p": "positive"}),
        ("not p in [3]", {"p": "not"}),
        ("not (not p)", {"p": "positive"}),
        ("p -> q", {"p": "not", "q": "positive"}),
        ("not (p -> q)", {"p": "positive", "q": "not"}),
        ("(p or not q) at T", {"p": "positive", "q": "not"}),
        ("#count{X : p(X)} > 2", {"p": "aggregate"}),
    ],
)
def test_the_sign_of_an_atom_follows_its_negations(literal: str, expected: dict[str, str]) -> None:
    assert signs(literal) == expected


def test_components_come_after_those_they_depend_on() -> None:
    program = lasing.parse("c :- b. b :- a. a :- b. a :- p. d :- not c.")
    strata = stratify(program)
    assert strata.components == (frozenset("ab"), frozenset("c"), frozenset("d"))
    assert strata.recursive == frozenset("ab")


def test_levels_count_negations_and_aggregates() -> None:
    program = lasing.parse("a :- p. b :- not a. c :- b, a. d :- #count{1 : c} > 0.")
    assert stratify(program).level == {"a": 0, "b": 1, "c": 1, "d": 2}


@pytest.mark.parametrize(
    ("program", "edges"),
    [
        ("a :- not a.", {("a", "a", "not")}),
        ("a :- not b. b :- c. c :- a.", {("a", "b", "not"), ("b", "c", "positive"), ("c", "a", "positive")}),
        ("a :- #count{1 : a} > 0.", {("a", "a", "aggregate")}),
        ("a :- a -> b, p.", {("a", "a", "not")}),
    ],
)
def test_a_cycle_through_negation_is_reported_edge_by_edge(program: str, edges: set[tuple[str, str, str]]) -> None:
    (cycle,) = stratify(lasing.parse(program)).cycles
    assert {(edge.head, edge.body, edge.sign) for edge in cycle} == edges


@pytest.mark.parametrize("program", ["a :- b. b :- a.", "a :- not (not a).", "a :- not p. p :- q.", "a :- not b(1)."])
def test_without_negation_in_a_cycle_a_program_is_stratified(program: str) -> None:
    assert stratify(lasing.parse(program)).cycles == ()


def test_a_long_chain_of_rules_is_fine() -> None:
    program = lasing.parse("".join(f"p{i + 1} :- p{i}.\n" for i in range(5_000)))
    assert len(stratify(program).components) == 5_000
