"""Formulas as trees."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    IntervalWindow,
    Not,
    Or,
    Sometime,
    TimeWindow,
    Window,
    atoms_of,
    ground_atom,
    head_atom,
    made_atom,
    map_formula,
    offset_of,
    variables_in,
    walk,
)
from lasing.logic.terms import Variable

T, X, Y, Z = (Variable(name) for name in "TXYZ")
P, Q, R = Atom("p", (X,)), Atom("q", (Y,)), Atom("r")
EVERY_KIND = And(
    (
        At(T, P),
        Or((Not(Q), Compare("<", X, Y))),
        Implies(Sometime(R), Always(R)),
        Window(IntervalWindow(Z, 9), Sometime(P)),
        Aggregate("sum", (X,), (P, Q), ">", Z),
    )
)


def test_nodes_compare_by_meaning_and_not_by_place() -> None:
    assert Atom("p", (X,), offset=3) == Atom("p", (Variable("X", 7),), offset=9)


def test_walk_visits_every_node_in_the_order_of_the_text() -> None:
    kinds = " ".join(type(node).__name__ for node in walk(EVERY_KIND))
    assert kinds == (
        "And At Atom Or Not Atom Compare Implies Sometime Atom Always Atom Window Sometime Atom Aggregate Atom Atom"
    )


def test_atoms_of_finds_the_atoms_of_aggregates_too() -> None:
    assert list(atoms_of(EVERY_KIND)) == [P, Q, R, R, P, P, Q]


def test_variables_in_has_times_and_the_ends_of_windows() -> None:
    assert set(variables_in(EVERY_KIND)) == {T, X, Y, Z}
    assert list(variables_in(Window(IntervalWindow(Z, 9), At(T, P)))) == [Z, T, X]


def test_mapping_every_node_to_itself_gives_the_same_formula() -> None:
    assert map_formula(EVERY_KIND, lambda node: node) == EVERY_KIND


def test_mapping_reaches_every_atom() -> None:
    def rename(node: Formula) -> Formula:
        return Atom("z", node.args) if isinstance(node, Atom) else node

    assert {atom.predicate for atom in atoms_of(map_formula(EVERY_KIND, rename))} == {"z"}


@pytest.mark.parametrize("head", [Atom("p", (X,)), At(T, Atom("p", (X,)))])
def test_a_head_derives_its_atom_with_or_without_a_time(head: Atom | At) -> None:
    assert head_atom(head) == P


def test_a_formula_begins_where_its_first_known_part_does() -> None:
    assert offset_of(Not(At(T, Atom("p", (), 12)))) == 12
    assert offset_of(Not(P)) == -1


@pytest.mark.parametrize(
    ("atom", "text"),
    [
        (ground_atom("p"), "p"),
        (ground_atom("p", -1, 0.5, "x1", "A b"), 'p(-1,0.5,x1,"A b")'),
        (Atom("p", (X, Variable("_#1"))), "p(X,_)"),
    ],
)
def test_the_text_of_an_atom(atom: Atom, text: str) -> None:
    assert str(atom) == text


def test_formulas_can_be_keys() -> None:
    assert {Window(TimeWindow(5), Sometime(P)): 1}[Window(TimeWindow(5), Sometime(P))] == 1


def test_an_atom_that_is_made_fast_is_like_any_other() -> None:
    fast, plain = made_atom("p", (1, "x")), Atom("p", (1, "x"), offset=7)
    assert fast == plain
    assert hash(fast) == hash(plain)
    assert (type(fast), repr(fast), str(fast), fast.offset) == (Atom, repr(plain), str(plain), -1)
    assert pickle.loads(pickle.dumps(fast)) == plain == copy.copy(fast) == replace(fast, offset=3)
    with pytest.raises(FrozenInstanceError):
        fast.predicate = "q"  # type: ignore[misc]
