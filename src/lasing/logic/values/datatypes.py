"""The datatypes of XML Schema that have a meaning here."""

from __future__ import annotations

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"

LANG_STRING = f"{RDF}langString"
STRING = f"{XSD}string"
INTEGER = f"{XSD}integer"
DECIMAL = f"{XSD}decimal"
DOUBLE = f"{XSD}double"
FLOAT = f"{XSD}float"
BOOLEAN = f"{XSD}boolean"
DATE_TIME = f"{XSD}dateTime"
DAY_TIME_DURATION = f"{XSD}dayTimeDuration"

INTEGERS = frozenset(
    f"{XSD}{name}"
    for name in (
        "integer",
        "long",
        "int",
        "short",
        "byte",
        "nonNegativeInteger",
        "positiveInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "unsignedLong",
        "unsignedInt",
        "unsignedShort",
        "unsignedByte",
    )
)
"""xsd:integer and the types derived from it."""
