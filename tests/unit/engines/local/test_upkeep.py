"""Upkeep: a time point visits relations that have changed, and a few others in turn."""

from __future__ import annotations

import lasing
from lasing.engines.local import memory
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.upkeep import IN_TURN
from lasing.logic.formulas import Atom

MANY = 50


def many_rules() -> str:
    """Rules that are not alike, with joins, so that their relations keep rows."""
    return "".join(f"h{i}(X) :- p{i}(X,V) in [5], p{i}(V,X) in [5], V >= {-i}.\n" for i in range(MANY))


def rows_kept(engine: LocalEngine, name: str) -> int:
    """How many rows of a relation lie above its low mark."""
    d = memory.HEADER + [relation.name for relation in engine.relations].index(name) * memory.DESCRIPTOR
    return int(engine.arena[d + memory.HI] - engine.arena[d + memory.LO])


def changed(engine: LocalEngine) -> set[str]:
    """The relations that have changed at the last time point."""
    news = int(engine.arena[memory.NEWS])
    places = engine.arena[news + 1 : news + 1 + engine.arena[news]].tolist()
    return {engine.relations[(d - memory.HEADER) // memory.DESCRIPTOR].name for d in places}


def test_only_relations_with_new_rows_are_visited() -> None:
    engine = LocalEngine(lasing.parse(many_rules()), 0)
    list(engine.advance(0, [Atom("p3", (1, 1))]))
    assert changed(engine) == {"p3 in 5", "h3"}
    list(engine.advance(1, [Atom("p7", (1, 2))]))
    assert changed(engine) == {"p7 in 5"}


def test_a_relation_whose_rows_end_is_visited() -> None:
    engine = LocalEngine(lasing.parse(many_rules()), 0)
    list(engine.advance(0, [Atom("p3", (1, 1))]))
    (ended,) = engine.advance(6, [])
    assert ended.removed == {Atom("h3", (1,))}
    assert changed(engine) == {"h3"}
    list(engine.advance(7, [Atom("p7", (1, 2))]))
    assert rows_kept(engine, "h3") == 0


def test_relations_that_do_not_change_lose_their_dead_rows_in_turn() -> None:
    engine = LocalEngine(lasing.parse(many_rules()), 0)
    list(engine.advance(0, [Atom(f"p{i}", (1, 2)) for i in range(MANY)]))
    assert rows_kept(engine, "p30 in 5") == 1
    turns = len(engine.relations) // IN_TURN + 1
    for time in range(6, 7 + turns):
        list(engine.advance(time, [Atom("p0", (1, time))]))
    assert [rows_kept(engine, f"p{i} in 5") for i in range(1, MANY)] == [0] * (MANY - 1)
