"""The laws that values of every kind obey."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import get_args

import pytest
from hypothesis import given

from lasing.logic.functions import holds
from lasing.logic.values import (
    KINDS,
    Constructed,
    Duration,
    ExactDecimal,
    Instant,
    Iri,
    TaggedLiteral,
    Truth,
    TypedLiteral,
    Value,
    is_value,
    literal,
    mixed_text,
    order_key,
    read_value,
    value_from_text,
    value_text,
)
from lasing.logic.values import datatypes as xsd
from lasing.logic.values.constructed import DEEPEST
from tests.values import ALIKE, ONE_OF_EACH, any_value


def test_the_table_has_each_kind_once() -> None:
    assert tuple(KINDS) == get_args(Value) == tuple(map(type, ONE_OF_EACH))


@given(any_value())
def test_a_value_has_one_text_and_it_reads_back(value: Value) -> None:
    text = value_text(value)
    assert "\n" not in text
    for found in (value_from_text(text), value_from_text(mixed_text(value)), read_value(f"({text})", 1)[0]):
        assert found == value
        assert type(found) is type(value)
    assert read_value(f"({text})", 1)[1] == len(text) + 1


@given(any_value(), any_value())
def test_values_are_equal_where_their_texts_are(one: Value, other: Value) -> None:
    assert (one == other) == (value_text(one) == value_text(other)) == (mixed_text(one) == mixed_text(other))
    assert one != other or hash(one) == hash(other)


@given(any_value(), any_value())
def test_the_order_is_total_and_agrees_with_comparisons(one: Value, other: Value) -> None:
    before, after = order_key(one) < order_key(other), order_key(other) < order_key(one)
    assert before + after == (one != other)
    assert before or not holds("<", one, other)
    assert holds("<", one, other) == holds(">", other, one)
    assert holds("<=", one, other) == holds(">=", other, one)


def test_values_that_look_alike_differ() -> None:
    values = (*ONE_OF_EACH, *ALIKE)
    assert len(set(values)) == len(values)
    assert len({value_text(value) for value in values}) == len(values)
    assert all((a == b) == (a is b) for a, b in product(values, repeat=2))


def test_numbers_come_first_then_texts_then_all_others() -> None:
    values: list[Value] = [Iri("a:b"), "b", Truth(False), 2, ExactDecimal(Decimal(2)), "B", 1.5, Iri("a:B"), Instant(0)]
    expected = [1.5, 2, ExactDecimal(Decimal(2)), "B", "b", Truth(False), Instant(0), Iri("a:B"), Iri("a:b")]
    assert sorted(values, key=order_key) == expected


@pytest.mark.parametrize(
    ("lexical", "datatype", "value"),
    [
        ("5", xsd.INTEGER, 5),
        ("-9223372036854775808", xsd.INTEGER, -(2**63)),
        ("x", xsd.STRING, "x"),
        ("1.85E1", xsd.DOUBLE, 18.5),
        ("1.0E300", xsd.DOUBLE, 1e300),
        ("true", xsd.BOOLEAN, Truth(True)),
        ("false", xsd.BOOLEAN, Truth(False)),
        ("5", xsd.DECIMAL, ExactDecimal(Decimal(5))),
        ("-0.5", xsd.DECIMAL, ExactDecimal(Decimal("-0.5"))),
        ("1970-01-01T00:00:01.5Z", xsd.DATE_TIME, Instant(1_500_000)),
        ("-PT1.5S", xsd.DAY_TIME_DURATION, Duration(-1_500_000)),
        ("P1D", xsd.DAY_TIME_DURATION, Duration(86_400_000_000)),
    ],
)
def test_the_canonical_form_of_a_datatype_is_the_value(lexical: str, datatype: str, value: Value) -> None:
    assert literal(lexical, datatype) == value
    with pytest.raises(Exception, match="another kind"):
        TypedLiteral(lexical, datatype)


@pytest.mark.parametrize(
    ("lexical", "datatype"),
    [
        *(("05", xsd.INTEGER), ("+5", xsd.INTEGER), ("9223372036854775808", xsd.INTEGER), ("five", xsd.INTEGER)),
        *(
            ("5", f"{xsd.XSD}int"),
            ("18.5", xsd.DOUBLE),
            ("1.0E0", xsd.DOUBLE),
            ("INF", xsd.DOUBLE),
            ("NaN", xsd.DOUBLE),
        ),
        *(("1", xsd.BOOLEAN), ("True", xsd.BOOLEAN), ("5.0", xsd.DECIMAL), ("-0", xsd.DECIMAL), (".5", xsd.DECIMAL)),
        *(("1970-01-01T00:00:00", xsd.DATE_TIME), ("1970-01-01T00:00:00.0000001Z", xsd.DATE_TIME)),
        *(("1970-01-01T00:00:00+00:00", xsd.DATE_TIME), ("1970-02-30T00:00:00Z", xsd.DATE_TIME)),
        *(("PT60S", xsd.DAY_TIME_DURATION), ("P", xsd.DAY_TIME_DURATION), ("PT", xsd.DAY_TIME_DURATION)),
    ],
)
def test_any_other_form_is_a_literal_of_its_own(lexical: str, datatype: str) -> None:
    assert literal(lexical, datatype) == TypedLiteral(lexical, datatype)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Iri("no iri"),
        lambda: Iri("<http://ex.org/a>"),
        lambda: Iri("http://ex.org/\ud800"),
        lambda: TaggedLiteral("a", "no language"),
        lambda: TaggedLiteral("\ud800", "en"),
        lambda: literal("a", "no iri"),
        lambda: ExactDecimal(Decimal("NaN")),
        lambda: ExactDecimal(Decimal("1e5000")),
        lambda: Instant(2**62),
        lambda: Duration(2**63),
    ],
)
def test_anything_but_a_value_is_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(Exception, match="E506"):
        make()


def test_identifiers_are_not_nested_without_end() -> None:
    value: Value = Constructed("a")
    for _ in range(DEEPEST - 1):
        value = Constructed("a", (value,))
    assert value_from_text(value_text(value)) == value
    with pytest.raises(Exception, match="nested"):
        Constructed("a", (value,))
    assert value_from_text("new(" * 1000) == "new(" * 1000


@pytest.mark.parametrize("thing", [True, None, Decimal(1), [1], b"a"])
def test_other_python_objects_are_not_values(thing: object) -> None:
    assert not is_value(thing)
