"""Literals of SQL as values."""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from lasing.algebra.terms import FALSE, TRUE
from lasing.languages.cql.clauses import UNITS
from lasing.languages.cql.mistakes import TYPE, UNSUPPORTED, Mistake
from lasing.languages.cql.places import in_sql, span
from lasing.languages.cql.types import NULL, Typed
from lasing.logic.values import Duration, ExactDecimal, Undefined
from lasing.logic.values.numbers import number_from


def constant(literal: exp.Expr) -> Typed:
    """A literal with its type. A number with a point or an exponent is a DOUBLE."""
    match literal:
        case exp.Null():
            return NULL
        case exp.Boolean():
            return Typed(TRUE if literal.this else FALSE, "BOOLEAN", False)
        case exp.Literal(is_string=True):
            return Typed(str(literal.this), "VARCHAR", False)
        case exp.Literal():
            text = str(literal.this)
            try:
                number = number_from(text if text[0] != "." else f"0{text}")
            except (Undefined, ValueError):
                raise Mistake(TYPE, f"{text} is beyond 64 bits", *span(literal)) from None
            return Typed(number, "BIGINT" if text.isdecimal() else "DOUBLE", False)
    raise Mistake(UNSUPPORTED, f"{in_sql(literal)} is not supported", *span(literal))


def exact_constant(literal: exp.Expr) -> Typed | None:
    """A literal with a point as a DECIMAL, for use beside one; None for everything else."""
    match literal:
        case exp.Paren():
            return exact_constant(literal.this)
        case exp.Neg(this=exp.Literal() as inner):
            found = exact_constant(inner)
            if found is None or not isinstance(found.term, ExactDecimal):
                return None
            return Typed(ExactDecimal(-found.term.number), "DECIMAL", False, found.scale)
        case exp.Literal(is_string=False) if "e" not in str(literal.this).lower():
            number = Decimal(str(literal.this))
            return Typed(ExactDecimal(number), "DECIMAL", False, max(-int(number.as_tuple().exponent), 0))
    return None


def duration(interval: exp.Interval) -> Typed:
    """`INTERVAL '5' MINUTE`."""
    named = interval.args.get("unit")
    unit = named.name.upper() if isinstance(named, exp.Expr) else ""
    amount = interval.this
    milliseconds = UNITS.get(unit) or UNITS.get(unit.removesuffix("S"))
    if milliseconds is None or not isinstance(amount, exp.Literal):
        note = "such as: INTERVAL '5' MINUTE; months and years have no fixed length"
        raise Mistake(TYPE, f"{in_sql(interval)} is not a length of time", *span(interval), note)
    try:
        number = number_from(str(amount.this).strip())
    except (Undefined, ValueError):
        raise Mistake(TYPE, f"{amount.this} is not a number", *span(interval)) from None
    return Typed(Duration(round(number * milliseconds * 1000)), "INTERVAL", False)
