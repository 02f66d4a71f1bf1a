"""Which selections are found by walking: those that compare their tuples with something that they do not bind.

    (T,V) = #last{U,W : temp(S,W) at U in [9], W > C}

C has a value from outside only, so there is a group of tuples for each S and each C that a rule asks for. But all that
belong to the same S are in the same order, from which C only leaves out some. So one order for each S is enough: a rule
walks through it, from the best tuple to the first with W > C (see `Ranking`). Otherwise a thousand different C would
need a thousand copies of the readings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lasing.logic.formulas import Select
from lasing.logic.terms import Term, Variable
from lasing.plan.body import Body, variables_in
from lasing.plan.literals import MOST_COLUMNS
from lasing.plan.nodes import Test
from lasing.plan.operators import WithBound


@dataclass(frozen=True)
class Walkable:
    """A selection that is found by walking: the case of its condition without the tests of the walk; the variables that
    group; its terms, and what else is tested; and the tests, each with the variable that is its bound."""

    case: Body
    group: list[Variable]
    terms: tuple[Term, ...]
    tests: tuple[WithBound, ...]
    bounds: tuple[Variable, ...]


def walkable(select: Select, group: Sequence[Variable], cases: Sequence[Body]) -> Walkable | None:
    """How to find a selected tuple by walking; None if that is not possible, or not needed."""
    if len(cases) != 1 or select.count != 1:
        return None
    (case,) = cases
    bound = case.bound()
    given = set(group) - bound
    mentioned = variables_in([*select.terms, *(arg for lookup in case.lookups for arg in lookup.args)])
    if not given or given & mentioned:
        return None
    about = [test for test in case.tests if given & variables_in((test.left, test.right))]
    sides = [_sides(test, given, bound) for test in about]
    inner = [v for v in group if v in bound]
    terms: list[Term] = list(select.terms)
    tests: list[WithBound] = []
    bounds: list[Variable] = []
    for test, found in zip(about, sides, strict=True):
        if found is None:
            return None
        term, limit, is_reversed = found
        if term not in terms:
            terms.append(term)
        tests.append(WithBound(len(inner) + terms.index(term), test.comparison, is_reversed, test.negated))
        bounds.append(limit)
    if len(inner) + len(terms) + len(tests) > MOST_COLUMNS:
        return None
    rest = Body(case.lookups, [test for test in case.tests if test not in about])
    return Walkable(rest, inner, tuple(terms), tuple(tests), tuple(bounds))


def _sides(test: Test, given: set[Variable], bound: set[Variable]) -> tuple[Variable, Variable, bool] | None:
    """The variable of a test that the condition binds, the one that it does not, and whether the latter is first."""
    for term, limit in ((test.left, test.right), (test.right, test.left)):
        if isinstance(term, Variable) and isinstance(limit, Variable) and term in bound and limit in given:
            return term, limit, limit is test.left
    return None
