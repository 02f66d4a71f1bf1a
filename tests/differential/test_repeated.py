"""The same fact twice at one time point counts once, on each way in and across all of them."""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing.logic.formulas import Atom
from tests.differential.core_programs import core_example
from tests.differential.harness import answers_of
from tests.differential.sizes import programs
from tests.differential.strategies import Example, examples

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every predicate of a stream is used

LAST_TWO = "q :- e in [#2]."
ENGINES = ["local", "reference", "clingo"]


def push(engine: lasing.Engine, time: int, atom: Atom, way: int) -> None:
    """One fact, on one of the ways in."""
    fact = (atom.predicate, *atom.args)
    frame = {f"c{i}": [value] for i, value in enumerate(atom.args)}
    match way:
        case 0:
            engine.push(time, [fact])
        case 1:
            engine.push(time, [fact, atom, fact])
        case 2:
            engine.push_batch({atom.predicate: pa.table({"time": [time], **frame})})
        case 3:
            twice = {name: 2 * column for name, column in frame.items()}
            engine.push_batch({atom.predicate: pa.table({"time": [time, time], **twice})})
        case _ if atom.args:
            engine.push(time, {atom.predicate: pa.table(frame)})
        case _:
            engine.push(time, [fact])


def repeated_equals_once(example: Example, chance: random.Random, engine: str) -> None:
    expected = dict(answers_of(example))
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    live = lasing.Engine(example.program, example.start, engine)  # type: ignore[arg-type]  # any engine's name
    for time in range(example.start, example.end + 1):
        now = [atom for at, atom in facts if at == time]
        live.advance_to(time)
        for i, atom in enumerate(now):
            push(live, time, atom, chance.randrange(5))
            if chance.random() < 0.2:
                live = lasing.Engine.restore(example.program, live.snapshot(), engine)  # type: ignore[arg-type]
            if chance.random() < 0.5:
                push(live, time, chance.choice(now[: i + 1]), chance.randrange(5))
        assert live.answer().atoms == expected[time], (time, example)


def counting(example: Example, chance: random.Random) -> Example:
    """The example with windows that count facts, and some of its facts in the program's own text too."""
    counted = "".join(f"w{n}(X) :- r1(X) in [#{n}]. v{n}(X) :- s1x(X) in [#{n}]. " for n in (1, 2, 3))
    counted += "k(X,Y) :- s2(X,Y) in [#1 by X]. l(X,Y) :- s2x(X,Y) in [#2 by X].\n"
    own = "".join(f"{atom} at {time}.\n" for time, atom in example.stream if chance.random() < 0.2)
    return replace(example, program=f"{example.program}{counted}{own}")


@settings(max_examples=programs(60, 1500))
@given(example=examples(), chance=st.randoms(use_true_random=False))
def test_repeated_facts_of_random_programs(example: Example, chance: random.Random) -> None:
    repeated_equals_once(counting(example, chance), chance, "auto")


@pytest.mark.parametrize("seed", range(40))
def test_repeated_facts_of_random_programs_of_the_local_engine(seed: int) -> None:
    chance = random.Random(seed)
    repeated_equals_once(counting(core_example(seed), chance), chance, "local")


@settings(max_examples=programs(10, 200))
@given(example=examples(nested=True), chance=st.randoms(use_true_random=False))
def test_repeated_facts_of_the_reference(example: Example, chance: random.Random) -> None:
    repeated_equals_once(counting(example, chance), chance, "reference")


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("first", range(5))
@pytest.mark.parametrize("second", range(5))
@pytest.mark.parametrize("restored", [False, True])
@pytest.mark.parametrize("predicate", ["p", "e"])
def test_a_repeated_fact_pushes_no_other_out(
    name: str, first: int, second: int, restored: bool, predicate: str
) -> None:
    engine = lasing.Engine(LAST_TWO, 0, name)  # type: ignore[arg-type]
    engine.push(0, [("e",)])
    push(engine, 1, Atom(predicate), first)
    if restored:
        engine = lasing.Engine.restore(LAST_TWO, engine.snapshot(), name)  # type: ignore[arg-type]
    push(engine, 1, Atom(predicate), second)
    assert engine.answer().atoms == {Atom("q")}


@pytest.mark.parametrize("name", ENGINES)
def test_equal_values_are_the_same_fact_even_if_no_rule_names_the_predicate(name: str) -> None:
    engine = lasing.Engine(LAST_TWO, 0, name)  # type: ignore[arg-type]
    engine.push(0, [("e",)])
    engine.push(1, [("p", 1, "a"), ("p", 1.0, "a")])
    engine = lasing.Engine.restore(LAST_TWO, engine.snapshot(), "local")
    engine.push_batch({"p": pa.table({"time": [1], "x": [1.0], "y": ["a"]})})
    assert engine.answer().atoms == {Atom("q")}
    assert engine.snapshot()["predicate"].to_pylist() == ["e", "p"]


@pytest.mark.parametrize("name", ENGINES)
def test_a_fact_of_the_text_that_is_pushed_too_counts_once(name: str) -> None:
    program = f"{LAST_TWO} p at 1."
    for way in range(5):
        engine = lasing.Engine(program, 0, name)  # type: ignore[arg-type]
        engine.push(0, [("e",)])
        push(engine, 1, Atom("p"), way)
        assert engine.answer().atoms == {Atom("q")}


def test_a_repeated_fact_counts_once_among_many_single_pushes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.engines.local.dictionary._LEAST", 4)
    engine = lasing.Engine("q(X) :- e(X) in [#3].", 0)
    engine.push(0, [("e", "old")])
    for i in range(2):
        for _ in range(3):
            engine.push(1, [("e", f"n{i}")])
            push(engine, 1, Atom("e", (f"n{i}",)), 2)  # a batch may forget values, at the same time point too
    assert engine.answer().atoms == {Atom("q", (x,)) for x in ("old", "n0", "n1")}
