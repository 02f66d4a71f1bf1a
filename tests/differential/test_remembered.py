"""Derived streams: every engine, every way of feeding it, and every division of the work remembers the same."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.engine_choice import unplanned
from lasing.logic.history import history
from lasing.logic.partition import Partition, partition
from lasing.logic.splitting import has_several_answers
from tests.differential.core_programs import core_example
from tests.differential.harness import agree, answers_of, difference, models_of
from tests.differential.keyed_programs import keyed_example
from tests.differential.nested_programs import nested_example
from tests.differential.remembering import remembering
from tests.differential.several_programs import several_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example
from tests.differential.test_live import live_equals_reference
from tests.differential.test_repeated import counting, repeated_equals_once
from tests.differential.test_several import any_restart_gives_the_same_answers
from tests.differential.test_shards import shards_agree
from tests.differential.test_sliced import sliced
from tests.differential.test_streamed_shards import WAYS, case_of

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
CHUNK = 20


def chunks(few: int, many: int) -> range:
    return range(0, programs(few, many), CHUNK)


@pytest.mark.parametrize("first", chunks(200, 4000))
def test_the_local_engine_remembers_what_the_reference_does(first: int) -> None:
    planned = 0
    for seed in range(first, first + CHUNK):
        example = remembering(core_example(seed), seed)
        if not unplanned(lasing.parse(example.program)):
            planned += 1
            agree(example, "local")
    assert planned > CHUNK // 2


def _is_safe(example: Example) -> bool:
    try:
        lasing.parse(example.program)
    except lasing.LasingError:
        return False
    return True


@pytest.mark.parametrize("first", chunks(40, 1000))
def test_nested_formulas_ask_what_is_remembered(first: int) -> None:
    for seed in range(first, first + CHUNK):
        if _is_safe(nested_example(seed)):
            agree(remembering(nested_example(seed), seed), "auto")


@pytest.mark.parametrize("first", chunks(40, 1000))
def test_clingo_remembers_what_the_reference_does(first: int) -> None:
    for seed in range(first, first + CHUNK):
        agree(remembering(core_example(seed), seed), "clingo")


@pytest.mark.parametrize("first", chunks(100, 2000))
def test_any_chunking_and_any_restart(first: int) -> None:
    for seed in range(first, first + CHUNK):
        live_equals_reference(remembering(core_example(seed), seed), random.Random(seed))


@pytest.mark.parametrize("first", chunks(20, 400))
def test_the_reference_engine_restarts_too(first: int) -> None:
    for seed in range(first, first + CHUNK):
        live_equals_reference(remembering(core_example(seed), seed), random.Random(seed), "reference")


@pytest.mark.parametrize("first", chunks(20, 400))
def test_repeated_facts(first: int) -> None:
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        repeated_equals_once(counting(remembering(core_example(seed), seed), chance), chance, "auto")


@pytest.mark.parametrize("first", chunks(200, 6000))
def test_streams_below_choices(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = remembering(several_example(seed), seed)
        program = lasing.parse(example.program)
        if program.streams and has_several_answers(program):
            expected = models_of(example, "reference")
            for engine in ("clingo", "auto"):
                found = models_of(example, engine)
                assert found == expected, f"{engine}, seed {seed}\n{example.program}{example.stream}"


@pytest.mark.parametrize("first", chunks(60, 2000))
def test_streams_below_choices_survive_restarts(first: int) -> None:
    for seed in range(first, first + CHUNK):
        any_restart_gives_the_same_answers(remembering(several_example(seed), seed), seed)


@pytest.mark.parametrize("first", chunks(100, 2000))
def test_shards_remember_what_the_whole_does(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = remembering(keyed_example(seed), seed)
        found = partition(lasing.parse(example.program), example.replicated)
        if isinstance(found, Partition):
            shards_agree(example, found)


@pytest.mark.parametrize("first", chunks(60, 2000))
def test_shards_of_a_stream_in_batches(first: int) -> None:
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        chance.choice(WAYS)(case_of(remembering(keyed_example(seed), seed), chance), chance)


@pytest.mark.parametrize("first", chunks(60, 2000))
def test_slices_of_a_history(first: int) -> None:
    for seed in range(first, first + CHUNK):
        chance = random.Random(seed)
        make = chance.choice([core_example, keyed_example])
        sliced(case_of(remembering(make(seed), seed), chance), chance)


def _chained(seed: int) -> Example:
    """A program in which streams rest on one another, but none on its own past."""
    chance = random.Random(seed)
    windows = [f"[{n},-{chance.randint(0, n)}]" for n in (chance.randint(0, 3) for _ in range(6))]
    forms = [chance.choice(["in", "always in"]) for _ in range(6)]
    program = (
        f"#stream d1/1, e1/1, f1/1. d1(X) :- s1(X), not r1(X) in {windows[0]}.\n"
        f"e1(X) :- d1(X) {forms[1]} {windows[1]}. e1(X) :- r1(X), not d1(X) {forms[2]} {windows[2]}.\n"
        f"f1(X) :- s1(X) in [2], not e1(X) {forms[3]} {windows[3]}. g1(X) :- f1(X) {forms[4]} {windows[4]}.\n"
        f"h1(N) :- N = #count{{X : f1(X) {forms[5]} {windows[5]}}}.\n"
    )
    return Example(program, core_example(seed).stream, 0, 20)


@pytest.mark.parametrize("first", chunks(60, 2000))
def test_lookbacks_add_up_along_streams(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example, chance = _chained(seed), random.Random(seed)
        agree(example, "local")
        assert history(lasing.parse(example.program)).lookback.points is not None
        sliced(case_of(example, chance), chance)


@pytest.mark.parametrize("first", chunks(40, 1000))
def test_idle_time_is_skipped_and_nothing_is_missed(first: int) -> None:
    """With long gaps between the facts, `auto` may leap; the reference engine by name evaluates every time point."""
    for seed in range(first, first + CHUNK):
        nested = seed % 2 == 1 and _is_safe(nested_example(seed))
        example = remembering(nested_example(seed) if nested else core_example(seed), seed)
        chance = random.Random(seed)
        gap = chance.randint(10, 30)
        stream = tuple((example.start + (time - example.start) // 4 * gap, atom) for time, atom in example.stream)
        wide = Example(example.program, stream, example.start, example.start + 4 * gap)
        found = difference(answers_of(wide), answers_of(wide, "auto"))
        assert not found, f"seed {seed}: {found}\n{wide.program}{wide.stream_text}"


def _in_its_own_recursion(seed: int) -> Example:
    """A program in which windows over streams that contain now are part of a recursion, or look ahead."""
    chance = random.Random(seed)

    def window(ahead: float = 0.2) -> str:
        back, step = chance.choice([0, 0, 1, 2, 3]), chance.choice(["", "", " step 2", " step 3"])
        return f"[{back}{f',+{chance.randint(1, 2)}' if chance.random() < ahead else ''}{step}]"

    def form() -> str:
        return chance.choice(["always in", "always in", "in", "at T in"])

    program = (
        f"#stream d1/1, e1/1. d1(X) :- s1(X), not r1(X) {chance.choice(['in', 'always in'])} [1].\n"
        f"d1(Y) :- e1(X) {form()} {window()}, s2(X,Y) in [{chance.randint(0, 4)}].\n"
        f"e1(X) :- d1(X) {form()} {window()}. e1(X) :- e1(X) {form()} {window()}, r1(X).\n"
        f"f1(X) :- s1(X) in [3], not e1(X) always in {window(0.6)}. g1(X) :- d1(X) always in {window(0.6)}.\n"
        + chance.choice(["", "", "d1(a).\n", "e1(1).\n"])
    )
    return Example(program, core_example(seed).stream, core_example(seed).start, 20)


@pytest.mark.parametrize("first", chunks(40, 2000))
def test_windows_over_streams_in_their_own_recursion(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = _in_its_own_recursion(seed)
        agree(example, "local")
        live_equals_reference(example, random.Random(seed))


@pytest.mark.parametrize("engine", ["local", "reference", "clingo"])
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("window", ["[2]", "[2 step 5]", "[*]"])
def test_a_run_goes_on_when_its_last_fact_comes_in_a_later_push(engine: str, restarts: bool, window: str) -> None:
    """The first push for time point 5 ends the run of d. No window reaches it then, but the next push continues it."""
    program = f"#stream d/1. d(X) :- s(X). g(X) :- d(X) always in {window}."
    live = lasing.Engine(program, 3, engine)  # type: ignore[arg-type]  # any engine's name
    for time in (3, 4):
        live.push(time, [("s", 1)])
    for facts in ([], [("s", 7)], [("s", 1)]):
        live.push(5, facts)
        if restarts:
            live = lasing.Engine.restore(program, live.snapshot(), engine)  # type: ignore[arg-type]
    assert lasing.Atom("g", (1,)) in live.answer().atoms
    live.push(6, [("s", 1)])
    assert lasing.Atom("g", (1,)) in live.answer().atoms
    live.push(11, [])
    assert lasing.Atom("g", (1,)) not in live.answer().atoms
