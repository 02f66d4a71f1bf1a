"""Expressions of SQL as terms, each with its type. NULL is a term without a value.

Comparisons and connectives of the logic have no value where an operand has none, except where the others decide:
just as SQL's three-valued logic has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlglot import exp

from lasing.algebra.nodes import Condition, Exists, Extend, columns_of
from lasing.algebra.terms import FALSE, TRUE, call
from lasing.errors import similar
from lasing.languages.cql.calls import arguments_of, name_in_sql, name_of
from lasing.languages.cql.functions import FUNCTIONS, NAMES, PARTS_OF_TIME, known_names, main_names, same_type
from lasing.languages.cql.literals import constant, duration, exact_constant
from lasing.languages.cql.mistakes import GROUPING, NAME, SYNTAX, TYPE, UNSUPPORTED, Mistake, Mistakes
from lasing.languages.cql.places import in_sql, span
from lasing.languages.cql.scope import Source
from lasing.languages.cql.syntax import Digits, Type, full_type
from lasing.languages.cql.types import (
    MOST_DIGITS,
    NULL,
    NUMBERS,
    OPEN,
    UNKNOWN,
    Typed,
    common,
    converted,
    fits,
    scale_of,
)
from lasing.logic.functions.sql import cast_of
from lasing.logic.terms import Term, Variable
from lasing.logic.values import Undefined, is_value

COMPARISONS: dict[type[exp.Expr], Callable[[Term, Term], Term]] = {
    exp.EQ: lambda a, b: call("same", a, b),
    exp.NEQ: lambda a, b: call("opposite", call("same", a, b)),
    exp.LT: lambda a, b: call("less", a, b),
    exp.GT: lambda a, b: call("less", b, a),
    exp.LTE: lambda a, b: call("less_equal", a, b),
    exp.GTE: lambda a, b: call("less_equal", b, a),
}
NEGATED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT,
}  # fmt: skip
ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "sql_quotient", exp.Mod: "sql_remainder",
}  # fmt: skip

CAST_TYPES: dict[Any, Type] = {
    **dict.fromkeys(
        (exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT, exp.DataType.Type.INT, exp.DataType.Type.BIGINT),
        "BIGINT",
    ),
    **dict.fromkeys((exp.DataType.Type.FLOAT, exp.DataType.Type.DOUBLE), "DOUBLE"),
    exp.DataType.Type.DECIMAL: "DECIMAL",
    **dict.fromkeys((exp.DataType.Type.VARCHAR, exp.DataType.Type.TEXT, exp.DataType.Type.CHAR), "VARCHAR"),
    exp.DataType.Type.BOOLEAN: "BOOLEAN",
    **dict.fromkeys(
        (exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPTZ, exp.DataType.Type.TIMESTAMPNTZ), "TIMESTAMP"
    ),
}  # fmt: skip


class Subqueries(Protocol):
    """What translates a query inside an expression: a column, or a marker, of the rows around it."""

    def exists(self, query: exp.Expr, source: Source, asked: list[Exists]) -> Term: ...

    def scalar(self, query: exp.Expr, source: Source) -> Typed: ...

    def contains(self, value: Typed, query: exp.In, source: Source, asked: list[Exists], sure: bool) -> Term: ...


@dataclass(slots=True)
class Expressions:
    """Translates the expressions on some rows.

    `known` has expressions that are columns already, by their text: the keys and aggregates of groups. If it is there,
    other columns are outside of their group.
    """

    source: Source
    mistakes: Mistakes
    subqueries: Subqueries
    fresh: Callable[[str], Variable]
    now: Typed
    known: dict[str, Typed] | None = None
    asked: list[Exists] = field(default_factory=list)

    def condition(self, expression: exp.Expr) -> Condition:
        """An expression that must be true or false, with what its markers ask for."""
        self.asked = []
        term = self._conjunction(expression)
        return Condition(term, tuple(self.asked))

    def _conjunction(self, expression: exp.Expr) -> Term:
        """A condition that is only asked whether it is true, so that an IN need not tell false from NULL."""
        match expression:
            case exp.Paren():
                return self._conjunction(expression.this)
            case exp.And():
                return call("all_of", self._conjunction(expression.left), self._conjunction(expression.right))
            case exp.In() if expression.args.get("query") is not None:
                value = self.typed(expression.this)
                return self.subqueries.contains(value, expression, self.source, self.asked, True)
        return self.truth(expression)

    def truth(self, expression: exp.Expr) -> Term:
        """An expression that must be true or false."""
        found = self.typed(expression)
        self._need(found, expression, "BOOLEAN")
        return found.term

    def column(self, expression: exp.Expr, name: str) -> Typed:
        """An expression as a column of the rows."""
        self.asked = []
        found = self.typed(expression)
        if isinstance(found.term, Variable) and not self.asked:
            return found
        column = self.fresh(name)
        self.source.node = Extend(self.source.node, column, Condition(found.term, tuple(self.asked)))
        self.asked = []
        return Typed(column, found.type, found.nullable)

    def boolean_column(self, expression: exp.Expr, name: str) -> Typed:
        """An expression that must be true or false, as a column."""
        found = self.column(expression, name)
        self._need(found, expression, "BOOLEAN")
        return found

    def _need(self, found: Typed, expression: exp.Expr, *types: Type) -> None:
        if not fits(found.type, *types):
            wanted = " or ".join(
                "a number" if t == "DOUBLE" else t for t in types if t not in NUMBERS[:-1] or len(types) == 1
            )
            raise Mistake(TYPE, f"this is {found.type}, but {wanted} is needed", *span(expression))

    def typed(self, expression: exp.Expr) -> Typed:
        """An expression. A mistake in it is noted, and its value is not known."""
        try:
            return self._typed(expression)
        except Mistake as mistake:
            self.mistakes.add(mistake)
            return UNKNOWN

    def _typed(self, expression: exp.Expr) -> Typed:
        if self.known is not None:
            found = self.known.get(canonical(expression, self.source))
            if found is not None:
                return found
        match expression:
            case exp.Column():
                return self._named(expression)
            case exp.Paren():
                return self.typed(expression.this)
            case exp.Literal() | exp.Boolean() | exp.Null():
                return constant(expression)
            case exp.Interval():
                return duration(expression)
            case exp.And() | exp.Or():
                name = "all_of" if isinstance(expression, exp.And) else "any_of"
                parts = [self.typed(expression.left), self.typed(expression.right)]
                for part, side in zip(parts, (expression.left, expression.right), strict=True):
                    self._need(part, side, "BOOLEAN")
                return Typed(call(name, *(p.term for p in parts)), "BOOLEAN", any(p.nullable for p in parts))
            case exp.Not(
                this=exp.Paren(this=exp.EQ() | exp.NEQ() | exp.LT() | exp.GT() | exp.LTE() | exp.GTE() as inside)
            ):
                return self.typed(NEGATED[type(inside)](this=inside.left, expression=inside.right))
            case exp.Not():
                inner = self.typed(expression.this)
                self._need(inner, expression.this, "BOOLEAN")
                return Typed(call("opposite", inner.term), "BOOLEAN", inner.nullable)
            case exp.Is():
                return self._is(expression)
            case exp.NullSafeEQ() | exp.NullSafeNEQ():
                return self._distinct(expression)
            case exp.EQ() | exp.NEQ() | exp.LT() | exp.GT() | exp.LTE() | exp.GTE():
                quantified = self._quantified(expression)
                if quantified is not None:
                    return quantified
                left, right = self._compared(expression.left, expression.right)
                make = COMPARISONS[type(expression)]
                return Typed(make(left.term, right.term), "BOOLEAN", left.nullable or right.nullable)
            case exp.Between():
                return self._between(expression)
            case exp.In():
                return self._in(expression)
            case exp.Exists():
                return Typed(self.subqueries.exists(expression.this, self.source, self.asked), "BOOLEAN", False)
            case exp.Subquery():
                return self.subqueries.scalar(expression.this, self.source)
            case exp.Like() | exp.ILike() | exp.Escape():
                return self._like(expression)
            case exp.Neg():
                inner = self.typed(expression.this)
                self._need(inner, expression.this, *NUMBERS, "INTERVAL")
                if isinstance(inner.term, int | float):
                    return Typed(-inner.term, inner.type, False)
                return Typed(call("-", inner.term), inner.type, True, inner.scale)
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div() | exp.IntDiv() | exp.Mod():
                return self._arithmetic(expression)
            case exp.DPipe():
                return self._joined(expression)
            case exp.Case():
                return self._case(expression)
            case exp.Cast():
                return self._cast(expression)
            case exp.Window():
                raise Mistake(UNSUPPORTED, "window functions (OVER) are not supported", *span(expression))
            case exp.AggFunc() | exp.Filter():
                raise Mistake(GROUPING, "an aggregate cannot be here", *span(expression))
            case exp.Func():
                return self._function(expression)
        name = type(expression).__name__
        raise Mistake(UNSUPPORTED, f"{in_sql(expression) or name} is not supported", *span(expression))

    def _named(self, expression: exp.Column) -> Typed:
        table = expression.table or None
        found = self.source.find(expression.name, table, *span(expression))
        if self.known is not None and any(f.column == found.column for f in self.source.fields):
            note = f"add {in_sql(expression)} to GROUP BY, or use an aggregate such as MAX({in_sql(expression)})"
            raise Mistake(
                GROUPING, f"{in_sql(expression)} is not the same for all rows of a group", *span(expression), note
            )
        return found.typed

    # -- comparisons --------------------------------------------------------------------------------------------------

    def _compared(self, left: exp.Expr, right: exp.Expr) -> tuple[Typed, Typed]:
        """Two values that can be compared. A text beside a TIMESTAMP is one too."""
        one, other = self._beside([left, right])
        one, other = self._moment(one, other, left), self._moment(other, one, right)
        kind, scale = common(one.type, other.type), scale_of(one, other)
        if kind is None:
            message = f"{one.type} and {other.type} cannot be compared"
            start, length = span(left)
            end = sum(span(right))
            raise Mistake(TYPE, message, start, max(end - start, length), f"CAST one of them: CAST(… AS {one.type})")
        return converted(one, kind, scale), converted(other, kind, scale)

    def _beside(self, expressions: Sequence[exp.Expr]) -> list[Typed]:
        """Expressions that belong together. A literal with a point is exact beside a DECIMAL."""
        found = [self.typed(one) for one in expressions]
        if any(part.type == "DECIMAL" for part in found):
            pairs = zip(found, expressions, strict=True)
            found = [(exact_constant(one) or part) if part.type == "DOUBLE" else part for part, one in pairs]
        return found

    def _alike(self, expression: exp.Expr, parts: list[Typed]) -> tuple[Type, list[Typed]]:
        """The common type of some values, and the values as such."""
        kind, scale = self._common(expression, *parts), scale_of(*parts)
        return kind, [converted(part, kind, scale) for part in parts]

    def _moment(self, value: Typed, other: Typed, expression: exp.Expr) -> Typed:
        if other.type != "TIMESTAMP" or value.type != "VARCHAR" or not isinstance(value.term, str):
            return value
        try:
            return Typed(cast_of(value.term, "VARCHAR", "TIMESTAMP"), "TIMESTAMP", False)
        except Undefined:
            note = "such as: '2026-11-18 12:00:00'"
            raise Mistake(TYPE, f"{in_sql(expression)} is not a TIMESTAMP", *span(expression), note) from None

    def _is(self, expression: exp.Is) -> Typed:
        value, wanted = self.typed(expression.this), expression.expression
        if isinstance(wanted, exp.Null):
            return Typed(call("opposite", call("bound", value.term)), "BOOLEAN", False)
        if isinstance(wanted, exp.Boolean):
            self._need(value, expression.this, "BOOLEAN")
            truth = TRUE if wanted.this else FALSE
            return Typed(call("coalesce", call("same", value.term, truth), FALSE), "BOOLEAN", False)
        raise Mistake(UNSUPPORTED, f"{in_sql(expression)} is not supported", *span(expression))

    def _distinct(self, expression: exp.Binary) -> Typed:
        left, right = self._compared(expression.left, expression.right)
        both = call("all_of", *(call("opposite", call("bound", side.term)) for side in (left, right)))
        same = call("any_of", call("coalesce", call("same", left.term, right.term), FALSE), both)
        return Typed(same if isinstance(expression, exp.NullSafeEQ) else call("opposite", same), "BOOLEAN", False)

    def _between(self, expression: exp.Between) -> Typed:
        ends = [self._compared(expression.this, expression.args[name]) for name in ("low", "high")]
        (above, low), (below, high) = ends
        term = call("all_of", call("less_equal", low.term, above.term), call("less_equal", below.term, high.term))
        if expression.args.get("symmetric"):
            turned = call("all_of", call("less_equal", high.term, below.term), call("less_equal", above.term, low.term))
            term = call("any_of", term, turned)
        return Typed(term, "BOOLEAN", True)

    def _quantified(self, expression: exp.Binary) -> Typed | None:
        """`x = ANY (query)` is IN, and `x <> ALL (query)` is NOT IN; None for a comparison of values."""
        inner = expression.expression
        if not isinstance(inner, exp.Any | exp.All):
            return None
        fits_in = isinstance(expression, exp.EQ) and isinstance(inner, exp.Any)
        if not fits_in and not (isinstance(expression, exp.NEQ) and isinstance(inner, exp.All)):
            note = "= ANY and <> ALL are; for others, use MIN or MAX in a query, or EXISTS"
            raise Mistake(
                UNSUPPORTED, f"{inner.key.upper()} is not supported after this operator", *span(expression), note
            )
        query = inner.this if isinstance(inner.this, exp.Subquery) else exp.Subquery(this=inner.this)
        found = self._in(exp.In(this=expression.left, query=query))
        return found if fits_in else Typed(call("opposite", found.term), "BOOLEAN", found.nullable)

    def _in(self, expression: exp.In) -> Typed:
        if expression.args.get("query") is not None:
            value = self.typed(expression.this)
            return Typed(self.subqueries.contains(value, expression, self.source, self.asked, False), "BOOLEAN", True)
        if not expression.expressions:
            raise Mistake(SYNTAX, "IN needs a list or a query", *span(expression))
        pairs = [self._compared(expression.this, one) for one in expression.expressions]
        value = pairs[0][0]
        if len(pairs) > 20 and all(one.term == value.term and is_value(p.term) for one, p in pairs):
            return Typed(call("one_of", value.term, *(p.term for _, p in pairs)), "BOOLEAN", True)
        equal = [call("same", one.term, other.term) for one, other in pairs]
        return Typed(equal[0] if len(equal) == 1 else call("any_of", *equal), "BOOLEAN", True)

    def _like(self, expression: exp.Expr) -> Typed:
        escape: list[Term] = []
        if isinstance(expression, exp.Escape):
            mark = constant(expression.expression) if isinstance(expression.expression, exp.Literal) else UNKNOWN
            if not isinstance(mark.term, str) or len(mark.term) != 1:
                raise Mistake(TYPE, "ESCAPE takes one character", *span(expression.expression))
            escape, expression = [mark.term], expression.this
        assert isinstance(expression, exp.Binary)
        parts = [self.typed(expression.left), self.typed(expression.right)]
        for part, side in zip(parts, (expression.left, expression.right), strict=True):
            self._need(part, side, "VARCHAR")
        name = "sql_ilike" if isinstance(expression, exp.ILike) else "sql_like"
        term = call(name, *(p.term for p in parts), *escape)
        term = call("opposite", term) if expression.args.get("negate") else term
        return Typed(term, "BOOLEAN", any(p.nullable for p in parts))

    # -- arithmetic and texts -----------------------------------------------------------------------------------------

    def _arithmetic(self, expression: exp.Binary) -> Typed:
        left, right = self._beside([expression.left, expression.right])
        name, types = ARITHMETIC[type(expression)], {left.type, right.type}
        nullable = left.nullable or right.nullable or name in ("/", "sql_quotient", "sql_remainder")
        result: Type | None = None
        scale = scale_of(left, right)
        match name, left.type, right.type:
            case _, one, other if fits(one, *NUMBERS) and fits(other, *NUMBERS):
                result = "DOUBLE" if name == "/" else common(left.type, right.type)
                result = "BIGINT" if result == "NULL" else result
                if result == "DOUBLE":
                    left, right = converted(left, "DOUBLE"), converted(right, "DOUBLE")
                scale = {"*": left.scale + right.scale, "sql_quotient": 0}.get(name, scale)
            case "-", "TIMESTAMP", "TIMESTAMP":
                result = "INTERVAL"
            case "+" | "-", "TIMESTAMP", "INTERVAL":
                result = "TIMESTAMP"
            case "+", "INTERVAL", "TIMESTAMP":
                result = "TIMESTAMP"
            case "+" | "-", "INTERVAL", "INTERVAL":
                result = "INTERVAL"
        if result is None:
            named = " and ".join(sorted(types - set(OPEN)))
            message = f"{in_sql(expression)} is no arithmetic: {named}"
            note = "texts are joined with ||" if "VARCHAR" in types else ""
            raise Mistake(TYPE, message, *span(expression), note)
        return Typed(call(name, left.term, right.term), result, nullable, scale)

    def _joined(self, expression: exp.DPipe) -> Typed:
        parts = [self.typed(expression.left), self.typed(expression.right)]
        for part, side in zip(parts, (expression.left, expression.right), strict=True):
            self._text(part, side)
        return Typed(call("concat", *(p.term for p in parts)), "VARCHAR", any(p.nullable for p in parts))

    def _text(self, found: Typed, expression: exp.Expr) -> None:
        if not fits(found.type, "VARCHAR"):
            note = f"write CAST({in_sql(expression)} AS VARCHAR)"
            raise Mistake(TYPE, f"this is {found.type}, but VARCHAR is needed", *span(expression), note)

    # -- conditions ---------------------------------------------------------------------------------------------------

    def _case(self, expression: exp.Case) -> Typed:
        tests: list[Term] = []
        for branch in expression.args["ifs"]:
            if expression.this is None:
                tests.append(self.truth(branch.this))
            else:
                left, right = self._compared(expression.this, branch.this)
                tests.append(call("same", left.term, right.term))
        default = expression.args.get("default") or exp.Null()
        branches = [*(branch.args["true"] for branch in expression.args["ifs"]), default]
        kind, (*results, last) = self._alike(expression, self._beside(branches))
        term = last.term
        for test, result in zip(reversed(tests), reversed(results), strict=True):
            term = call("if", call("coalesce", call("truth", test), FALSE), result.term, term)
        return Typed(term, kind, any(r.nullable for r in (*results, last)), scale_of(*results, last))

    def _common(self, expression: exp.Expr, *parts: Typed) -> Type:
        kind = common(*(part.type for part in parts))
        if kind is None:
            named = ", ".join(dict.fromkeys(p.type for p in parts if p.type not in OPEN))
            raise Mistake(TYPE, f"these have no common type: {named}", *span(expression))
        return kind

    def _cast(self, expression: exp.Cast) -> Typed:
        value, to = self.typed(expression.this), expression.to
        wanted = CAST_TYPES.get(to.this)
        if wanted is None:
            note = f"types are {', '.join(dict.fromkeys(CAST_TYPES.values()))}"
            raise Mistake(TYPE, f"there is no type {in_sql(to)} here", *span(expression), note)
        digits = self._digits(to) if wanted == "DECIMAL" else Digits(MOST_DIGITS, value.scale)
        if wanted == "DECIMAL":
            value = exact_constant(expression.this) or value
        same = value.type == wanted != "DECIMAL"
        if same or value.type in ("NULL", "UNKNOWN") or (value.type, wanted) == ("BIGINT", "DOUBLE"):
            return Typed(value.term, wanted, value.nullable, digits.scale)
        if value.type == "INTERVAL" or (wanted == "TIMESTAMP" and value.type != "VARCHAR"):
            raise Mistake(TYPE, f"{value.type} cannot be cast to {wanted}", *span(expression))
        given = full_type(value.type, Digits(MOST_DIGITS, value.scale))
        return Typed(call("sql_cast", value.term, given, full_type(wanted, digits)), wanted, True, digits.scale)

    @staticmethod
    def _digits(to: exp.DataType) -> Digits:
        """The digits of `DECIMAL(10, 2)`."""
        sizes = [int(size.this.this) for size in to.expressions if str(size.this.this).isdecimal()]
        precision, scale = (*sizes, 0) if len(sizes) == 1 else sizes if len(sizes) == 2 else (0, 0)
        if not 1 <= precision <= MOST_DIGITS or scale > precision:
            message = f"a DECIMAL has 1 to {MOST_DIGITS} digits, and no more of them after the point"
            raise Mistake(TYPE, message, *span(to), "such as: DECIMAL(10, 2)")
        return Digits(precision, scale)

    # -- functions ----------------------------------------------------------------------------------------------------

    def _function(self, expression: exp.Func) -> Typed:
        arguments = arguments_of(expression)
        name = name_of(expression)
        match name:
            case "COALESCE" | "IFNULL":
                kind, parts = self._alike(expression, self._beside(arguments))
                term = call("coalesce", *(p.term for p in parts))
                return Typed(term, kind, all(p.nullable for p in parts), scale_of(*parts))
            case "NULLIF":
                left, right = self._compared(arguments[0], arguments[1])
                first = self.typed(arguments[0])
                same = call("coalesce", call("same", left.term, right.term), FALSE)
                return Typed(call("if", same, NULL.term, first.term), first.type, True, first.scale)
            case "IF":
                test = self.truth(arguments[0])
                branches = arguments[1:] if len(arguments) == 3 else [*arguments[1:], exp.Null()]
                kind, parts = self._alike(expression, self._beside(branches))
                chosen = call("if", call("coalesce", call("truth", test), FALSE), *(p.term for p in parts))
                return Typed(chosen, kind, any(p.nullable for p in parts), scale_of(*parts))
            case "RAND" | "UUID":
                columns = [call("coalesce", column, "") for column in columns_of(self.source.node)]
                kind = "DOUBLE" if name == "RAND" else "VARCHAR"
                return Typed(call("random" if name == "RAND" else "uuid", span(expression)[0], *columns), kind, False)
            case "CONCAT":
                parts = [self.typed(one) for one in arguments]
                for part, one in zip(parts, arguments, strict=True):
                    self._text(part, one)
                return Typed(call("concat", *(call("coalesce", p.term, "") for p in parts)), "VARCHAR", False)
            case "EXTRACT":
                part = expression.this.name.upper()
                if NAMES.get(part, part) not in PARTS_OF_TIME:
                    note = f"it has {', '.join(PARTS_OF_TIME)}"
                    raise Mistake(NAME, f"EXTRACT has no {part}", *span(expression), note)
                return self._applied(part, [expression.expression], expression)
            case "TRIM":
                side = str(expression.args.get("position") or "BOTH").upper()
                taken = expression.args.get("expression")
                parts_of_trim = [expression.this] if taken is None else [expression.this, taken]
                return self._applied(
                    {"LEADING": "LTRIM", "TRAILING": "RTRIM"}.get(side, "TRIM"), parts_of_trim, expression
                )
            case "CURRENT_TIMESTAMP" | "NOW":
                return self.now
        return self._applied(name, arguments, expression)

    def _applied(self, name: str, arguments: list[exp.Expr], expression: exp.Func) -> Typed:
        known = FUNCTIONS.get(NAMES.get(name, name))
        if known is None:
            shown = name_in_sql(expression)
            note = similar(shown, known_names()) or f"functions are {', '.join(main_names())}"
            raise Mistake(NAME, f"there is no function {shown}", *span(expression), note)
        if len(arguments) < known.least or (known.most is not None and len(arguments) > known.most):
            least = "at least " if known.most is None else ""
            number = f"{known.least}" if known.most in (known.least, None) else f"{known.least} to {known.most}"
            message = f"{name} takes {least}{number} argument{'s'[: number != '1']}, not {len(arguments)}"
            raise Mistake(TYPE, message, *span(expression))
        parts = self._beside(arguments)
        for place, (part, one) in enumerate(zip(parts, arguments, strict=True)):
            self._need(part, one, *known.takes[min(place, len(known.takes) - 1)])
        gives = known.gives(parts) if callable(known.gives) else known.gives
        if known.gives is same_type:
            gives, parts = self._alike(expression, parts)
        scale = 0
        if gives == "DECIMAL":
            scale = known.scale(parts)
        return Typed(known.make(*(p.term for p in parts)), gives, True, scale)


def canonical(expression: exp.Expr, source: Source) -> str:
    """A text that is the same for expressions that are the same, whether or not columns are written with a table."""

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Paren):
            inside: exp.Expr = node.this
            return inside
        if not isinstance(node, exp.Column):
            return node
        try:
            found = source.find(node.name, node.table or None, 0, 1)
        except Mistake:
            return node
        return exp.to_identifier(found.column.name)

    return expression.transform(replaced).sql(dialect="duckdb", normalize=False)
