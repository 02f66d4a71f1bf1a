"""Value spaces: which lexical forms are legal, which literals have the same value, which datatypes contain it."""

from __future__ import annotations

import pytest

from lasing.logic.values import TaggedLiteral, Value, datatypes, literal
from lasing.logic.values.datatypes import RDF, XSD
from lasing.logic.values.spaces import KNOWN_DATATYPES, contains, data_value, datatype_of

SAME = [
    ("05", "integer", "5", "integer"),
    ("10.0", "decimal", "10", "int"),
    ("1", "boolean", "true", "boolean"),
    ("1E401", "double", "INF", "double"),
    ("16777205.5", "float", "16777206.5", "float"),
    ("2020-01-01T01:00:00+01:00", "dateTime", "2020-01-01T00:00:00Z", "dateTime"),
    ("0aff", "hexBinary", "0AFF", "hexBinary"),
    ("a b", "token", "a b", "string"),
]
DIFFERENT = [
    ("0.0", "double", "-0.0", "double"),
    ("1", "double", "1", "integer"),
    ("1", "float", "1", "double"),
    ("2020-01-01T00:00:00", "dateTime", "2020-01-01T00:00:00Z", "dateTime"),
]
ILL_FORMED = [
    (" 3 ", f"{XSD}int"), ("300", f"{XSD}byte"), ("-1", f"{XSD}nonNegativeInteger"), ("x", f"{XSD}decimal"),
    ("yes", f"{XSD}boolean"), ("a\nb", f"{XSD}token"), ("2020-13-01T00:00:00Z", f"{XSD}dateTime"),
    ("2020-01-01T00:00:00", f"{XSD}dateTimeStamp"), ("abc", f"{XSD}hexBinary"), ("?", f"{XSD}base64Binary"),
    ("<", f"{RDF}XMLLiteral"), ("x", f"{RDF}langString"),
]  # fmt: skip


def value(lexical: str, datatype: str) -> object:
    return data_value(literal(lexical, f"{XSD}{datatype}"))


@pytest.mark.parametrize(("one", "its", "other", "others"), SAME)
def test_these_literals_have_the_same_value(one: str, its: str, other: str, others: str) -> None:
    assert value(one, its) == value(other, others) is not None


@pytest.mark.parametrize(("one", "its", "other", "others"), DIFFERENT)
def test_these_literals_have_different_values(one: str, its: str, other: str, others: str) -> None:
    assert value(one, its) != value(other, others)


@pytest.mark.parametrize(("lexical", "datatype"), ILL_FORMED)
def test_these_forms_are_not_legal(lexical: str, datatype: str) -> None:
    assert data_value(literal(lexical, datatype)) is None


@pytest.mark.parametrize("given", [5, 1.5, "text", TaggedLiteral("chat", "fr"), literal("1.50", datatypes.DECIMAL)])
def test_a_value_is_in_its_own_datatype_and_stands_for_itself(given: Value) -> None:
    found = data_value(given)  # type: ignore[arg-type]
    assert found is not None
    assert contains(datatype_of(given), found)  # type: ignore[arg-type]
    assert data_value(found.literal) == found  # type: ignore[arg-type]


def test_every_datatype_can_be_asked() -> None:
    found = data_value(200)
    assert found is not None
    names = {name.removeprefix(XSD) for name in KNOWN_DATATYPES if contains(name, found)}
    assert {"integer", "decimal", "unsignedByte", "short"} <= names
    assert not names & {"byte", "string", "double", "negativeInteger"}
