"""The body of a rule, or of a condition in braces, as far as it is planned: lookups and tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lasing.logic.terms import Term, Variable, variables_of
from lasing.plan.nodes import Lookup, Test
from lasing.plan.relations import Relation


@dataclass
class Body:
    """The lookups and tests of a body, as far as it is planned."""

    lookups: list[Lookup] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)

    def bound(self) -> set[Variable]:
        """The variables that lookups and assignments bind."""
        bound = {a for x in self.lookups for a in x.found if isinstance(a, Variable)}
        size = -1
        while len(bound) != size:
            size = len(bound)
            for test in self.tests:
                for target, source in ((test.left, test.right), (test.right, test.left)):
                    if test.comparison == "=" and not test.negated and isinstance(target, Variable):
                        bound |= {target} if bound.issuperset(variables_of(source)) else set()
        return bound

    def and_(self, other: Body) -> Body:
        """Both bodies together."""
        return Body([*self.lookups, *other.lookups], [*self.tests, *other.tests])

    def without(self, relations: set[Relation]) -> Body:
        """What is left of the body if some relations cannot be looked up: the part whose variables are still bound."""
        kept = Body([x for x in self.lookups if x.relation not in relations], self.tests)
        bound = kept.bound()
        return Body(
            [x for x in kept.lookups if bound.issuperset(variables_in(x.given))],
            [x for x in self.tests if bound.issuperset(variables_in((x.left, x.right)))],
        )


def variables_in(terms: Iterable[Term]) -> set[Variable]:
    """All variables of some terms."""
    return {v for term in terms for v in variables_of(term)}
