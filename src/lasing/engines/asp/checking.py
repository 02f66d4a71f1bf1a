"""Whether an interpretation stream is an answer stream (LARS, Definition 9): a model, and minimal for its reduct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lasing.engines.asp import unfolding
from lasing.engines.asp.conditions import TimedAtom
from lasing.engines.asp.grounding import GroundRule, instance_of
from lasing.engines.asp.minimality import Model, smaller_model
from lasing.engines.asp.unfolding import Unknowns
from lasing.engines.reference.entailment import instances
from lasing.engines.reference.structure import Binding, Structure
from lasing.logic.program import Program


@dataclass(frozen=True, slots=True)
class Broken:
    """An instance of a rule whose body holds, but none of its heads."""

    rule: int
    binding: Binding
    heads: tuple[TimedAtom, ...]


def broken(unknowns: Unknowns, program: Program, atoms: Model) -> Iterator[Broken]:
    """What keeps the stream, which has these atoms in addition to the data, from being a model."""
    m = Structure(unknowns.stream, unknowns.background, unknowns.now)  # in which nothing is unknown
    for index, rule in enumerate(program.rules):
        if rule.choice or rule.penalty is not None:
            continue
        m.rule = index
        for binding in instances(m, m.stream, m.now, rule.body, {}):
            instance = instance_of(rule, binding, True, m, set())
            if instance is not None and atoms.isdisjoint(instance.heads):
                yield Broken(index, binding, instance.heads)


def superfluous(m: Unknowns, program: Program, atoms: Model) -> Model:
    """Atoms that can be removed from a model so that it is still a model of its reduct; none if it is minimal."""
    rules: dict[GroundRule, None] = {}
    for index, rule in enumerate(program.rules):
        if rule.penalty is not None:
            continue
        m.rule = index
        for binding, when in unfolding.instances(m, m.stream, m.now, rule.body, {}):
            if instance := instance_of(rule, binding, when, m, set()):
                rules[instance] = None
    smaller = smaller_model(rules, atoms)
    return frozenset() if smaller is None else atoms - smaller
