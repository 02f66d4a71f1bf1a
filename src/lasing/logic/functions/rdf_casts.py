"""Casts of SPARQL (§17.5): unlike `cast`, they keep doubles apart from integers, and write numbers as XPath does."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any

from lasing.logic.functions import reasons
from lasing.logic.functions.about import IRIS, NO_IDENTIFIERS, cast, lexical
from lasing.logic.functions.entry import Function, call
from lasing.logic.functions.promotion import EXACT, Rank, ranked
from lasing.logic.functions.rdf_numbers import typed
from lasing.logic.values import Iri, TaggedLiteral, Truth, TypedLiteral, Undefined, Value, datatypes, literal


def rdf_cast(value: Value, datatype: Value) -> Value:
    """A value in another datatype.

    >>> rdf_cast(Truth(True), Iri(datatypes.STRING)), str(rdf_cast("13", Iri(datatypes.DOUBLE)))
    ('true', '"1.3E1"^^<http://www.w3.org/2001/XMLSchema#double>')
    """
    assert isinstance(datatype, Iri), "the entry says so"
    if isinstance(value, TaggedLiteral):
        raise Undefined(reasons.WRONG_KIND)
    if isinstance(value, TypedLiteral) and value.datatype == datatypes.BOOLEAN and value.lexical in ("0", "1"):
        value = Truth(value.lexical == "1")
    match datatype.iri:
        case datatypes.STRING:
            return _text(value)
        case datatypes.DOUBLE:
            return typed(Rank.DOUBLE, _number(value, datatypes.DOUBLE))
        case datatypes.FLOAT:
            return typed(Rank.SINGLE, _number(value, datatypes.FLOAT))
        case _:
            return cast(value, datatype)


def _number(value: Value, datatype: str) -> Any:
    if isinstance(value, Truth):
        return int(value.holds)
    found = ranked(literal(value.strip(), datatype) if isinstance(value, str) else value)
    if found is not None:
        return found[1]
    if (value.strip() if isinstance(value, str) else getattr(value, "lexical", "")) == "NaN":
        return float("nan")
    raise Undefined(reasons.WRONG_FORM)


def _text(value: Value) -> Value:
    if isinstance(value, Truth):
        return "true" if value.holds else "false"
    found = ranked(value)
    if found is None:
        return lexical(value)
    rank, number = found
    if rank is Rank.WHOLE:
        return str(number)
    if rank is not Rank.DECIMAL and (not isfinite(number) or not (number == 0 or 1e-6 <= abs(number) < 1e6)):
        return lexical(typed(rank, number))
    exact = EXACT.normalize(number if isinstance(number, Decimal) else Decimal(repr(number)))
    return format(exact, "f") if exact else "0"


RDF_CAST_FUNCTIONS: tuple[Function, ...] = (
    call(
        "rdf_cast",
        (NO_IDENTIFIERS, IRIS),
        "a literal",
        "mixed",
        rdf_cast,
        'as `cast`, but keeps the datatype: `rdf_cast(1, xsd:double)` is `"1.0E0"^^xsd:double`',
    ),
)
