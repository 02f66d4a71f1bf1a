"""The nodes of a plan.

Relations hold rows; *guaranteed* rows carry the time up to which they hold, *counted* ones a number of derivations.
Rules derive rows of one relation from rows of others; facts flow in through `Feed`s. The guaranteed plane comes first,
as one fixpoint; the stages of the counted plane follow in the order of dependencies.

Nodes check their arities when they are made: a pass that loses a column fails right there, not in a kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from lasing.logic.functions import AGGREGATES, AggregateFunction, Comparison
from lasing.logic.tables import FactTable
from lasing.logic.terms import Term, Variable
from lasing.logic.values import Value

NOW = Variable("now")
"""In a plan, the evaluation time. (No variable of a program begins in lower case.)"""


@dataclass(frozen=True, slots=True)
class Span:
    """A time window: from `back` before the pivot (None: from the start) to `ahead` after it.

    If `ahead` is negative, it ends before the pivot.
    """

    back: int | None
    ahead: int = 0
    step: int = 1

    def __str__(self) -> str:
        size = "*" if self.back is None else str(self.back)
        return size + (f",{self.ahead:+}" if self.ahead else "") + (f" step {self.step}" if self.step > 1 else "")

    @property
    def waits(self) -> bool:
        """Whether a time point may be in the window only later than at that time point itself."""
        return self.step > 1 or self.ahead < 0

    @property
    def has_now(self) -> bool:
        """Whether the window may have the time point of evaluation."""
        return self.ahead >= 0


POINT = Span(0)
"""The window of one time point, now."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A set of rows: its predicate and literal, its number of columns, and its plane."""

    name: str
    arity: int
    counted: bool = False


Where = tuple[tuple[int, Value], ...]
"""Arguments that facts must have: their positions, in order, and their values."""


@dataclass(frozen=True, slots=True)
class Feed:
    """Facts become rows while they lie in the span (None: forever); `timed` adds their time as a column, `tag` a
    number. With `where`, only facts with these arguments do, and rows do not have them."""

    predicate: str
    relation: Relation
    span: Span | None
    timed: bool
    tag: int | None = None
    where: Where = ()

    def __post_init__(self) -> None:
        least = self.timed + (self.tag is not None)
        if self.relation.arity < least:
            raise _misfit(self, f"{self.relation.name} has fewer than {least} columns")


@dataclass(frozen=True, slots=True)
class Load:
    """The facts of a background table become rows, from the time at which the window of the span first has a time
    point. With `where`, only facts with these arguments do, and rows do not have them."""

    relation: Relation
    table: FactTable
    span: Span | None
    where: Where = ()

    def __post_init__(self) -> None:
        _expect_arity(self, self.relation, self.table.arity - len(self.where))


@dataclass(frozen=True, slots=True)
class Clock:
    """Rows (u) for the time points of a window; without a span, for all from the start up to now."""

    relation: Relation
    span: Span | None

    def __post_init__(self) -> None:
        _expect_arity(self, self.relation, 1)


@dataclass(frozen=True, slots=True)
class Lookup:
    """A row of a relation, or the absence of one."""

    relation: Relation
    args: tuple[Term, ...]
    negated: bool = False

    def __post_init__(self) -> None:
        if self.relation.arity != len(self.args):  # without a call, because passes make many of these
            raise _wrong_arity(self, self.relation, len(self.args))

    def with_args(self, args: tuple[Term, ...]) -> Lookup:
        """The same lookup with other arguments."""
        return Lookup(self.relation, args, self.negated)


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
    evaluation may begin with, the order of the others; without it, they come as written.
    """

    head: Relation
    args: tuple[Term, ...]
    lookups: tuple[Lookup, ...]
    tests: tuple[Test, ...] = ()
    origin: int = -1
    within: tuple[Variable, Span] | None = None
    timed: bool = False
    orders: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        _expect_arity(self, self.head, len(self.args))
        for begin, order in enumerate(self.orders):
            if sorted((begin, *order)) != list(range(len(self.lookups))):
                raise _misfit(self, f"{order} is not an order of the lookups other than number {begin}")

    @property
    def stamps(self) -> bool:
        """Whether the rule uses the evaluation time."""
        return NOW in self.args


TIME, DATA = -1, -2
"""In place of a column: times of the timeline, or other values."""


class OperatorNode(ABC):
    """A stage that fills one relation, its `target`. It says everything that passes over a plan have to know about it,
    so that a new one needs no change in them."""

    __slots__ = ()
    target: Relation

    @property
    def origin_of_rows(self) -> Relation | None:
        """The relation from which it takes its rows; None if it takes them from the facts themselves."""
        return None

    @property
    def moves(self) -> bool:
        """Whether time alone changes its rows, even if its source stays as it is."""
        return False

    @property
    def window_of_times(self) -> Span | None:
        """The time window in which it looks at the times in its source's rows, if it does."""
        return None

    @property
    def computed(self) -> tuple[int, str] | None:
        """The column of the source whose values it computes with, and what it does, if it does more than copy them."""
        return None

    @property
    def ordered(self) -> range:
        """The columns of the source by which it orders rows, in memory of its own, where times do not move along."""
        return range(0)

    @property
    def unsteady(self) -> str:
        """Why each time point must be evaluated because of it; empty if that is not so."""
        return ""

    @abstractmethod
    def columns(self) -> tuple[int, ...]:
        """What each column of the target holds: the same as a column of the source, by its number, or TIME or DATA."""

    @abstractmethod
    def __str__(self) -> str:
        """What it does, for `lasing check --plan`."""


@dataclass(frozen=True, slots=True)
class Box(OperatorNode):
    """Rows (args) for which `source` has (args, u) at every time point u of the window: a span, or the window of the
    last `window` facts."""

    source: Relation
    target: Relation
    window: Span | int

    def __post_init__(self) -> None:
        _expect_arity(self, self.source, self.target.arity + 1)

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def window_of_times(self) -> Span | None:
        return self.window if isinstance(self.window, Span) else None

    def columns(self) -> tuple[int, ...]:
        return tuple(range(self.target.arity))

    def __str__(self) -> str:
        return f"always in [#{self.window}]" if isinstance(self.window, int) else f"always in [{self.window}]"


@dataclass(frozen=True, slots=True)
class LastFacts(OperatorNode):
    """Rows (args, T) of a predicate among the last facts: of the stream, or, with `keys`, for each value in these
    columns."""

    predicate: str
    target: Relation
    facts: int
    keys: tuple[int, ...] | None

    def __post_init__(self) -> None:
        arguments = self.target.arity - 1
        if arguments < 0:
            raise _misfit(self, f"{self.target.name} has no column for the time")
        if not all(0 <= key < arguments for key in self.keys or ()):
            raise _misfit(self, f"it has {arguments} arguments")

    def columns(self) -> tuple[int, ...]:
        return (*[DATA] * (self.target.arity - 1), TIME)

    def __str__(self) -> str:
        by = "" if self.keys is None else f" by {', '.join(str(key + 1) for key in self.keys)}"
        return f"last facts: {self.predicate} in [#{self.facts}{by}]"


@dataclass(frozen=True, slots=True)
class FactPoints(OperatorNode):
    """Rows (u) for the time points of the window of the last `facts`: from the oldest of them to now."""

    target: Relation
    facts: int

    def __post_init__(self) -> None:
        _expect_arity(self, self.target, 1)

    @property
    def moves(self) -> bool:
        return True

    @property
    def ordered(self) -> range:
        """The columns of the source by which it orders rows, in memory of its own, where times do not move along."""
        return range(0)

    @property
    def unsteady(self) -> str:
        return "background at the time points of a window of facts"

    def columns(self) -> tuple[int, ...]:
        return (TIME,)

    def __str__(self) -> str:
        return f"the time points of [#{self.facts}]"


@dataclass(frozen=True, slots=True)
class Gate(OperatorNode):
    """The counted rows (args, u) of `source` while u lies in the span."""

    source: Relation
    target: Relation
    span: Span

    def __post_init__(self) -> None:
        _expect_arity(self, self.source, self.target.arity)

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def window_of_times(self) -> Span:
        return self.span

    def columns(self) -> tuple[int, ...]:
        return tuple(range(self.target.arity))

    def __str__(self) -> str:
        return f"in [{self.span}]"


@dataclass(frozen=True, slots=True)
class Stamp(OperatorNode):
    """The rows (args) of `source` that are present now, as (args, now)."""

    source: Relation
    target: Relation

    def __post_init__(self) -> None:
        _expect_arity(self, self.target, self.source.arity + 1)

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def moves(self) -> bool:
        return True

    def columns(self) -> tuple[int, ...]:
        return (*range(self.source.arity), TIME)

    def __str__(self) -> str:
        return "with the time"


@dataclass(frozen=True, slots=True)
class Fold(OperatorNode):
    """Rows (group, value): an aggregate over the rows (group, terms) of `source`; the first columns group.

    `by` has what the program calls those columns.
    """

    function: AggregateFunction
    source: Relation
    target: Relation
    by: tuple[Term, ...]
    origin: int

    @property
    def groups(self) -> int:
        """How many columns group."""
        return len(self.by)

    def __post_init__(self) -> None:
        _expect_arity(self, self.target, self.groups + 1)
        if self.groups > self.source.arity:
            raise _misfit(self, f"{self.source.name} has too few columns to group by")

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def computed(self) -> tuple[int, str] | None:
        return None if AGGREGATES[self.function].weight == "one" else (self.groups, f"#{self.function}")

    def columns(self) -> tuple[int, ...]:
        return (*range(self.groups), DATA if AGGREGATES[self.function].picks is None else self.groups)

    def __str__(self) -> str:
        return f"#{self.function} by the first {self.groups} columns"


@dataclass(frozen=True, slots=True)
class Extremes(OperatorNode):
    """The rows (group, terms) of `source` that are among the `most` greatest, or least, of their group; the first
    `groups` columns group."""

    greatest: bool
    most: int
    source: Relation
    target: Relation
    groups: int
    origin: int

    def __post_init__(self) -> None:
        _expect_arity(self, self.target, self.source.arity)
        if self.groups >= self.source.arity:
            raise _misfit(self, f"{self.source.name} has no terms to order by")

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def ordered(self) -> range:
        return range(self.groups, self.source.arity)

    def columns(self) -> tuple[int, ...]:
        return tuple(range(self.target.arity))

    def __str__(self) -> str:
        number = "" if self.most == 1 else f" {self.most}"
        return f"#{'last' if self.greatest else 'first'}{number} by the first {self.groups} columns"


@dataclass(frozen=True, slots=True)
class Remember(OperatorNode):
    """The runs of time points at which rows (args) of a derived stream held: rows (args, begin, length).

    All windows over the stream learn from here what has begun and what has ended. With `points`, some of them need each
    time point of a run.
    """

    predicate: str
    source: Relation
    target: Relation
    points: bool = False

    def __post_init__(self) -> None:
        _expect_arity(self, self.target, self.source.arity + 2)

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def moves(self) -> bool:
        return self.points

    @property
    def unsteady(self) -> str:
        return "a derived stream"

    def columns(self) -> tuple[int, ...]:
        return (*range(self.source.arity), TIME, DATA)

    def __str__(self) -> str:
        return "remember"


@dataclass(frozen=True, slots=True)
class Recall(OperatorNode):
    """A window over a derived stream: rows (args) that held at some or all of its time points, or rows (args, T).

    `source` has the runs. If `past`, the window does not contain now, and is ready before anything is derived.
    """

    source: Relation
    target: Relation
    span: Span
    how: Literal["in", "always", "at"]
    past: bool

    def __post_init__(self) -> None:
        _expect_arity(self, self.target, self.source.arity - (1 if self.how == "at" else 2))

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def window_of_times(self) -> Span:
        return self.span

    def columns(self) -> tuple[int, ...]:
        return (*range(self.source.arity - 2), TIME) if self.how == "at" else tuple(range(self.target.arity))

    def __str__(self) -> str:
        how = {"in": "in", "always": "always in", "at": "at T in"}[self.how]
        return f"remembered {how} [{self.span}]{' before now' if self.past else ''}"


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
            _expect_arity(self, copy, relation.arity)


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
            _expect_arity(self, relation, len(row))


def _expect_arity(node: object, relation: Relation, arity: int) -> None:
    if relation.arity != arity:
        raise _wrong_arity(node, relation, arity)


def _wrong_arity(node: object, relation: Relation, arity: int) -> ValueError:
    return _misfit(node, f"{relation.name} has {relation.arity} columns, not {arity}")


def _misfit(node: object, why: str) -> ValueError:
    return ValueError(f"this {type(node).__name__} does not fit: {why}")
