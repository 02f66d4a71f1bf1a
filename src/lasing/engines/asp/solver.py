"""The answer sets of ground rules, by clingo."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import clingo

from lasing.engines.asp.aggregates import LARGEST_WEIGHT
from lasing.engines.asp.conditions import AllOf, Condition, TimedAtom, any_of, literals
from lasing.engines.asp.encoding import Encoder, is_mixed
from lasing.engines.asp.grounding import Cost, GroundRule
from lasing.engines.asp.minimality import minimal_models
from lasing.errors import fault

Model = frozenset[TimedAtom]


class Solver:
    """Finds answer sets; it remembers those of the last program, which often comes again."""

    def __init__(self, component: Mapping[str, int]) -> None:
        self._component = component

    def models(self, rules: Collection[GroundRule], shown: Collection[TimedAtom], limit: int) -> list[Model]:
        """The answer sets, of least cost where there are costs, as far as they differ in the atoms that are shown.

        At most `limit` of them; 0 stands for all.
        """
        if any(self._needs_test(rule) for rule in rules):
            return _distinct(minimal_models(rules, costs_of(rules)), shown, limit)
        return _distinct(_answer_sets(rules, shown, limit), shown, limit)

    def _needs_test(self, rule: GroundRule) -> bool:
        """Whether clingo's semantics is not that of LARS: a mixed condition rests on what its own rule derives."""
        if not rule.heads or not is_mixed(rule.body):
            return False
        own = {self._component[head.predicate] for head in rule.heads}
        parts = rule.body.parts if isinstance(rule.body, AllOf) else (rule.body,)
        mixed = (part for part in parts if is_mixed(part))
        return any(self._component[x.atom.predicate] in own for part in mixed for x in literals(part))


def costs_of(rules: Collection[GroundRule]) -> dict[Cost, Condition]:
    """When each cost falls due: once, however many instances have it."""
    when: dict[Cost, list[Condition]] = {}
    for rule in rules:
        if rule.cost is not None:
            when.setdefault(rule.cost, []).append(rule.body)
    return {cost: any_of(conditions) for cost, conditions in when.items()}


def _answer_sets(rules: Collection[GroundRule], shown: Collection[TimedAtom], limit: int) -> Iterator[Model]:
    costs = {cost: when for cost, when in costs_of(rules).items() if cost.weight and when is not True}
    options = [str(limit), "--project=project", "--warn=none", *(["--opt-mode=optN"] if costs else [])]
    control = clingo.Control(options)
    with control.backend() as backend:
        encoder = Encoder(backend)
        for rule in rules:
            if rule.cost is None:
                heads = [encoder.atom(head) for head in rule.heads]
                backend.add_rule(heads, encoder.body(rule.body), rule.choice)
        for cost, when in costs.items():
            if abs(cost.weight) > LARGEST_WEIGHT or abs(cost.level) > LARGEST_WEIGHT:
                raise fault("E310", f"a cost is beyond {LARGEST_WEIGHT:,}, the largest that clingo adds up")
            backend.add_minimize(cost.level, [(encoder.literal(when), cost.weight)])
        backend.add_project([encoder.atom(atom) for atom in shown])
    with control.solve(yield_=True) as found:
        for model in found:
            if not costs or model.optimality_proven:
                yield frozenset(atom for atom, number in encoder.atoms.items() if model.is_true(number))


def _distinct(models: Iterator[Model], shown: Collection[TimedAtom], limit: int) -> list[Model]:
    """One of the models that are the same on the atoms that are shown, in the order of those."""
    found: dict[Model, Model] = {}
    visible = frozenset(shown)
    for model in models:
        found.setdefault(model & visible, model)
        if len(found) == limit:
            break
    return [found[key] for key in sorted(found, key=lambda key: sorted(map(_order, key)))]


def _order(atom: TimedAtom) -> tuple[int, str, str]:
    return atom.ahead, atom.predicate, str(atom.args)
