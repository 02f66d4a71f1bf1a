"""The nodes of a plan.

Relations hold rows; *guaranteed* ones carry until when they hold, *counted* ones a number of derivations. Rules
derive rows of one relation from rows of others. Facts flow in through `Feed`s; a `Box` and `LastFacts` are what is no
rule. The guaranteed plane comes first, as one fixpoint; the stages of the counted plane follow in the order of
dependencies.
"""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.formulas import Comparison
from lasing.logic.terms import Term, Value, Variable


@dataclass(frozen=True, slots=True)
class Relation:
    """A set of rows: of which predicate and literal, how many columns, in which plane."""

    name: str
    arity: int
    counted: bool


@dataclass(frozen=True, slots=True)
class Feed:
    """Facts become rows, guaranteed for `back` more time points (None: for ever); `timed` adds their time."""

    predicate: str
    relation: Relation
    back: int | None
    timed: bool


@dataclass(frozen=True, slots=True)
class Lookup:
    """A row of a relation, or the absence of one. `limit` (T, n) cuts its guarantee at T + n."""

    relation: Relation
    args: tuple[Term, ...]
    negated: bool = False
    limit: tuple[Variable, int] | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of terms, or its negation; `=` with an unbound variable on one side binds it."""

    comparison: Comparison
    left: Term
    right: Term
    negated: bool = False


@dataclass(frozen=True, slots=True)
class PlanRule:
    """`head(args) :- lookups, tests`; `origin` is the number of the program's rule, -1 for one that the plan adds."""

    head: Relation
    args: tuple[Term, ...]
    lookups: tuple[Lookup, ...]
    tests: tuple[Test, ...] = ()
    origin: int = -1


@dataclass(frozen=True, slots=True)
class Box:
    """Rows (args) for which `source` has (args, u) at every time point u of the window of size `back`."""

    source: Relation
    target: Relation
    back: int


@dataclass(frozen=True, slots=True)
class LastFacts:
    """Rows (args, T) of a predicate among the last facts: of the stream, or, with `keys`, of each value at these
    columns."""

    predicate: str
    target: Relation
    facts: int
    keys: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Derive:
    """Apply counted rules, and settle their heads."""

    rules: tuple[PlanRule, ...]
    heads: tuple[Relation, ...]


Stage = Box | LastFacts | Derive


@dataclass(frozen=True, slots=True)
class Plan:
    """All relations, the guaranteed rules, the stages of the counted plane, and what flows in and out."""

    relations: tuple[Relation, ...]
    tracked: frozenset[Relation]
    feeds: tuple[Feed, ...]
    guaranteed: tuple[PlanRule, ...]
    stages: tuple[Stage, ...]
    outputs: dict[str, Relation]
    background: tuple[tuple[Relation, tuple[Value, ...]], ...]
    counts_facts: int
