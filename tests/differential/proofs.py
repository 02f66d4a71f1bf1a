"""An independent check of explanations: every step is an instance of its rule whose body the model entails."""

from __future__ import annotations

import lasing
from lasing.engines.reference.entailment import check_terms, entails
from lasing.engines.reference.stream import Derived, Stream
from lasing.engines.reference.structure import Structure
from lasing.explain.explanation import Explanation, Key
from lasing.explain.premises import Found, founds
from lasing.logic.formulas import At, head_atom
from lasing.logic.program import Fact
from lasing.logic.terms import NOW, evaluate


def check_proof(explanation: Explanation, m: Structure) -> None:
    """Fail if a step does not follow by the entailment relation from data, background and the steps before it."""
    proved: set[Key] = set()
    for step in explanation.steps:
        assert step.rule in explanation.program.rules
        binding = {**step.binding, NOW: m.now}
        head = step.rule.heads[step.head]
        assert (evaluate(head.time, binding) if isinstance(head, At) else m.now) == step.time
        assert tuple(evaluate(term, binding) for term in head_atom(head).args) == step.atom.values
        assert len(step.premises) == len(step.rule.body)
        for literal in step.rule.body:
            check_terms(literal, binding)
            assert entails(m, m.stream, m.now, literal, binding), f"{literal} of {step.rule} does not hold"
        for premise in step.premises:
            for found in founds(premise):
                check_found(found, m, proved)
        proved.add(step.key)
    check_found(explanation.found, m, proved)


def check_founded(explanation: Explanation, m: Structure, decided: Derived) -> None:
    """Fail if a step of an explanation in a model does not follow from the steps before it, or not in the reduct.

    `m` has the whole model, `decided` what holds in all models. The body has to hold in the model, so that the instance
    is in the reduct, and in the part of it that the steps before have derived.
    """
    check_proof(explanation, m)
    so_far = Derived()
    for time, predicate, args in decided.all():
        so_far.add(time, predicate, args)
    for step in explanation.steps:
        part = Structure(
            Stream(m.stream.timeline, m.stream.data, so_far, remembered=m.stream.remembered), m.background, m.now
        )
        for literal in step.rule.body:
            binding = {**step.binding, NOW: m.now}
            check_terms(literal, binding)
            assert entails(part, part.stream, m.now, literal, binding), f"{literal} of {step.rule} rests on later steps"
        so_far.add(step.time, step.atom.predicate, step.atom.values)
        assert len(step.rule.heads) > 1 or not step.others


def check_found(found: Found, m: Structure, proved: set[Key]) -> None:
    """Fail if an atom is not where an explanation says it is."""
    predicate, args, time = found.atom.predicate, found.atom.values, found.time
    match found.origin:
        case "data":
            assert args in m.stream.data.at(time, predicate)
        case "remembered":
            assert args in m.stream.remembered.at(time, predicate)
        case "background":
            assert args in m.background[predicate]
        case "derived":
            assert (predicate, args, time) in proved, f"{found.atom} at {time} is used before it is derived"


def facts_in(stream: str) -> list[Fact]:
    """The facts of a stream's text, in order of time."""
    return sorted(lasing.parse(stream).data, key=lambda fact: fact.time) if stream.strip() else []
