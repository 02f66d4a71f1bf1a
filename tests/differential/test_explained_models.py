"""In programs with several answers, what is in a model has a founded proof, and nothing else has one."""

from __future__ import annotations

from collections import Counter

import pytest

import lasing
from lasing.engines.reference.entailment import entails
from lasing.engines.reference.model import derive
from lasing.engines.reference.several import DefinitionEngine, Derivable
from lasing.engines.reference.stream import Derived, Facts, Stream
from lasing.engines.reference.structure import Structure, background_of
from lasing.explain.asking import explain, explain_absence
from lasing.explain.evidence import Evidence, evidence_of
from lasing.explain.explanation import Among
from lasing.explain.founded import explanations_in
from lasing.explain.goals import Goal
from lasing.explain.world import WorldSearch
from lasing.logic.dependencies import stratify
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program, Rule
from lasing.logic.splitting import decided, has_several_answers
from lasing.timeline.intervals import Interval
from lasing.worlds import worlds
from tests.differential.proofs import check_founded, facts_in
from tests.differential.several_programs import several_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example

CHUNK = 15


@pytest.mark.parametrize("first", range(0, programs(45, 6000), CHUNK))
def test_what_is_in_a_model_has_a_founded_proof(first: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(first, first + CHUNK):
        example = several_example(seed)
        program = lasing.parse(example.program)
        if has_several_answers(program):
            _check(program, example, seed, seen)
    assert min(seen["choice"], seen["disjunction"], seen["definite"], seen["absent"]) > 0, seen


def _check(program: Program, example: Example, seed: int, seen: Counter[str]) -> None:
    facts = sorted([*facts_in(example.stream_text), *program.data], key=lambda fact: fact.time)
    definition = DefinitionEngine(program, example.start)
    for now in range(example.start, example.end + 1):
        list(definition.advance(now, [fact.atom for fact in facts if fact.time == now]))
        expected = definition.answer_streams(now)
        evidence = evidence_of(program, example.start, now, facts)
        shown = f"seed {seed} at {now}\n{example.program}{example.stream_text}"
        below = _structure(program, facts, example.start, now)
        derive(decided(program), stratify(decided(program)), below)
        found = worlds(program, evidence, 0, None)
        for world in found:
            m = _structure(program, facts, example.start, now)
            for time, predicate, args in (
                *below.stream.derived.all(),
                *((time, predicate, args) for predicate, args, time in world.atoms),
            ):
                m.stream.derived.add(time, predicate, args)
            new = (row for row in m.stream.derived.all() if row[2] not in m.stream.data.at(row[0], row[1]))
            assert frozenset(Derivable(*row) for row in new) in expected, shown
            search = WorldSearch(evidence, world.atoms)
            for predicate, args, time in world.atoms:
                explained = list(explanations_in(search, world, Atom(predicate, args), time, Among(1, 1, 1)))
                assert explained, f"nothing explains {predicate}{args} at {time}\n{shown}"
                for explanation in explained[:4]:
                    check_founded(explanation, m, below.stream.derived)
                    seen.update(_kind(step.rule) for step in explanation.steps)
        _check_asking(evidence, below, [{a for a in world.atoms if a[2] == now} for world in found], seen, shown)


def _check_asking(
    evidence: Evidence,
    below: Structure,
    models: list[set[tuple[str, tuple[object, ...], int]]],
    seen: Counter[str],
    shown: str,
) -> None:
    """Each atom is explained in the first model that has it, and why_not answers for the others."""
    undecided = {
        (p, args)
        for p, arity in (("a", 0), ("b", 0), ("c", 0), ("d", 1), ("e", 1))
        for args in (((1,), (2,)) if arity else ((),))
    }
    for predicate, args in sorted(undecided, key=str):
        asked = Goal(Atom(predicate, args))
        holding = [number for number, model in enumerate(models, 1) if (predicate, args, evidence.now) in model]
        is_given = entails(below, below.stream, evidence.now, asked.atom, {})
        if holding or (models and is_given):
            found = explain(evidence, asked, worlds=worlds)[0]
            assert str(found)
            assert found.among is not None
            having = list(range(1, len(models) + 1)) if is_given else holding
            assert (found.among.number, found.among.agree) == (having[0], len(having)), shown
            with pytest.raises(lasing.LasingError, match="E335"):
                explain_absence(evidence, asked, worlds=worlds)
            continue
        with pytest.raises(lasing.LasingError, match="E335"):
            explain(evidence, asked, worlds=worlds)
        answer = explain_absence(evidence, asked, worlds=worlds)
        assert str(answer)
        seen["absent"] += 1


def _structure(program: Program, facts: list[Fact], start: int, now: int) -> Structure:
    data = Facts(fact for fact in facts if start <= fact.time <= now)
    return Structure(Stream(Interval(start, None), data, Derived()), background_of(program.all_background()), now)


def _kind(rule: Rule) -> str:
    return "definite" if rule.definite else "choice" if rule.choice else "disjunction"
