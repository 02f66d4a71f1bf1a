"""Every true atom has an explanation, every explanation is a proof, and nothing else has one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import islice, product

import pytest

import lasing
from lasing.explain.evidence import evidence_of
from lasing.explain.explanation import explanations
from lasing.explain.search import Question, Search
from lasing.explain.why_not import WhyNot, why_not
from lasing.logic.checks import ONE_ANSWER, findings
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from tests.differential.braces_programs import braces_example
from tests.differential.core_programs import core_example
from tests.differential.mixed_programs import mixed_example
from tests.differential.models import models
from tests.differential.nested_programs import nested_example
from tests.differential.proofs import check_proof, facts_in
from tests.differential.sizes import programs
from tests.differential.strategies import Example

CHUNK = programs(5, 25)
"""How many programs a test tries: enough that some of them derive something."""
MAKERS: dict[str, Callable[[int], Example]] = {
    "plain": core_example,
    "nested": nested_example,
    "braces": braces_example,
    "streams, functions and values": mixed_example,
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("first", range(0, programs(10, 1000), CHUNK))
def test_what_holds_has_a_proof_and_nothing_else(maker: str, first: int) -> None:
    explained = 0
    for seed in range(first, first + CHUNK):
        example = MAKERS[maker](seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", lasing.LasingWarning)
                program = lasing.parse(example.program)
        except lasing.LasingError:
            continue  # the generator makes some programs that are not safe
        if not findings(program, ONE_ANSWER):
            explained += _check(program, example)
    assert explained > 0


def _check(program: lasing.Program, example: Example) -> int:
    """Compare what a search finds with the model at each time point, and check a proof of each atom."""
    facts = sorted([*facts_in(example.stream_text), *program.data], key=lambda fact: fact.time)
    explained = 0
    for now, m, runs in models(program, facts, example.start, example.end):
        evidence = evidence_of(program, example.start, now, facts, runs)
        everything = Search(evidence)
        for predicate in sorted(facts_of(program).derived):
            expected = {(time, args) for time, p, args in m.stream.derived.all() if p == predicate}
            assert set(everything.rows_of(Question(predicate, (), (), None))) == expected, _shown(example, now)
            for time, args in expected:
                atom = Atom(predicate, args)
                found = list(islice(explanations(Search(evidence), atom, time), 10))
                assert found, f"nothing explains {atom} at {time}\n{_shown(example, now)}"
                for explanation in found:
                    check_proof(explanation, m)
                shapes = {frozenset(map(repr, explanation.steps)) for explanation in found}
                assert len(shapes) == len(found), "no derivation comes twice"
                derived = [explanation.size for explanation in found if explanation.found.origin == "derived"]
                assert derived[:1] == sorted(derived)[:1], "the shortest comes first"
                explained += 1
    return explained


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("first", range(0, programs(10, 500), CHUNK))
def test_what_is_missing_does_not_hold(maker: str, first: int) -> None:
    asked = 0
    for seed in range(first, first + CHUNK):
        example = MAKERS[maker](seed)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", lasing.LasingWarning)
                program = lasing.parse(example.program)
        except lasing.LasingError:
            continue  # the generator makes some programs that are not safe
        if not findings(program, ONE_ANSWER):
            asked += _check_absence(program, example)
    assert asked > 0


def _check_absence(program: lasing.Program, example: Example) -> int:
    """Ask about atoms that do not hold: whatever an answer says is missing, on any level, does not hold either."""
    facts = sorted([*facts_in(example.stream_text), *program.data], key=lambda fact: fact.time)
    values = sorted({arg for fact in facts for arg in fact.atom.values}, key=str)[:3]
    asked = 0
    for now, m, runs in models(program, facts, example.start, example.end):
        evidence = evidence_of(program, example.start, now, facts, runs)
        held = {(p, args) for time, p, args in m.stream.derived.all() if time == now}
        for predicate, arity in sorted(facts_of(program).arity.items()):
            for args in islice(product(values, repeat=arity), 3):
                if predicate not in facts_of(program).derived or (predicate, args) in held:
                    continue
                answer = why_not(Search(evidence), Atom(predicate, args), now)
                for missing in _missing(answer):
                    assert (missing.predicate, missing.values) not in held, _shown(example, now)
                asked += 1
    return asked


def _missing(answer: WhyNot) -> Iterator[Atom]:
    """The atoms that an answer speaks of as missing; each is explained at most once."""
    yield answer.atom
    for attempt in answer.attempts:
        for _, hint in attempt.failed:
            if hint.below is not None:
                yield from _missing(hint.below)


def _shown(example: Example, now: int) -> str:
    return f"at {now}\n--- program\n{example.program}--- stream\n{example.stream_text}"
