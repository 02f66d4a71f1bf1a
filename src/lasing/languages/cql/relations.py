"""A query as rows: SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, and set operations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from lasing.algebra.nodes import (
    UNIT,
    Columns,
    Condition,
    Distinct,
    Exists,
    Extend,
    Filter,
    Join,
    Marked,
    Node,
    OptionalJoin,
    OrderKey,
    Pattern,
    Project,
    Slice,
    columns_of,
)
from lasing.algebra.terms import FALSE, TRUE, call
from lasing.languages.cql.catalog import Catalog, View, variable_name
from lasing.languages.cql.expressions import Expressions, canonical
from lasing.languages.cql.grouping import grouped, has_aggregates, keys_of
from lasing.languages.cql.joins import joined_source
from lasing.languages.cql.mistakes import GROUPING, NAME, SYNTAX, TYPE, UNSUPPORTED, Mistake, Mistakes
from lasing.languages.cql.places import in_sql, span
from lasing.languages.cql.scope import Source
from lasing.languages.cql.sets import combined
from lasing.languages.cql.syntax import StreamWindow
from lasing.languages.cql.types import NULL, Field, Typed, common, converted, scale_of
from lasing.logic.formulas import Atom
from lasing.logic.terms import Term, Variable, variables_of

_CLAUSES = (
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
    "with_",
)
_TITLES = {"locks": "FOR UPDATE", "windows": "WINDOW", "laterals": "LATERAL", "sample": "SAMPLE"}
"""What the parser calls some other clauses, and what they are called in SQL."""


@dataclass(slots=True)
class Relation:
    """The rows of a query: its columns, and, for the last query, the order of its rows. Its node also has the columns
    that it names of the queries around it."""

    node: Node
    fields: list[Field]
    order: tuple[tuple[Variable, bool], ...] = ()
    at_most_one: bool = False
    """Whether it has one row at most."""


@dataclass(slots=True)
class Translator:
    """Translates queries. `windows` are those of the statement at hand."""

    catalog: Catalog
    mistakes: Mistakes
    now: Typed
    windows: dict[int, StreamWindow] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    """The windows that belong to a stream."""
    local: dict[str, View] = field(default_factory=dict)
    """The queries of WITH, by name."""
    asking: int = 0
    """In how many queries we are only to find out which columns of the queries around them they name."""

    def fresh(self, name: str) -> Variable:
        return self.catalog.builder.variable(variable_name(name))

    def expressions(self, source: Source, known: dict[str, Typed] | None = None) -> Expressions:
        return Expressions(source, self.mistakes, self, self.fresh, self.now, known)

    def materialized(self, node: Node, what: str = "rows") -> Pattern:
        """The rows of a node as a predicate, with the same columns."""
        builder = self.catalog.builder
        rows = builder.stored(builder.lower(node), what, bag=True)
        if not rows.bodies:
            atom = Atom(builder.predicate("nothing"), rows.columns)
            return Pattern((atom,), rows.columns, rows.missing)
        return Pattern(rows.bodies[0].literals, rows.columns, rows.missing)

    def view(self, name: str, relation: Relation) -> View:
        """The rows of a query as a view."""
        columns = tuple(f.column for f in relation.fields)
        builder = self.catalog.builder
        distinct = tuple(dict.fromkeys(columns))
        if distinct != columns:  # one column twice
            again = [self.fresh(f.name) for f in relation.fields]
            node = relation.node
            for column, copy in zip(columns, again, strict=True):
                node = Extend(node, copy, Condition(column))
            return self.view(
                name, Relation(node, [replace(f, column=c) for f, c in zip(relation.fields, again, strict=True)])
            )
        rows = builder.lower(Project(relation.node, columns))
        predicate = builder.predicate(variable_name(name).lower())
        unseen = max((len(body.unseen()) for body in rows.bodies), default=0)
        numbered = len(rows.bodies) > 1 and not (rows.apart and unseen == 0)
        for number, body in enumerate(rows.bodies, start=1):
            more = body.unseen()
            args = (*(body.terms[c] for c in columns), *more, *(0,) * (unseen - len(more)))
            builder.rule(Atom(predicate, (*args, number) if numbered else args), body.literals)
        fields = tuple(replace(f, nullable=f.column in rows.missing, table=None) for f in relation.fields)
        return View(name, predicate, fields, unseen + numbered)

    # -- queries ------------------------------------------------------------------------------------------------------

    def query(self, query: exp.Expr, outer: Source | None = None, context: Pattern | None = None) -> Relation:
        """The rows of a query. `context` has the rows of the query around it that it depends on."""
        before = dict(self.local)
        try:
            self._with(query)
            match query:
                case exp.Subquery() if not query.args.get("joins"):
                    found = self.query(query.this, outer, context)
                    return self._sliced(query, found, outer, context)
                case exp.Select():
                    return self._select(query, outer, context)
                case exp.SetOperation():
                    found = combined(self, query, outer, context)
                    return self._sliced(query, found, outer, context)
                case exp.Values():
                    raise Mistake(UNSUPPORTED, "VALUES is only for INSERT", *span(query))
            raise Mistake(SYNTAX, "a query should be here", *span(query))
        finally:
            self.local = before

    def _with(self, query: exp.Expr) -> None:
        clause = query.args.get("with_")
        if clause is None:
            return
        if clause.args.get("recursive"):
            raise Mistake(
                UNSUPPORTED, "WITH RECURSIVE is not supported", *span(clause), "write rules in .lars for that"
            )
        for part in clause.expressions:
            relation = self.query(part.this)
            relation = renamed(relation, [c.name for c in part.args["alias"].columns], span(part))
            self.local[part.alias.lower()] = self.view(part.alias, relation)

    def _select(self, query: exp.Select, outer: Source | None, context: Pattern | None) -> Relation:
        for clause, value in query.args.items():
            if value and clause not in _CLAUSES:
                shown = _TITLES.get(clause, clause.rstrip("_").upper().replace("_", " "))
                place = span(value) if isinstance(value, exp.Expr) else span(query)
                raise Mistake(UNSUPPORTED, f"{shown} is not supported", *place)
        if not query.expressions:
            raise Mistake(SYNTAX, "SELECT names no columns", *span(query), "SELECT * selects all of them")
        source = self._from(query, outer)
        if context is not None:
            source.node = Join(context, source.node)
        for condition in source.deferred:
            source.node = Filter(source.node, condition)
        where = query.args.get("where")
        if where is not None:
            self._check_no_aggregates(where.this, "WHERE", "HAVING is for conditions on aggregates")
            condition = self.expressions(source).condition(where.this)
            source.node = Filter(source.node, condition)
        if query.args.get("having") is not None:
            query.set("having", _with_selected(query.args["having"], query, source))
        captured = columns_of(context) if context is not None else ()
        single, known = False, None
        if query.args.get("group") is not None or has_aggregates(query):
            source, known = grouped(self, query, source, captured, context)
            single = query.args.get("group") is None
        elif query.args.get("having") is not None:
            raise Mistake(SYNTAX, "HAVING is for groups", *span(query.args["having"]), "add GROUP BY, or use WHERE")
        expressions = self.expressions(source, known)
        if query.args.get("having") is not None:
            condition = expressions.condition(query.args["having"].this)  # its queries add columns to the node
            source.node = Filter(source.node, condition)
        fields = self._items(query, expressions)
        if query.args.get("distinct") is not None:
            self._check_order(query, expressions, fields)
        order = self._order(query, expressions, fields)
        node = source.node
        kept = tuple(dict.fromkeys((*captured, *(f.column for f in fields), *(c for c, _ in order))))
        node = Project(node, kept)
        if query.args.get("distinct") is not None:
            if query.args["distinct"].args.get("on"):
                raise Mistake(UNSUPPORTED, "DISTINCT ON is not supported", *span(query.args["distinct"]))
            node = Distinct(node)
        return self._cut(query, Relation(node, fields, order, single), captured)

    def _check_order(self, query: exp.Select, expressions: Expressions, fields: list[Field]) -> None:
        """Distinct rows are ordered by what is selected: they have nothing else."""
        selected = {canonical(e.this if isinstance(e, exp.Alias) else e, expressions.source) for e in query.expressions}
        names = {f.name.lower() for f in fields}
        for item in _order_items(query):
            key = item.this
            named = isinstance(key, exp.Literal) or (isinstance(key, exp.Column) and key.name.lower() in names)
            if not named and canonical(key, expressions.source) not in selected:
                raise Mistake(SYNTAX, "with DISTINCT, rows are ordered by what is selected", *span(item))

    def _check_no_aggregates(self, expression: exp.Expr, where: str, note: str) -> None:
        if has_aggregates(expression):
            raise Mistake(GROUPING, f"{where} cannot have aggregates", *span(expression), note)

    def _from(self, query: exp.Select, outer: Source | None) -> Source:
        clause = query.args.get("from_")
        if clause is None:
            return Source(UNIT, [], outer)
        return joined_source(self, clause.this, query.args.get("joins") or [], outer)

    def _items(self, query: exp.Select, expressions: Expressions) -> list[Field]:
        """The columns of SELECT."""
        fields: list[Field] = []
        for number, item in enumerate(query.expressions, start=1):
            inner = item.this if isinstance(item, exp.Alias) else item
            try:
                if isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)):
                    fields += self._star(inner, expressions)
                    continue
                name = item.alias if isinstance(item, exp.Alias) else _title(inner, number)
                found = expressions.column(inner, name)
                assert isinstance(found.term, Variable)
                kind = "BIGINT" if found.type == "NULL" else found.type
                fields.append(Field(name, found.term, kind, found.nullable, scale=found.scale))
            except Mistake as mistake:
                self.mistakes.add(mistake)
        return fields

    def _star(self, star: exp.Expr, expressions: Expressions) -> list[Field]:
        source = expressions.source
        if expressions.known is not None:
            raise Mistake(GROUPING, "* cannot be selected from groups", *span(star), "name the columns of GROUP BY")
        if any(star.args.get(part) for part in ("except_", "replace", "rename", "except")):
            raise Mistake(UNSUPPORTED, "* takes no EXCEPT or REPLACE here", *span(star))
        if isinstance(star, exp.Column):
            table = star.table.lower()
            found = [f for f in source.fields if (f.table or "").lower() == table]
            if not found:
                tables = ", ".join(source.tables())
                raise Mistake(NAME, f"there is no table {star.table} here", *span(star), f"tables are {tables}")
            return [replace(f, table=None, shown=True) for f in found]
        found = [f for f in source.fields if f.shown]
        if not found:
            raise Mistake(SYNTAX, "there is nothing to select", *span(star))
        return [replace(f, table=None) for f in found]

    def _order(
        self, query: exp.Expr, expressions: Expressions, fields: list[Field]
    ) -> tuple[tuple[Variable, bool], ...]:
        """The columns that rows are ordered by, and which are descending. NULLs come last, unless it says otherwise."""
        order: list[tuple[Variable, bool]] = []
        for item in _order_items(query):
            try:
                found = self._key(item.this, expressions, fields)
            except Mistake as mistake:
                self.mistakes.add(mistake)
                continue
            order += self.ordered(
                found, bool(item.args.get("desc")), bool(item.args.get("nulls_first")), expressions.source
            )
        return tuple(order)

    def ordered(self, key: Typed, descending: bool, nulls_first: bool, source: Source) -> list[tuple[Variable, bool]]:
        """A key, after a column that says whether it is NULL, if that is possible."""
        assert isinstance(key.term, Variable)
        if not key.nullable:
            return [(key.term, descending)]
        column = self.fresh("Null")
        known = call("if", call("bound", key.term), 0, 1)
        source.node = Extend(source.node, column, Condition(known))
        return [(column, nulls_first), (key.term, descending)]

    def _key(self, item: exp.Expr, expressions: Expressions, fields: list[Field]) -> Typed:
        if isinstance(item, exp.Literal):
            place = int(item.this) if item.this.isdecimal() and not item.is_string else 0
            if not 1 <= place <= len(fields):
                raise Mistake(NAME, f"there is no column {in_sql(item)} to order by", *span(item))
            return fields[place - 1].typed
        if isinstance(item, exp.Column) and not item.table:
            named = [f for f in fields if f.name.lower() == item.name.lower()]
            if named:
                return named[0].typed
        return expressions.column(item, "Key")

    # -- the first rows -----------------------------------------------------------------------------------------------

    def _sliced(self, query: exp.Expr, found: Relation, outer: Source | None, context: Pattern | None) -> Relation:
        """The rows of a query with parentheses or a set operation, in their order."""
        if not _order_items(query) and not query.args.get("limit") and not query.args.get("offset"):
            return found
        source = Source(found.node, [replace(f, table=None) for f in found.fields], outer)
        expressions = self.expressions(source)
        found.order = self._order(query, expressions, found.fields)
        found.node = source.node
        return self._cut(query, found, columns_of(context) if context is not None else ())

    def _cut(self, query: exp.Expr, found: Relation, captured: Columns) -> Relation:
        limit, offset = _number(query, "limit"), _number(query, "offset") or 0
        if limit is None and not offset:
            return found
        keys = tuple(OrderKey(column, descending) for column, descending in found.order)
        node = Slice(found.node, keys, offset, limit, captured)
        return Relation(node, found.fields, found.order, found.at_most_one or limit in (0, 1))

    # -- queries in expressions ---------------------------------------------------------------------------------------

    def _inner(self, query: exp.Expr, source: Source) -> tuple[Relation, Columns]:
        """The rows of a query in an expression, and copies of the columns that it names of the rows around it."""
        builder = self.catalog.builder
        rules, facts, taken = len(builder.rules), len(builder.background), set(builder.taken)
        inside = Source(source.node, source.fields, source.outer)
        self.asking += 1
        try:
            relation = self.query(query, inside)
        finally:
            self.asking -= 1
        named = tuple(inside.asked)
        if not named:
            return relation, ()
        lost = next((f for c, f in inside.asked.items() if c not in columns_of(source.node)), None)
        if lost is not None:
            if lost in source.fields:
                message = f"{lost.name} is not the same for all rows of a group"
                raise Mistake(GROUPING, message, *span(query), f"add {lost.name} to GROUP BY")
            if not self.asking:
                message = f"a query in ON cannot name {lost.name}, a column of the query around the join"
                raise Mistake(UNSUPPORTED, message, *span(query), "move the condition to WHERE")
            return relation, ()  # the query around this one is translated again, with the column
        del builder.rules[rules:], builder.background[facts:]
        builder.taken &= taken
        source.node = self.materialized(source.node, "outer")
        context = self.materialized(Distinct(Project(source.node, named)), "context")
        relation = self.query(query, source, context)
        copies = tuple(self.fresh(c.name) for c in named)
        for column, copy in zip(named, copies, strict=True):
            source.node = Extend(source.node, copy, Condition(column))
            relation.node = Extend(relation.node, copy, Condition(column))
        source.node = Marked(source.node, known=copies)
        return relation, copies

    def exists(self, query: exp.Expr, source: Source, asked: list[Exists]) -> Variable:
        """A marker for whether a query has rows."""
        relation, copies = self._inner(query, source)
        marker = self.fresh("Exists")
        node = Marked(self.materialized(Distinct(Project(relation.node, copies)), "found"), known=copies)
        asked.append(Exists(node, marker))
        return marker

    def scalar(self, query: exp.Expr, source: Source) -> Typed:
        """The column that holds the single value of a query."""
        relation, copies = self._inner(query, source)
        value = self._single_column(query, relation)
        if not relation.at_most_one:
            note = "use an aggregate without GROUP BY, or LIMIT 1"
            raise Mistake(TYPE, "this query can have more than one row", *span(query), note)
        column = self.fresh("Value")
        node = Project(Extend(relation.node, column, Condition(value.column)), (*copies, column))
        found = self.materialized(node, "value")
        source.node = OptionalJoin(source.node, Marked(found, known=copies))
        return Typed(column, value.type, True, value.scale)

    def contains(self, value: Typed, query: exp.In, source: Source, asked: list[Exists], sure: bool) -> Term:
        """Whether a query has a value. Unless only truth matters for `sure`, it is NULL where that is not known."""
        relation, copies = self._inner(query.args["query"], source)
        column = self._single_column(query, relation)
        if common(value.type, column.type) is None:
            raise Mistake(TYPE, f"{value.type} and {column.type} cannot be compared", *span(query))
        kind, scale = common(value.type, column.type), scale_of(value, column)
        assert kind is not None
        value, theirs = converted(value, kind, scale), converted(column.typed, kind, scale)
        ours = self.fresh("Value")
        inside = tuple(exists for exists in asked if exists.marker in set(variables_of(value.term)))
        source.node = Marked(Extend(source.node, ours, Condition(value.term, inside)), known=(ours,))
        every = (*copies, ours)
        found = self.materialized(
            Distinct(Project(Extend(relation.node, ours, Condition(theirs.term)), every)), "values"
        )
        is_known = call("bound", ours)

        def ask(node: Node, columns: Columns) -> Variable:
            marker = self.fresh("In")
            asked.append(Exists(Marked(node, known=columns), marker))
            return marker

        present = ask(Filter(found, Condition(is_known)) if ours in found.missing else found, every)
        if sure or (not value.nullable and ours not in found.missing):
            return present
        unknown: list[Term] = []
        if ours in found.missing:
            unknown.append(ask(Project(Filter(found, Condition(call("opposite", is_known))), copies), copies))
        if value.nullable:
            some = ask(Project(found, copies), copies)
            unknown.append(call("all_of", some, call("opposite", call("bound", value.term))))
        doubt = call("any_of", *unknown) if len(unknown) > 1 else unknown[0]
        return call("if", present, TRUE, call("if", doubt, NULL.term, FALSE))

    def _single_column(self, query: exp.Expr, relation: Relation) -> Field:
        if len(relation.fields) != 1:
            raise Mistake(TYPE, f"this query has {len(relation.fields)} columns instead of one", *span(query))
        return relation.fields[0]


def renamed(relation: Relation, names: list[str], place: tuple[int, int]) -> Relation:
    """The rows with other names for their columns, if there are some."""
    if not names:
        return relation
    if len(names) > len(relation.fields):
        message = f"there are {len(names)} names for {len(relation.fields)} columns"
        raise Mistake(NAME, message, *place)
    named = [replace(f, name=n) for f, n in zip(relation.fields, names, strict=False)]
    relation.fields = [*named, *relation.fields[len(names) :]]
    return relation


def _title(expression: exp.Expr, number: int) -> str:
    """The name of a column that has none: that of the column, or the function, or its number."""
    if isinstance(expression, exp.Column):
        return expression.name
    if isinstance(expression, exp.Func) and not isinstance(expression, exp.Anonymous | exp.Case | exp.Cast):
        return expression.sql_names()[0].lower()
    return f"column{number}"


def _with_selected(having: exp.Expr, query: exp.Select, source: Source) -> exp.Expr:
    """HAVING with what is selected in place of its names, except for those of columns that the groups have."""
    selected = {e.alias.lower(): e.this for e in query.expressions if isinstance(e, exp.Alias)}
    known = {key.name.lower() for key in keys_of(query, source) if isinstance(key, exp.Column)}

    def replaced(node: exp.Expr) -> exp.Expr:
        is_name = isinstance(node, exp.Column) and not node.table and node.find_ancestor(exp.Query) is query
        name = node.name.lower()
        found = selected.get(name) if is_name and name not in known else None
        return node if found is None else exp.paren(found.copy())

    return having.transform(replaced, copy=False)


def _order_items(query: exp.Expr) -> list[exp.Expr]:
    clause = query.args.get("order")
    return [] if clause is None else list(clause.expressions)


def _number(query: exp.Expr, clause: str) -> int | None:
    """The number of LIMIT or OFFSET."""
    found = query.args.get(clause)
    if found is None:
        return None
    number = found.args.get("expression") or found.args.get("count")
    if not isinstance(number, exp.Literal) or not str(number.this).isdecimal():
        raise Mistake(SYNTAX, f"{clause.upper()} takes a whole number", *span(found))
    return int(number.this)
