"""What a measured engine says about its rules and relations."""

from __future__ import annotations

import gc
from itertools import product

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.figures import Measuring
from lasing.logic.formulas import Atom

PROGRAM = """
    hot(S) :- temp(S, V) in [5], V > 30.
    calm(S) :- temp(S, _) in [5], not hot(S).
    total(N) :- N = #sum{V, S : temp(S, V) in [1]}.
"""


def _measured(points: int) -> Measuring:
    engine = LocalEngine(lasing.parse(PROGRAM), 0)
    measuring = engine.measure()
    for time in range(points):
        list(engine.advance(time, [Atom("temp", (f"s{i}", 10 * i)) for i in range(6)]))
    return measuring


def test_rules_have_the_rows_that_they_added_and_their_time() -> None:
    hot, calm, total = _measured(10).rules()
    assert [figures.rule for figures in (hot, calm, total)] == [0, 1, 2]
    assert hot.rows == 10 * 2  # renewed at each time point
    assert calm.rows >= 4  # rows that are settled away at once count too
    assert total.rows >= 1
    assert min(figures.seconds for figures in (hot, calm, total)) > 0


def test_relations_have_the_rows_that_are_alive_even_if_the_engine_is_not_used_any_more() -> None:
    measuring = _measured(10)
    gc.collect()
    rows = {figures.name: figures.rows for figures in measuring.relations()}
    assert (rows["hot"], rows["calm"], rows["temp in 5"], rows["total"]) == (2, 4, 6, 1)
    assert sum(figures.seconds for figures in measuring.relations()) > 0


def test_measuring_changes_no_answer() -> None:
    facts = [Atom("temp", (f"s{i}", 10 * i + time)) for time, i in product(range(3), range(6))]
    plain, measured = (LocalEngine(lasing.parse(PROGRAM), 0) for _ in range(2))
    assert measured.measure() is measured.measure()
    for time in range(12):
        now = facts[time : time + 4] if time % 3 else []
        assert list(plain.advance(time, now)) == list(measured.advance(time, now))
