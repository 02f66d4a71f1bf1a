"""Any arrival order within the bound gives the answers of the sorted stream."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing.logic.answers import Standing
from lasing.logic.formulas import Atom
from tests.differential.core_programs import core_example
from tests.differential.harness import answers_of
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every predicate of a stream is used

Arrival = tuple[str, int, Atom]


def out_of_order(example: Example, chance: random.Random, delay: dict[str, int]) -> list[Arrival]:
    """The facts of an example from several sources, each within the bound of its source; facts of one time point keep
    their order, because windows that count facts depend on it."""
    places = sorted(delay)
    by_source: dict[str, list[tuple[int, Atom]]] = {name: [] for name in places}
    for fact in lasing.parse(example.stream_text).data:
        by_source[chance.choice(places) if len(places) > 1 else places[0]].append((fact.time, fact.atom))
    lanes: list[list[Arrival]] = []
    for name, facts in by_source.items():
        shift = {time: chance.uniform(0, delay[name]) for time, _ in facts}
        moved = sorted(facts, key=lambda fact: fact[0] + shift[fact[0]])
        lanes.append([(name, time, atom) for time, atom in moved])
    arrivals: list[Arrival] = []
    while lanes := [lane for lane in lanes if lane]:
        arrivals.append(chance.choice(lanes).pop(0))
    return arrivals


def delayed_equals_reference(example: Example, chance: random.Random, sources: int, engine: str = "auto") -> None:
    expected = dict(answers_of(example))
    delay = {f"s{i}": chance.choice([0, 1, 2, 5]) for i in range(sources)}
    live = lasing.Engine(example.program, example.start, engine, delay=delay)  # type: ignore[arg-type]
    standing = Standing()
    seen = example.start - 1
    for source, time, atom in [*out_of_order(example, chance, delay), ("", example.end, None)]:
        update = live.advance_to(time) if atom is None else live.push(time, [atom], source)
        for step in update.steps():
            for quiet in range(seen + 1, step.time):
                assert standing.at(quiet).atoms == expected[quiet], (quiet, example)
            standing.apply(step)
            seen = step.time
            assert standing.at(seen).atoms == expected[seen], (seen, example)
        if atom is not None and chance.random() < 0.1:
            live = lasing.Engine.restore(example.program, live.snapshot(), engine, delay=delay)  # type: ignore[arg-type]
    assert live.late == 0
    assert live.answer().atoms == expected[example.end]
    assert all(standing.at(t).atoms == expected[t] for t in range(seen + 1, example.end + 1))


@settings(max_examples=programs(80, 1500))
@given(example=examples(), chance=st.randoms(use_true_random=False))
def test_one_source_in_any_order(example: Example, chance: random.Random) -> None:
    delayed_equals_reference(example, chance, 1)


@settings(max_examples=programs(15, 200))
@given(example=examples(nested=True), chance=st.randoms(use_true_random=False))
def test_on_the_reference_engine(example: Example, chance: random.Random) -> None:
    delayed_equals_reference(example, chance, 1, "reference")


@pytest.mark.parametrize("seed", range(40))
def test_several_sources_in_any_order(seed: int) -> None:
    """With several sources, the order within a time point is that of the sources, so no window counts facts here."""
    example = core_example(seed)
    if "#" not in example.program:
        delayed_equals_reference(example, random.Random(seed), 3)
