"""Expressions that relate events: `?room`, `Smoke.?room`, constants, arithmetic and aggregates over these."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph

from lasing.errors import LasingError
from lasing.events.mistakes import Mistake
from lasing.languages.dotr.cursor import Cursor
from lasing.languages.rspql.tokens import Token
from lasing.languages.tesla.syntax import (
    AGGREGATES,
    TYPES,
    Aggregate,
    Constant,
    Constraint,
    Expression,
    Operation,
    Operator,
    Reference,
)
from lasing.logic.functions import COMPARISONS, Comparison
from lasing.logic.values import Iri, TaggedLiteral, Truth, Undefined, Value, literal
from lasing.logic.values.numbers import number_from

_SUMS: dict[str, Operator] = {"+": "+", "-": "-"}
_PRODUCTS: dict[str, Operator] = {"*": "*", "/": "/"}
_COMPARISONS: dict[str, Comparison] = {comparison: comparison for comparison in COMPARISONS}
_DEEPEST = 50
_MOST_OPERATORS = 100


def expression(cursor: Cursor, depth: int = 0) -> Expression:
    """Take an expression."""
    if depth > _DEEPEST:
        raise Mistake(f"nested more than {_DEEPEST} levels deep", cursor.token.offset)
    if depth == 0:
        cursor.operators = 0
    left = _product(cursor, depth)
    while cursor.token.kind == "mark" and cursor.token.text in _SUMS:
        operator = _SUMS[_operator(cursor)]
        left = Operation(operator, left, _product(cursor, depth))
    return left


def constraints(cursor: Cursor, depth: int = 0) -> Iterator[Constraint]:
    """Take `(?v > 5, (string)?room = Smoke.?room)`."""
    cursor.need("(")
    while True:
        skip_type(cursor)
        if cursor.token.kind != "variable":
            raise cursor.expected("a variable of the event")
        variable = cursor.next()
        operator = comparison(cursor)
        yield Constraint(variable.text[1:], operator, expression(cursor, depth + 1), variable.offset)
        if not cursor.mark(","):
            break
    cursor.need(")")


def comparison(cursor: Cursor) -> Comparison:
    """Take `=`, `<` and the like."""
    if cursor.token.text not in _COMPARISONS:
        raise cursor.expected("a comparison: = != < <= > >=")
    return _COMPARISONS[cursor.next().text]


def skip_type(cursor: Cursor) -> None:
    """Take `(string)`, if it comes next. Terms of RDF have types of their own, so it means nothing more."""
    if cursor.token.text != "(" or cursor.i + 2 >= len(cursor.read):
        return
    name, closing = cursor.read[cursor.i + 1 : cursor.i + 3]
    if closing.text == ")" and name.kind == "word":
        if name.text.lower() not in TYPES:
            note = f"types are {', '.join(TYPES)}"
            raise Mistake(f"there is no type {name.text}", name.offset, len(name.text), note)
        cursor.i += 3


def _product(cursor: Cursor, depth: int) -> Expression:
    left = _factor(cursor, depth)
    while cursor.token.kind == "mark" and cursor.token.text in _PRODUCTS:
        operator = _PRODUCTS[_operator(cursor)]
        left = Operation(operator, left, _factor(cursor, depth))
    return left


def _operator(cursor: Cursor) -> str:
    """Take an operator of an expression, which can have only so many."""
    token = cursor.next()
    cursor.operators += 1
    if cursor.operators > _MOST_OPERATORS:
        raise Mistake(f"more than {_MOST_OPERATORS} operators in one expression", token.offset)
    return token.text


def _factor(cursor: Cursor, depth: int) -> Expression:
    if cursor.is_reference():
        name, _, variable = cursor.next(), cursor.next(), cursor.next()
        return Reference(name.text, variable.text[1:], name.offset)
    token = cursor.token
    if token.kind == "variable":
        cursor.i += 1
        return Reference(None, token.text[1:], token.offset)
    if cursor.mark("("):
        inner = expression(cursor, depth + 1)
        cursor.need(")")
        return inner
    if token.kind == "mark" and token.text == "-":
        _operator(cursor)
        inner = _factor(cursor, depth)
        if isinstance(inner, Constant) and isinstance(inner.value, int | float):
            return Constant(-inner.value, token.offset)
        return Operation("-", Constant(0, token.offset), inner)
    if token.kind == "word" and token.text.upper() in AGGREGATES:
        return _aggregate(cursor, depth)
    if cursor.ended():
        raise cursor.expected("a value")
    try:
        return Constant(_constant(cursor), token.offset)
    except LasingError as error:
        raise Mistake(error.diagnostics[0].message, token.offset, len(token.text)) from None


def _aggregate(cursor: Cursor, depth: int) -> Aggregate:
    """`AVG(Temp.?v(?room = Smoke.?room)) within 5 min from Smoke`. COUNT needs no variable."""
    token = cursor.next()
    function = next(known for known in AGGREGATES if known == token.text.upper())
    cursor.need("(")
    variable: str | None = None
    if cursor.is_reference():
        event, _, named = cursor.next(), cursor.next(), cursor.next()
        variable = named.text[1:]
    else:
        event = cursor.name("an event and a variable, such as Temp.?value")
    if variable is None and function != "COUNT":
        note = f"write {function}({event.text}.?value) within …"
        raise Mistake(f"{function} needs a variable", event.offset, len(event.text), note)
    found = tuple(constraints(cursor, depth)) if cursor.token.text == "(" else ()
    cursor.need(")")
    return Aggregate(function, event.text, variable, found, cursor.position(), token.offset)


def _constant(cursor: Cursor) -> Value:
    token = cursor.next()
    if token.kind == "number":
        try:
            return number_from(token.text)
        except (Undefined, ValueError):
            raise Mistake(f"{token.text} does not fit into 64 bits", token.offset, len(token.text)) from None
    if token.kind == "string":
        return _literal(cursor, _text(token.text))
    if token.kind == "word" and token.text.lower() in ("true", "false"):
        return Truth(token.text.lower() == "true")
    found = _iri(cursor, token)
    if found is not None:
        return found
    note = "events can be compared by variables, constants, arithmetic and aggregates"
    raise Mistake(f"expected a value, but found {token.text}", token.offset, len(token.text), note)


def _literal(cursor: Cursor, text: str) -> Value:
    """A text, with its language or datatype if that comes next."""
    if cursor.token.kind == "word" and cursor.token.text.startswith("@"):
        return TaggedLiteral(text, cursor.next().text[1:])
    if cursor.mark("^^"):
        datatype = _iri(cursor, cursor.next())
        if datatype is None:
            raise Mistake("expected a datatype after ^^", cursor.read[cursor.i - 1].offset)
        return literal(text, datatype.iri)
    return text


def _iri(cursor: Cursor, token: Token) -> Iri | None:
    if token.kind == "iri":
        return Iri(token.text[1:-1])
    prefix, colon, local = token.text.partition(":")
    if token.kind != "word" or not colon:
        return None
    if prefix not in cursor.prefixes:
        note = f"declare it: PREFIX {prefix}: <http://…>"
        raise Mistake(f"the prefix {prefix}: is not declared", token.offset, len(token.text), note, "E712")
    return Iri(cursor.prefixes[prefix] + local)


def _text(quoted: str) -> str:
    """What a quoted text of SPARQL means."""
    rows = pyoxigraph.Store().query(f"SELECT ({quoted} AS ?text) {{}}")
    assert isinstance(rows, pyoxigraph.QuerySolutions)
    value = next(rows)["text"]
    assert isinstance(value, pyoxigraph.Literal)
    return value.value
