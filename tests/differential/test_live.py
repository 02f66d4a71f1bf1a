"""However a stream is cut into pushes, and wherever the engine is restarted, the answers are those of the reference."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing.connectors.arrow import AS_TERMS
from lasing.logic.answers import Standing
from lasing.logic.values import value_from_text
from tests.differential.core_programs import core_example
from tests.differential.harness import answers_of
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every predicate of a stream is used


def live_equals_reference(example: Example, chance: random.Random, engine: str = "auto") -> None:
    expected = dict(answers_of(example))
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    live = lasing.Engine(example.program, example.start, engine)  # type: ignore[arg-type]  # any engine's name
    standing = Standing()
    for time in range(example.start, example.end + 1):
        now = [atom for at, atom in facts if at == time]
        if not now and time < example.end and chance.random() < 0.6:
            continue  # time passes silently: changes in between are reported later
        cuts = sorted(chance.randrange(len(now) + 1) for _ in range(chance.randrange(3)))
        for first, last in zip([0, *cuts], [*cuts, len(now)], strict=True):
            update = live.push(time, [(a.predicate, *a.args) for a in now[first:last]])
            for step in update.steps():
                standing.apply(step)
            if chance.random() < 0.1:  # more facts of this time point may still come
                live = lasing.Engine.restore(example.program, live.snapshot(), engine)  # type: ignore[arg-type]
        assert live.answer().atoms == expected[time], (time, example)
        assert standing.at(time).atoms == expected[time], (time, example)
        if chance.random() < 0.3:
            live = lasing.Engine.restore(example.program, live.snapshot(), engine)  # type: ignore[arg-type]
            assert live.answer().atoms == expected[time], (time, example)


@settings(max_examples=programs(120, 2000))
@given(example=examples(), chance=st.randoms(use_true_random=False))
def test_any_chunking_and_any_restart(example: Example, chance: random.Random) -> None:
    live_equals_reference(example, chance)


@settings(max_examples=programs(20, 200))
@given(example=examples(nested=True), chance=st.randoms(use_true_random=False))
def test_the_reference_engine_takes_pushes_too(example: Example, chance: random.Random) -> None:
    live_equals_reference(example, chance, "reference")


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_without_a_start_the_timeline_is_that_of_a_run(seed: int, engine: str) -> None:
    example, chance = core_example(seed), random.Random(seed)
    own = "".join(f"{atom} at {time}.\n" for time, atom in example.stream if chance.random() < 0.1)
    program = f"{example.program}{own}"
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data if fact.time > example.start + 3]
    expected = {a.time: a.atoms for a in lasing.run(program, facts, end=example.end, engine=engine)}  # type: ignore[arg-type]
    live = lasing.Engine(program, engine=engine)  # type: ignore[arg-type]
    for time in range(example.start - 3, example.end + 1):
        now = [atom for at, atom in facts if at == time]
        if now or chance.random() < 0.5:
            live.push(time, now)
            assert live.answer().atoms == expected.get(time, frozenset())
        if chance.random() < 0.2:
            live = lasing.Engine.restore(program, live.snapshot(), engine)  # type: ignore[arg-type]
    assert live.start == min(expected, default=None)


def _constants(table: Any) -> list[dict[str, Any]]:
    """The rows of a table of changes, with their constants, however their columns represent them."""
    terms = {field.name for field in table.schema if field.metadata == AS_TERMS}
    return [{n: value_from_text(v) if n in terms else v for n, v in row.items()} for row in table.to_pylist()]


@pytest.mark.parametrize("seed", range(60))
def test_a_batch_is_its_time_points(seed: int) -> None:
    example = core_example(seed)
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    names = sorted({atom.predicate for _, atom in facts})
    one, many = lasing.Engine(example.program, example.start), lasing.Engine(example.program, example.start)
    frames = {}
    for name in names:  # one predicate after the other at each time point, as a batch has them
        mine = [(time, *atom.args) for time, atom in facts if atom.predicate == name]
        columns = list(zip(*mine, strict=True))
        frames[name] = pa.table({"time": columns[0], **{f"c{i}": list(map(str, c)) for i, c in enumerate(columns[1:])}})
    batch = one.push_batch(frames, end=example.end)
    changed: dict[tuple[str, int, int], set[object]] = {}
    for time in range(example.start, example.end + 1):
        now = {n: f.filter(pa.compute.equal(f["time"], time)).drop_columns("time") for n, f in frames.items()}
        for name, table in many.push(time, now).to_arrow().items():
            for row in _constants(table):
                changed.setdefault((name, row["time"], row["change"]), set()).add(tuple(row.values()))
    whole: dict[tuple[str, int, int], set[object]] = {}
    for name, table in batch.items():
        for row in _constants(table):
            whole.setdefault((name, row["time"], row["change"]), set()).add(tuple(row.values()))
    assert whole == changed
    assert one.answer().atoms == many.answer().atoms
