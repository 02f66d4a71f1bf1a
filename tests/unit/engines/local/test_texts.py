"""The order of names, as kernels compare them."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.pointers import pointer
from lasing.engines.local.texts import Texts, order
from lasing.plan.compile import compile_plan
from lasing.plan.operators import Panes
from lasing.plan.optimize import optimized

LONG = "a text of more than eight bytes"
NAMES = ["", "\0", "\0\0", "a", "a\0", "a\0b", "ab", "é", "z", "\uffff", "\U0001f600", "\ud800", LONG, LONG + "\0"]
TEXTS = st.lists(st.text(alphabet="a\0é\uffff\U0001f600", max_size=20) | st.text(max_size=30), max_size=12)


@njit
def compared(table: np.ndarray, a: int, b: int) -> int:
    return order(pointer(table), a, b)  # type: ignore[call-arg]  # it is compiled


def check(texts: Texts, names: list[str]) -> None:
    table = texts.of(names)
    for (i, a), (j, b) in product(enumerate(names), enumerate(names)):
        assert compared(table, i, j) == (a > b) - (a < b), (a, b)


def test_the_order_is_by_code_point() -> None:
    check(Texts(), NAMES)


@given(TEXTS, TEXTS)
def test_names_may_come_later(first: list[str], more: list[str]) -> None:
    texts = Texts()
    check(texts, first)
    check(texts, [*first, *more])


def test_many_names() -> None:
    texts, names = Texts(), []
    for number in range(40):
        names += [f"{'name ' * (number % 7)}{number * 50 + i}" for i in range(50)]
        texts.of(names)
    table = texts.of(names)
    ordered = sorted(range(len(names)), key=names.__getitem__)
    assert all(compared(table, a, b) < 0 for a, b in pairwise(ordered))


@pytest.mark.parametrize(
    ("rule", "asks"),
    [
        ("q(X) :- p(X,V), V > 60.", False),
        ("q(X) :- p(X,V), 60 <= V, X != V.", False),
        ("q(X) :- p(X,V), X < V + 1.", False),
        ("q(X) :- p(X,V), X < V.", True),
        ("q(X) :- p(X,V), X < m.", True),
        ("q(M) :- M = #max{V : p(X,V)}.", True),
        ("q(M) :- M = #sum{V : p(X,V)}.", False),
    ],
)
def test_text_is_kept_only_where_two_names_may_be_compared(rule: str, asks: bool) -> None:
    engine = LocalEngine(lasing.parse(rule), 0)
    list(engine.advance(0, [lasing.Atom("p", ("a", "b"))]))
    assert engine.dictionary.texts().any() == asks


def test_names_meet_in_comparisons() -> None:
    rows = [(time, "p", name) for time, name in enumerate(["b", "é", "a", "aa", LONG, LONG + "!", "\U0001f600"])]
    program = (
        "q(X,Y) :- p(X) in [9], p(Y), X < Y. lo(M) :- M = #min{X : p(X) in [3]}. hi(M) :- M = #max{X : p(X) in [3]}."
    )
    answers = [[answer.atoms for answer in lasing.run(program, rows, engine=name)] for name in ("local", "reference")]
    assert answers[0] == answers[1]


def test_names_are_compared_in_the_tests_of_panes() -> None:
    """The comparison is in an operator, not in a rule: kernels need the text of names for it, too."""
    program = 'n(N) :- go, N = #count{T,S : temp(S) at T in [4,-1], S >= "m"}.'
    plan = optimized(compile_plan(lasing.parse(program)))
    assert any(isinstance(stage, Panes) and stage.tests for stage in plan.stages)
    rows: list[tuple[int | str, ...]] = []
    for time in range(8):
        rows += [(time, "go"), *((time, "temp", f"{first}{'x' * 20}{time}") for first in "azmnb")]
    found = {
        engine: [answer.atoms for answer in lasing.run(program, rows, engine=engine)]
        for engine in ("local", "reference")
    }
    assert found["local"] == found["reference"]
    assert found["local"][5] == {lasing.Atom("n", (12,))}
