"""(group, value) at t  ⇔  value = the aggregate of {terms : (group, terms) present at t}, where there are any."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from lasing.logic.functions import AggregateFunction
from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Fold, Lookup, PlanRule, Relation, Span
from tests.unit.engines.local.operators.laws import END, present, random_facts, window

BY_DEFINITION: dict[AggregateFunction, Callable[[set[int]], float | Fraction]] = {
    "count": len,
    "sum": sum,
    "min": min,
    "max": max,
    "avg": lambda values: Fraction(sum(values), len(values)),
}


@pytest.mark.parametrize("function", BY_DEFINITION)
@pytest.mark.parametrize("seed", range(3))
def test_the_value_of_a_group_is_the_aggregate_of_its_rows(function: AggregateFunction, seed: int) -> None:
    facts, span = random_facts(seed, columns=2, values=5), Span(2)
    x, y = Variable("X"), Variable("Y")
    p, rows, target = Relation("p", 2), Relation("rows", 2, counted=True), Relation("fold", 2, counted=True)
    found = present(
        target,
        facts,
        relations=[p, rows],
        feeds=[Feed("p", p, span, timed=False)],
        stages=[
            Derive((PlanRule(rows, (x, y), (Lookup(p, (x, y)),)),), (rows,)),
            Fold(function, rows, target, groups=1, origin=0),
        ],
    )
    assert any(found.values())
    for t in range(END):
        held = {row for u in window(span, t) for row in facts.get(u, ())}
        groups = {group: {value for g, value in held if g == group} for group, _ in held}
        expected = {(group, float(BY_DEFINITION[function](values))) for group, values in groups.items()}  # type: ignore[arg-type]
        assert {(group, float(str(value))) for group, value in found[t]} == expected, t
