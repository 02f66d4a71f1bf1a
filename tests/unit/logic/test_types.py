"""The types of arguments, inferred from those of the streams: every output value has its inferred type."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.types import Type, argument_types, joined

STREAMS: dict[str, tuple[Type, ...]] = {
    "i": ("integer",),
    "d": ("double",),
    "t": ("text",),
    "id": ("integer", "double"),
    "dt": ("double", "text"),
    "ts": ("timestamp",),
    "da": ("date",),
    "b": ("boolean",),
    "m": ("mixed",),
    "now": (),
}


def types(program: str, predicate: str = "q") -> tuple[Type | None, ...]:
    return argument_types(lasing.parse(program), STREAMS)[predicate]


@pytest.mark.parametrize("kind", ["i", "d", "t", "ts", "da", "b"])
def test_values_keep_their_type_through_rules(kind: str) -> None:
    assert types(f"r(X) :- {kind}(X) in [5]. q(X) :- r(X), not t(X).") == STREAMS[kind]


def test_no_arguments() -> None:
    assert types("q :- now.") == ()


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        ("7", "integer"),
        ("-7", "integer"),
        ("2.5", "double"),
        ("2.0", "integer"),
        ("a", "text"),
        ('"7"', "text"),
        ("X + 1", "integer"),
        ("-X", "integer"),
        ("X * 2.5", "double"),
        ("X / 2", "double"),
        ("X div 2", "integer"),
        ("X mod 2", "integer"),
        ("max(X, 3)", "integer"),
        ("abs(Y)", "double"),
        ("X + Y", "double"),
    ],
)
def test_terms(term: str, wanted: Type) -> None:
    assert types(f"q({term}) :- id(X,Y).") == (wanted,)


def test_time_points_are_integers() -> None:
    assert types("q(T) :- d(X) at T in [5].") == ("integer",)
    assert types("q(U) :- d(X) at T in [5], U = T + 1.") == ("integer",)
    assert types("q(#now,U) :- d(X), U = #now - 1.") == ("integer", "integer")


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("integer", "integer", "integer"),
        ("integer", "double", "double"),
        ("integer", "text", "mixed"),
        ("double", "text", "mixed"),
        ("timestamp", "date", "text"),
        ("timestamp", "timestamp", "timestamp"),
        ("boolean", "integer", "mixed"),
        ("mixed", "text", "mixed"),
        ("mixed", "double", "mixed"),
        (None, "date", "date"),
        (None, None, None),
    ],
)
def test_where_types_meet_the_one_that_holds_both(one: Type | None, other: Type | None, wanted: Type | None) -> None:
    assert joined(one, other) == joined(other, one) == wanted


def test_several_rules_for_one_predicate() -> None:
    assert types("q(X) :- i(X). q(X) :- d(X).") == ("double",)
    assert types("q(X) :- i(X). q(X) :- t(X).") == ("mixed",)
    assert types("q(X,Y) :- id(X,Y). q(X,7) :- i(X).") == ("integer", "double")


def test_what_is_chosen_has_the_types_of_its_rules() -> None:
    assert types("1 {q(X) : i(X) ; q(Y) : d(Y)} 2.") == ("double",)


def test_background_and_data_facts_count() -> None:
    assert types("q(X) :- r(X). r(1). r(2).") == ("integer",)
    assert types("q(X) :- r(X). r(1). r(2.5).") == ("double",)
    assert types("q(X) :- r(X). r(1). r(a) at 3.") == ("mixed",)
    assert types("q(X) :- i(X). q(a).") == ("mixed",)


def test_a_variable_at_several_places_has_a_value_of_both() -> None:
    assert types("q(X) :- d(X), i(X).") == ("integer",)
    assert types("q(X) :- i(X), d(X).") == ("integer",)
    assert types("q(X) :- d(X), X = Y, i(Y).") == ("integer",)
    assert types("r(X) :- i(X). r(X) :- t(X). q(X) :- r(X), t(X).") == ("text",)


def test_equations_in_any_order() -> None:
    assert types("q(Z) :- Z = Y + 1, Y = X + 1, i(X).") == ("integer",)
    assert types("q(Z) :- Z = Y * 2, Y = X / 2, i(X).") == ("double",)
    assert types("q(Z) :- i(X), X + 1 = Z.") == ("integer",)


def test_recursion_ends() -> None:
    assert types("q(X) :- i(X). q(X) :- r(X). r(X) :- q(X). r(X) :- d(X).") == ("double",)
    assert types("q(X + 0.5) :- q(X), X < 9. q(X) :- i(X).") == ("double",)


def test_what_is_never_derived_has_no_type() -> None:
    assert types("q(X) :- q(X).") == (None,)
    assert types("q(X) :- i(X). q(X) :- never(X).") == ("integer",)


@pytest.mark.parametrize(
    ("aggregate", "wanted"),
    [
        ("#count{V : dt(V,S)}", "integer"),
        ("#sum{V : i(V)}", "integer"),
        ("#sum{V : d(V)}", "double"),
        ("#avg{V : i(V)}", "double"),
        ("#sum{V : m(V)}", "mixed"),
        ("#avg{V : m(V)}", "mixed"),
        ("#min{V : i(V)}", "integer"),
        ("#max{V : d(V)}", "double"),
        ("#max{V : t(V)}", "text"),
        ("#min{V : da(V)}", "date"),
        ("#max{V + 1 : i(V)}", "integer"),
    ],
)
def test_aggregates(aggregate: str, wanted: Type) -> None:
    assert types(f"q(N) :- N = {aggregate}.") == (wanted,)


def test_a_variable_of_one_aggregate_is_not_that_of_another() -> None:
    assert types("q(N,M) :- N = #max{V : i(V)}, M = #min{V : d(V)}.") == ("integer", "double")
    assert types("q(M,N) :- M = #min{V : t(V)}, N = #max{V : i(V)}.") == ("text", "integer")


def test_an_aggregate_of_nothing_says_nothing_of_its_groups() -> None:
    # X may be 2.5: then nothing is counted
    assert types("q(X,N) :- d(X), N = #count{V : id(X,V)}.") == ("double", "integer")
    assert types("q(X,N) :- t(X), N = #count{V : id(X,V)}.") == ("text", "integer")


def test_nested_formulas_take_the_wider_type() -> None:
    assert types("q(X) :- i(X) or d(X).") == ("double",)
    assert types("q(X) :- (i(X) in [3]) at T, (d(X) or t(X)).") == ("mixed",)


def test_negated_literals_say_nothing() -> None:
    assert types("q(X) :- d(X), not i(X).") == ("double",)
