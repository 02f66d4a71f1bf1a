"""A fact that comes twice at a time point, or differs only in what nobody asks for, gives its heads once."""

from __future__ import annotations

import pytest

import lasing


@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not all of the programs use b
@pytest.mark.parametrize(
    "rules",
    [
        "m(X,T) :- a(X,Y) at T in [0], X > 1.",
        "m(X,T) :- a(X,Y) at T in [0], X > 1. n(X) :- a(X,Y) in [0], X > 1.",
        "m(X,T) :- a(X,Y) at T in [0], b(Z) at U in [3,-1], X > Z.",
        "m(X,T) :- a(X,Y) at T in [4], X > 1.",
    ],
)
def test_a_head_is_output_once(rules: str) -> None:
    engine = lasing.Engine(rules + " #show m/2.", start=0)
    engine.push(0, [("b", 1)])
    facts = [("a", 2, 1), ("a", 2, 2), ("a", 2, 1), ("a", 3, 1)]
    found = [engine.push(1, facts), engine.push(1, facts)]
    assert sorted(row for update in found for row in update.rows()[0]) == [("m", 2, 1), ("m", 3, 1)]
