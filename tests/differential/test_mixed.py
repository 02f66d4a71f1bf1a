"""Programs that mix derived streams, first and last, aggregates, functions and values of all kinds: every engine, every
way of feeding it, and every division of the work gives the same answers."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing.connectors.arrow import AS_TERMS
from lasing.engine_choice import unplanned
from lasing.engines.local import dictionary
from lasing.logic.partition import Partition, partition
from lasing.logic.values import value_from_text, value_text
from tests.differential.harness import agree, answers_of
from tests.differential.mixed_programs import mixed_example, mixed_keyed_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example
from tests.differential.test_live import live_equals_reference
from tests.differential.test_shards import shards_agree
from tests.differential.test_sliced import sliced
from tests.differential.test_streamed_shards import WAYS, case_of

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every instance has a value
CHUNK = 20


def chunks(first: int, few: int, many: int) -> range:
    return range(first, first + programs(few, many), CHUNK)


def test_these_programs_mix_everything_and_most_have_a_plan_and_a_key() -> None:
    examples = [mixed_example(seed) for seed in range(15)]
    keyed = [mixed_keyed_example(seed) for seed in range(15)]
    texts = [example.program for example in (*examples, *keyed)]
    for word in ("#stream", "#first", "#last", "#count{", "(text(", " always in [", ",-1]", "at U in"):
        assert any(word in text for text in texts), word
    everything = [t for t in texts if "#stream" in t and ("#first" in t or "#last" in t) and "x0(" in t]
    assert len(everything) > len(texts) // 3
    assert sum(not unplanned(lasing.parse(example.program)) for example in examples) > 11
    split = [partition(lasing.parse(example.program), example.replicated) for example in keyed]
    assert sum(isinstance(found, Partition) for found in split) > 5


@pytest.mark.parametrize("first", chunks(0, 40, 1000))
def test_the_local_engine_equals_the_reference(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = mixed_example(seed)
        if not unplanned(lasing.parse(example.program)):
            agree(example, "local")


@pytest.mark.parametrize("first", chunks(10_000, 20, 400))
def test_forgetting_values_changes_nothing(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for seed in range(first, first + CHUNK):
        agree(mixed_example(seed), "auto")


@pytest.mark.parametrize("first", chunks(20_000, 20, 400))
def test_clingo_equals_the_reference(first: int) -> None:
    for seed in range(first, first + CHUNK):
        agree(mixed_example(seed), "clingo")


@pytest.mark.parametrize("first", chunks(30_000, 20, 600))
def test_any_chunking_and_any_restart(first: int) -> None:
    for seed in range(first, first + CHUNK):
        live_equals_reference(mixed_example(seed), random.Random(seed))


@pytest.mark.parametrize("first", chunks(40_000, 20, 400))
def test_batches_of_tables_with_restarts_in_between(first: int) -> None:
    for seed in range(first, first + CHUNK):
        _in_batches(mixed_example(seed), random.Random(seed))


def _in_batches(example: Example, chance: random.Random) -> None:
    """Give an engine some time points at once, as tables, and apply the changes that it reports."""
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    order = {atom.predicate: -place for place, (_, atom) in enumerate(reversed(facts))}  # a batch has table after table
    facts.sort(key=lambda fact: (fact[0], order[fact[1].predicate]))
    stream = tuple((time, str(atom)) for time, atom in facts)
    expected = dict(answers_of(replace(example, stream=stream)))
    live = lasing.Engine(example.program, example.start)
    ends = sorted({*chance.sample(range(example.start, example.end), chance.randrange(4)), example.end})
    holding: set[lasing.Atom] = set()
    begin = example.start
    for end in ends:
        now = [(time, atom) for time, atom in facts if begin <= time <= end]
        changed = _changes(live.push_batch(_tables(now, order), end=end))
        for time in range(begin, end + 1):
            for sign, atom in changed.get(time, ()):
                (holding.add if sign > 0 else holding.remove)(atom)
            assert holding == expected[time], (
                f"{time} {ends}: {holding ^ expected[time]}\n{example.program}{example.stream_text}"
            )
        begin = end + 1
        if chance.random() < 0.5:
            live = lasing.Engine.restore(example.program, live.snapshot())


def _tables(facts: list[tuple[int, lasing.Atom]], order: dict[str, int]) -> dict[str, Any]:
    tables = {}
    for name in sorted({atom.predicate for _, atom in facts}, key=order.__getitem__):
        mine = [(time, atom.args) for time, atom in facts if atom.predicate == name]
        arity = len(mine[0][1])
        columns = [pa.array([value_text(args[i]) for _, args in mine], pa.string()) for i in range(arity)]  # type: ignore[arg-type]
        fields = [pa.field(f"c{i}", pa.string(), metadata=AS_TERMS) for i in range(arity)]
        times = pa.array([time for time, _ in mine], pa.int64())
        tables[name] = pa.table([times, *columns], schema=pa.schema([pa.field("time", pa.int64()), *fields]))
    return tables


def _changes(batch: Any) -> dict[int, list[tuple[int, lasing.Atom]]]:
    found: dict[int, list[tuple[int, lasing.Atom]]] = {}
    for name, table in batch.items():
        terms = [field.metadata == AS_TERMS for field in table.schema if field.name.startswith("arg")]
        names = [field.name for field in table.schema if field.name.startswith("arg")]
        for row in table.to_pylist():
            args = tuple(value_from_text(row[n]) if term else row[n] for n, term in zip(names, terms, strict=True))
            found.setdefault(row["time"], []).append((row["change"], lasing.Atom(name, args)))
    for changes in found.values():
        changes.sort(key=lambda change: change[0])
    return found


@pytest.mark.parametrize("first", chunks(50_000, 20, 400))
def test_shards_answer_as_the_whole(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = mixed_keyed_example(seed)
        found = partition(lasing.parse(example.program), example.replicated)
        if isinstance(found, Partition):
            shards_agree(example, found, random.Random(seed).choice(["reference", "auto"]))


@pytest.mark.parametrize("first", chunks(60_000, 20, 600))
def test_shards_of_a_stream_in_batches(first: int) -> None:
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        chance.choice(WAYS)(case_of(mixed_keyed_example(seed), chance), chance)


@pytest.mark.parametrize("first", chunks(70_000, 20, 600))
def test_slices_of_a_history(first: int) -> None:
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        make = chance.choice([mixed_example, mixed_keyed_example])
        sliced(case_of(make(seed), chance), chance)
