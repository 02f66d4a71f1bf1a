"""Expressions that relate events: `?room`, `Smoke.?room`, constants, and arithmetic over these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyoxigraph

from lasing.languages.rspql.tokens import Token
from lasing.languages.tesla.mistakes import Mistake
from lasing.languages.tesla.syntax import Constant, Expression, Operation, Operator, Reference
from lasing.logic.values import Iri, Truth
from lasing.logic.values.numbers import number_from

_SUMS: dict[str, Operator] = {"+": "+", "-": "-"}
_PRODUCTS: dict[str, Operator] = {"*": "*", "/": "/"}


def is_reference(read: Sequence[Token], i: int) -> bool:
    """Whether `Smoke.?room` begins at a token: three of them, without blanks."""
    if i + 2 >= len(read):
        return False
    name, dot, variable = read[i : i + 3]
    return (
        (name.kind, dot.text, variable.kind) == ("word", ".", "variable")
        and ":" not in name.text
        and name.end == dot.offset
        and dot.end == variable.offset
    )


def expression(read: Sequence[Token], i: int, prefixes: Mapping[str, str]) -> tuple[Expression, int]:
    """The expression that begins at a token, and the index of the token after it."""
    left, i = _product(read, i, prefixes)
    while i < len(read) and read[i].kind == "mark" and read[i].text in _SUMS:
        operator = _SUMS[read[i].text]
        right, i = _product(read, i + 1, prefixes)
        left = Operation(operator, left, right)
    return left, i


def _product(read: Sequence[Token], i: int, prefixes: Mapping[str, str]) -> tuple[Expression, int]:
    left, i = _factor(read, i, prefixes)
    while i < len(read) and read[i].kind == "mark" and read[i].text in _PRODUCTS:
        operator = _PRODUCTS[read[i].text]
        right, i = _factor(read, i + 1, prefixes)
        left = Operation(operator, left, right)
    return left, i


def _factor(read: Sequence[Token], i: int, prefixes: Mapping[str, str]) -> tuple[Expression, int]:
    if i >= len(read):
        raise Mistake("the text ends where a value should be", read[-1].offset)
    if is_reference(read, i):
        return Reference(read[i].text, read[i + 2].text[1:], read[i].offset), i + 3
    token = read[i]
    if token.kind == "variable":
        return Reference(None, token.text[1:], token.offset), i + 1
    if token.kind == "number":
        return Constant(number_from(token.text), token.offset), i + 1
    if token.kind == "string":
        return Constant(pyoxigraph_text(token.text), token.offset), i + 1
    if token.kind == "iri":
        return Constant(Iri(token.text[1:-1]), token.offset), i + 1
    if token.text == "(":
        inner, i = expression(read, i + 1, prefixes)
        if i >= len(read) or read[i].text != ")":
            raise Mistake("expected )", read[min(i, len(read) - 1)].offset)
        return inner, i + 1
    if token.text == "-":
        inner, i = _factor(read, i + 1, prefixes)
        if isinstance(inner, Constant) and isinstance(inner.value, int | float):
            return Constant(-inner.value, token.offset), i
        return Operation("-", Constant(0, token.offset), inner), i
    prefix, colon, local = token.text.partition(":")
    if token.kind == "word" and colon and prefix in prefixes:
        return Constant(Iri(prefixes[prefix] + local), token.offset), i + 1
    if token.kind == "word" and token.text.lower() in ("true", "false"):
        return Constant(Truth(token.text.lower() == "true"), token.offset), i + 1
    note = "events can be compared by variables, constants and arithmetic"
    raise Mistake(f"expected a value, but found {token.text}", token.offset, len(token.text), note)


def pyoxigraph_text(text: str) -> str:
    """What a quoted text of SPARQL means."""
    rows = pyoxigraph.Store().query(f"SELECT ({text} AS ?text) {{}}")
    assert isinstance(rows, pyoxigraph.QuerySolutions)
    value = next(rows)["text"]
    assert isinstance(value, pyoxigraph.Literal)
    return value.value
