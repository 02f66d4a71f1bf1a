"""Several aggregates over the same rows share what they range over: the answers stay those of the reference."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Derive, Plan
from lasing.plan.optimize.elements import share_elements
from tests.differential.harness import agree
from tests.differential.sizes import programs
from tests.differential.strategies import Example

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

CHUNK = 20
LAST = 9


def aggregates_example(seed: int) -> Example:
    """A random rule with some aggregates over a window, and a stream. Conditions differ only now and then."""
    rng = random.Random(seed)
    window = rng.choice(("[0]", "[2]", "[3 step 2]", "[*]", "[#3]"))
    test = rng.choice(("", ", V{n} > 1", ", V{n} != K"))
    literals, head = [], ["K"]
    for n in range(1, rng.randrange(3, 6)):
        name = rng.choice(("count", "count", "sum", "avg", "min", "max"))
        terms = [f"T{n}", "K", f"V{n}"] if name == "count" else [f"V{n}", *rng.sample([f"T{n}", "K"], 2)]
        if name == "count":
            rng.shuffle(terms)
        if rng.random() < 0.15:
            terms = terms[:1]
        own = test if rng.random() < 0.8 else ", V{n} < 3"
        literals.append(f"N{n} = #{name}{{{','.join(terms)} : s(K,V{n}) at T{n} in {window}{own.format(n=n)}}}")
        head.append(f"N{n}")
    key = rng.choice(("s(K,_)", "s(K,_) in [3]", "key(K)"))
    program = f"#show r/{len(head)}.\nkey(0). key(1). key(2).\nr({','.join(head)}) :- {key}, {', '.join(literals)}.\n"
    if rng.random() < 0.4:
        program += f"#show q/2.\nq(K,N) :- {key}, N = #count{{V,T : s(K,V) at T in {window}}}.\n"
    facts = {(rng.randrange(LAST), f"s({rng.randrange(3)},{rng.choice((0, 1, 2, 3, 1.5))})") for _ in range(20)}
    return Example(program, tuple(sorted(facts)[: rng.randrange(21)]), 0, LAST + 3)


@pytest.mark.parametrize("first", range(0, programs(200, 4000), CHUNK))
def test_the_local_engine_equals_the_reference(first: int) -> None:
    for seed in range(first, first + CHUNK):
        agree(aggregates_example(seed), "local")


def test_many_of_these_programs_share_elements() -> None:
    sharing = 0
    for seed in range(100):
        plan = compile_plan(lasing.parse(aggregates_example(seed).program))
        sharing += share_elements(plan) != plan
    assert sharing > 30


PAIR = "r(K,N,M) :- key(K), N = #count{T,K,V : s(K,V) at T in [2]}, M = #avg{%s : s(K,W) at U in [2]%s}.\nkey(1).\n"


@pytest.mark.parametrize(
    ("terms", "test", "shared"),
    [
        ("W,U,K", "", True),
        ("W,K,U", "", True),
        ("W,U", "", False),  # other terms: equal rows of two keys would be one
        ("W,U,K", ", W > 1", False),
    ],
)
def test_elements_are_shared_where_they_are_the_same(terms: str, test: str, shared: bool) -> None:
    plan = compile_plan(lasing.parse(PAIR % (terms, test)))
    assert _kept(share_elements(plan)) == _kept(plan) - shared


def _kept(plan: Plan) -> int:
    stages = [stage for stage in plan.stages if isinstance(stage, Derive)]
    return sum(head.name.startswith("elements of") and " on " not in head.name for x in stages for head in x.heads)
