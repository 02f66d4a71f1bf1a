"""Conditions: built simplified, negated exactly."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from lasing.engines.asp.conditions import (
    AtLeast,
    Condition,
    Literal,
    TimedAtom,
    all_of,
    any_of,
    at_least,
    holds_in,
    literals,
    negation,
)

ATOMS = tuple(TimedAtom(0, name, ()) for name in "pqr")
P, Q, R = map(Literal, ATOMS)

CONDITIONS: st.SearchStrategy[Condition] = st.recursive(
    st.sampled_from([True, False, P, Q, R, negation(P), negation(Q)]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(all_of),
        st.lists(inner, max_size=3).map(any_of),
        inner.map(negation),
        st.tuples(st.integers(-2, 4), st.lists(st.tuples(inner, st.integers(-2, 3)), max_size=3)).map(
            lambda drawn: at_least(*drawn)
        ),
    ),
    max_leaves=8,
)


@given(CONDITIONS)
def test_a_negation_holds_where_the_condition_does_not(condition: Condition) -> None:
    for chosen in product((False, True), repeat=len(ATOMS)):
        there = {atom for atom, yes in zip(ATOMS, chosen, strict=True) if yes}
        assert holds_in(negation(condition), there) != holds_in(condition, there)


@given(st.integers(-3, 6), st.lists(st.tuples(CONDITIONS, st.integers(-2, 3)), max_size=4))
def test_sums_are_those_of_the_weights(bound: int, parts: list[tuple[Condition, int]]) -> None:
    for chosen in product((False, True), repeat=len(ATOMS)):
        there = {atom for atom, yes in zip(ATOMS, chosen, strict=True) if yes}
        total = sum(weight for part, weight in parts if holds_in(part, there))
        assert holds_in(at_least(bound, parts), there) == (total >= bound)


def test_constants_disappear() -> None:
    assert all_of((P, True, all_of((P, Q)))) == all_of((P, Q))
    assert any_of((P, False, any_of((Q, P)))) == any_of((P, Q))
    assert any_of((P, True)) is True
    assert at_least(2, [(True, 1), (P, 1), (Q, 1)]) == any_of((P, Q))
    assert at_least(5, [(P, 1), (Q, 1)]) is False
    assert at_least(2, [(P, 1), (P, 1)]) == P


def test_weights_are_positive_and_only_atoms_are_negated() -> None:
    sum_of = at_least(0, [(P, -2), (Q, 1), (R, 1)])
    assert isinstance(sum_of, AtLeast)
    assert all(weight > 0 for _, weight in sum_of.parts)
    assert {literal.atom for literal in literals(sum_of) if literal.negated} == {P.atom}
