"""Answer streams by Definition 9 of the LARS paper, word for word: minimal models of the reduct.

An answer stream is a model of the rules, and no smaller set of atoms is a model of those rules whose bodies hold in it.
clingo finds models with every atom free, and a second search tests each of them by looking for a smaller one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import clingo

from lasing.engines.asp.conditions import Condition, TimedAtom, holds_in
from lasing.engines.asp.encoding import Encoder
from lasing.engines.asp.grounding import Cost, GroundRule
from lasing.engines.asp.searching import search
from lasing.limits import Watch

Model = frozenset[TimedAtom]


def minimal_models(
    rules: Collection[GroundRule], costs: Mapping[Cost, Condition], now: int = 0, watch: Watch | None = None
) -> Iterator[Model]:
    """The answer sets of ground rules, those of least cost; one by one if there are no costs."""
    found = (model for model in _models(rules, now, watch) if smaller_model(rules, model, now, watch) is None)
    if not costs:
        yield from found
        return
    by_cost = [(_cost(costs, model), model) for model in found]
    least = min((cost for cost, _ in by_cost), default=())
    yield from (model for cost, model in by_cost if cost == least)


def smaller_model(
    rules: Collection[GroundRule], model: Model, now: int = 0, watch: Watch | None = None
) -> Model | None:
    """A smaller set of atoms that is a model of the reduct by a model; None if that model is minimal."""
    control = clingo.Control(["1", "--warn=none"])
    with control.backend() as backend:
        encoder = Encoder(backend)
        numbers = [encoder.atom(atom) for atom in model]
        backend.add_rule(numbers, [], choice=True)
        backend.add_rule([], numbers)
        for rule in rules:
            if rule.cost is None and holds_in(rule.body, model):
                # A choice derives what is chosen: `{a}` is `a ; a'` with a hidden atom a'.
                heads = [head for head in rule.heads if head in model]
                for chosen in [[head] for head in heads] if rule.choice else [heads]:
                    backend.add_rule([], [*encoder.body(rule.body), *(-encoder.atom(head) for head in chosen)])
        encoder.close()
    for smaller in search(control, len(rules), 1, now, watch):
        return frozenset(atom for atom, number in encoder.atoms.items() if smaller.is_true(number))
    return None


def _models(rules: Collection[GroundRule], now: int, watch: Watch | None) -> Iterator[Model]:
    """The sets of atoms in which all rules hold, and each atom is in the head of a rule whose body holds."""
    control = clingo.Control(["0", "--warn=none"])
    with control.backend() as backend:
        encoder = Encoder(backend)
        support: dict[TimedAtom, list[int]] = {}
        for rule in rules:
            if rule.cost is not None:
                continue
            body = encoder.body(rule.body)
            if not rule.choice:
                backend.add_rule([], [*body, *(-encoder.atom(head) for head in rule.heads)])
            derives = backend.add_atom()
            backend.add_rule([derives], body)
            for head in rule.heads:
                support.setdefault(head, []).append(derives)
        for atom, sources in support.items():
            backend.add_rule([encoder.atom(atom)], [], choice=True)
            backend.add_rule([], [encoder.atom(atom), *(-source for source in sources)])
        backend.add_project([encoder.atom(atom) for atom in support])
        encoder.close()
    for model in search(control, len(rules), 0, now, watch):
        yield frozenset(atom for atom in support if model.is_true(encoder.atom(atom)))


def _cost(costs: Mapping[Cost, Condition], model: Model) -> tuple[tuple[int, int], ...]:
    """The cost of a model, the highest level first."""
    total = Counter({cost.level: 0 for cost in costs})
    for cost, when in costs.items():
        if holds_in(when, model):
            total[cost.level] += cost.weight
    return tuple((-level, total[level]) for level in sorted(total, reverse=True))
