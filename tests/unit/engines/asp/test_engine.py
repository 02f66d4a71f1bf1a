"""The engine: what it keeps, what it skips, what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import lasing
from lasing.engines.asp.engine import AspEngine
from lasing.engines.asp.retention import Retention
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.splitting import unsplit
from lasing.timeline.intervals import Interval


def facts_kept(program: str, facts: list[Fact], now: int) -> list[int]:
    kept = Retention(lasing.parse(program), 0)
    for fact in facts:
        kept.add(fact)
    kept.forget(now, at_once=True)
    return [fact.time for fact in kept.facts.within(Interval(0, None))]


TICKS = [Fact(t, Atom("p", (t % 2,))) for t in range(10)]


@pytest.mark.parametrize(
    ("program", "kept"),
    [
        ("{a} :- p(X) in [2].", [7, 8, 9]),
        ("{a} :- p(X).", [9]),
        ("{a} :- p(X) in [*].", list(range(10))),
        ("{a} :- p(X) in [#4].", [6, 7, 8, 9]),
        ("{a} :- p(X) in [#2 by X].", [6, 7, 8, 9]),
    ],
)
def test_facts_out_of_reach_are_forgotten(program: str, kept: list[int]) -> None:
    assert facts_kept(program, TICKS, 9) == kept


def test_a_derived_predicate_that_is_also_streamed_is_looked_back_on() -> None:
    assert facts_kept("{p(X)} :- q(X). b :- p(X) in [3].", TICKS, 9) == [6, 7, 8, 9]


def test_a_long_stream_keeps_no_more_than_a_short_one() -> None:
    engine = AspEngine(unsplit(lasing.parse("{a(X)} :- p(X) in [3].")), 0)
    for time in range(2000):
        list(engine.advance(time, [lasing.Atom("p", (time % 3,))]))
    assert len(engine._data.facts.within(Interval(0, None))) < 200


def test_idle_time_is_skipped_where_nothing_depends_on_time() -> None:
    engine = AspEngine(unsplit(lasing.parse("{a(X)} :- p(X).")), 0)
    assert [str(answer) for answer in engine.advance(0, [lasing.Atom("p", (1,))])] == ["0: {} {a(1)}"]
    assert [str(answer) for answer in engine.advance(10**9, ())] == ["1:"]


def test_times_ahead_are_counted_from_now() -> None:
    found = lasing.run("{a at T} :- go at U, T = U + 2. b :- a.", "go at 0.", end=3)
    assert [str(answer) for answer in found] == ["0:", "1:", "2: {} {a b}", "3:"]


def test_aggregates_beyond_what_can_be_tried_are_refused() -> None:
    facts = "".join(f"v({i}.5) at 0. " for i in range(20))
    with pytest.raises(lasing.LasingError, match="E310"):
        list(lasing.run("{a(X)} :- v(X). :- #sum{X : a(X)} > 3.", facts))


def test_sums_of_decimals_are_exact_where_they_are_few() -> None:
    found = list(
        lasing.run(
            "{a(X)} :- v(X). :- #sum{X : a(X)} < 4. :- #avg{X : a(X)} > 2.25.", "v(1.5) at 0. v(2.5) at 0. v(0.5) at 0."
        )
    )
    assert [sorted(map(str, model)) for model in found[0].models] == [
        ["a(0.5)", "a(1.5)", "a(2.5)"],
        ["a(1.5)", "a(2.5)"],
    ]


def test_a_recursion_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.engines.asp.grounding.MOST_ATOMS", 50)
    with pytest.raises(lasing.LasingError, match="E304"):
        list(lasing.run("{n(0)} :- s. n(X + 1) :- n(X).", "s at 0."))


def test_what_has_no_value_is_counted_by_rule() -> None:
    run = lasing.run("{a(X)} :- p(X). b :- a(X), X / 0 > 1. c :- p(X), X / 0 > 1.", "p(1) at 0.")
    with pytest.warns(lasing.LasingWarning, match="division by zero"):
        list(run)
    assert {index for index, _ in run.report.failures} == {1, 2}


def test_heads_before_the_start_are_dropped_and_counted() -> None:
    run = lasing.run("{a at T ; b} :- p at U, T = U - 5.", "p at 3.", start=0)
    with pytest.warns(lasing.LasingWarning, match="W202"):
        found = list(run)
    assert [sorted(map(str, model)) for model in found[-1].models] == [[], ["b"]]


def test_without_clingo_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clingo", None)
    with pytest.raises(lasing.LasingError, match=r"lasing\[asp\]"):
        lasing.run("a :- not b. b :- not a.", "s at 0.")


def test_the_first_answer_is_the_same_in_every_run() -> None:
    rooms = ", ".join(f"hot(room{i}) at 0" for i in range(12)).replace(", ", ". ")
    code = (
        "import lasing\n"
        "program = '{fan(R)} :- hot(R) in [1]. :- #count{R : fan(R)} > 2. :~ hot(R), not fan(R). [1, R]'\n"
        f"print(next(lasing.run(program, '{rooms}.', models=1)))"
    )
    printed = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        printed.add(done.stdout)
    assert len(printed) == 1


def test_the_reference_tries_a_limited_number() -> None:
    facts = "".join(f"v({i}) at 0. " for i in range(20))
    with pytest.raises(lasing.LasingError, match="E311"):
        list(lasing.run("{a(X)} :- v(X).", facts, engine="reference"))
