"""Values that nothing holds any more are forgotten, and nothing else changes."""

from __future__ import annotations

import pytest

import lasing
from lasing.engines.local import dictionary
from lasing.engines.local.engine import LocalEngine
from tests.differential.core_programs import core_example
from tests.differential.harness import agree

PROGRAM = """
    q(X,Y) :- p(X,Y) in [3].
    r(X) :- p(X,Y) in [2], not p(Y,X) in [3], X != fixed.
    top(M) :- M = #max{Y : p(X,Y) in [5]}.
    total(S) :- S = #sum{Y,X : p(X,Y) in [2]}.
    last(X,Y) :- p(X,Y) in [#2 by X].
"""


def test_new_names_and_numbers_do_not_fill_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 200)
    engine = LocalEngine(lasing.parse("q(X,Y) :- p(X,Y) in [3], not r(X)."), 0)
    sizes = []
    for time in range(1000):
        list(engine.advance(time, [lasing.Atom("p", (f"n{time}_{i}", time + i / 10 + 0.01)) for i in range(4)]))
        sizes.append((len(engine.dictionary.names), engine.memory_bytes))
    assert max(names for names, _ in sizes) < 300
    assert len({memory for _, memory in sizes[200:]}) == 1


def test_answers_do_not_depend_on_what_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(time, "p", f"n{(time * 7 + i) % 23}", (time * i) % 9 / 4) for time in range(60) for i in range(3)]
    whole = [answer.atoms for answer in lasing.run(PROGRAM, rows, engine="local")]
    monkeypatch.setattr(dictionary, "_LEAST", 5)
    assert [answer.atoms for answer in lasing.run(PROGRAM, rows, engine="local")] == whole


def test_random_programs_with_a_small_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for seed in range(2000, 2040):
        agree(core_example(seed), "local")


def test_an_update_may_be_read_after_its_names_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 4)
    engine = lasing.Engine("q(X,Y) :- p(X,Y) in [1].")
    updates = [engine.push(time, [("p", f"n{time}", time + 0.5)]) for time in range(40)]
    for time, update in enumerate(updates):
        assert update.added == {lasing.Atom("q", (f"n{time}", time + 0.5))}
    assert engine.snapshot()["args"].to_pylist() == [["n38", "38.5"], ["n39", "39.5"]]
