"""A sieve derives what its rules derive one by one, from values of all kinds."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import MOST_PASSED
from lasing.engines.local.operators.sieve import sieve
from lasing.engines.local.operators.variants import KERNEL
from lasing.engines.local.pointers import kernel_address
from lasing.limits import Limits, Watch
from lasing.logic.formulas import Atom

COOLING = """\
steam(V)   :- temp(V), V >= 100.
liquid(V)  :- temp(V), V >= 1, V < 100.
hot(T)     :- temp(V) at T in [3], V >= 100, 150 <= V.
cold       :- temp(V), V = 1.
"""
VALUES = [*range(-3, 12), 2.5, 7.0, -1.5, "a", "b", 2**61, -(2**62)]


def sieves(engine: LocalEngine) -> int:
    """How many relations have a sieve instead of rules one by one."""
    places = (int(engine.arena[readers]) for readers in engine._layout.sieves)
    return sum(int(engine.arena[int(engine.arena[at + 1]) + KERNEL]) == kernel_address(sieve) for at in places)


def some_rule(chance: random.Random, number: int) -> str:
    """A rule that copies, compares, or does something that a sieve cannot."""
    comparisons = ["<", "<=", ">", ">=", "=", "!="]
    tests = [
        f"{chance.choice('XY')} {chance.choice(comparisons)} {chance.choice([*range(-3, 12), 3.5])}"
        if chance.random() < 0.7
        else f"{chance.randint(-3, 12)} {chance.choice(comparisons)} {chance.choice('XY')}"
        for _ in range(chance.choice([0, 1, 1, 2, 3]))
    ]
    if chance.random() < 0.1:
        tests.append("X < Y")
    window = chance.choice(["[0]", "[2]", "[5]", "[*]", "[4 step 2]"])
    body = [f"p(X,Y){chance.choice([' at T', ''])} in {window}", *tests]
    heads = ["X,Y", "X", "Y", "7", "X,a,Y", "X,3"] + (["T", "X,T"] * 2 if " at T" in body[0] else [])
    return f"h{number}({chance.choice(heads)}) :- {', '.join(body)}.\n"


@pytest.mark.parametrize("seed", range(60))
def test_random_rules_of_one_literal(seed: int) -> None:
    chance = random.Random(seed)
    program = "".join(some_rule(chance, number) for number in range(chance.randint(2, 6)))
    values = VALUES if seed % 2 else list(range(-3, 12))
    engines = [lasing.Engine(program, 0, engine) for engine in ("local", "reference")]
    for time in range(12):
        for _ in range(chance.choice([0, 1, 1, 2])):
            facts = [("p", chance.choice(values), chance.choice(values)) for _ in range(chance.randint(1, 6))]
            for engine in engines:
                engine.push(time, facts)
        for engine in engines:
            engine.advance_to(time)
        ours, expected = (engine.answer().atoms for engine in engines)
        assert ours == expected, (program, time)


def test_small_integers_go_through_a_sieve() -> None:
    engine = LocalEngine(lasing.parse(COOLING), 0)
    assert sieves(engine) == 1


@pytest.mark.parametrize("rules", ["q(V) :- temp(V), V > 3.", "q(V) :- temp(V), V > a.\nr(V) :- temp(V), V != 2.\n"])
def test_a_sieve_has_several_rules_that_compare_with_small_integers(rules: str) -> None:
    assert sieves(LocalEngine(lasing.parse(rules), 0)) == 0


def test_more_facts_than_are_kept_at_once() -> None:
    engine = lasing.Engine(COOLING, start=0)
    facts = [("temp", v % 7000) for v in range(3 * MOST_PASSED)]
    engine.push(0, facts)
    found = {atom.predicate: 0 for atom in engine.answer().atoms}
    for atom in engine.answer().atoms:
        found[atom.predicate] += 1
    assert found == {"steam": 6900, "liquid": 99, "hot": 1, "cold": 1}


def test_figures_are_those_of_each_rule() -> None:
    engine = LocalEngine(lasing.parse(COOLING), 0)
    measuring = engine.measure()
    assert sieves(engine) == 0
    for time in range(3):
        list(engine.advance(time, [Atom("temp", (v,)) for v in (1, 50, 120, 160)]))
    assert [figures.rows for figures in measuring.rules()] == [6, 6, 3]  # facts for `cold` are selected as they come


def test_a_limit_names_the_rule_that_derived_most() -> None:
    engine = LocalEngine(lasing.parse(COOLING), 0, watch=Watch(Limits(atoms=50)))
    with pytest.raises(lasing.LasingError) as raised:
        list(engine.advance(0, [Atom("temp", (v,)) for v in range(90, 200)]))
    assert "steam" in str(raised.value)
