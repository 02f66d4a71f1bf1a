"""A plan under construction."""

from __future__ import annotations

from dataclasses import dataclass, field

from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import Value
from lasing.plan.nodes import NOW, Clock, Feed, Load, Lookup, PlanRule, Stage, Test
from lasing.plan.relations import POINT, Relation, Span


@dataclass
class PlanDraft:
    """The parts of a plan, in the order in which they are made; relations are identified by name."""

    relations: dict[str, Relation] = field(default_factory=dict)
    tracked: set[Relation] = field(default_factory=set)
    feeds: list[Feed] = field(default_factory=list)
    clocks: list[Clock] = field(default_factory=list)
    guaranteed: list[PlanRule] = field(default_factory=list)
    recalls: list[Stage] = field(default_factory=list)
    """The stages that come first: what is known before anything is derived."""
    stages: list[Stage] = field(default_factory=list)
    background: list[tuple[Relation, tuple[Value, ...], Span | None]] = field(default_factory=list)
    loads: list[Load] = field(default_factory=list)
    counts_facts: int = 0
    _variables: int = 0

    def relation(self, name: str, arity: int, counted: bool = False) -> tuple[Relation, bool]:
        """The relation of that name, and whether it is new."""
        if name in self.relations:
            return self.relations[name], False
        self.relations[name] = Relation(name, arity, counted)
        return self.relations[name], True

    def watched(self, relation: Relation) -> Relation:
        """The relation, whose changes are tracked from now on."""
        if not relation.counted:
            self.tracked.add(relation)
        return relation

    def variable(self, name: str = "_#any") -> Variable:
        """A variable that only the plan has; anonymous by default."""
        self._variables += 1
        return Variable(f"{name} {self._variables}")

    def simple(self, term: Term, tests: list[Test]) -> Term:
        """A term as a variable or constant; a computation becomes a test."""
        if not isinstance(term, Arithmetic):
            return term
        variable = self.variable("computed")
        tests.append(Test("=", variable, term))
        return variable


def columns(arity: int) -> tuple[Variable, ...]:
    """Variables for all columns of a relation."""
    return tuple(Variable(f"C{i}") for i in range(arity))


def copies(head: Relation, *sources: Relation) -> tuple[PlanRule, ...]:
    """Rules that copy all rows of other relations into a relation."""
    args = columns(head.arity)
    return tuple(PlanRule(head, args, (Lookup(source, args),)) for source in sources)


def untimed(head: Relation, *sources: Relation) -> tuple[PlanRule, ...]:
    """Rules that copy the rows (args, T) of other relations into a relation (args), without T."""
    args = columns(head.arity)
    return tuple(PlanRule(head, args, (Lookup(source, (*args, Variable("T"))),)) for source in sources)


def view_rule(head: Relation, source: Relation, span: Span | None, keep_time: bool) -> PlanRule:
    """From rows (args, T), those whose T lies in the window."""
    time = Variable("T")
    args = columns(source.arity - 1)
    within = None if span is None else (time, span)
    return PlanRule(head, (*args, time) if keep_time else args, (Lookup(source, (*args, time)),), within=within)


def stamp_rule(head: Relation, source: Relation) -> PlanRule:
    """From rows (args), rows (args, now), which hold only now."""
    args = columns(source.arity)
    return PlanRule(head, (*args, NOW), (Lookup(source, args),), within=(NOW, POINT))
