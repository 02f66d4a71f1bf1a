"""Group: a row for each value of the keys, with aggregates over the rows of its group.

    count{ row : row in group }, sum{ term, row : … }, …     distinct: count{ term : … }, …

Aggregates of rules range over distinct tuples, so the tuples hold the whole row, unless only distinct terms count. An
aggregate may have no value: the sum of a text, the least of nothing. Its column is then missing.
"""

from __future__ import annotations

from lasing.algebra.aggregates import Members
from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Aggregated, Columns, Group
from lasing.algebra.rows import Body, Rows
from lasing.logic.formulas import At, Atom, Formula, Not, Sometime, Window
from lasing.logic.terms import Variable
from lasing.logic.values import UNBOUND
from lasing.logic.variables import occurrences


def grouped(node: Group, builder: Builder) -> Rows:
    """The rows of a grouping."""
    source = builder.at_hand(_with_keys(builder.lower(node.source), node.keys), "rows")
    if not source.bodies:
        source = _nothing(source, builder)
    groups = _groups(node, source, builder)
    members = Members(source, node.keys, groups, builder)
    columns: Columns = node.keys
    missing = {key for key in node.keys if key in source.missing}
    rows = Rows(columns, (Body(groups, {key: key for key in node.keys}),), frozenset(missing))
    for aggregated in node.aggregates:
        always, name = _always_has_value(aggregated, node, source), aggregated.function.removeprefix("plain_")
        literals, value = members.aggregate(aggregated, always)
        columns = (*columns, aggregated.column)
        if always:
            bodies = [Body((*b.literals, *literals), {**b.terms, aggregated.column: value}) for b in rows.bodies]
        else:
            missing.add(aggregated.column)
            predicate = builder.predicate(name)
            builder.rule(Atom(predicate, (*node.keys, value)), (*groups, *literals))
            some = builder.helper(
                f"has_{name}",
                node.keys,
                [Body((Atom(predicate, (*node.keys, value)),), {key: key for key in node.keys})],
            )
            bodies = [
                body
                for b in rows.bodies
                for body in (
                    Body((*b.literals, Atom(predicate, (*node.keys, value))), {**b.terms, aggregated.column: value}),
                    Body((*b.literals, Not(Atom(some, node.keys))), {**b.terms, aggregated.column: UNBOUND}),
                )
            ]
        rows = Rows(columns, tuple(bodies), frozenset(missing))
        if len(bodies) > 2:
            rows = builder.stored(rows, "group", bag=False)
    return rows


def _always_has_value(aggregated: Aggregated, node: Group, source: Rows) -> bool:
    """Whether an aggregate has a value in every group: groups by keys have a row, so a column that is never missing has
    a least and a greatest value."""
    if aggregated.function == "count":
        return True
    plain = ("plain_sum", "plain_avg", "plain_min", "plain_max")
    if aggregated.function not in ("min", "max", "sample", *plain) or not node.keys or node.groups is not None:
        return False
    return aggregated.term in source.columns and aggregated.term not in source.missing


def _with_keys(source: Rows, keys: Columns) -> Rows:
    """The rows with a column for each key. A key that no row has is missing in all of them."""
    absent = tuple(key for key in keys if key not in source.columns)
    bodies = tuple(Body(body.literals, {**body.terms, **dict.fromkeys(absent, UNBOUND)}) for body in source.bodies)
    return Rows((*source.columns, *absent), bodies, source.missing | frozenset(absent), source.apart)


def _groups(node: Group, source: Rows, builder: Builder) -> tuple[Atom, ...]:
    """The literal of all groups; none is needed if there is just one group, which may have no rows."""
    keys = node.keys
    if not keys:
        return ()
    if node.groups is not None:
        source = builder.lower(node.groups, bag=False)
    bodies = [
        Body(_sometimes(body, keys), {key: body.terms.get(key, UNBOUND) for key in keys}) for body in source.bodies
    ]
    return (Atom(builder.helper("groups", keys, bodies), keys),)


def _sometimes(body: Body, keys: Columns) -> tuple[Formula, ...]:
    """The literals of a body; one whose time neither is a key nor is compared need not say when."""
    literals = list(body.literals)
    for place, literal in enumerate(literals):
        match literal:
            case Window(function, At(Variable() as time, Atom() as atom)):
                others = {v for other in (atom, *literals[:place], *literals[place + 1 :]) for v in occurrences(other)}
                if time not in (*keys, *others):
                    literals[place] = Window(function, Sometime(atom))
    return tuple(literals)


def _nothing(source: Rows, builder: Builder) -> Rows:
    """No rows, as a predicate."""
    body = Body((Atom(builder.predicate("nothing"), source.columns),), {column: column for column in source.columns})
    return Rows(source.columns, (body,), source.missing)
