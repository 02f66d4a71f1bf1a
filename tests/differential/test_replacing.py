"""A program that replaces another one gives the answers of the new program: on the raw window, and where that has
everything, on the whole stream."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing.live.replacing import Replacement
from lasing.logic.formulas import Atom
from lasing.logic.values import value_from_text
from tests.differential.core_programs import core_example
from tests.differential.nested_programs import nested_example
from tests.differential.remembering import remembering
from tests.differential.several_programs import several_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples
from tests.differential.test_corrections import Reader
from tests.differential.test_lateness import out_of_order

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every predicate of a stream is used
CHUNK = 20

Facts = list[tuple[int, Atom]]


def changed(text: str, chance: random.Random) -> str:
    """The program with shorter or longer windows, without a rule, or with a rule twice."""
    lines = text.splitlines()
    rules = [i for i, line in enumerate(lines) if ":-" in line]
    for _ in range(chance.randint(1, 2)):
        i = chance.choice(rules)
        match chance.randrange(3):
            case 0 if len(rules) > 2 and not text.count("#stream"):
                lines[i] = ""
            case 1:
                lines[i] = re.sub(
                    r"\[(\d)(?=[\],])", lambda m: f"[{max(0, int(m[1]) + chance.randint(-2, 1))}", lines[i]
                )
            case _:
                lines[i] = lines[i].replace("[*]", "[3]")
    new = "".join(f"{line}\n" for line in lines if line)
    return new if readable(new) else text


def readable(text: str) -> bool:
    try:
        lasing.parse(text)
    except lasing.LasingError:
        return False
    return True


def facts_of(example: Example) -> Facts:
    return [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]


def answers(program: str, facts: Facts, start: int, end: int) -> dict[int, tuple[frozenset[Atom], ...]]:
    run = lasing.run(program, facts, start, end, "reference")
    return {answer.time: tuple(sorted(answer.models, key=lambda m: sorted(map(str, m)))) for answer in run}


def window_of(engine: lasing.Engine) -> Facts:
    """The raw window. What only counts has no name there."""
    rows = engine.snapshot().to_pylist()
    return [(r["time"], Atom(r["predicate"] or "unnamed", tuple(map(value_from_text, r["args"])))) for r in rows]


def models_now(engine: lasing.Engine) -> tuple[frozenset[Atom], ...]:
    return tuple(sorted(engine.answer().models, key=lambda m: sorted(map(str, m))))


def replaced_equals_new(example: Example, new: str, chance: random.Random, engine: str, seen: Counter[str]) -> None:
    """Run the old program up to some time point, replace it, and go on."""
    facts, start, end = facts_of(example), example.start, example.end
    at = chance.randint(start, end - 1)
    live = lasing.Engine(example.program, start, engine)  # type: ignore[arg-type]  # any engine's name
    for time in range(start, at + 1):
        live.push(time, [atom for when, atom in facts if when == time])
    before, window = live.answer(), window_of(live)
    shown = f"replaced at {at}\n--- old\n{example.program}--- new\n{new}--- stream\n{example.stream_text}"
    seen["all"] += 1
    update: Replacement | None = None
    try:
        update = live.replace(new)
        seen["complete"] += 1
    except lasing.LasingError as error:
        if error.diagnostics[0].code != "E329":
            raise AssertionError(shown) from error
        assert models_now(live) == tuple(sorted(before.models, key=lambda m: sorted(map(str, m)))), shown
        update = live.replace(new, partial=True)
        assert update.history.lacks, shown
    history = update.history
    if not history.lacks:
        assert history.complete_from == at, shown
    streams = bool(lasing.parse(new).streams)
    whole = answers(new, facts, start, end)
    later = [(time, atom) for time, atom in facts if time > at]
    on_window = None if streams else answers(new, [*window, *later], start, end)
    single = len(before.models) == 1 and len(live.answer().models) == 1
    if single:
        now = live.answer().atoms
        assert update.added == now - before.atoms, shown
        assert update.removed == before.atoms - now, shown
    for time in range(at, end + 1):
        if time > at:
            live.push(time, [atom for when, atom in facts if when == time])
        if on_window is not None:
            assert models_now(live) == on_window[time], f"on the window, at {time}\n{shown}"
        if history.complete_from is not None and time >= history.complete_from:
            seen["compared"] += 1
            assert models_now(live) == whole[time], f"complete from {history.complete_from}, at {time}\n{shown}"
        if chance.random() < 0.1:
            live = lasing.Engine.restore(new, live.snapshot(), engine)  # type: ignore[arg-type]


def pairs(first: int, engine: str, make: object = core_example, streams: bool = False) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        example: Example = make(seed)  # type: ignore[operator]
        if not readable(example.program):
            continue
        new = changed(example.program, chance) if chance.random() < 0.7 else make(seed + 50_000).program  # type: ignore[operator]
        if streams:
            example = remembering(example, seed)
            new = changed(example.program, chance) if chance.random() < 0.6 else new
        if readable(new):
            replaced_equals_new(example, new, chance, engine, seen)
    return seen


@pytest.mark.parametrize("first", range(0, programs(160, 4000), CHUNK))
def test_the_local_engine(first: int) -> None:
    seen = pairs(first, "auto")
    assert seen["compared"] > CHUNK // 2


@pytest.mark.parametrize("first", range(0, programs(40, 1000), CHUNK))
def test_the_reference_engine(first: int) -> None:
    assert pairs(first, "reference")["all"] > CHUNK // 2


@pytest.mark.parametrize("first", range(0, programs(40, 1000), CHUNK))
def test_clingo(first: int) -> None:
    assert pairs(first, "clingo")["all"] > CHUNK // 2


@pytest.mark.parametrize("first", range(0, programs(40, 1000), CHUNK))
def test_nested_formulas(first: int) -> None:
    assert pairs(first, "auto", nested_example)["all"] > CHUNK // 4


@pytest.mark.parametrize("first", range(0, programs(80, 2000), CHUNK))
def test_derived_streams(first: int) -> None:
    assert pairs(first, "auto", streams=True)["all"] > CHUNK // 2


@pytest.mark.parametrize("first", range(0, programs(40, 1000), CHUNK))
def test_programs_with_several_answers(first: int) -> None:
    def make(seed: int) -> Example:
        return several_example(seed) if seed % 2 else core_example(seed)

    assert pairs(first, "auto", make)["all"] > CHUNK // 2


@settings(max_examples=programs(60, 1000))
@given(old=examples(), new=examples(), chance=st.randoms(use_true_random=False))
def test_any_two_programs(old: Example, new: Example, chance: random.Random) -> None:
    replaced_equals_new(old, new.program, chance, "auto", Counter())


@pytest.mark.parametrize("seed", range(programs(60, 2000)))
def test_facts_that_wait_are_for_the_new_program(seed: int) -> None:
    chance = random.Random(seed)
    example = core_example(seed)
    new = changed(example.program, chance)
    delay = {"s0": 2, "s1": 3}
    arrivals = out_of_order(example, chance, delay)
    live = lasing.Engine(example.program, example.start, delay=delay)
    cut = chance.randrange(len(arrivals) + 1)
    at, complete = example.start - 1, None
    for number, (source, time, atom) in enumerate(arrivals):
        if number == cut:
            assert live.time is not None
            at, complete = live.time, live.replace(new, partial=True).history.complete_from
        live.push(time, [atom], source)
    if cut == len(arrivals):
        return
    live.advance_to(example.end)
    assert live.late == 0
    facts = [(time, atom) for _, time, atom in sorted(arrivals, key=lambda arrival: (arrival[1], arrival[0]))]
    whole = answers(new, facts, example.start, example.end)
    if complete is not None and max(complete, at) <= example.end:
        assert models_now(live) == whole[example.end]


@pytest.mark.parametrize("seed", range(programs(80, 3000)))
@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_answers_of_both_programs_are_corrected(seed: int, engine: str) -> None:
    """Late facts correct the answers of the old program up to the change, and those of the new one from there on."""
    chance = random.Random(seed)
    example = remembering(core_example(seed), seed) if seed % 3 == 0 else core_example(seed)
    programs_in_turn = [changed(example.program, chance) for _ in range(chance.choice([1, 1, 2]))]
    delay = {"s0": 3, "s1": 5}
    arrivals = out_of_order(example, chance, delay)
    live = lasing.Engine(example.program, example.start, engine, delay=delay, corrections=True)  # type: ignore[arg-type]
    cuts = sorted(chance.randrange(len(arrivals) + 1) for _ in programs_in_turn)
    reader, eras = Reader(), [(example.start, example.start, example.program)]
    for number, (source, time, atom) in enumerate(arrivals):
        for cut, new in zip(cuts, programs_in_turn, strict=True):
            if cut == number and live.time is not None and live.time >= example.start:
                update = live.replace(new, partial=True)
                reader.take(live, update)
                complete = update.history.complete_from
                eras.append((live.time, example.end + 1 if complete is None else complete, new))
        reader.take(live, live.push(time, [atom], source))
        assert live.answer().atoms == reader.answers[live.answer().time]
    reader.take(live, live.advance_to(example.end))
    assert live.late == 0
    facts = sorted(((time, atom) for _, time, atom in arrivals), key=lambda fact: fact[0])  # as they count in windows
    for i, (begin, complete, program) in enumerate(eras):
        last = eras[i + 1][0] - 1 if i + 1 < len(eras) else example.end
        whole = answers(program, facts, example.start, example.end)
        for time in range(max(begin, complete), last + 1):
            assert (reader.answers[time],) == whole[time], f"{time} {eras}\n{example.stream_text}{arrivals}"
