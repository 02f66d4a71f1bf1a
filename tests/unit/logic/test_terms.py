"""Constants, variables and arithmetic."""

from __future__ import annotations

import pytest

from lasing.logic.terms import Arithmetic, Term, Variable, evaluate, term_text, variables_of
from lasing.logic.values import LARGEST, SMALLEST, Iri, Undefined, Value, is_name, normal, unescape, value_text

X, Y = Variable("X"), Variable("Y")


def op(operator: str, *operands: Term) -> Arithmetic:
    return Arithmetic(operator, operands)


@pytest.mark.parametrize(
    ("operator", "operands", "value"),
    [
        ("+", (2, 3), 5),
        ("-", (2, 3), -1),
        ("-", (2,), -2),
        ("*", (2, 0.5), 1),
        ("/", (6, 2), 3),
        ("/", (7, 2), 3.5),
        ("/", (-7, 2), -3.5),
        ("/", (7.5, 2.5), 3),
        ("/", (LARGEST, 1), LARGEST),
        ("div", (7, 2), 3),
        ("div", (-7, 2), -4),
        ("mod", (-7, 2), 1),
        ("mod", (7, -2), -1),
        ("abs", (-4,), 4),
        ("min", (3, 1.5, 2), 1.5),
        ("max", (3, 1.5, 2), 3),
    ],
)
def test_arithmetic(operator: str, operands: tuple[Term, ...], value: Value) -> None:
    result = evaluate(op(operator, *operands), {})
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        (op("+", "a", 1), "arithmetic on something that is not a number"),
        (op("max", 1, "a"), "arithmetic on something that is not a number"),
        (op("/", 1, 0), "division by zero"),
        (op("div", 1, 0), "division by zero"),
        (op("mod", 1.5, 0), "division by zero"),
        (op("+", LARGEST, 1), "beyond 64 bits"),
        (op("-", SMALLEST), "beyond 64 bits"),
        (op("div", SMALLEST, -1), "beyond 64 bits"),
        (op("*", 1e308, 10), "beyond 64 bits"),
    ],
)
def test_a_term_without_a_value_says_why(term: Term, reason: str) -> None:
    with pytest.raises(Undefined, match=reason):
        evaluate(term, {})


def test_variables_take_their_values_at_every_depth() -> None:
    assert evaluate(op("+", X, op("*", Y, X)), {X: 3, Y: 5}) == 18


def test_variables_are_listed_as_they_are_written() -> None:
    assert list(variables_of(op("+", Y, op("-", X, Y)))) == [Y, X, Y]


@pytest.mark.parametrize(
    ("number", "form"),
    [(1.0, 1), (-0.0, 0), (2.5, 2.5), (float(SMALLEST), SMALLEST), (2.0**63, 2.0**63), (1e300, 1e300)],
)
def test_a_decimal_of_integral_value_is_that_integer(number: float, form: int | float) -> None:
    assert normal(number) == form
    assert type(normal(number)) is type(form)


@pytest.mark.parametrize("number", [LARGEST + 1, SMALLEST - 1, float("inf"), float("nan")])
def test_a_number_beyond_64_bits_is_not_a_number(number: int | float) -> None:
    with pytest.raises(Undefined):
        normal(number)


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("x1", True),
        ("tram_7", True),
        ("größe", True),
        ("in", False),
        ("Tram", False),
        ("Äpfel", False),
        ("_x", False),
        ("7up", False),
        ("two words", False),
        ("", False),
        ("x\n", False),
    ],
)
def test_names_start_with_a_small_letter_and_are_not_reserved(word: str, bare: bool) -> None:
    assert is_name(word) is bare
    assert (value_text(word) == word) is bare


@pytest.mark.parametrize("text", ["", 'say "hi"', "back\\slash", "two\nlines", "\\n", "not", "Upper", "1", "<no iri>"])
def test_a_quoted_text_reads_back(text: str) -> None:
    quoted = value_text(text)
    assert quoted.startswith('"')
    assert "\n" not in quoted
    assert unescape(quoted) == text


def test_an_iri_needs_no_quotes() -> None:
    assert value_text(Iri("http://ex.org/a")) == "<http://ex.org/a>"
    assert value_text("<http://ex.org/a>") == '"<http://ex.org/a>"'


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (op("+", X, op("*", 2, Y)), "X + 2 * Y"),
        (op("*", op("+", X, 2), Y), "(X + 2) * Y"),
        (op("-", op("-", X, 1), 2), "X - 1 - 2"),
        (op("-", X, op("-", 1, 2)), "X - (1 - 2)"),
        (op("div", X, op("mod", Y, 2)), "X div (Y mod 2)"),
        (op("max", X, op("+", Y, 1)), "max(X,Y + 1)"),
        (op("-", X, -1), "X - (-1)"),
        (Variable("_#3"), "_"),
    ],
)
def test_a_term_has_the_parentheses_that_it_needs(term: Term, text: str) -> None:
    assert term_text(term) == text
