"""Expressions: values, errors, and functions that give each row a value of its own."""

from __future__ import annotations

import pytest

from lasing.errors import LasingError
from tests.queries import Data, Solutions, answered, lowered

DATA = Data.of("PREFIX : <http://e/> :a :p 1 . :b :p 2 .")


def value(expression: str) -> str | None:
    found = answered(f"SELECT ({expression} AS ?x) {{ }}", Data())
    assert isinstance(found, Solutions)
    ((term,),) = found.rows
    return None if term is None else term.value


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2 * 3 - 4", "3"),
        ("7 / 2", "3.5"),
        ("1 / 0", None),
        ("-(2) + 5", "3"),
        ("+'x'", None),
        ("1 / 0 || true", "true"),
        ("1 / 0 && false", "false"),
        ("1 / 0 || false", None),
        ("2 IN (1 / 0, 2)", "true"),
        ("2 IN (1 / 0, 3)", None),
        ("2 NOT IN (1, 3)", "true"),
        ("COALESCE(1 / 0, 5)", "5"),
        ("COALESCE()", None),
        ("CONCAT()", ""),
        ("IF(1 / 0, 1, 2)", None),
        ("SUBSTR('abc', 2)", "bc"),
        ("REPLACE('abc', 'B', 'x', 'i')", "axc"),
        ("REGEX('abc', '^A', 'i')", "true"),
        ("STR(<http://e/a>)", "http://e/a"),
        ("IRI('http://e/a')", "http://e/a"),
        ("MD5('abc')", "900150983cd24fb0d6963f7d28e17f72"),
        ("ISBLANK(BNODE())", "true"),
        ("BNODE('x') = BNODE('x')", "true"),
        ("BNODE('x') = BNODE('y')", "false"),
        ("UUID() = UUID()", "false"),
        ("STRLEN(STRUUID())", "36"),
        ("RAND() < 1", "true"),
        ("NOW() = NOW()", "true"),
        ("DATATYPE(NOW()) = <http://www.w3.org/2001/XMLSchema#dateTime>", "true"),
        ("<http://www.w3.org/2001/XMLSchema#integer>('05') + 1", "6"),
    ],
)
def test_values(expression: str, expected: str | None) -> None:
    assert value(expression) == expected


@pytest.mark.parametrize("call", ["BNODE()", "UUID()", "STRUUID()", "RAND()", "BNODE('x')"])
def test_each_row_has_its_own(call: str) -> None:
    found = answered(f"PREFIX : <http://e/> SELECT ({call} AS ?x) {{ ?s :p ?o }}", DATA)
    assert isinstance(found, Solutions)
    assert len({row[0] for row in found.rows}) == 2


def test_an_unknown_function_is_a_mistake() -> None:
    with pytest.raises(LasingError) as raised:
        lowered("SELECT (<http://e/f>(1) AS ?x) { }")
    assert "there is no function <http://e/f>" in str(raised.value)
