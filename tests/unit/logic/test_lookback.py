"""How far back programs must look."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.lookback import Lookback, lookback


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p", Lookback(0)),
        ("p in [5]", Lookback(5)),
        ("p in [+5]", Lookback(0)),
        ("p in [3,+1]", Lookback(3)),
        ("p in [3,-1]", Lookback(3)),
        ("p in [*,-1]", Lookback(None)),
        ("p at #now - 3", Lookback(3)),
        ("not p in [#now - 4..#now - 1]", Lookback(4)),
        ("(p in [2,-1]) in [full 5,-1]", Lookback(5)),
        ("not p always in [5]", Lookback(5)),
        # at t = 5 the pivot is 4, and the window begins at -1: six before t
        ("p in [5 step 2]", Lookback(6)),
        ("p at T in [5]", Lookback(5)),
        ("p at T", Lookback(None)),
        ("p in [*]", Lookback(None)),
        ("p in [2..5]", Lookback(None)),
        ("p in [#3]", Lookback(0, facts=3)),
        ("r(X) in [#2 by X]", Lookback(0, per_key=2)),
        ("p in [5], q in [9], p in [#3]", Lookback(9, facts=3)),
        ("#count{X : r(X) in [7]} > 1", Lookback(7)),
        # a window in a window is cut by it; `full` is not
        ("(p in [3]) in [5]", Lookback(5)),
        ("(p in [full 3]) in [5]", Lookback(8)),
        ("(p in [9]) in [5]", Lookback(5)),
    ],
)
def test_the_lookback_of_a_body(body: str, expected: Lookback) -> None:
    assert lookback(lasing.parse(f"h :- {body}.")) == expected


def test_a_derived_predicate_needs_no_lookback() -> None:
    assert lookback(lasing.parse("q :- p in [2]. r :- q in [9].")) == Lookback(2)


@pytest.mark.parametrize("streamed", ["#input q/0.", "q at 3."])
def test_a_derived_predicate_that_is_streamed_as_well_needs_it(streamed: str) -> None:
    assert lookback(lasing.parse(f"{streamed} q :- p in [2]. r :- q in [9].")) == Lookback(9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Lookback(1), "1 time point"),
        (Lookback(0, 1, 2), "0 time points, 1 fact, 2 facts per key"),
        (Lookback(None), "all time points"),
    ],
)
def test_the_text_of_a_lookback(value: Lookback, text: str) -> None:
    assert str(value) == text
