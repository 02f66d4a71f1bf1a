"""RDF terms as values, and values as RDF terms.

| term | value |
|---|---|
| IRI, blank node | `Iri`, `BlankNode` |
| `"x"`, `"x"^^xsd:string` | the text `x` |
| `"x"@en` | `TaggedLiteral`, with the tag in lower case |
| `"5"^^xsd:integer` and other canonical forms | `5`, and the values of the other datatypes with a kind of their own |
| any other literal, such as `"05"^^xsd:integer` or an integer beyond 64 bits | `TypedLiteral`, as it is written |

So two terms are the same value only if they are the same term. RDF 1.2's triple terms and literals with a direction are
no values; they are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import assert_never

from pyoxigraph import BlankNode as BlankTerm
from pyoxigraph import Literal, NamedNode, Triple

from lasing.errors import fault
from lasing.logic.values import (
    BlankNode,
    Constructed,
    Iri,
    TaggedLiteral,
    TypedLiteral,
    Value,
    datatypes,
    literal,
    value_text,
)
from lasing.logic.values.literals import lexical_of

Term = NamedNode | BlankTerm | Literal | Triple
Written = NamedNode | BlankTerm | Literal


def value_of_term(term: Term, blank: Callable[[str], BlankNode] = BlankNode) -> Value:
    """The value of a term; `blank` makes the value of a blank node from its label.

    >>> value_of_term(Literal("5", datatype=NamedNode(datatypes.INTEGER))), value_of_term(Literal("5"))
    (5, '5')
    """
    match term:
        case NamedNode():
            return Iri(term.value)
        case BlankTerm():
            return blank(term.value)
        case Literal():
            if term.direction is not None:
                raise fault("E506", f"{term} has a direction, which is not supported", note=_RDF_1_2)
            if term.language is not None:
                return TaggedLiteral(term.value, term.language)
            datatype = term.datatype.value
            return term.value if datatype == datatypes.STRING else literal(term.value, datatype)
        case Triple():
            raise fault("E506", f"{term} is a triple term, which is not supported", note=_RDF_1_2)
    assert_never(term)


_RDF_1_2 = "the terms of RDF 1.1 are supported: IRIs, blank nodes, and literals with a datatype or a language"


def term_of_value(value: Value) -> Written:
    """The term of a value. An identifier that a rule has constructed is a blank node.

    >>> str(term_of_value(5)), str(term_of_value("two words"))
    ('"5"^^<http://www.w3.org/2001/XMLSchema#integer>', '"two words"')
    """
    try:
        return _term(value)
    except ValueError as error:  # such as an IRI with two #
        raise fault("E506", f"{value_text(value)[:80]} is not an RDF term: {error}") from None


def _term(value: Value) -> Written:
    match value:
        case str():
            return Literal(value)
        case Iri(iri):
            return NamedNode(iri)
        case BlankNode(label):
            return BlankTerm(label)
        case TaggedLiteral(lexical, language):
            return Literal(lexical, language=language)
        case TypedLiteral(lexical, datatype):
            return Literal(lexical, datatype=NamedNode(datatype))
        case Constructed():
            return BlankTerm(f"new{blake2b(value_text(value).encode(), digest_size=12).hexdigest()}")
        case _:
            return Literal(lexical_of(value), datatype=NamedNode(_DATATYPES[type(value)]))


_DATATYPES: dict[type, str] = {
    type(value): datatype
    for value, datatype in (
        (literal("1", datatypes.INTEGER), datatypes.INTEGER),
        (literal("1.5E0", datatypes.DOUBLE), datatypes.DOUBLE),
        (literal("1", datatypes.DECIMAL), datatypes.DECIMAL),
        (literal("true", datatypes.BOOLEAN), datatypes.BOOLEAN),
        (literal("1970-01-01T00:00:00Z", datatypes.DATE_TIME), datatypes.DATE_TIME),
        (literal("PT1S", datatypes.DAY_TIME_DURATION), datatypes.DAY_TIME_DURATION),
    )
}
