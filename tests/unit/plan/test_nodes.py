"""Nodes of plans check their arities when they are made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lasing.logic.terms import Variable
from lasing.plan.nodes import Clock, Feed, Lookup, Plan, PlanRule, Recompute
from lasing.plan.operators import Box, FactPoints, Fold, Gate, LastFacts, Stamp
from lasing.plan.relations import POINT, Relation

ONE, TWO = Relation("one", 1), Relation("two", 2)
NONE = Relation("none", 0)
X, Y = Variable("X"), Variable("Y")


def plan(*background: tuple[Relation, tuple[int, ...], None]) -> Plan:
    return Plan((ONE, TWO), frozenset(), (), (), (), (), (), background, 0)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (lambda: Feed("p", ONE, POINT, True), lambda: Feed("p", NONE, POINT, True)),
        (lambda: Feed("p", TWO, POINT, True, 1), lambda: Feed("p", ONE, POINT, True, 1)),
        (lambda: Clock(ONE, POINT), lambda: Clock(TWO, POINT)),
        (lambda: Lookup(TWO, (X, Y)), lambda: Lookup(TWO, (X,))),
        (lambda: PlanRule(ONE, (X,), (Lookup(ONE, (X,)),)), lambda: PlanRule(ONE, (X, X), (Lookup(ONE, (X,)),))),
        (
            lambda: PlanRule(ONE, (X,), (Lookup(ONE, (X,)),), orders=((),)),
            lambda: PlanRule(ONE, (X,), (Lookup(ONE, (X,)),), orders=((0,),)),
        ),
        (lambda: Box(TWO, ONE, POINT), lambda: Box(ONE, ONE, POINT)),
        (lambda: LastFacts("p", TWO, 3, (0,)), lambda: LastFacts("p", TWO, 3, (1,))),
        (lambda: LastFacts("p", ONE, 3, None), lambda: LastFacts("p", NONE, 3, None)),
        (lambda: FactPoints(ONE, 3), lambda: FactPoints(TWO, 3)),
        (lambda: Gate(TWO, TWO, POINT), lambda: Gate(TWO, ONE, POINT)),
        (lambda: Stamp(ONE, TWO), lambda: Stamp(ONE, ONE)),
        (lambda: Fold("count", TWO, TWO, (X,), 0), lambda: Fold("count", TWO, ONE, (X,), 0)),
        (lambda: Fold("count", ONE, TWO, (X,), 0), lambda: Fold("count", NONE, TWO, (X,), 0)),
        (lambda: Recompute(((ONE, ONE),), (), (), (), False), lambda: Recompute((), (), (), ((ONE, TWO),), False)),
        (lambda: plan((ONE, (1,), None)), lambda: plan((ONE, (1, 2), None))),
    ],
)
def test_a_node_fits_or_is_refused(right: Callable[[], object], wrong: Callable[[], object]) -> None:
    made = right()
    with pytest.raises(ValueError, match=f"this {type(made).__name__} does not fit"):
        wrong()
