"""(group, value) at t  ⇔  value = the aggregate of {terms : (group, terms) present at t}, where there are any."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

from lasing.logic.functions import AggregateFunction
from lasing.logic.functions.aggregates import aggregate
from lasing.logic.terms import Variable
from lasing.logic.values import ExactDecimal, Truth, Undefined, Value, normal
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule
from lasing.plan.operators import Fold
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, Row, present, random_facts, window

BY_DEFINITION: dict[AggregateFunction, Callable[[set[int]], float | Fraction]] = {
    "count": len,
    "sum": sum,
    "min": min,
    "max": max,
    "avg": lambda values: Fraction(sum(values), len(values)),
}


def folded(function: AggregateFunction, facts: dict[int, list[Row]], span: Span) -> dict[int, set[Row]]:
    """The aggregate of the second column of p in a window, by the first column."""
    x, y = Variable("X"), Variable("Y")
    p, rows, target = Relation("p", 2), Relation("rows", 2, counted=True), Relation("fold", 2, counted=True)
    return present(
        target,
        facts,
        relations=[p, rows],
        feeds=[Feed("p", p, span, timed=False)],
        stages=[
            Derive((PlanRule(rows, (x, y), (Lookup(p, (x, y)),)),), (rows,)),
            Fold(function, rows, target, by=(x,), origin=0),
        ],
    )


@pytest.mark.parametrize("function", BY_DEFINITION)
@pytest.mark.parametrize("seed", range(3))
def test_the_value_of_a_group_is_the_aggregate_of_its_rows(function: AggregateFunction, seed: int) -> None:
    facts, span = random_facts(seed, columns=2, values=5), Span(2)
    found = folded(function, facts, span)
    assert any(found.values())
    for t in range(END):
        held = {row for u in window(span, t) for row in facts.get(u, ())}
        groups = {group: {value for g, value in held if g == group} for group, _ in held}
        expected = {(group, float(BY_DEFINITION[function](values))) for group, values in groups.items()}  # type: ignore[arg-type]
        assert {(group, float(str(value))) for group, value in found[t]} == expected, t


def wild(chance: random.Random, spread: int) -> Value:
    """A number; most of them are doubles, whose exponents lie within this distance from 0."""
    match chance.randrange(8):
        case 0:
            return chance.randint(-(2**63), 2**63 - 1)
        case 1:
            return chance.randint(-3, 3)
        case _:
            return normal(math.ldexp(chance.uniform(-1, 1), chance.randint(-spread, min(spread, 1023))))


@pytest.mark.parametrize("function", ["sum", "avg", "min", "max"])
@pytest.mark.parametrize("spread", [8, 200, 1073])
def test_sums_of_any_numbers_are_exact_as_rows_come_and_go(function: AggregateFunction, spread: int) -> None:
    chance = random.Random(spread)
    pool: list[Value] = [wild(chance, spread) for _ in range(30)]
    pool += [-value for value in pool if not isinstance(value, str) and value != -(2**63)]  # type: ignore[operator]
    facts: dict[int, list[Row]] = {
        time: [(group, chance.choice(pool)) for group in range(2) for _ in range(chance.randrange(5))]
        for time in range(END)
    }
    check(function, facts, Span(3))


@pytest.mark.parametrize("function", ["sum", "avg"])
def test_a_sum_has_no_value_while_some_term_is_no_number(function: AggregateFunction) -> None:
    decimal = ExactDecimal(Decimal("1.5"))
    values: list[Value] = [0.5, 1, "a", 1e308, decimal, 1.5e308, -1e308, 2, 3, 0.1, 0.2, 4]
    facts: dict[int, list[Row]] = {2 * time: [(0, value)] for time, value in enumerate(values)}
    check(function, facts, Span(4))


def check(function: AggregateFunction, facts: dict[int, list[Row]], span: Span) -> None:
    """The values of groups are those of the definition, to the last bit."""
    found = folded(function, facts, span)
    assert any(found.values())
    for t in range(END):
        held = {row for u in window(span, t) for row in facts.get(u, ())}
        expected = set()
        for group in {row[0] for row in held}:
            try:
                expected.add((group, aggregate(function, {(value,) for g, value in held if g == group})))
            except Undefined:
                continue  # it has no value
        assert found[t] == expected, t


RISING: list[Value] = list(range(END))
PATTERNS: dict[str, list[Value]] = {
    "rising": RISING,
    "falling": RISING[::-1],
    "a saw": [time % 7 for time in RISING],  # type: ignore[operator]
    "one value": [1 for _ in RISING],
    "numbers and names": [f"n{time}" if time in (9, 20, 21, 22) else time for time in RISING],
    "decimals among numbers": [ExactDecimal(Decimal(f"{time}.5")) if time in (9, 20, 21) else time for time in RISING],
    "literals": [ExactDecimal(Decimal(1)) if time == 9 else Truth(True) if time == 20 else time for time in RISING],
}


@pytest.mark.parametrize("function", ["min", "max"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("back", [3, 25])
def test_the_least_and_greatest_are_those_of_the_rows_present(
    function: AggregateFunction, pattern: str, back: int
) -> None:
    """Each value comes with two others, so that a group has more rows than it keeps leaders."""
    values = PATTERNS[pattern]
    facts: dict[int, list[Row]] = {
        time: [(0, value), (1, value), (1, (time * 17) % 50), (1, (time * 29) % 60)]
        for time, value in enumerate(values)
    }
    check(function, facts, Span(back))
