"""What a query puts out: rows, yes or no, or a graph (SPARQL 1.1, §16)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import BNode, URIRef
from rdflib.term import Variable as QueryVariable

from lasing.algebra.nodes import Columns, Distinct, Group, Node, OrderKey, Project, Slice, columns_of
from lasing.algebra.output import put_out
from lasing.algebra.rows import Body, Rows
from lasing.algebra.terms import TRUE, call
from lasing.languages.rspql.graphs import Graph
from lasing.languages.rspql.names import value_of
from lasing.languages.rspql.patterns import Patterns
from lasing.logic.formulas import Atom, Compare, Formula
from lasing.logic.program import Output
from lasing.logic.terms import Term, Variable
from lasing.logic.values import UNBOUND


def select(query: CompValue, patterns: Patterns, predicate: str, star: bool, order_of_names: Iterable[str]) -> Output:
    """Rows: the columns, then the order keys, then how many equal rows there are."""
    builder = patterns.builder
    shown, order, node = _modified(query, patterns)
    if star:
        places = {patterns.names.column(n): i for i, n in enumerate(order_of_names)}
        bound = set(columns_of(_unprojected(node)))
        known = dict.fromkeys(c for c in shown if c in bound)
        shown = tuple(sorted(known, key=lambda column: places.get(column, len(places))))
    rows = builder.lower(node)
    keys = tuple(key.term for key in order if isinstance(key.term, Variable))
    names = tuple(patterns.names.name_of(column) for column in shown)
    counted = put_out(rows, (*shown, *keys), predicate, builder)
    columns = (*names, *("" for _ in keys), *("",) * counted)
    return Output(predicate, columns, form="rows", order=tuple(key.descending for key in order), counted=counted)


def _unprojected(node: Node) -> Node:
    """The rows below the projection of `SELECT *`, whose columns are the variables that are in scope."""
    while isinstance(node, Slice | Distinct | Group):
        node = node.source
    return node.source if isinstance(node, Project) else node


def _modified(query: CompValue, patterns: Patterns) -> tuple[Columns, tuple[OrderKey, ...], Node]:
    part = query.p
    if part.name != "Slice":
        order, shown, node = patterns.modified(part)
        return shown, order, node
    order, shown, node = patterns.modified(part.p)
    limit = None if part.length is None else int(part.length)
    return shown, order, Slice(node, order, int(part.start or 0), limit)


def ask(query: CompValue, patterns: Patterns, predicate: str) -> Output:
    """Whether there is a solution."""
    rows = patterns.builder.lower(patterns.node(query.p), bag=False)
    for body in rows.bodies:
        patterns.builder.rule(Atom(predicate, ()), body.literals)
    return Output(predicate, (), form="truth")


def construct(
    query: CompValue,
    patterns: Patterns,
    predicate: str,
    template: list[tuple[Any, Any, Any]],
    graph: tuple[Term, ...] = (),
) -> Output:
    """The triples of a template, for each solution. What would not be a triple is left out.

    If other graphs may meet this one, `graph` says which one it is, so that no two graphs share a blank node.
    """
    builder = patterns.builder
    parts = [part for triple in template for part in triple if isinstance(part, BNode)]
    blanks = {part: number for number, part in enumerate(dict.fromkeys(parts), start=1)}
    rows = builder.lower(patterns.node(query.p), bag=bool(blanks))
    if len(template) > 1 or blanks:
        rows = builder.stored(rows, "rows", bag=bool(blanks))
    for body in rows.bodies:
        for triple in template:
            terms = [_template_term(part, body, rows, patterns, blanks, graph) for part in triple]
            tests = is_triple(terms)
            if UNBOUND not in terms:
                builder.rule(Atom(predicate, tuple(terms)), (*body.literals, *tests))
    return Output(predicate, ("subject", "predicate", "object"), form="graph")


def _template_term(
    part: Any, body: Body, rows: Rows, patterns: Patterns, blanks: dict[BNode, int], graph: tuple[Term, ...]
) -> Term:
    """A term of a template. A blank node is a new one for each solution; labels may differ, so it has a number."""
    if isinstance(part, QueryVariable):
        return body.terms.get(patterns.names.column(str(part)), UNBOUND)
    if isinstance(part, BNode):
        seen = [body.terms[column] for column in rows.columns]
        return call("new", "blank", blanks[part], *graph, *seen, *body.unseen())
    return value_of(part)


def is_triple(terms: list[Term]) -> list[Formula]:
    """The tests that the terms of a template make a triple."""
    subject, predicate, value = terms
    tests: list[Formula] = []
    if isinstance(subject, Variable):
        tests.append(Compare("=", call("any_of", call("is_iri", subject), call("is_blank", subject)), TRUE))
        tests.append(Compare("!=", subject, UNBOUND))
    if isinstance(predicate, Variable):
        tests.append(Compare("=", call("is_iri", predicate), TRUE))
    if isinstance(value, Variable):
        tests.append(Compare("!=", value, UNBOUND))
    return tests


def describe(query: CompValue, patterns: Patterns, predicate: str, graph: Graph) -> Output:
    """The triples of the resources asked for, and, in turn, of the blank nodes in them."""
    builder = patterns.builder
    resources = builder.predicate("described")
    if query.p is not None:
        node = patterns.node(query.p)
        rows = builder.stored(builder.lower(node, bag=False), "rows", bag=False)
        for body in rows.bodies:
            for name in query.PV:
                if not isinstance(name, QueryVariable):
                    continue
                term = body.terms[patterns.names.column(str(name))]
                builder.rule(Atom(resources, (term,)), (*body.literals, Compare("!=", term, UNBOUND)))
    for part in query.PV or ():
        if isinstance(part, URIRef):
            builder.rule(Atom(resources, (value_of(part),)), ())
    s, p, o = (builder.variable(x) for x in ("S", "P", "O"))
    builder.rule(Atom(predicate, (s, p, o)), (Atom(resources, (s,)), graph.triple(s, p, o)))
    blank = Compare("=", call("is_blank", o), TRUE)
    builder.rule(Atom(resources, (o,)), (Atom(predicate, (s, p, o)), blank))
    return Output(predicate, ("subject", "predicate", "object"), form="graph")
