"""The nodes of a plan.

Relations hold rows; *guaranteed* rows carry the time up to which they hold, *counted* ones a number of derivations.
Rules derive rows of one relation from rows of others; facts flow in through `Feed`s. The guaranteed plane comes first,
as one fixpoint; the stages of the counted plane follow in the order of dependencies.

Nodes check their arities when they are made: a pass that loses a column fails right there, not in a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lasing.logic.functions import Comparison
from lasing.logic.tables import FactTable
from lasing.logic.terms import Term, Variable
from lasing.logic.values import Value
from lasing.plan.operators import Box, OperatorNode
from lasing.plan.relations import Relation, Span, Where, expect_arity, misfit, wrong_arity

NOW = Variable("now")
"""In a plan, the evaluation time. (No variable of a program begins in lower case.)"""


@dataclass(frozen=True, slots=True)
class Feed:
    """Facts become rows while they lie in the span (None: forever); `timed` adds their time as a column, `tag` a
    number. With `where`, only facts with these arguments do, and rows do not have them; nor do they have the arguments
    that are `left_out`. With `newest`, a fact replaces the row of an earlier one that differs from it in its time
    alone."""

    predicate: str
    relation: Relation
    span: Span | None
    timed: bool
    tag: int | None = None
    where: Where = ()
    left_out: tuple[int, ...] = ()
    newest: bool = False

    def __post_init__(self) -> None:
        least = self.timed + (self.tag is not None)
        if self.relation.arity < least:
            raise misfit(self, f"{self.relation.name} has fewer than {least} columns")
        if self.newest and not self.timed:
            raise misfit(self, "only facts with their times can be the newest ones")


@dataclass(frozen=True, slots=True)
class Load:
    """The facts of a background table become rows, from the time at which the window of the span first has a time
    point. With `where`, only facts with these arguments do, and rows do not have them."""

    relation: Relation
    table: FactTable
    span: Span | None
    where: Where = ()

    def __post_init__(self) -> None:
        expect_arity(self, self.relation, self.table.arity - len(self.where))


@dataclass(frozen=True, slots=True)
class Clock:
    """Rows (u) for the time points of a window; without a span, for all from the start up to now."""

    relation: Relation
    span: Span | None

    def __post_init__(self) -> None:
        expect_arity(self, self.relation, 1)


@dataclass(frozen=True, slots=True)
class Walk:
    """Which arguments of a lookup must be known before walking: the first ones, which group, and the last ones, with
    which terms of rows are compared."""

    groups: int
    bounds: int


@dataclass(frozen=True, slots=True)
class Lookup:
    """A row of a relation, or the absence of one.

    With `walk`, the relation is that of a `Ranking`, which has no rows: the best row is found by walking.
    """

    relation: Relation
    args: tuple[Term, ...]
    negated: bool = False
    walk: Walk | None = None

    def __post_init__(self) -> None:
        if self.relation.arity != len(self.args):  # without a call, because passes make many of these
            raise wrong_arity(self, self.relation, len(self.args))

    def with_args(self, args: tuple[Term, ...]) -> Lookup:
        """The same lookup with other arguments."""
        return Lookup(self.relation, args, self.negated, self.walk)

    @property
    def given(self) -> tuple[Term, ...]:
        """The arguments that must be known before it can be looked up."""
        if self.walk is not None:
            return (*self.args[: self.walk.groups], *self.args[len(self.args) - self.walk.bounds :])
        return self.args if self.negated else ()

    @property
    def found(self) -> tuple[Term, ...]:
        """The arguments whose values it gives."""
        if self.walk is not None:
            return self.args[self.walk.groups : len(self.args) - self.walk.bounds]
        return () if self.negated else self.args


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of terms, or its negation; `=` with an unbound variable on one side binds it.

    `sorted` means that the rows of that relation come in such an order that once the test fails on one of them, it
    fails on all that follow.
    """

    comparison: Comparison
    left: Term
    right: Term
    negated: bool = False
    sorted: Relation | None = None

    def with_sides(self, left: Term, right: Term) -> Test:
        """The same comparison of other terms."""
        return Test(self.comparison, left, right, self.negated, self.sorted)


@dataclass(frozen=True, slots=True)
class PlanRule:
    """`head(args) :- lookups, tests`.

    `origin` is the number of the program's rule, -1 for one that the plan adds. `within` (T, span) lets the head hold
    only while T lies in the window. `timed` heads have a time as their last argument, which must be a time, not before
    the start. A rule that uses NOW is applied to all rows at each time point. `orders` has, for each lookup that
    evaluation may begin with, the order of the others; without it, they come as written. `others` has the numbers of
    further rules of the program that this one stands for.
    """

    head: Relation
    args: tuple[Term, ...]
    lookups: tuple[Lookup, ...]
    tests: tuple[Test, ...] = ()
    origin: int = -1
    within: tuple[Variable, Span] | None = None
    timed: bool = False
    orders: tuple[tuple[int, ...], ...] = ()
    others: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        expect_arity(self, self.head, len(self.args))
        for begin, order in enumerate(self.orders):
            if sorted((begin, *order)) != list(range(len(self.lookups))):
                raise misfit(self, f"{order} is not an order of the lookups other than number {begin}")

    @property
    def stamps(self) -> bool:
        """Whether the rule uses the evaluation time."""
        return NOW in self.args

    def with_terms(self, args: tuple[Term, ...], lookups: tuple[Lookup, ...], tests: tuple[Test, ...]) -> PlanRule:
        """The same rule with other terms."""
        return PlanRule(self.head, args, lookups, tests, self.origin, self.within, self.timed, self.orders, self.others)


def others_of(rules: Sequence[PlanRule]) -> tuple[int, ...]:
    """The rules of the program, beside the first one's, for which one rule of the plan is to stand."""
    numbers = dict.fromkeys(number for rule in rules for number in (rule.origin, *rule.others))
    return tuple(number for number in numbers if number not in (rules[0].origin, -1))


@dataclass(frozen=True, slots=True)
class Derive:
    """Apply counted rules, and settle their heads."""

    rules: tuple[PlanRule, ...]
    heads: tuple[Relation, ...]


@dataclass(frozen=True, slots=True)
class Recompute:
    """A recursion in the counted plane: if an input has changed, it computes its fixpoint again from copies of the
    `inputs`, and applies the differences to `outputs`.

    Pairs are (relation, the copy of it). Boxes are evaluated between the rounds of the fixpoint. `by_time` means that
    the passing of time alone may change the outcome.
    """

    inputs: tuple[tuple[Relation, Relation], ...]
    rules: tuple[PlanRule, ...]
    boxes: tuple[Box, ...]
    outputs: tuple[tuple[Relation, Relation], ...]
    by_time: bool

    def __post_init__(self) -> None:
        for relation, copy in (*self.inputs, *self.outputs):
            expect_arity(self, copy, relation.arity)


Stage = OperatorNode | Derive | Recompute


@dataclass(frozen=True, slots=True)
class PlanOutput:
    """A predicate of the output: the rows of a relation; those with one tag, if several predicates share it."""

    predicate: str
    relation: Relation
    tag: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """All relations, the guaranteed rules, the stages of the counted plane, and what flows in and out.

    Background rows hold from the time at which the window of their span first has a time point.
    """

    relations: tuple[Relation, ...]
    tracked: frozenset[Relation]
    feeds: tuple[Feed, ...]
    clocks: tuple[Clock, ...]
    guaranteed: tuple[PlanRule, ...]
    stages: tuple[Stage, ...]
    outputs: tuple[PlanOutput, ...]
    background: tuple[tuple[Relation, tuple[Value, ...], Span | None], ...]
    counts_facts: int
    loads: tuple[Load, ...] = ()

    def __post_init__(self) -> None:
        for relation, row, _ in self.background:
            expect_arity(self, relation, len(row))

    def _repr_html_(self) -> str:
        from lasing.plan.picture import picture

        return picture(self)
