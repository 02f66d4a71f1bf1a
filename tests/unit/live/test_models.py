"""`lasing.Engine` with programs that have any number of answers."""

from __future__ import annotations

import pandas as pd
import pytest

import lasing
from lasing import Atom, Engine, LasingError

FANS = "{fan(R)} :- hot(R) in [2]. :- #count{R : fan(R)} > 1."


def texts(engine: Engine) -> list[list[str]]:
    return [sorted(map(str, model)) for model in engine.answer().models]


def test_answers_after_each_push() -> None:
    engine = Engine(FANS)
    engine.push(1, [("hot", "hall")])
    assert texts(engine) == [[], ["fan(hall)"]]
    engine.push(1, [("hot", "attic")])
    assert texts(engine) == [[], ["fan(attic)"], ["fan(hall)"]]
    engine.advance_to(3)
    assert len(texts(engine)) == 3
    engine.advance_to(4)
    assert texts(engine) == [[]]
    assert (engine.time, engine.incremental) == (4, False)


def test_updates_are_defined_between_single_answers() -> None:
    engine = Engine("a :- p. {b} :- q.")
    assert engine.push(1, [("p",)]).added == {Atom("a")}
    undefined = engine.push(2, [("q",)])
    with pytest.raises(LasingError, match="E309"):
        _ = undefined.added
    assert repr(undefined).startswith("Update(time=2, undefined: there are 2 answer streams")
    with pytest.raises(LasingError, match="E309"):
        engine.advance_to(3).to_arrow()
    assert engine.push(4, [("p",)]).added == {Atom("a")}


def test_a_batch_of_data_frames() -> None:
    engine = Engine(FANS)
    with pytest.raises(LasingError, match="E309"):
        engine.push_batch({"hot": pd.DataFrame({"time": [1, 2], "room": ["hall", "attic"]})}, end=3)
    assert engine.time == 3
    assert texts(engine) == [[], ["fan(attic)"], ["fan(hall)"]]


def test_data_of_the_program_itself_comes_in_its_time() -> None:
    engine = Engine("{a} :- p. p at 2.")
    engine.advance_to(1)
    assert texts(engine) == [[]]
    engine.push(3, [])
    assert texts(engine) == [[]]
    other = Engine("{a} :- p. p at 2.")
    other.push(2, [])
    assert texts(other) == [[], ["a"]]


def test_a_snapshot_holds_what_is_in_reach_and_goes_on() -> None:
    engine = Engine(FANS)
    for time in range(100):
        engine.push(time, [("hot", f"r{time}")])
    snapshot = engine.snapshot()
    assert snapshot.num_rows == 3
    restored = Engine.restore(engine.program, snapshot)
    assert (restored.time, texts(restored)) == (99, texts(engine))
    for each in (engine, restored):
        each.push(100, [("hot", "new")])
    assert texts(restored) == texts(engine)


def test_as_many_answers_as_asked_for() -> None:
    engine = Engine("{a ; b ; c}.", 0, models=2)
    engine.advance_to(0)
    assert len(engine.answer().models) == 2
    assert len(Engine.restore("{a ; b ; c}.", engine.snapshot(), models=2).answer().models) == 2
    for models in (0, "x"):
        with pytest.raises(LasingError, match="E306"):
            Engine("{a}.", models=models)  # type: ignore[arg-type]


def test_omissions_are_reported() -> None:
    engine = Engine("{a(X)} :- p(X). b :- a(X), 1 / X > 0.")
    engine.push(0, [("p", 0)])
    assert [finding.code for finding in engine.diagnostics()] == ["W203"]


def test_an_ordinary_program_by_clingo() -> None:
    engine = Engine("q(X) :- p(X) in [1].", engine="clingo")
    assert engine.push(1, [("p", "x")]).added == {Atom("q", ("x",))}
    assert engine.advance_to(3).removed == {Atom("q", ("x",))}


def test_an_engine_that_does_not_exist() -> None:
    with pytest.raises(LasingError, match="E305"):
        Engine("q :- p.", engine="warp")  # type: ignore[arg-type]


def test_spark_needs_one_answer() -> None:
    with pytest.raises(LasingError, match="E302"):
        lasing.spark.reason("{a(X)} :- p(X).", input="p", output="a")
