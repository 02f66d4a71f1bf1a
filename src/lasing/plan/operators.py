"""The operators of a plan: stages of the counted plane that fill a relation in another way than by rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from lasing.logic.functions import AGGREGATES, AggregateFunction, Comparison
from lasing.logic.terms import Term, term_text
from lasing.plan.relations import Relation, Span, expect_arity, misfit

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
        expect_arity(self, self.source, self.target.arity + 1)

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
class Runs(OperatorNode):
    """Rows (args) for which facts came at every time point of the window: `source` has the facts (args) of this time
    point and of the one before."""

    source: Relation
    target: Relation
    window: Span

    def __post_init__(self) -> None:
        expect_arity(self, self.source, self.target.arity)

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def window_of_times(self) -> Span:
        return self.window

    @property
    def unsteady(self) -> str:
        return "runs of facts"

    def columns(self) -> tuple[int, ...]:
        return tuple(range(self.target.arity))

    def __str__(self) -> str:
        return f"always in [{self.window}], by runs"


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
            raise misfit(self, f"{self.target.name} has no column for the time")
        if not all(0 <= key < arguments for key in self.keys or ()):
            raise misfit(self, f"it has {arguments} arguments")

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
        expect_arity(self, self.target, 1)

    @property
    def moves(self) -> bool:
        return True

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
        expect_arity(self, self.source, self.target.arity)

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
        expect_arity(self, self.target, self.source.arity + 1)

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
        expect_arity(self, self.target, self.groups + 1)
        if self.groups > self.source.arity:
            raise misfit(self, f"{self.source.name} has too few columns to group by")

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
class Concat(Fold):
    """The same for an aggregate that needs all rows of a group in their order."""

    @property
    def ordered(self) -> range:
        return range(self.groups, self.source.arity)


@dataclass(frozen=True, slots=True)
class Compared:
    """A test of `Panes`: two terms compare, or do not."""

    comparison: Comparison
    left: Term
    right: Term
    negated: bool = False

    def __str__(self) -> str:
        return f"{'not ' if self.negated else ''}{term_text(self.left)} {self.comparison} {term_text(self.right)}"


@dataclass(frozen=True, slots=True)
class Panes(OperatorNode):
    """Rows (group, values): sums over the facts of a window that are told apart by their time points.

    `source` has the facts of the current time point, of which those count that satisfy all tests; `names` are the
    variables that tests have for its columns. The columns `group_at` group; the values of `functions` are those of the
    column `value_at`, or just numbers of facts. A time point is in the window as the span says.
    """

    functions: tuple[AggregateFunction, ...]
    source: Relation
    target: Relation
    group_at: tuple[int, ...]
    value_at: int | None
    span: Span
    by: tuple[Term, ...]
    origin: int
    names: tuple[Term, ...] = ()
    tests: tuple[Compared, ...] = ()

    def __post_init__(self) -> None:
        expect_arity(self, self.target, len(self.by) + len(self.functions))
        if self.tests and len(self.names) != self.source.arity:
            raise misfit(self, "tests need a name for each column")
        if len(self.group_at) != len(self.by):
            raise misfit(self, "each column that groups has a name")
        columns = (*self.group_at, *(() if self.value_at is None else (self.value_at,)))
        if not all(0 <= column < self.source.arity for column in columns):
            raise misfit(self, f"{self.source.name} has {self.source.arity} columns")
        if not self.functions or not all(AGGREGATES[function].is_sum for function in self.functions):
            raise misfit(self, "only numbers and sums can be added up")
        if self.value_at is None and any(AGGREGATES[function].adds_up for function in self.functions):
            raise misfit(self, "a sum needs a column")

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def window_of_times(self) -> Span:
        return self.span

    @property
    def computed(self) -> tuple[int, str] | None:
        return None if self.value_at is None else (self.value_at, " and ".join(f"#{name}" for name in self.functions))

    @property
    def unsteady(self) -> str:
        return "sums by time point"

    def columns(self) -> tuple[int, ...]:
        return (*self.group_at, *[DATA] * len(self.functions))

    def __str__(self) -> str:
        names = " and ".join(f"#{name}" for name in self.functions)
        of = "" if self.value_at is None else f" of column {self.value_at + 1}"
        by = f" by {', '.join(str(column + 1) for column in self.group_at)}" if self.group_at else ""
        tests = " and ".join(map(str, self.tests))
        given = f" where ({', '.join(map(term_text, self.names))}) satisfies {tests}" if tests else ""
        return f"{names}{of}{by}{given}, added up by time point in [{self.span}]"


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
        expect_arity(self, self.target, self.source.arity)
        if self.groups >= self.source.arity:
            raise misfit(self, f"{self.source.name} has no terms to order by")

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
class WithBound:
    """A test of a `Ranking`: a column of its source compared with a bound, which is the second operand or, if
    `reversed`, the first."""

    column: int
    comparison: Comparison
    reversed: bool = False
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Ranking(OperatorNode):
    """Rows (group, terms, bounds): the greatest, or least, of those rows (group, terms) of `source` that satisfy all
    tests, each of which compares a term with a bound. The first `groups` columns group.

    There is such a row for all bounds that anyone may think of. So no rows are kept: rules that know the group and the
    bounds walk through the source in order.
    """

    greatest: bool
    source: Relation
    target: Relation
    groups: int
    tests: tuple[WithBound, ...]
    origin: int

    def __post_init__(self) -> None:
        expect_arity(self, self.target, self.source.arity + len(self.tests))
        if self.groups >= self.source.arity:
            raise misfit(self, f"{self.source.name} has no terms to order by")
        if not all(self.groups <= test.column < self.source.arity for test in self.tests):
            raise misfit(self, f"tests are about the terms of {self.source.name}")

    @property
    def origin_of_rows(self) -> Relation:
        return self.source

    @property
    def ordered(self) -> range:
        return range(self.groups, self.source.arity)

    def columns(self) -> tuple[int, ...]:
        return (*range(self.source.arity), *(test.column for test in self.tests))

    def __str__(self) -> str:
        end = "last" if self.greatest else "first"
        return f"in order, for #{end} by the first {self.groups} columns, with {len(self.tests)} tests"


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
        expect_arity(self, self.target, self.source.arity + 2)

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
        expect_arity(self, self.target, self.source.arity - (1 if self.how == "at" else 2))

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
