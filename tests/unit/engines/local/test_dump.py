"""What an engine holds can be printed, with values."""

from __future__ import annotations

import lasing
from lasing.engines.local.dump import dump
from lasing.engines.local.engine import LocalEngine


def test_a_dump_shows_plan_rows_and_calendar_with_values() -> None:
    program = lasing.parse("hot(S) :- temp(S,V) in [5], not off(S) in [2], V > 30.5.")
    engine = LocalEngine(program, 0)
    list(engine.advance(1, [lasing.Atom("temp", ("kitchen", 40)), lasing.Atom("off", ("hall",))]))
    text = dump(engine)
    head, plan, relations, calendar = text.split("\n\n")
    assert head == "at 1"
    assert "<off in 2>" in plan
    assert "(kitchen, 40)  until 6, present since tick" in relations
    assert "(kitchen)  count 1, present since tick" in relations
    assert "(hall)  until 3, present since tick" in relations
    assert "  4: <off in 2> row 0" in calendar.splitlines()


def test_a_dump_of_every_kind_of_relation() -> None:
    rules = ["n(N) :- N = #count{X : p(X) in [#3]}.", "q(X) :- p(X) in [4 step 2], not p(X).", "r(X) :- p(X) at T."]
    engine = LocalEngine(lasing.parse("\n".join(rules)), 0)
    for time in range(6):
        list(engine.advance(time, [lasing.Atom("p", (time + 0.5,))]))
    shown = dump(engine)
    assert "log, " in shown
    assert "(5.5)  until forever" in shown
    assert "pending, " in shown
    assert "(5.5, 6)  until 9" in shown
