"""Functions in terms: `X + 1`, `lower(X)`. Parser, printer, types, evaluation, kernels and docs read this one table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from lasing.logic.functions.about import ABOUT_FUNCTIONS
from lasing.logic.functions.arithmetic import ARITHMETIC
from lasing.logic.functions.chance import CHANCE_FUNCTIONS
from lasing.logic.functions.conditions import CONDITION_FUNCTIONS
from lasing.logic.functions.entry import Function
from lasing.logic.functions.moments import MOMENT_FUNCTIONS
from lasing.logic.functions.patterns import PATTERN_FUNCTIONS
from lasing.logic.functions.rdf_casts import RDF_CAST_FUNCTIONS
from lasing.logic.functions.rdf_datatypes import RDF_DATATYPE_FUNCTIONS
from lasing.logic.functions.rdf_numbers import RDF_NUMBER_FUNCTIONS
from lasing.logic.functions.sorting import SORTING_FUNCTIONS
from lasing.logic.functions.sql import SQL_FUNCTIONS
from lasing.logic.functions.texts import TEXT_FUNCTIONS

SECTIONS: dict[str, tuple[Function, ...]] = {
    "Arithmetic": ARITHMETIC,
    "Texts": TEXT_FUNCTIONS,
    "Regular expressions": PATTERN_FUNCTIONS,
    "Instants": MOMENT_FUNCTIONS,
    "Kinds of values": ABOUT_FUNCTIONS,
    "Conditions": CONDITION_FUNCTIONS,
    "Numbers of RDF": (*RDF_NUMBER_FUNCTIONS, *RDF_CAST_FUNCTIONS),
    "Datatypes of RDF": RDF_DATATYPE_FUNCTIONS,
    "SQL": SQL_FUNCTIONS,
    "Sorting": SORTING_FUNCTIONS,
    "Chance": CHANCE_FUNCTIONS,
}
"""All functions, as the docs present them."""

_ALL = tuple(function for section in SECTIONS.values() for function in section)

FUNCTIONS: dict[str, tuple[Function, ...]] = {
    name: tuple(function for function in _ALL if function.name == name) for name in dict.fromkeys(f.name for f in _ALL)
}
"""All functions by name; `-` has two, for one operand and for two."""


def functions(name: str) -> Iterator[Function]:
    """The functions with this name."""
    yield from FUNCTIONS.get(name, ())


def function_of(name: str, operands: int) -> Function:
    """The function with this name and this number of operands."""
    found = next((function for function in functions(name) if function.takes(operands)), None)
    if found is None:
        raise AssertionError(f"there is no function {name} of {operands} operands")
    return found


@cache
def calls() -> frozenset[str]:
    """The names of functions that are written with parentheses."""
    return frozenset(name for name, known in FUNCTIONS.items() if any(f.notation == "call" for f in known))


@cache
def infixes(precedence: int) -> frozenset[str]:
    """The operators between two terms that bind as tightly as this."""
    return frozenset(f.name for f in _ALL if f.notation == "infix" and f.precedence == precedence)
