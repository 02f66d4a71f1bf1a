"""□a at t  ⇔  a fact a has come at all time points of the window. Facts may come in several pushes."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.plan.nodes import Feed
from lasing.plan.operators import Runs
from lasing.plan.optimize.runs import NEXT
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, Row, present, random_facts, window


@pytest.mark.parametrize("span", [Span(0), Span(1), Span(3), Span(None)], ids=str)
@pytest.mark.parametrize("columns", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_row_is_present_if_its_fact_came_at_every_time_point(span: Span, columns: int, seed: int) -> None:
    facts = random_facts(seed, columns, density=0.95, values=2)
    for time in range(8):  # long enough for any of these windows
        facts[time] = sorted({*facts.get(time, ()), (1,) * columns})
    source, target = Relation("runs of p", columns), Relation("box", columns, counted=True)
    found = present(
        target,
        facts,
        relations=[source],
        feeds=[Feed("p", source, NEXT, timed=False)],
        stages=[Runs(source, target, span)],
    )
    every: set[Row] = {row for rows in facts.values() for row in rows}
    assert any(found.values())
    assert found == {
        t: {row for row in every if all(row in facts.get(u, ()) for u in window(span, t))} for t in range(END)
    }


@pytest.mark.parametrize("seed", range(20))
def test_facts_of_one_time_point_may_come_in_several_pushes(seed: int) -> None:
    chance = random.Random(seed)
    program = "q(X) :- p(X) always in [2]."
    engine = lasing.Engine(program, start=0)
    came: dict[int, set[int]] = {}
    for time in range(30):
        came[time] = {x for x in range(4) if chance.random() < 0.8}
        if chance.random() < 0.1:
            came[time] = set()  # no fact at all: the engine is not even called
        for x in chance.sample(sorted(came[time]), len(came[time])):
            engine.push(time, [("p", x)] * chance.choice([1, 2]))
        if chance.random() < 0.1:
            engine = lasing.Engine.restore(program, engine.snapshot())
        if chance.random() < 0.5:
            engine.advance_to(time)
            expected = {x for x in came[time] if all(x in came[u] for u in range(max(0, time - 2), time))}
            assert {atom.args[0] for atom in engine.answer().atoms} == expected


def test_a_run_that_ended_long_ago_does_not_go_on() -> None:
    engine = lasing.Engine("q :- p always in [3]. r :- s in [100].", start=0)
    for time in range(5):
        engine.push(time, [("p",), ("s",)])
    assert "q" in str(engine.answer())
    engine.advance_to(50)
    for time in (50, 51, 52):
        engine.push(time, [("p",)])
        assert "q" not in str(engine.answer())
    engine.push(53, [("p",)])
    assert "q" in str(engine.answer())
