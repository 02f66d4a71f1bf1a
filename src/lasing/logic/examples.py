"""An instance of a rule that had no value, as an example for the user: what its variables were, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lasing.logic.answers import time_text
from lasing.logic.formulas import terms_of, walk
from lasing.logic.program import Rule
from lasing.logic.terms import Substitution, Value, Variable, value_text, variables_of
from lasing.timeline.ticks import Tick


@dataclass(frozen=True, slots=True)
class Example:
    """The time point of evaluation, the variables as far as they had values, and, of an aggregate, the name in it."""

    time: int
    binding: Substitution
    value: Value | None = None

    def text(self, rule: Rule, tick: Tick | None) -> str:
        """What to say about it, with the variables in the order in which the rule has them."""
        order = (v for v in dict.fromkeys(_variables(rule)) if v in self.binding and not v.anonymous)
        bound = ", ".join(f"{v} = {value_text(self.binding[v])}" for v in order)
        when = f"at time point {self.time}" if tick is None else f"at {time_text(self.time, tick)}"
        if self.value is None:
            return f"for example with {bound} {when}" if bound else f"for example {when}"
        shown = value_text(self.value)
        return f"for example {shown}, with {bound}, {when}" if bound else f"for example {shown} {when}"


Examples = Mapping[tuple[int, str], Example]
"""By rule and reason, as instances without a value are counted."""


def _variables(rule: Rule) -> Iterator[Variable]:
    for formula in (*rule.body, *rule.heads):
        for node in walk(formula):
            for term in terms_of(node):
                yield from variables_of(term)
