"""Aggregates over the rows of a group, as literals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Aggregated, AggregateName, Columns
from lasing.algebra.rows import Rows
from lasing.algebra.terms import FALSE, call, or_unbound
from lasing.logic.formulas import Aggregate, Atom, Compare, End, Formula, Not, Select
from lasing.logic.functions import AggregateFunction
from lasing.logic.terms import Term, Variable, substituted
from lasing.logic.values import UNBOUND
from lasing.logic.variables import occurrences

Literals = tuple[Formula, ...]

PLAIN: dict[AggregateName, AggregateFunction] = {
    "plain_sum": "sum",
    "plain_avg": "avg",
    "plain_min": "min",
    "plain_max": "max",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a group, under its own variables except for the keys: its value of a term, and the tuple that counts."""

    literals: Literals
    value: Term
    unit: tuple[Term, ...]
    local: frozenset[Variable]


@dataclass(frozen=True, slots=True)
class Members:
    """The rows of groups. `groups` is the literal that binds the keys, if there are any."""

    source: Rows
    keys: Columns
    groups: Literals
    builder: Builder

    def aggregate(self, wanted: Aggregated, always: bool) -> tuple[Literals, Variable]:
        """The literals that compute an aggregate of a group, and the variable that they bind to it. `always` says that
        every group has a value of it."""
        result = self.builder.variable(wanted.column.name)
        if wanted.function == "count":
            return (self._counted(wanted, result),), result
        assert wanted.term is not None, "only count takes rows"
        match wanted.function:
            case "plain_sum" | "plain_avg" | "plain_min" | "plain_max":
                return (*self._some(wanted, always), *self._plain(wanted, result)), result
            case "sum" | "avg":
                return self._total(wanted, result), result
            case "min":
                return (*self._no_failures(wanted), *self._end("first", wanted, result)), result
            case "max":
                return (*self._no_failures(wanted), *self._end("last", wanted, result)), result
            case "sample":
                return self._end("first", wanted, result), result
            case "concat":
                return self._concatenated(wanted, result), result
            case _:
                assert_never(wanted.function)

    def _plain(self, wanted: Aggregated, result: Variable) -> Literals:
        row = self._row(wanted)
        return (self._braces(PLAIN[wanted.function], row, row.unit, result),)

    def _some(self, wanted: Aggregated, always: bool) -> Literals:
        """The literal that a group has a value to add up: the sum of nothing is no value here."""
        if always or wanted.function != "plain_sum":
            return ()
        some = self.builder.predicate("summed")
        self.builder.rule(Atom(some, self.keys), self._row(wanted).literals)
        return (Atom(some, self.keys),)

    def _row(self, wanted: Aggregated) -> Row:
        """A row of the group in which the term has a value."""
        (body,) = self.source.bodies
        data = dict.fromkeys(variable for literal in body.literals for variable in occurrences(literal))
        fresh = {v: self.builder.variable(v.name) for v in data if v not in self.keys}
        member = body.replaced(fresh)
        every = tuple(fresh.get(variable, variable) for variable in data)
        local = set(fresh.values())
        if wanted.term is None:
            unit = tuple(member.terms[column] for column in self.source.columns) if wanted.distinct else every
            return Row(member.literals, 0, unit, frozenset(local))
        value = or_unbound(substituted(wanted.term, self.source.references(member, wanted.term)))
        literals = list(member.literals)
        if not isinstance(value, Variable):
            local.add(name := self.builder.variable("Value"))
            literals.append(Compare("=", name, value))
            value = name
        if not isinstance(wanted.term, Variable) or wanted.term in self.source.missing:
            literals.append(Compare("!=", value, UNBOUND))
        unit = (value,) if wanted.distinct else (value, *(v for v in every if v != value))
        return Row(tuple(literals), value, unit, frozenset(local))

    def _braces(self, function: AggregateFunction, row: Row, terms: tuple[Term, ...], result: Term) -> Aggregate:
        return Aggregate(function, terms, row.literals, "=", result, row.local)

    def _end(self, end: End, wanted: Aggregated, result: Variable) -> Literals:
        """The first or last value, by class and then by value."""
        row, group = self._row(wanted), self.builder.variable("Class")
        terms = (call("sort_class", row.value), row.value)
        return (Select(end, 1, (group, result), terms, row.literals, row.local),)

    def _no_failures(self, wanted: Aggregated, of: Callable[[Term], Term] | None = None) -> Literals:
        """The literal that the term has a value in every row of the group, and that a condition is true of it."""
        (body,) = self.source.bodies
        assert wanted.term is not None, "rows do not fail"
        value = or_unbound(substituted(wanted.term, self.source.references(body, wanted.term)))
        if of is None and isinstance(value, Variable) and value not in self.source.missing:
            return ()
        test = Compare("=", value, UNBOUND) if of is None else Compare("=", of(value), FALSE)
        failing = self.builder.predicate("failing")
        self.builder.rule(Atom(failing, self.keys), (*body.literals, test))
        return (Not(Atom(failing, self.keys)),)

    def _total(self, wanted: Aggregated, result: Variable) -> Literals:
        """Sum and average: exact, in the kind of number that the numbers of the group ask for.

        A value that is no number leaves the group without a sum. Here it is as good as a zero.
        """
        builder = self.builder
        row, kinds = self._row(wanted), self._row(wanted)
        total, kind = builder.variable("Total"), builder.variable("Kind")
        summed = self._braces("sum", row, (_or_zero(call("number", row.value)), *row.unit), total)
        found = builder.predicate("kinds")
        builder.rule(Atom(found, (*self.keys, 0)), self.groups)  # no numbers at all make a whole number
        one = _or_zero(call("rdf_kind", kinds.value))
        builder.rule(Atom(found, (*self.keys, one)), (*self.groups, *kinds.literals))
        each = builder.variable("Kind")
        among = Aggregate("sum", (each,), (Atom(found, (*self.keys, each)),), "=", kind, frozenset((each,)))
        literals = (*self._no_failures(wanted, lambda value: call("is_number", value)), summed, among)
        if wanted.function == "sum":
            return (*literals, Compare("=", result, call("rdf_total", total, kind)))
        count = builder.variable("Count")
        return (*literals, self._counted(wanted, count), Compare("=", result, call("rdf_average", total, kind, count)))

    def _concatenated(self, wanted: Aggregated, result: Variable) -> Literals:
        """The texts of a group in the order of its rows, with separators between them."""
        builder, row = self.builder, self._row(wanted)
        order, text, joined = (builder.variable(name) for name in ("Order", "Text", "Joined"))
        lexical = call("lexical", row.value)
        condition = (
            *row.literals,
            Compare("=", order, call("sort_text", *row.unit)),
            Compare("=", text, call("concat", wanted.separator, lexical) if wanted.separator else lexical),
        )
        texts = Aggregate("concat", (order, text), condition, "=", joined, row.local | {order, text})
        rest = call("substring", joined, len(wanted.separator) + 1) if wanted.separator else joined
        failures = self._no_failures(wanted, lambda value: call("bound", call("lexical", value)))
        return (*failures, texts, Compare("=", result, rest))

    def _counted(self, wanted: Aggregated, count: Variable) -> Formula:
        row = self._row(wanted)
        return self._braces("count", row, row.unit, count)


def _or_zero(term: Term) -> Term:
    return call("coalesce", term, 0)
