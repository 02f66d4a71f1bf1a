"""The answer sets of ground rules, found by clingo.

From time point to time point much stays the same. Equal rules have equal answer sets. If all rules are already known,
the same clingo program is solved again, with an external atom that switches each rule on or off. clingo accepts no new
rules for atoms that it has rules for, so an unknown rule makes a new program: with the old rules, if those were used,
and without them once they outnumber the new ones. So the program does not grow with the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain

import clingo

from lasing.engines.asp.aggregates import LARGEST_WEIGHT
from lasing.engines.asp.conditions import AllOf, Condition, TimedAtom, any_of, literals
from lasing.engines.asp.encoding import Encoder, is_mixed
from lasing.engines.asp.grounding import Cost, GroundRule
from lasing.engines.asp.minimality import minimal_models
from lasing.engines.asp.searching import search
from lasing.errors import fault
from lasing.limits import Watch

Model = frozenset[TimedAtom]
MOST_IDLE = 2
"""How many rules a program may have for each one that is switched on, before it is rebuilt."""


class Solver:
    """Finds answer sets that differ in the atoms that are shown; at most `limit` of them, unless 0."""

    def __init__(
        self,
        component: Mapping[str, int],
        is_shown: Callable[[TimedAtom], bool],
        limit: int,
        watch: Watch | None = None,
    ) -> None:
        self._component = component
        self._watch = watch
        self._is_shown = is_shown
        self._limit = limit
        self._last: tuple[tuple[GroundRule, ...], list[Model]] | None = None
        self._program: _Program | None = None

    def models(self, rules: tuple[GroundRule, ...], now: int = 0) -> list[Model]:
        """The answer sets, those of least cost if there are costs. Messages about limits name the time point `now`."""
        if self._last is None or self._last[0] != rules:
            if self._need_test(rules):
                found = minimal_models(rules, costs_of(rules), now, self._watch)
            else:
                found = self._answer_sets(rules, now)
            self._last = rules, self._distinct(found)
        return self._last[1]

    def _need_test(self, rules: Iterable[GroundRule]) -> bool:
        """Whether clingo's semantics differs from LARS: a mixed condition depends on what its own rule derives."""
        for rule in rules:
            if rule.heads and is_mixed(rule.body):
                own = {self._component[head.predicate] for head in rule.heads}
                parts = rule.body.parts if isinstance(rule.body, AllOf) else (rule.body,)
                mixed = (literal for part in parts if is_mixed(part) for literal in literals(part))
                if any(self._component[literal.atom.predicate] in own for literal in mixed):
                    return True
        return False

    def _answer_sets(self, rules: tuple[GroundRule, ...], now: int) -> Iterator[Model]:
        known = self._program
        if known is None or not known.has(rules):
            kept: Iterable[GroundRule] = ()
            if known is not None and known.was_reused and len(known.rules) <= MOST_IDLE * len(rules):
                kept = known.rules
            self._program = known = _Program(dict.fromkeys(chain(rules, kept)), self._is_shown, self._limit)
        return known.answer_sets(rules, now, self._watch)

    def _distinct(self, models: Iterable[Model]) -> list[Model]:
        """One model for each set of shown atoms, in the order of these."""
        found: dict[Model, Model] = {}
        for model in models:
            found.setdefault(frozenset(filter(self._is_shown, model)), model)
            if len(found) == self._limit:
                break
        return [found[key] for key in sorted(found, key=lambda key: sorted(map(_order, key)))]


class _Program:
    """Rules in clingo, each with an external atom that switches it on."""

    def __init__(self, rules: Collection[GroundRule], is_shown: Callable[[TimedAtom], bool], limit: int) -> None:
        self.rules = rules
        self.was_reused = False
        self._on: dict[GroundRule, None] = {}
        self._limit = limit
        self._asked = False
        costs = dict.fromkeys(rule.cost for rule in rules if rule.cost is not None)
        options = [str(limit), "--project=project", "--warn=none", *(["--opt-mode=optN"] if costs else [])]
        self._optimises = bool(costs)
        self._control = clingo.Control(options)
        with self._control.backend() as backend:
            self._encoder = encoder = Encoder(backend)
            self._switches = {rule: backend.add_atom() for rule in rules}
            due = {cost: backend.add_atom() for cost in costs}
            for rule, switch in self._switches.items():
                backend.add_external(switch)
                body = [switch, *encoder.body(rule.body)]
                if rule.cost is None:
                    backend.add_rule([encoder.atom(head) for head in rule.heads], body, rule.choice)
                else:
                    backend.add_rule([due[rule.cost]], body)
            for cost, number in due.items():
                if max(abs(cost.weight), abs(cost.level)) > LARGEST_WEIGHT:
                    raise fault("E310", f"a cost is beyond {LARGEST_WEIGHT:,}, the largest that clingo can add up")
                backend.add_minimize(cost.level, [(number, cost.weight)])
            heads = dict.fromkeys(head for rule in rules for head in rule.heads)
            backend.add_project([encoder.atom(head) for head in heads if is_shown(head)])
            encoder.close()

    def has(self, rules: Iterable[GroundRule]) -> bool:
        return all(rule in self._switches for rule in rules)

    def answer_sets(self, rules: Iterable[GroundRule], now: int, watch: Watch | None) -> Iterator[Model]:
        self.was_reused, self._asked = self._asked, True
        wanted = dict.fromkeys(rules)
        for rule in chain(self._on, wanted):
            if (rule in wanted) != (rule in self._on):
                self._control.assign_external(self._switches[rule], rule in wanted)
        self._on = wanted
        for model in search(self._control, len(self.rules), self._limit, now, watch):
            if not self._optimises or model.optimality_proven:
                yield frozenset(atom for atom, number in self._encoder.atoms.items() if model.is_true(number))


def costs_of(rules: Iterable[GroundRule]) -> dict[Cost, Condition]:
    """When each cost is due: once, however many instances have it."""
    when: dict[Cost, list[Condition]] = {}
    for rule in rules:
        if rule.cost is not None:
            when.setdefault(rule.cost, []).append(rule.body)
    return {cost: any_of(conditions) for cost, conditions in when.items()}


def _order(atom: TimedAtom) -> tuple[int, str, str]:
    return atom.ahead, atom.predicate, str(atom.args)
