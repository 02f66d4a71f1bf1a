"""Sums over windows whose elements are told apart by time: the answers stay those of the reference."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from dataclasses import replace

import pytest

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.logic.values import ExactDecimal
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.operators import Fold, Panes
from lasing.plan.optimize import PASSES, optimized
from lasing.plan.optimize.implied import drop_implied
from lasing.plan.optimize.outputs import put_out_originals
from lasing.plan.optimize.panes import add_up_panes
from tests.differential.harness import agree, answers_of
from tests.differential.sizes import programs
from tests.differential.strategies import Example
from tests.differential.test_repeated import push

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

CHUNK = 20
LAST = 9
WINDOWS = ("[0]", "[2]", "[4]", "[3 step 2]", "[2 step 3]", "[4,-1]", "[5,-3]", "[2,+1]", "[*]")
VALUES = (
    "0",
    "1",
    "2",
    "-3",
    "1.5",
    "0.1",
    "1e300",
    "-1e300",
    "4611686018427387904",
    "a",
    '"2.5"^^<http://www.w3.org/2001/XMLSchema#decimal>',
)


def panes_example(seed: int) -> Example:
    """A rule with sums over a window, by a key; its body may ask for what they imply; and a stream."""
    rng = random.Random(seed)
    window, test = rng.choice(WINDOWS), rng.choice(("", ", V > 1", ", V != K", ", K < 2"))
    inside = rng.choice((window, window, window, "[1]"))
    key = rng.choice(
        (f"g(K) :- s(K,V) in {inside}{test}.", "g(K) :- s(K,V) in [9].", "g(K) :- s(K,_). g(7).", "g(0). g(1).")
    )
    head, literals = ["K"], []
    for n in range(1, rng.randrange(2, 5)):
        function = rng.choice(("count", "sum", "avg"))
        terms = ["V", *rng.sample(["T", "K"], rng.choice((1, 2, 2)))]
        own = test if rng.random() < 0.9 else ""
        renamed = f"{','.join(terms)} : s(K,V) at T in {window}{own}".replace("V", f"V{n}").replace("T", f"T{n}")
        literals.append(f"N{n} = #{function}{{{renamed}}}")
        head.append(f"N{n}")
    order = ["g(K)", *literals]
    rng.shuffle(order)
    program = "#input s/2.\n" if rng.random() < 0.6 else ""
    program += f"#show r/{len(head)}, q/1, w/1.\n{key}\nr({','.join(head)}) :- {', '.join(order)}.\n"
    if rng.random() < 0.4:
        program += f"q(N) :- N = #sum{{V,K,T : s(K,V) at T in {window}}}.\n"
    if rng.random() < 0.3:
        program += f"w(K) :- g(K), not #count{{V,T : s(K,V) at T in {window}}} > 1.\n"
    facts = [
        (rng.randrange(LAST), f"s({rng.randrange(3)},{rng.choice(VALUES[: rng.choice((4, 11))])})") for _ in range(20)
    ]
    return Example(program, tuple(sorted(set(facts))[: rng.randrange(21)]), 0, LAST + 5)


@pytest.mark.parametrize("first", range(0, programs(400, 5000), CHUNK))
def test_the_local_engine_equals_the_reference(first: int) -> None:
    for seed in range(first, first + CHUNK):
        agree(panes_example(seed), "local")


@pytest.mark.parametrize("first", range(0, programs(80, 1000), CHUNK))
def test_facts_that_are_pushed_again_count_once(first: int) -> None:
    """Several pushes at one time point, in any way, some facts twice; now and then, a restored engine goes on."""
    for seed in range(first, first + CHUNK):
        example, chance = panes_example(seed), random.Random(seed)
        expected = dict(answers_of(example))
        facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
        live = lasing.Engine(example.program, example.start, "local")
        for time in range(example.start, example.end + 1):
            now = [atom for at, atom in facts if at == time]
            live.advance_to(time)
            for atom in (*now, *chance.sample(now, len(now) // 2)):
                in_columns = not any(isinstance(value, ExactDecimal) for value in atom.args)
                push(live, time, atom, chance.randrange(5 if in_columns else 2))
                if chance.random() < 0.1:
                    live = lasing.Engine.restore(example.program, live.snapshot(), "local")
            assert live.answer().atoms == expected[time], (seed, time, example)


@pytest.mark.parametrize("first", range(0, programs(60, 1000), CHUNK))
def test_late_facts_are_corrected(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example, chance = panes_example(seed), random.Random(seed)
        expected = dict(answers_of(example))
        facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
        chance.shuffle(facts)
        facts.sort(key=lambda fact: fact[0] + chance.randrange(4))
        live = lasing.Engine(example.program, example.start, "local", delay=4, corrections=True)
        for time, atom in facts:
            live.push(time, [(atom.predicate, *atom.args)])
        live.advance_to(example.end)
        assert live.answer().atoms == expected[example.end], (seed, example)


def test_many_of_these_programs_have_panes() -> None:
    plans = [optimized(compile_plan(lasing.parse(panes_example(seed).program))) for seed in range(100)]
    assert sum(any(isinstance(stage, Panes) for stage in plan.stages) for plan in plans) > 40
    assert (
        sum(any(isinstance(stage, Panes) and len(stage.functions) > 1 for stage in plan.stages) for plan in plans) > 5
    )


@pytest.mark.parametrize("first", range(0, programs(60, 1000), CHUNK))
def test_answers_and_instances_without_a_value_are_those_of_a_plan_without_these_passes(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = panes_example(seed)
        program = lasing.parse(example.program)
        program = replace(program, only_inputs=bool(program.inputs))
        with_panes, without = _planned(program), _planned(program, {drop_implied, add_up_panes, put_out_originals})
        engines = [LocalEngine(program, example.start, plan) for plan in (with_panes, without)]
        facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
        for time in range(example.start, example.end + 1):
            now = [atom for at, atom in facts if at == time]
            one, other = ([(x.time, x.added, x.removed) for x in engine.advance(time, now)] for engine in engines)
            assert one == other, (seed, time, example)
            assert engines[0].failures == engines[1].failures, (seed, time, example)


def _planned(program: lasing.Program, without: Collection[Callable[[Plan], Plan]] = ()) -> Plan:
    plan = compile_plan(program)
    for improve in PASSES:
        if improve not in without:
            plan = improve(plan)
    return plan


SUM = "r(K,N) :- N = #sum{%s : s(K,V) at T in %s%s}, s(K,_).\n"


@pytest.mark.parametrize(
    ("terms", "window", "test", "added"),
    [
        ("V,T", "[60]", "", True),
        ("V,K,T", "[60,-3]", ", V > 1", True),
        ("V", "[60]", "", False),  # the same value at two time points counts once
        ("T", "[60]", "", False),  # times are added up
        ("V,T", "[60]", ", T > 3", False),
        ("V,T", "[*]", "", False),  # nothing leaves
        ("V * 2,T", "[60]", "", False),  # instances may have no value, and are counted one by one
    ],
)
def test_sums_are_kept_by_time_point_where_that_is_exact(terms: str, window: str, test: str, added: bool) -> None:
    plan = optimized(compile_plan(lasing.parse(SUM % (terms, window, test))))
    assert any(isinstance(stage, Panes) for stage in plan.stages) == added
    assert any(isinstance(stage, Fold) for stage in plan.stages) != added


GROUPS = "#input s/2.\n#show r/2.\ng(K) :- s(K,V) in %s%s.\nr(K,N) :- g(K), N = #count{T,V : s(K,V) at T in [60]%s}.\n"


@pytest.mark.parametrize(
    ("window", "of_group", "of_elements", "implied"),
    [
        ("[60]", "", "", True),
        ("[60]", "", ", V > 1", False),  # a group may have no elements, and then their number is 0
        ("[60]", ", V > 1", "", False),
        ("[30]", "", "", False),
        ("[60]", ", V > 1", ", V > 1", True),
    ],
)
def test_what_an_aggregate_implies_is_not_asked(window: str, of_group: str, of_elements: str, implied: bool) -> None:
    program = replace(lasing.parse(GROUPS % (window, of_group, of_elements)), only_inputs=True)
    plan = drop_implied(compile_plan(program))
    assert all(relation.name != "g" for relation in plan.relations) == implied
