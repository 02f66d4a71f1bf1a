"""Graph patterns and solution modifiers: rdflib's algebra as ours (SPARQL 1.1, §18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from rdflib.paths import Path
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import BNode, Literal, URIRef
from rdflib.term import Variable as QueryVariable

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import (
    UNIT,
    Aggregated,
    AggregateName,
    Column,
    Columns,
    Condition,
    Difference,
    Distinct,
    Extend,
    Filter,
    Group,
    Join,
    Node,
    OptionalJoin,
    OrderKey,
    Pattern,
    Project,
    Slice,
    Table,
    Union,
    columns_of,
)
from lasing.languages.rspql.clauses import ANY_WINDOW
from lasing.languages.rspql.expressions import Expressions
from lasing.languages.rspql.graphs import DEFAULT, GRAPH, Graph, named
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.names import Names, value_of
from lasing.languages.rspql.paths import Paths
from lasing.languages.rspql.timestamps import with_timestamps
from lasing.logic.formulas import Atom, Compare, Formula
from lasing.logic.terms import Term, Variable
from lasing.logic.values import UNBOUND, Iri
from lasing.logic.variables import occurrences

AGGREGATES: dict[str, AggregateName] = {
    "Aggregate_Count": "count",
    "Aggregate_Sum": "sum",
    "Aggregate_Avg": "avg",
    "Aggregate_Min": "min",
    "Aggregate_Max": "max",
    "Aggregate_Sample": "sample",
    "Aggregate_GroupConcat": "concat",
}


@dataclass(slots=True)
class Patterns:
    """Translates the patterns of one query. `windows` has the windows that GRAPH can name, by their names."""

    builder: Builder
    names: Names
    now: Term
    base: str = ""
    default: Graph = DEFAULT
    windows: Mapping[str, Graph] = field(default_factory=dict)
    tick: int | None = None
    windows_are_graphs: bool = False
    """Whether `GRAPH ?g` ranges over the windows too, as in C-SPARQL, which has no other word for them."""
    matched: set[str] = field(default_factory=set)
    """The names of the windows that some pattern is matched in."""
    _expressions: Expressions = field(init=False)
    _paths: Paths = field(init=False)
    _graph: Graph = field(init=False)
    _all_graphs: str | None = None

    def __post_init__(self) -> None:
        self._graph = self.default
        self._paths = Paths(self.builder)
        self._expressions = Expressions(
            lambda name: self.names.column(name), self.builder.variable, self.node, self.now, self.base
        )

    def node(self, part: CompValue) -> Node:
        """The node of a part of the algebra."""
        translate = _CASES.get(part.name)
        if translate is None:
            raise Mistake(f"{part.name} is not supported")
        return translate(self, part)

    def triples(self, triples: list[tuple[Any, Any, Any]]) -> Node:
        """A basic graph pattern: triples that share variables and blank nodes."""
        blanks: dict[BNode, Variable] = {}
        literals: list[Formula] = []
        columns: dict[Column, None] = {}
        paths: list[Node] = []

        def term(part: Any) -> Term:
            if isinstance(part, QueryVariable):
                column = self.names.column(str(part))
                columns[column] = None
                return column
            if isinstance(part, BNode):
                return blanks.setdefault(part, self.builder.variable("Blank"))
            return value_of(part)

        for subject, predicate, value in triples:
            start, end = term(subject), term(value)
            if isinstance(predicate, Path):
                paths.append(self._paths.node(start, predicate, end, self._graph))
            else:
                literals.append(self._graph.triple(start, term(predicate), end))
        columns.update(dict.fromkeys(self._graph.columns))
        if not paths:
            return Pattern(tuple(literals), tuple(columns)) if literals else self._empty()
        if literals:
            bound = {variable for literal in literals for variable in occurrences(literal)}
            own = tuple(variable for variable in (*columns, *blanks.values()) if variable in bound)
            paths.insert(0, Pattern(tuple(literals), own))
        joined = reduce(Join, paths)
        return Project(joined, tuple(columns)) if blanks else joined

    def _empty(self) -> Node:
        """No triples at all: one solution, or one for each named graph."""
        if not self._graph.columns:
            return UNIT
        return self._graphs(self._graph)

    def _graphs(self, graph: Graph) -> Pattern:
        """The named graphs, including empty ones."""
        if self._all_graphs is None:
            name, *others = (self.builder.variable(v) for v in ("G", "S", "P", "O"))
            self._all_graphs = self.builder.predicate("graphs")
            self.builder.rule(Atom(self._all_graphs, (name,)), [Atom(GRAPH, (name,))])
            self.builder.rule(Atom(self._all_graphs, (name,)), [named(name).triple(*others)])
        return Pattern((Atom(self._all_graphs, graph.key),), graph.columns)

    # -- patterns -----------------------------------------------------------------------------------------------------

    def _join(self, part: CompValue) -> Node:
        left, right = self.node(part.p1), self.node(part.p2)
        if left == UNIT:
            return right
        return left if right == UNIT else Join(left, right)

    def _optional(self, part: CompValue) -> Node:
        left, right = self.node(part.p1), self.node(part.p2)
        if isinstance(part.expr, CompValue) and part.expr.name == "TrueFilter":
            return OptionalJoin(left, right)
        row = tuple(dict.fromkeys((*columns_of(left), *columns_of(right))))
        return OptionalJoin(left, right, self._expressions.condition(part.expr, row))

    def _filter(self, part: CompValue) -> Node:
        source = self.node(part.p)
        condition = self._expressions.condition(part.expr, columns_of(source))
        timed = self._timed(source)
        return Filter(timed, condition) if timed is source else Project(Filter(timed, condition), columns_of(source))

    def _extend(self, part: CompValue) -> Node:
        source = self.node(part.p)
        column = self.names.column(str(part.var))
        condition = self._expressions.condition(part.expr, columns_of(_unextended(source)))
        if column in columns_of(source):
            if str(part.expr).startswith("__agg_"):
                return source  # the alias of a key that the group already has
            raise Mistake(f"?{part.var} is already in scope", "choose another name after AS", near=f"?{part.var}")
        return Extend(self._timed(source), column, condition)

    def _timed(self, source: Node) -> Node:
        """The rows with the timestamps that the last expression asks for."""
        asked, self._expressions.timestamps = self._expressions.timestamps, []
        return with_timestamps(source, asked, self._graph, self.tick, self.builder) if asked else source

    def _graph_pattern(self, part: CompValue) -> Node:
        """GRAPH. Inside, the name of the graph is a column that nobody can see; outside, it is that of the variable."""
        if not isinstance(part.term, QueryVariable):
            self.matched.add(str(part.term))
            return self._inside(self.windows.get(str(part.term)) or named(value_of(part.term)), part.p)
        if str(part.term).endswith(ANY_WINDOW):
            return Union(self._windows(part))
        if self.windows_are_graphs and self.windows:
            return Union((*self._windows(part), self._named_graph(part)))
        return self._named_graph(part)

    def _named_graph(self, part: CompValue) -> Node:
        """`GRAPH ?g { … }`: in each named graph of the static data, and which one it is."""
        graph = named(self.builder.variable("Graph"))
        inner = self._inside(graph, part.p)
        column = self.names.column(str(part.term))
        (name,) = graph.columns
        known = columns_of(inner)
        if column not in known:
            return Project(Extend(inner, column, Condition(name)), (*(c for c in known if c != name), column))
        link = Pattern((*self._graphs(graph).literals, Compare("=", column, name)), (name, column))
        return Project(Join(inner, link), tuple(c for c in known if c != name))

    def _windows(self, part: CompValue) -> tuple[Node, ...]:
        """`WINDOW ?w { … }`: in each window, and which one it is."""
        column = self.names.column(str(part.term))
        self.matched |= self.windows.keys()
        return tuple(
            Join(self._inside(graph, part.p), Table((column,), ((Iri(name),),))) for name, graph in self.windows.items()
        )

    def _inside(self, graph: Graph, part: CompValue) -> Node:
        outer, self._graph = self._graph, graph
        try:
            return self.node(part)
        finally:
            self._graph = outer

    def _rows(self, part: CompValue | list[Any]) -> Node:
        """VALUES, or a subquery."""
        inner = part.p if isinstance(part, CompValue) else part
        if isinstance(inner, list):
            return Table((), ())
        if inner.name != "values":
            return self.node(inner)
        rows = inner.res
        if not rows:
            return Table((), ())
        names = tuple(rows[0])
        columns = tuple(self.names.column(str(name)) for name in names)
        return Table(columns, tuple(tuple(_given(row[name]) for name in names) for row in rows))

    # -- solution modifiers -------------------------------------------------------------------------------------------

    def _group(self, part: CompValue) -> Node:
        """AggregateJoin over Group. What rdflib calls a sample of a key is the key itself."""
        source = self.node(part.p.p)
        keys: list[Column] = []
        for expression in part.p.expr or ():
            if isinstance(expression, QueryVariable):
                keys.append(self.names.column(str(expression)))
            else:
                keys.append(self.builder.variable("Key"))
                source = Extend(source, keys[-1], self._expressions.condition(expression, columns_of(source)))
        row, aggregates, aliases = columns_of(source), [], []
        for wanted in part.A:
            column = self.names.column(str(wanted.res))
            if wanted.name == "Aggregate_Sample" and isinstance(wanted.vars, QueryVariable):
                key = self.names.column(str(wanted.vars))
                if key in keys or key not in row:
                    aliases.append((column, key))
                    continue
            condition = None if wanted.vars == "*" else self._expressions.condition(wanted.vars, row)
            term = None if condition is None else condition.term
            if condition is not None and condition.exists:
                term = self.builder.variable("Value")
                source, row = Extend(source, term, condition), (*row, term)
            elif isinstance(term, Variable) and term not in row:
                source, row = Extend(source, term, Condition(UNBOUND)), (*row, term)
            separator = " " if wanted.separator is None else str(wanted.separator)
            aggregates.append(Aggregated(AGGREGATES[wanted.name], column, term, bool(wanted.distinct), separator))
        groups = self._graphs(self._graph) if self._graph.columns and not keys else None
        keys += self._graph.columns
        node: Node = Group(source, tuple(dict.fromkeys(keys)), tuple(aggregates), groups)
        for column, key in aliases:
            node = Extend(node, column, Condition(key))
        return node

    def _project(self, part: CompValue) -> Node:
        shown = dict.fromkeys(self.names.column(str(name)) for name in part.PV)  # the ?w of WINDOW may have two names
        return Project(self.node(part.p), (*shown, *self._graph.columns))

    def _distinct(self, part: CompValue) -> Node:
        return Distinct(self.node(part.p))

    def _slice(self, part: CompValue) -> Node:
        """LIMIT and OFFSET. The order is below the projection, so the keys stay as columns until the slice is made."""
        order, columns, inner = self.modified(part.p)
        limit = None if part.length is None else int(part.length)
        cut = Slice(inner, order, int(part.start or 0), limit, self._graph.columns)
        return Project(cut, columns) if columns != columns_of(cut) else cut

    def modified(self, part: CompValue) -> tuple[tuple[OrderKey, ...], Columns, Node]:
        """The order keys, the columns to show, and the rows, which have a column for each key."""
        distinct = part.name == "Distinct"
        inner = part.p if part.name in ("Distinct", "Reduced") else part
        if inner.name != "Project" or inner.p.name != "OrderBy":
            node = self.node(part)
            return (), columns_of(node), node
        rows, order = self.ordered(inner.p)
        shown = tuple(dict.fromkeys((*(self.names.column(str(n)) for n in inner.PV), *self._graph.columns)))
        hidden = tuple(k.term for k in order if isinstance(k.term, Variable) and k.term not in shown)
        node = Project(rows, (*shown, *hidden))
        if not distinct:
            return order, shown, node
        if not hidden:
            return order, shown, Distinct(node)
        # equal rows may have different keys: the least one decides
        least = tuple(Aggregated("min", self.builder.variable("Order"), key) for key in hidden)
        renamed = {key: aggregated.column for key, aggregated in zip(hidden, least, strict=True)}
        keys = tuple(OrderKey(renamed.get(k.term, k.term), k.descending) for k in order if isinstance(k.term, Variable))
        return keys, shown, Group(node, shown, least)

    def ordered(self, part: CompValue) -> tuple[Node, tuple[OrderKey, ...]]:
        """The rows with a column for each order key, and the keys."""
        node = self.node(part.p)
        keys = []
        for condition in part.expr:
            descending = str(condition.order or "").upper() == "DESC"
            column = (
                self.names.column(str(condition.expr))
                if isinstance(condition.expr, QueryVariable)
                else self.builder.variable("Order")
            )
            if column not in columns_of(node):
                row = columns_of(node)
                term = self._expressions.condition(condition.expr, row)
                node = Extend(node, column, Condition(UNBOUND) if term.term == column else term)
            keys.append(OrderKey(column, descending))
        return node, tuple(keys)

    def _unordered(self, part: CompValue) -> Node:
        return self.node(part.p)  # without a limit, the order does not matter to the rows


def _unextended(node: Node) -> Node:
    """The rows before BIND and the like: two calls of BNODE in one solution are to see the same solution."""
    while isinstance(node, Extend):
        node = node.source
    return node


def _given(value: Any) -> Any:
    return value_of(value) if isinstance(value, URIRef | Literal) else None


def _refused(what: str) -> Callable[[Patterns, CompValue], Node]:
    def refuse(_patterns: Patterns, _part: CompValue) -> Node:
        raise Mistake(f"{what} is not supported", note="data must be local: give files with --data", near=what)

    return refuse


_CASES: dict[str, Callable[[Patterns, CompValue], Node]] = {
    "BGP": lambda self, part: self.triples(part.triples),
    "Join": Patterns._join,
    "LeftJoin": Patterns._optional,
    "Union": lambda self, part: Union((self.node(part.p1), self.node(part.p2))),
    "Minus": lambda self, part: Difference(self.node(part.p1), self.node(part.p2), self._graph.columns),
    "Filter": Patterns._filter,
    "Extend": Patterns._extend,
    "Graph": Patterns._graph_pattern,
    "ToMultiSet": Patterns._rows,
    "AggregateJoin": Patterns._group,
    "OrderBy": Patterns._unordered,
    "Project": Patterns._project,
    "Distinct": Patterns._distinct,
    "Reduced": lambda self, part: self.node(part.p),  # it may keep duplicates, so it keeps all
    "Slice": Patterns._slice,
    "ServiceGraphPattern": _refused("SERVICE"),
}
"""A case per node of rdflib's algebra."""
