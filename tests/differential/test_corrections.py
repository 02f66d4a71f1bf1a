"""Corrections: every push is answered at once, and in the end every time point has the answer of the sorted stream."""

from __future__ import annotations

import random
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing.live import corrections
from lasing.live.updates import Update
from lasing.logic.answers import Standing
from lasing.logic.formulas import Atom
from tests.differential.core_programs import core_example
from tests.differential.harness import answers_of
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples
from tests.differential.test_lateness import out_of_order

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every predicate of a stream is used


class Reader:
    """Keeps the answer of every time point, from updates alone."""

    def __init__(self) -> None:
        self.answers: dict[int, frozenset[Atom]] = {}
        self._standing = Standing()
        self._reached: int | None = None

    def take(self, engine: lasing.Engine, update: Update) -> None:
        for change in update.corrections:
            assert self._reached is not None
            assert change.time < self._reached
            known = self.answers.get(change.time, frozenset())
            assert not known & change.added
            assert change.removed <= known
            self.answers[change.time] = known - change.removed | change.added
        steps = {step.time: step for step in update.steps()}
        start = engine.start
        if start is None or engine.time is None:
            return
        first = start if self._reached is None else self._reached
        for time in range(first, engine.time + 1):
            if time in steps:
                self._standing.apply(steps[time])
            self.answers[time] = self._standing.at(time).atoms
        self._reached = engine.time


def corrected_equals_reference(
    example: Example, chance: random.Random, sources: int, start: bool, engine: str = "auto"
) -> None:
    delay = {f"s{i}": chance.choice([1, 2, 5, 9]) for i in range(sources)}
    arrivals = out_of_order(example, chance, delay)
    live = lasing.Engine(
        example.program,
        example.start if start else None,
        engine,  # type: ignore[arg-type]  # any engine's name
        delay=delay,
        corrections=True,
    )
    reader = Reader()
    for (source, time), rows in groupby(arrivals, key=lambda arrival: arrival[:2]):
        update = live.push(time, [atom for *_, atom in rows], source)
        reader.take(live, update)
        assert live.answer().atoms == reader.answers[live.answer().time], example
    reader.take(live, live.advance_to(example.end))
    assert live.late == 0
    if start:
        expected = dict(answers_of(example))
    else:
        in_order = [(f.time, f.atom) for f in lasing.parse(example.stream_text).data]
        expected = {a.time: a.atoms for a in lasing.run(example.program, in_order, end=example.end)}
    if live.start is not None:  # a time point that is new because the start moved may have an empty answer
        empty = dict.fromkeys(range(live.start, example.end + 1), frozenset[Atom]())
        assert empty | reader.answers == expected, example


@pytest.fixture(autouse=True)
def many_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """The streams here are small."""
    monkeypatch.setattr(corrections, "_LEAST_FACTS", 2)
    monkeypatch.setattr(corrections, "_WORDS_PER_FACT", 10**9)


@settings(max_examples=programs(100, 2000))
@given(example=examples(), chance=st.randoms(use_true_random=False), start=st.booleans())
def test_random_programs_and_random_lateness(example: Example, chance: random.Random, start: bool) -> None:
    corrected_equals_reference(example, chance, 1, start)


@settings(max_examples=programs(15, 200))
@given(example=examples(nested=True), chance=st.randoms(use_true_random=False))
def test_on_the_reference_engine(example: Example, chance: random.Random) -> None:
    corrected_equals_reference(example, chance, 1, True, "reference")


@pytest.mark.parametrize("seed", range(40))
def test_several_sources(seed: int) -> None:
    """With several sources, the order within a time point is chance, so no window counts facts here."""
    example = core_example(seed)
    if "#" not in example.program:
        corrected_equals_reference(example, random.Random(seed), 3, bool(seed % 2))
