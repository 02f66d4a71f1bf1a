"""Expressions of SPARQL as terms (SPARQL 1.1, §17)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Literal, URIRef
from rdflib.term import Variable as QueryVariable

from lasing.algebra.nodes import Columns, Condition, Exists, Node
from lasing.algebra.terms import FALSE, TRUE, call
from lasing.languages.rspql.held import Held
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.names import value_of
from lasing.languages.rspql.timestamps import NAMES as TIMESTAMP
from lasing.languages.rspql.timestamps import Timestamp
from lasing.logic.terms import Term, Variable
from lasing.logic.values import UNBOUND, Iri

XSD = "http://www.w3.org/2001/XMLSchema#"
CASTS = ("string", "integer", "decimal", "float", "double", "boolean", "dateTime")

ONE: dict[str, str] = {
    "STR": "lexical", "LANG": "lang", "DATATYPE": "datatype", "ABS": "rdf_abs", "CEIL": "rdf_ceil",
    "FLOOR": "rdf_floor", "ROUND": "rdf_round",
    "STRLEN": "length", "UCASE": "upper", "LCASE": "lower", "ENCODE_FOR_URI": "encode_for_uri",
    "YEAR": "year", "MONTH": "month", "DAY": "day", "HOURS": "hours", "MINUTES": "minutes", "SECONDS": "seconds",
    "TIMEZONE": "timezone", "TZ": "tz", "isIRI": "is_iri", "isURI": "is_iri", "isBLANK": "is_blank",
    "isLITERAL": "is_literal", "isNUMERIC": "is_number",
}  # fmt: skip
"""Functions of one argument."""

TWO: dict[str, str] = {
    "LANGMATCHES": "lang_matches", "CONTAINS": "contains", "STRSTARTS": "starts_with", "STRENDS": "ends_with",
    "STRBEFORE": "before", "STRAFTER": "after", "STRLANG": "tagged", "STRDT": "literal", "sameTerm": "same",
}  # fmt: skip
"""Functions of two arguments."""

ARITHMETIC = {"+": "rdf_add", "-": "rdf_subtract", "*": "rdf_multiply", "/": "rdf_divide"}


@dataclass(slots=True)
class Expressions:
    """Translates the expressions of one query.

    `row` has the columns of the rows that an expression is evaluated on. `pattern` translates the pattern of an EXISTS.
    """

    column: Callable[[str], Variable]
    fresh: Callable[[str], Variable]
    pattern: Callable[[CompValue], Node]
    now: Term
    base: str = ""
    timestamps: list[Timestamp] = field(default_factory=list)
    """The calls of `timestamp` in the expressions since the list was last emptied."""
    _calls: int = 0

    def condition(self, expression: Any, row: Columns) -> Condition:
        """An expression, with the patterns of its EXISTS."""
        asked: list[Exists] = []
        return Condition(self._term(expression, row, asked), tuple(asked))

    def _term(self, expression: Any, row: Columns, asked: list[Exists]) -> Term:
        match expression:
            case QueryVariable():
                return self.column(str(expression))
            case Literal() | URIRef():
                return value_of(expression)
            case CompValue():
                return self._call(expression, row, asked)
            case _:
                raise Mistake(f"cannot read the expression {expression!r}")

    def _call(self, expression: CompValue, row: Columns, asked: list[Exists]) -> Term:
        def term(part: Any) -> Term:
            return self._term(part, row, asked)

        name = expression.name
        match name:
            case "ConditionalOrExpression" | "ConditionalAndExpression":
                parts = [expression.expr, *(expression.other or ())]
                return call("any_of" if name == "ConditionalOrExpression" else "all_of", *map(term, parts))
            case "RelationalExpression":
                return self._comparison(expression, term)
            case "AdditiveExpression" | "MultiplicativeExpression":
                result = term(expression.expr)
                for operator, other in zip(expression.op, expression.other, strict=True):
                    result = call(ARITHMETIC[str(operator)], result, term(other))
                return result
            case "UnaryNot":
                return call("opposite", term(expression.expr))
            case "UnaryMinus":
                return call("rdf_negate", term(expression.expr))
            case "UnaryPlus":
                return call("rdf_add", 0, term(expression.expr))
            case "Builtin_EXISTS" | "Builtin_NOTEXISTS":
                marker, graph = self.fresh("Exists"), expression.graph
                pattern = graph.pattern if isinstance(graph, Held) else graph
                asked.append(Exists(self.pattern(pattern), marker))
                return marker if name == "Builtin_EXISTS" else call("opposite", marker)
            case "Function":
                return self._function(expression, term)
            case "TrueFilter":
                return TRUE
        if name.startswith("Builtin_"):
            return self._builtin(name.removeprefix("Builtin_"), expression, row, term)
        if name.startswith("Aggregate_"):
            note = "compute the inner one in a subquery"
            raise Mistake("an aggregate cannot stand in another", note, name.removeprefix("Aggregate_").upper())
        raise Mistake(f"cannot read the expression {name}")

    def _comparison(self, expression: CompValue, term: Callable[[Any], Term]) -> Term:
        left, operator = term(expression.expr), str(expression.op)
        if operator in ("IN", "NOT IN"):
            others = _listed(expression.other)
            inside = call("one_of", left, *map(term, others)) if others else FALSE
            return inside if operator == "IN" else call("opposite", inside)
        right = term(expression.other)
        match operator:
            case "=":
                return call("equal", left, right)
            case "!=":
                return call("opposite", call("equal", left, right))
            case "<":
                return call("less", left, right)
            case ">":
                return call("less", right, left)
            case "<=":
                return call("less_equal", left, right)
            case ">=":
                return call("less_equal", right, left)
        raise Mistake(f"there is no comparison {operator}")

    def _builtin(self, name: str, expression: CompValue, row: Columns, term: Callable[[Any], Term]) -> Term:
        if name in ONE:
            return call(ONE[name], term(expression.arg))
        if name in TWO:
            return call(TWO[name], term(expression.arg1), term(expression.arg2))
        match name:
            case "BOUND":
                return call("bound", term(expression.arg))
            case "IF":
                return call("if", term(expression.arg1), term(expression.arg2), term(expression.arg3))
            case "COALESCE":
                return (
                    call("coalesce", *map(term, _listed(expression.arg)))
                    if _listed(expression.arg)
                    else call("given", UNBOUND)
                )
            case "CONCAT":
                return call("concat", *map(term, _listed(expression.arg))) if _listed(expression.arg) else ""
            case "SUBSTR":
                length = () if expression.length is None else (term(expression.length),)
                return call("substring", term(expression.arg), term(expression.start), *length)
            case "REPLACE":
                parts = [expression.arg, expression.pattern, expression.replacement, expression.flags]
                return call("replace", *(term(part) for part in parts if part is not None))
            case "REGEX":
                parts = [expression.text, expression.pattern, expression.flags]
                return call("matches", *(term(part) for part in parts if part is not None))
            case "IRI" | "URI":
                return (
                    call("resolve", term(expression.arg), self.base) if self.base else call("iri", term(expression.arg))
                )
            case "MD5" | "SHA1" | "SHA256" | "SHA384" | "SHA512":
                return call("hash", name.lower(), term(expression.arg))
            case "NOW":
                return self.now
            case "BNODE":
                own = "bnode" if expression.arg is None else call("concat", term(expression.arg))
                site = self._site() if expression.arg is None else 0
                return call("new", "bnode", site, own, *_identity(row))
            case "RAND":
                return call("random", self._site(), *_identity(row))
            case "UUID":
                return call("iri", call("concat", "urn:uuid:", call("uuid", self._site(), *_identity(row))))
            case "STRUUID":
                return call("uuid", self._site(), *_identity(row))
        raise Mistake(f"there is no function {name}")

    def _site(self) -> int:
        """A number for each call of a function that gives another value each time."""
        self._calls += 1
        return self._calls

    def _function(self, expression: CompValue, term: Callable[[Any], Term]) -> Term:
        iri, args = str(expression.iri), list(expression.expr or ())
        if iri in TIMESTAMP:
            self.timestamps.append(Timestamp(self.fresh("Timestamp"), tuple(map(term, args))))
            return self.timestamps[-1].column
        if iri.startswith(XSD) and iri.removeprefix(XSD) in CASTS and len(args) == 1:
            return call("rdf_cast", term(args[0]), Iri(iri))
        known = ", ".join(f"xsd:{name}" for name in CASTS)
        raise Mistake(f"there is no function <{iri}>", note=f"functions with an IRI are the casts {known}", near=iri)


def _listed(parts: Any) -> list[Any]:
    """The expressions of a list; rdflib reads an empty one as rdf:nil."""
    return [] if parts is None or isinstance(parts, URIRef) else list(parts)


def _identity(row: Columns) -> list[Term]:
    """What tells rows apart, for functions that give each row a value of its own."""
    return [call("coalesce", column, UNBOUND) for column in row]
