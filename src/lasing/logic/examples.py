"""An instance of a rule that had no value, as an example for the user: what its variables were, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter

from lasing.logic.formulas import terms_of, walk
from lasing.logic.program import Rule
from lasing.logic.terms import Substitution, Variable, variables_of
from lasing.logic.values import Value, value_text
from lasing.timeline.ticks import Tick, time_text


@dataclass(frozen=True, slots=True)
class Example:
    """The time point of evaluation, the variables that had values, and, for an aggregate, the name in it."""

    time: int
    binding: Substitution
    value: Value | None = None

    def text(self, rule: Rule, tick: Tick | None) -> str:
        """The text for the user, with the variables in the order of the rule's body."""
        written = dict.fromkeys(sorted(_variables(rule), key=attrgetter("offset")))
        order = (v for v in written if v in self.binding and not v.anonymous)
        bound = ", ".join(f"{v} = {_short(self.binding[v])}" for v in order)
        when = f"at time point {self.time}" if tick is None else f"at {time_text(self.time, tick)}"
        if self.value is None:
            return f"for example with {bound} {when}" if bound else f"for example {when}"
        shown = _short(self.value)
        return f"for example {shown}, with {bound}, {when}" if bound else f"for example {shown} {when}"


Examples = Mapping[tuple[int, str], Example]
"""By rule and reason, as instances without a value are counted."""


def _short(value: Value) -> str:
    text = value_text(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _variables(rule: Rule) -> Iterator[Variable]:
    for formula in rule.body:
        for node in walk(formula):
            for term in terms_of(node):
                yield from variables_of(term)
