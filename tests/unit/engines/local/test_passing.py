"""Facts that one rule turns into heads: no index, no row after the time point."""

from __future__ import annotations

import pytest

import lasing
from lasing.engines.local import memory
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.execute import MOST_PASSED
from lasing.engines.local.inspect import records_of
from lasing.engines.local.layout import lay_out
from lasing.logic.formulas import Atom
from lasing.plan.compile import compile_plan
from lasing.plan.optimize import optimized


def names(engine: lasing.Engine) -> list[str]:
    return sorted(str(atom) for atom in engine.answer().atoms if atom.predicate == "q")


def test_a_passing_relation_has_no_index() -> None:
    arena = lay_out(optimized(compile_plan(lasing.parse("q(lower(X)) :- p(X)."))))
    d = next(arena.at(relation) for relation in arena.relations if relation.name == "p")
    assert (arena.memory[d + memory.KIND], arena.memory[d + memory.INDICES]) == (memory.PASSING, 0)


def test_the_head_holds_as_long_as_the_last_fact_that_derives_it() -> None:
    engine = lasing.Engine("q(lower(X)) :- p(X) in [3].", start=0)
    engine.push(0, [("p", "A"), ("p", "b"), ("p", "A")])
    engine.push(2, [("p", "a")])
    assert names(engine) == ["q(a)", "q(b)"]
    engine.advance_to(4)
    assert names(engine) == ["q(a)"]
    engine.advance_to(6)
    assert names(engine) == []


def test_a_time_point_may_get_more_facts() -> None:
    engine = lasing.Engine("q(lower(X)) :- p(X).", start=0)
    engine.push(0, [("p", "A")])
    engine.push(0, [("p", "B")])
    assert names(engine) == ["q(a)", "q(b)"]
    engine.push(1, [("p", "B")])
    assert names(engine) == ["q(b)"]


@pytest.mark.parametrize("facts", [MOST_PASSED - 1, MOST_PASSED, 3 * MOST_PASSED + 7])
def test_many_facts_at_one_time_point(facts: int) -> None:
    engine = lasing.Engine("q(X div 2) :- p(X) in [1].", start=0)
    for t in range(2):
        engine.push(t, [("p", t + i) for i in range(facts)])
        assert engine.answer().atoms >= {Atom("q", (i // 2,)) for i in range(t, t + facts)}
    engine.advance_to(3)
    assert names(engine) == []


@pytest.mark.parametrize("program", ["q(1 / X) :- p(X).", "q(1 / X) :- p(X) in [3], X < 5."])
@pytest.mark.parametrize("copies", [2, 2 * MOST_PASSED])
def test_a_fact_without_a_value_counts_once_at_each_time_point(program: str, copies: int) -> None:
    engine = lasing.Engine(program, start=0)
    for t in range(2):
        engine.push(t, [("p", 0)] * copies + [("p", 2)])
    (found,) = engine.diagnostics()
    assert found.message.startswith("2 instances of this rule had no value: division by zero")


def test_nothing_is_left_of_passing_rows_at_the_next_time_point() -> None:
    engine = LocalEngine(lasing.parse("q(lower(X)) :- p(X) in [9]."), 0)
    list(engine.advance(0, [Atom("p", ("A",)), Atom("p", ("B",))]))
    list(engine.advance(1, [Atom("p", ("C",))]))
    number = [relation.name for relation in engine.relations].index("p in 9")
    assert len(records_of(engine.arena, memory.HEADER + number * memory.DESCRIPTOR)) == 1
