"""In which order the events of one time point are determined, so that NOT knows what it must exclude."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from lasing.languages.etalis.syntax import (
    Absence,
    Binary,
    Event,
    EventRule,
    Limited,
    Pattern,
    Repetition,
    StaticRule,
    Where,
)
from lasing.logic.formulas import Atom, Not

Need = tuple[str, str, bool]
"""A name, one that it depends on, and whether all of that must be known first."""


def levels(rules: Iterable[EventRule]) -> dict[str, int]:
    """A level for each defined event: at least that of the events that can complete it, and more below NOT.

    If an event needs to know its own intervals first, its level is greater than the number of events.
    """
    rules = list(rules)
    needs = [(rule.head.name, name, excludes) for rule in rules for name, excludes in completing(rule.pattern)]
    return _levels({rule.head.name for rule in rules}, needs)


def static_levels(rules: Iterable[StaticRule]) -> dict[str, int]:
    """A level for each static predicate: more than that of the predicates that its rules negate."""
    rules = list(rules)
    needs: list[Need] = []
    for rule in rules:
        for condition in rule.body:
            atom = condition.body if isinstance(condition, Not) else condition
            if isinstance(atom, Atom):
                needs.append((rule.head.predicate, atom.predicate, isinstance(condition, Not)))
    return _levels({rule.head.predicate for rule in rules}, needs)


def _levels(names: set[str], needs: list[Need]) -> dict[str, int]:
    found = dict.fromkeys(sorted(names), 0)
    known = [need for need in needs if need[1] in found]
    for _ in range(len(found) + 2):
        for name, other, first in known:
            found[name] = max(found[name], found[other] + first)
    return found


def completing(pattern: Pattern, excludes: bool = False) -> Iterator[tuple[str, bool]]:
    """The events that can end together with a pattern, and whether NOT must know all of their intervals."""
    match pattern:
        case Event():
            yield pattern.name, excludes
        case Repetition():
            yield pattern.event.name, excludes
        case Limited() | Where():
            yield from completing(pattern.pattern, excludes)
        case Absence():
            yield from completing(pattern.last, True)
        case Binary("SEQ" | "DURING" | "STARTS"):
            yield from completing(pattern.right, excludes)
        case Binary():
            yield from completing(pattern.left, excludes)
            yield from completing(pattern.right, excludes)
        case _:
            assert_never(pattern)
