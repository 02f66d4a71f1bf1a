"""Variants of a rule that begin with a tuple that has come or gone, through which the rule walks (see `ranking`)."""

from __future__ import annotations

from lasing.engines.local.encoding import Variant
from lasing.engines.local.operators import variants
from lasing.engines.local.operators.operation import Layout
from lasing.logic.functions import COMPARISONS
from lasing.logic.terms import Variable
from lasing.plan.nodes import Lookup, PlanRule, Test

WALKS = (variants.ITSELF, variants.OTHER)
"""A tuple that comes or goes adds or takes away itself, and the other way round the tuple that it replaces."""


class ChangedWalk(Variant):
    """Begins with a change in the source of a ranking. As soon as the bounds are known, it looks whether the change
    matters to them."""

    def __init__(self, layout: Layout, rule: PlanRule, begin: int, special: int, which: int) -> None:
        super().__init__(layout, rule, begin, True, special)
        self._which = which
        self._waiting: Lookup | None = rule.lookups[begin]
        self._node, _ = layout.ranking(rule.lookups[begin].relation)
        self._walked_from = 0

    def _begin_with(self, changed: Lookup) -> list[int]:
        """The group is known, and the tuple itself is in registers of its own, side by side."""
        node = self._node
        registers = [self._temporary() for _ in range(node.source.arity)]
        self._walked_from = registers[0]
        binds = [word for column, register in enumerate(registers) for word in (column, register, 0)]
        for column, arg in enumerate(changed.args[: node.groups]):
            known = not isinstance(arg, Variable) or arg in self._registers
            binds += [column, self._value(arg), int(known)]
        return binds

    def _go_on(self, tests: list[Test]) -> None:
        self._take_tests(tests)
        if self._waiting is not None and all(map(self._is_bound, self._waiting.given)):
            lookup, self._waiting = self._waiting, None
            for test, bound in zip(self._node.tests, lookup.args[self._node.source.arity :], strict=True):
                sides = [self._walked_from + test.column, self._value(bound)]
                left, right = sides[::-1] if test.reversed else sides
                code = COMPARISONS[test.comparison].kernel
                self._steps.append([variants.COMPARE, code, left, right, int(test.negated), 0])
            self._walk(lookup, self._which, self._walked_from)
            self._take_tests(tests)

    def _changes(self, _changed: Lookup) -> tuple[int, int]:
        return self._layout.at(self._node.source), 1 if self._which == variants.ITSELF else -1
