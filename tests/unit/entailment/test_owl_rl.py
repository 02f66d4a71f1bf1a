"""OWL 2 RL: each rule of the W3C's tables derives what it says, and nothing if a triple of its premises is another."""

from __future__ import annotations

import pytest

from lasing import run
from lasing.logic.formulas import Atom
from tests.unit.entailment.owl_rl_rules import PREFIXES, RULES, TABLES, facts

DERIVING = {name: case for name, case in RULES.items() if case.wanted}
INCONSISTENT = {name: case for name, case in RULES.items() if not case.wanted}


def answer(given: str, wanted: tuple[str, ...] = ()) -> frozenset[Atom]:
    """What is output: `yes(i)` if the i-th of the wanted atoms is derived, and inconsistencies."""
    rules = " ".join(f"yes({i}) :- {atom}." for i, atom in enumerate(wanted))
    (found,) = run(f"{PREFIXES}{facts(given)} {rules or 'yes(0) :- ex:never(ex:a).'}", start=0, end=0, entail="owl-rl")
    return found.atoms


def derived(given: str, wanted: tuple[str, ...]) -> list[str]:
    numbers = {atom.values[0] for atom in answer(given, wanted) if atom.predicate == "yes"}
    return [atom for i, atom in enumerate(wanted) if i in numbers]


def broken(given: str) -> set[object]:
    """The rules that find an inconsistency."""
    return {atom.values[0] for atom in answer(given) if atom.predicate == "inconsistent"}


def test_each_rule_of_the_tables_has_a_case() -> None:
    sizes = {number: len(table) for number, table in TABLES.items()}
    assert sizes == {4: 9, 5: 20, 6: 19, 7: 5, 8: 5, 9: 20}


@pytest.mark.parametrize("rule", DERIVING)
def test_a_rule_derives(rule: str) -> None:
    case = RULES[rule]
    assert derived(case.given, case.wanted) == list(case.wanted)
    assert not broken(case.given)


@pytest.mark.parametrize("rule", [name for name, case in DERIVING.items() if case.without is not None])
def test_a_rule_derives_nothing_from_other_triples(rule: str) -> None:
    case = RULES[rule]
    assert case.without is not None
    assert len(derived(case.without, case.wanted)) < len(case.wanted)


@pytest.mark.parametrize("rule", INCONSISTENT)
def test_an_inconsistency_is_found(rule: str) -> None:
    case = RULES[rule]
    assert case.without is not None
    assert rule in broken(case.given)
    assert not broken(case.without)
