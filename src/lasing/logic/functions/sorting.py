"""Functions for sorting: SPARQL's order of classes, and texts that sort as values do, in either direction."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from lasing.logic.functions.entry import ANYTHING, Function, call
from lasing.logic.functions.promotion import EXACT
from lasing.logic.values import UNBOUND, BlankNode, Class, Constructed, Iri, Value, order_key, value_text

_HIGHEST_EXPONENT = 50_000


def sort_class(value: Value) -> int:
    """The place of a value's class in the order of SPARQL 1.1, §15.1.

    >>> [sort_class(value) for value in (UNBOUND, BlankNode("b"), Iri("http://a"), 5, "x")]
    [0, 1, 2, 3, 3]
    """
    if value == UNBOUND:
        return 0
    if isinstance(value, BlankNode | Constructed):
        return 1
    return 2 if isinstance(value, Iri) else 3


def sort_text(*values: Value, down: bool = False) -> str:
    """A text that sorts as tuples of values do, by class and then by value.

    >>> sorted([10, 9, -1.5, "b", "a"], key=sort_text)
    [-1.5, 9, 10, 'a', 'b']
    >>> sorted([10, 9, -1.5, "b", "a"], key=lambda value: sort_text(value, down=True))
    ['b', 'a', 10, 9, -1.5]
    """
    return "".join(_ordered_bytes(value, down) for value in values)


def _ordered_bytes(value: Value, down: bool) -> str:
    group, magnitude, *_ = order_key(value)
    text = "" if group is Class.WITHOUT_MAGNITUDE else _magnitude_text(magnitude)
    plain = f"{sort_class(value)}{int(group)}{text}\0{value_text(value)}\0".encode()
    return (bytes(255 - byte for byte in plain) if down else plain).hex()


def _magnitude_text(magnitude: Any) -> str:
    return magnitude if isinstance(magnitude, str) else _number_text(magnitude)


def _number_text(number: Any) -> str:
    """A text that sorts as numbers do: the sign, the exponent, and the digits."""
    if isinstance(number, Fraction):
        number = EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
    exact = Decimal(int(number) if isinstance(number, bool) else number)
    if exact.is_infinite():
        return "9" if exact > 0 else "0"
    if exact == 0:
        return "5"
    exponent, digits = exact.adjusted() + _HIGHEST_EXPONENT, "".join(map(str, exact.as_tuple().digits)).rstrip("0")
    if exact > 0:
        return f"6{exponent:06}{digits}"
    turned = digits.translate(str.maketrans("0123456789", "9876543210"))
    return f"4{999_999 - exponent:06}{turned}~"


SORTING_FUNCTIONS: tuple[Function, ...] = (
    call(
        "sort_class",
        (ANYTHING,),
        "a whole number",
        "integer",
        sort_class,
        "the place of its kind in SPARQL's order: 0 for no value, 1 for a blank node, 2 for an IRI, 3 for others",
    ),
    call("sort_text", (ANYTHING,), "a text", "text", sort_text, "a text that sorts as its arguments do", most=None),
    call(
        "sort_text_down",
        (ANYTHING,),
        "a text",
        "text",
        lambda value: sort_text(value, down=True),
        "a text that sorts the other way round",
    ),
)
