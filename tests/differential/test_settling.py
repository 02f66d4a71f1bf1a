"""The reference engine and clingo also skip idle time in which nothing can change, and miss no change."""

from __future__ import annotations

import pytest

import lasing
from lasing.engine_choice import choose
from lasing.engines.asp.engine import AspEngine
from lasing.engines.reference.engine import ReferenceEngine
from lasing.logic.answers import Answer, Changes
from lasing.logic.formulas import Atom
from lasing.logic.idle import settling
from lasing.logic.program import Program
from lasing.logic.splitting import has_several_answers, split, unsplit
from tests.differential.nested_programs import nested_example
from tests.differential.several_programs import several_example
from tests.differential.sizes import programs
from tests.differential.strategies import Example

CHUNK = 60
GAP = 45
LONG_GAP = 2**40

SETTLING = [
    "x :- (p in [#2]) always in [3].",
    "x :- (p in [#2]) in [3 step 2], not q in [2].",
    "x :- (q at T in [#1]) at U in [4], p at U in [4].",
    "{a} :- p in [5].  :- a, q in [3].",
    "{a} :- p in [5,-2].  :- a, (not q) always in [3,-1].",
    "{a} :- p at T in [9], T + 3 > #now.  :- a, (q in [2]) at #now - 4.",
    "a :- not b, p in [2].  b :- not a, p in [2].  c :- (not p) always in [4].",
    "a ; b :- (not q) in [4 step 3].  c :- a, q in [2].",
    "{a} :- (not p) in [1].  :~ a, q in [9]. [1]",
    "h :- q in [7].  {a} :- h.  b :- a, p in [3], #count{T : p at T in [3]} > 1.",
]
GOING_ON = [
    "x :- q at T in [9], (p in [#2]) at T, T > 100.",
    "x(T) :- (p in [#2]) at T in [3].",
    "x :- (p in [#2]) always in [*].",
    "x :- p always in [#2].",
    "{a} :- p at T.",
    "{a} :- p in [*,-1].",
    "{a} :- p in [3], r(X) in [3], X < #now.",
    "{a(#now)} :- p in [3].",
    "{a} :- p in [3], r(X) at X in [3].",
    "{a} :- b at T in [3], T mod 1000 = 0.  b.",
    "{a} :- p in [3].  :~ a, p at T in [9]. [1, T]",
]


def _advance(engine: ReferenceEngine | AspEngine, facts: dict[int, list[Atom]], end: int) -> list[Changes | Answer]:
    return [said for time in sorted({*facts, end}) for said in engine.advance(time, facts.get(time, []))]


def _facts(example: Example) -> dict[int, list[Atom]]:
    found: dict[int, list[Atom]] = {}
    for fact in lasing.parse(example.stream_text).data:
        found.setdefault(fact.time, []).append(fact.atom)
    return found


def _changed(answers: list[Changes | Answer]) -> list[Changes | Answer]:
    """Answers that differ from those before, or changes that are not empty."""
    found: list[Changes | Answer] = []
    models: tuple[frozenset[Atom], ...] | None = None
    for said in answers:
        if isinstance(said, Changes) and said:
            found.append(said)
        elif isinstance(said, Answer) and said.models != models:
            models = said.models
            found.append(said)
    return found


def _both(program: Program, facts: dict[int, list[Atom]], start: int, end: int) -> tuple[list[Changes | Answer], ...]:
    """With and without leaps."""
    found = []
    for leaps in (True, False):
        engine: ReferenceEngine | AspEngine
        if has_several_answers(program):
            engine = AspEngine(unsplit(program), start)
            engine._settling = engine._settling if leaps else None
        else:
            engine = ReferenceEngine(program, start, settling=settling(program) if leaps else None)
        found.append(_advance(engine, facts, end))
    return tuple(found)


def _example(text: str, gap: int) -> Example:
    facts = [(0, "p"), (1, "p"), (1, "q"), (4, "q"), (6, "p")]
    return Example(text, tuple((first + time, atom) for first in (0, gap) for time, atom in facts), 0, gap + 30)


@pytest.mark.parametrize("text", SETTLING)
def test_leaps_change_no_answer(text: str) -> None:
    for gap in (GAP, GAP + 1, GAP + 2):
        example = _example(text, gap)
        leapt, expected = _both(lasing.parse(text), _facts(example), 0, example.end)
        assert _changed(leapt) == _changed(expected)
        assert len(leapt) < len(expected)


@pytest.mark.parametrize("text", SETTLING)
def test_the_length_of_a_gap_costs_nothing(text: str) -> None:
    example = _example(text, LONG_GAP)
    engine = choose(lasing.parse(text), "auto").make(0)
    answers = [said for time, atoms in _facts(example).items() for said in engine.advance(time, atoms)]
    assert answers[-1].time >= LONG_GAP
    assert len(answers) < 100


@pytest.mark.parametrize("text", GOING_ON)
def test_programs_in_which_time_alone_may_change_something_do_not_settle(text: str) -> None:
    assert settling(lasing.parse(text)) is None


@pytest.mark.parametrize("make", [nested_example, several_example])
@pytest.mark.parametrize("first", range(0, programs(60, 3000), CHUNK))
def test_leaps_change_no_answer_of_random_programs(first: int, make: object) -> None:
    assert callable(make)
    leaps = 0
    for seed in range(first, first + CHUNK):
        example: Example = make(seed)
        program = _settling(example)
        if program is None:
            continue
        facts = _facts(example)
        facts |= {time + GAP: atoms for time, atoms in facts.items()}
        leapt, expected = _both(program, facts, example.start, example.end + GAP)
        assert _changed(leapt) == _changed(expected), f"{example.program}{example.stream_text}"
        leaps += len(leapt) < len(expected)
    assert leaps > 0


def _settling(example: Example) -> Program | None:
    """The program, if it is safe, and settles soon enough."""
    try:
        program = lasing.parse(example.program)
    except lasing.LasingError:
        return None
    found = settling(program)
    return None if found is None or found.reach + found.period >= GAP - example.end else program


@pytest.mark.parametrize("first", range(0, programs(60, 3000), CHUNK))
def test_leaps_above_a_split_change_no_answer(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = several_example(seed)
        program = lasing.parse(example.program)
        if not has_several_answers(program):
            continue
        facts = _facts(example)
        facts |= {time + GAP: atoms for time, atoms in facts.items()}
        end = example.end + GAP
        whole = _advance(AspEngine(unsplit(program), example.start), facts, end)
        divided = split(program)
        below = None if divided.below is None else ReferenceEngine(divided.below, example.start)
        parts = _advance(AspEngine(divided, example.start, below), facts, end)
        assert _changed(parts) == _changed(whole), f"{example.program}{example.stream_text}"
