"""Every true atom has an explanation, every explanation is a proof, and nothing else has one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import islice

import pytest

import lasing
from lasing.explain.evidence import evidence_of
from lasing.explain.explanation import explanations
from lasing.explain.search import Question, Search
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

CHUNK = 5
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


def _shown(example: Example, now: int) -> str:
    return f"at {now}\n--- program\n{example.program}--- stream\n{example.stream_text}"
