"""The values of functions. Those that SPARQL has are what Oxigraph computes, up to the form of doubles."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lasing.logic.functions import FUNCTIONS, reasons
from lasing.logic.functions.entry import LONGEST_TEXT
from lasing.logic.functions.patterns import pattern
from lasing.logic.terms import Arithmetic, evaluate
from lasing.logic.values import Constructed, ExactDecimal, Iri, TaggedLiteral, Truth, Undefined, Value, literal
from lasing.logic.values.datatypes import DATE_TIME, DAY_TIME_DURATION, FLOAT, INTEGER, XSD
from tests.values import ONE_OF_EACH

YES, NO = Truth(True), Truth(False)


def decimal(text: str) -> ExactDecimal:
    return ExactDecimal(Decimal(text))


def moment(text: str) -> Value:
    return literal(text, DATE_TIME)


def duration(text: str) -> Value:
    return literal(text, DAY_TIME_DURATION)


def single(text: str) -> Value:
    return literal(text, FLOAT)


def xsd(name: str) -> Iri:
    return Iri(f"{XSD}{name}")


def value_of(name: str, *operands: Value) -> Value:
    return evaluate(Arithmetic(name, operands), {})


@pytest.mark.parametrize(
    ("name", "operands", "value"),
    [
        ("/", (decimal("2"), 3), decimal("0.666666666666666666")),
        ("/", (7, 2), 3.5),
        ("*", (decimal("1"), decimal("1.50")), decimal("1.5")),
        ("+", (decimal("0.1"), decimal("0.2")), decimal("0.3")),
        ("+", (decimal("0.5"), 0.25), 0.75),
        ("+", (single("1"), single("2")), single("3.0E0")),
        ("+", (literal("05", INTEGER), 1), 6),
        ("mod", (decimal("-7.5"), 2), decimal("0.5")),
        ("div", (decimal("-7.5"), 2), decimal("-4")),
        ("abs", (single("-1"),), single("1.0E0")),
        ("min", (decimal("1.5"), 2, 1.75), decimal("1.5")),
        ("max", (moment("2020-01-01T00:00:00Z"), moment("2021-01-01T00:00:00Z")), moment("2021-01-01T00:00:00Z")),
        ("-", (moment("2020-01-01T00:00:05Z"), moment("2019-01-01T00:00:05Z")), duration("P365D")),
        ("-", (moment("2020-01-01T00:00:00"), duration("PT1S")), moment("2019-12-31T23:59:59")),
        ("+", (duration("PT1H"), moment("2020-01-01T23:30:00+02:00")), moment("2020-01-02T00:30:00+02:00")),
        ("*", (2, duration("PT1.5S")), duration("PT3S")),
        ("/", (duration("P1D"), duration("PT6H")), decimal("4")),
        ("-", (duration("PT1S"),), duration("-PT1S")),
        ("round", (decimal("2.5"),), decimal("3")),
        ("round", (decimal("-2.5"),), decimal("-2")),
        ("round", (2.5,), 3),
        ("floor", (decimal("-1.5"),), decimal("-2")),
        ("ceil", (1.2,), 2),
        ("substring", ("motor car", 6), " car"),
        ("substring", ("metadata", 4, 3), "ada"),
        ("substring", ("12345", 0, 3), "12"),
        ("substring", ("a", -1), "a"),
        ("upper", (TaggedLiteral("a", "en"),), TaggedLiteral("A", "en")),
        ("concat", (TaggedLiteral("a", "en"), TaggedLiteral("b", "en")), TaggedLiteral("ab", "en")),
        ("concat", (TaggedLiteral("a", "en"), "b"), "ab"),
        ("before", (TaggedLiteral("abc", "en"), "b"), TaggedLiteral("a", "en")),
        ("before", (TaggedLiteral("abc", "en"), "z"), ""),
        ("after", ("abc", ""), "abc"),
        ("encode_for_uri", ("a b/é",), "a%20b%2F%C3%A9"),
        ("hash", ("sha1", "abc"), "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("lang_matches", ("en-us", "*"), YES),
        ("lang_matches", ("en-us", "EN"), YES),
        ("lang_matches", ("", "*"), NO),
        ("matches", ("abc", "B", "i"), YES),
        ("matches", ("a\nb", "a.b"), NO),
        ("matches", ("a\nb", "a.b", "s"), YES),
        ("matches", ("a\nb", "^b", "m"), YES),
        ("matches", ("abc", "a b", "x"), YES),
        ("matches", ("a.c", "a.", "q"), YES),
        ("matches", ("abc", "a.", "q"), NO),
        ("replace", ("abcd", "(a)(b)", "$2$1"), "bacd"),
        ("replace", ("a$", "a", "\\$"), "$$"),
        ("replace", ("aa", "(a)", "$12"), "a2a2"),
        ("seconds", (moment("2020-01-01T00:00:05Z"),), decimal("5")),
        ("hours", (moment("2020-01-01T23:00:05+02:00"),), 23),
        ("tz", (moment("2020-01-01T00:00:05+02:00"),), "+02:00"),
        ("timezone", (moment("2020-01-01T00:00:05Z"),), duration("PT0S")),
        ("text", (18.5,), "18.5"),
        ("lexical", (18.5,), "1.85E1"),
        ("text", (Iri("http://ex.org/a"),), "http://ex.org/a"),
        ("number", (" 12",), 12),
        ("number", (YES,), 1),
        ("datatype", (TaggedLiteral("a", "en"),), Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#langString")),
        ("lang", (5,), ""),
        ("cast", ("05", xsd("integer")), 5),
        ("cast", (decimal("1.7"), xsd("integer")), 1),
        ("cast", (5, xsd("boolean")), YES),
        ("cast", (1.5, xsd("decimal")), decimal("1.5")),
        ("cast", ("1.5", xsd("double")), 1.5),
        ("cast", ("2020-01-01T00:00:00", xsd("dateTime")), moment("2020-01-01T00:00:00")),
        ("literal", ("5", xsd("integer")), 5),
        ("is_number", (literal("x", INTEGER),), NO),
        ("is_literal", (5,), YES),
        ("new", ("room", 1), Constructed("room", (1,))),
        ("equal", (5, decimal("5")), YES),
        ("equal", ("a", 5), NO),
        ("equal", (TaggedLiteral("a", "en"), "a"), NO),
        ("equal", (Iri("http://ex.org/a"), 5), NO),
        ("same", (5, decimal("5")), NO),
        ("less", (1, 2), YES),
        ("less_equal", ("b", "a"), NO),
        ("opposite", ("",), YES),
        ("truth", (decimal("0"),), NO),
        ("one_of", (2, "a", decimal("2")), YES),
        ("if", ("x", 1, 2), 1),
    ],
)  # fmt: skip
def test_the_value(name: str, operands: tuple[Value, ...], value: Value) -> None:
    found = value_of(name, *operands)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "operands", "reason"),
    [
        ("/", (decimal("1"), 0), reasons.BY_ZERO),
        ("/", (duration("PT1S"), 0), reasons.BY_ZERO),
        ("+", (moment("2020-01-01T00:00:00Z"), 1), reasons.WRONG_KIND),
        ("+", (moment("9999-12-31T00:00:00Z"), duration("P2D")), reasons.BEYOND_64_BITS),
        ("-", (moment("2020-01-01T00:00:00"), moment("2020-01-01T00:00:00Z")), reasons.WRONG_KIND),
        ("*", (decimal("1e999"), decimal("1e999")), reasons.TOO_LONG),
        ("+", (literal("x", INTEGER), 1), reasons.NOT_A_NUMBER),
        ("lower", (5,), reasons.WRONG_KIND),
        ("contains", ("a", TaggedLiteral("a", "en")), reasons.WRONG_KIND),
        ("concat", ("a" * LONGEST_TEXT, "b"), reasons.TOO_LONG),
        ("matches", ("a", "("), reasons.BAD_PATTERN),
        ("matches", ("a", "a", "z"), reasons.BAD_PATTERN),
        ("replace", ("abc", "x*", "-"), reasons.BAD_PATTERN),
        ("replace", ("abc", "a", "$"), reasons.BAD_PATTERN),
        ("number", ("twelve",), reasons.WRONG_FORM),
        ("iri", ("no iri",), reasons.WRONG_FORM),
        ("hash", ("md4", "a"), reasons.WRONG_FORM),
        ("timezone", (moment("2020-01-01T00:00:00"),), reasons.WRONG_KIND),
        ("year", (literal("2020", f"{XSD}gYear"),), reasons.WRONG_KIND),
        ("cast", ("x", xsd("integer")), reasons.WRONG_FORM),
        ("cast", (5, xsd("duration")), reasons.WRONG_KIND),
        ("equal", (literal("x", "http://ex.org/t"), literal("y", "http://ex.org/t")), reasons.NOT_COMPARABLE),
        ("less", (1, "a"), reasons.NOT_COMPARABLE),
        ("truth", (Iri("http://ex.org/a"),), reasons.WRONG_KIND),
        ("new", (5, 1), reasons.WRONG_KIND),
    ],
)
def test_no_value(name: str, operands: tuple[Value, ...], reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        value_of(name, *operands)


UNDEFINED = Arithmetic("/", (1, 0))


def test_lazy_functions_do_without_what_they_do_not_need() -> None:
    assert evaluate(Arithmetic("if", (YES, 1, UNDEFINED)), {}) == 1
    assert evaluate(Arithmetic("coalesce", (UNDEFINED, UNDEFINED, 3)), {}) == 3
    assert evaluate(Arithmetic("bound", (UNDEFINED,)), {}) == NO
    assert evaluate(Arithmetic("all_of", (UNDEFINED, NO)), {}) == NO
    assert evaluate(Arithmetic("any_of", (UNDEFINED, YES)), {}) == YES
    for name, operands in (("if", (UNDEFINED, 1, 2)), ("all_of", (UNDEFINED, YES)), ("any_of", (UNDEFINED, NO))):
        with pytest.raises(Undefined, match=reasons.BY_ZERO):
            evaluate(Arithmetic(name, operands), {})


def test_an_identifier_that_is_nested_too_deep_has_no_value() -> None:
    value: Value = 0
    for _ in range(50):
        value = value_of("new", "f", value)
    with pytest.raises(Undefined, match=reasons.TOO_LONG):
        value_of("new", "f", value)


def test_a_pattern_takes_time_in_proportion_to_the_text() -> None:
    assert pattern("(a*)*b").search("a" * 100_000) is None  # an engine that goes back would never end


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_of_anything_is_a_value_or_has_a_reason(name: str) -> None:
    for entry in FUNCTIONS[name]:
        for first in ONE_OF_EACH:
            for other in ONE_OF_EACH:
                operands = (first, *(other,) * (entry.least - 1))
                assert _outcome(name, operands)


def _outcome(name: str, operands: tuple[Value, ...]) -> bool:
    """Whether a function has a value of some kind, or a reason for having none."""
    try:
        return type(value_of(name, *operands)) in {type(v) for v in ONE_OF_EACH}
    except Undefined as why:
        return str(why) in reasons.REASONS
