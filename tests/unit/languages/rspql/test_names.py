"""Names: each variable of a query has a variable of the logic that looks like it and belongs to it alone."""

from __future__ import annotations

import pytest
from rdflib.term import Literal, URIRef

from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.names import Names, value_of
from lasing.logic.values import Iri, TaggedLiteral, TypedLiteral, datatypes


def test_names_that_look_alike_stay_apart() -> None:
    names = Names({"X"})
    columns = [names.column(name) for name in ("x", "X", "é", "è", "1", "x")]
    assert len(set(columns)) == 5
    assert columns[0] == columns[-1]
    assert columns[0].name != "X"


def test_the_way_back() -> None:
    names = Names(set())
    assert [names.name_of(names.column(name)) for name in ("x", "X", "é")] == ["x", "X", "é"]


def test_constants_keep_their_form() -> None:
    assert value_of(URIRef("http://a")) == Iri("http://a")
    assert value_of(Literal("x")) == "x"
    assert value_of(Literal("x", lang="en")) == TaggedLiteral("x", "en")
    assert value_of(Literal("5", datatype=URIRef(datatypes.INTEGER), normalize=False)) == 5
    five = Literal("05", datatype=URIRef(datatypes.INTEGER), normalize=False)
    assert value_of(five) == TypedLiteral("05", datatypes.INTEGER)


def test_an_iri_that_is_none() -> None:
    with pytest.raises(Mistake):
        value_of(URIRef("http://a b"))
