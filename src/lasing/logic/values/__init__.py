"""Values: what variables are bound to, and what facts consist of.

| kind | in Python | written |
|---|---|---|
| numbers | `int` of 64 bits, `float` | `42`, `18.5` |
| names and texts | `str` | `x1`, `"two words"` |
| exact decimals | `ExactDecimal` | `"1.50"^^xsd:decimal` |
| truth values | `Truth` | `"true"^^xsd:boolean` |
| instants, durations | `Instant`, `Duration` | `"…Z"^^xsd:dateTime`, `"PT5S"^^xsd:dayTimeDuration` |
| IRIs | `Iri` | `<http://ex.org/a>` |
| blank nodes | `BlankNode` | `_:b1` |
| literals | `TaggedLiteral`, `TypedLiteral` | `"chat"@en`, `"05"^^xsd:integer` |
| constructed identifiers | `Constructed` | `new(room,1)` |

`table` has everything there is to know about each kind; all other modules use it.
"""

from lasing.logic.values import datatypes
from lasing.logic.values.blanks import BlankNode
from lasing.logic.values.boxed import Boxed
from lasing.logic.values.constructed import UNBOUND, Constructed
from lasing.logic.values.decimals import ExactDecimal
from lasing.logic.values.iris import IRI, Iri
from lasing.logic.values.literals import TaggedLiteral, TypedLiteral, literal
from lasing.logic.values.moments import Duration, Instant
from lasing.logic.values.numbers import LARGEST, NUMBER, SMALLEST, Undefined, normal
from lasing.logic.values.reading import (
    NotAValue,
    looks_like_another,
    looks_like_term,
    mixed_text,
    read_value,
    value_from_text,
)
from lasing.logic.values.table import (
    KINDS,
    Class,
    Kind,
    Type,
    Value,
    class_of,
    is_boxed,
    is_number,
    is_text,
    is_value,
    kind_of,
    magnitude,
    order_key,
    type_of_value,
    value_text,
)
from lasing.logic.values.texts import NAME, RESERVED, STRING, is_name, quoted, unescape
from lasing.logic.values.truth import Truth

__all__ = [
    "IRI",
    "KINDS",
    "LARGEST",
    "NAME",
    "NUMBER",
    "RESERVED",
    "SMALLEST",
    "STRING",
    "UNBOUND",
    "BlankNode",
    "Boxed",
    "Class",
    "Constructed",
    "Duration",
    "ExactDecimal",
    "Instant",
    "Iri",
    "Kind",
    "NotAValue",
    "TaggedLiteral",
    "Truth",
    "Type",
    "TypedLiteral",
    "Undefined",
    "Value",
    "class_of",
    "datatypes",
    "is_boxed",
    "is_name",
    "is_number",
    "is_text",
    "is_value",
    "kind_of",
    "literal",
    "looks_like_another",
    "looks_like_term",
    "magnitude",
    "mixed_text",
    "normal",
    "order_key",
    "quoted",
    "read_value",
    "type_of_value",
    "unescape",
    "value_from_text",
    "value_text",
]
