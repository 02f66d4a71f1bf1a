"""Functions about the datatypes of RDF literals: is a form legal, what does it mean, which datatypes contain it."""

from __future__ import annotations

from lasing.logic.functions import reasons
from lasing.logic.functions.about import IRIS, LITERALS
from lasing.logic.functions.entry import TRUTH, Function, call
from lasing.logic.values import Iri, Truth, Undefined, Value
from lasing.logic.values.spaces import KNOWN_DATATYPES, DataValue, Literal, contains, data_value, datatype_of


def _meaning(value: Value) -> DataValue | None:
    literal: Literal = value  # type: ignore[assignment]  # the entry says so
    if datatype_of(literal) not in KNOWN_DATATYPES:
        raise Undefined(reasons.WRONG_KIND)
    return data_value(literal)


def _well_formed(value: Value) -> Value:
    return Truth(_meaning(value) is not None)


def _canonical(value: Value) -> Value:
    found = _meaning(value)
    if found is None:
        raise Undefined(reasons.WRONG_FORM)
    return found.literal


def _is_in(value: Value, datatype: Value) -> Value:
    assert isinstance(datatype, Iri), "the entry says so"
    if datatype.iri not in KNOWN_DATATYPES:
        raise Undefined(reasons.WRONG_KIND)
    found = _meaning(value)
    return Truth(found is not None and contains(datatype.iri, found))


RDF_DATATYPE_FUNCTIONS: tuple[Function, ...] = (
    call(
        "rdf_well_formed",
        (LITERALS,),
        TRUTH,
        "mixed",
        _well_formed,
        'whether a lexical form is legal in its datatype: `rdf_well_formed("x"^^xsd:integer)` is false',
    ),
    call(
        "rdf_value",
        (LITERALS,),
        "a literal",
        "mixed",
        _canonical,
        'the literal that stands for all literals of the same value: `rdf_value("05"^^xsd:int)` is 5',
    ),
    call(
        "rdf_is",
        (LITERALS, IRIS),
        TRUTH,
        "mixed",
        _is_in,
        "whether a datatype contains the value of a literal: `rdf_is(5, xsd:byte)`",
    ),
)
