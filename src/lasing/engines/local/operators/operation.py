"""What all operators have in common: an operation in the arena, the signature of its kernel, and how it is encoded.

    | KERNEL | the fields of the operator ... |       OPERATION words

A plan is a sequence of operations. `execute` runs through them, and calls each kernel by its address, in word KERNEL:

    kernel(m, op, t, fired, texts)

with the arena, the place of the operation in it, the time point, the calendar's entries for it, and the text of names.
A kernel takes what has changed in its inputs at this tick and updates its output. It is compiled when the first plan
that uses it is laid out.

A file of this folder holds one operator: its law, its fields, its kernel, and how a node of the plan becomes an
operation. `table` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from lasing.engines.local.values import SMALL
from lasing.logic.functions import Function
from lasing.logic.terms import Term
from lasing.logic.values import Value
from lasing.plan.nodes import PlanRule
from lasing.plan.operators import Ranking
from lasing.plan.relations import Relation, Span

KERNEL = 0
FIELDS = 1
"""The first word that belongs to the operator."""
OPERATION = 10
"""How many words an operation has."""

Fields = dict[int, int]
"""The words of an operation, by their place in it; others are 0."""
Node = TypeVar("Node")


class Layout(Protocol):
    """The arena under construction: where words are put, and where relations, constants and indices are."""

    words: list[int]
    indices: dict[Relation, list[tuple[int, ...]]]

    def put(self, words: Sequence[int]) -> int:
        """Append words. Returns where they are."""
        ...

    def at(self, relation: Relation) -> int:
        """Where a relation's descriptor is."""
        ...

    def own(self, node: object, number: int = 0) -> int:
        """Where the descriptor of this node's own relation is, or of one of several."""
        ...

    def operations_from(self, relation: Relation) -> list[int]:
        """Where the operations are that take their rows from a relation."""
        ...

    def ranking(self, target: Relation) -> tuple[Ranking, int]:
        """The ranking through which rules walk that look something up in a relation, and where its operation is."""
        ...

    def log(self) -> int:
        """Where the descriptor of the log of all facts is."""
        ...

    def predicate(self, name: str) -> int:
        """The number of a predicate whose facts feed something."""
        ...

    def feed(self, predicate: str, op: int) -> None:
        """Send the facts of a predicate directly to an operation (see `last.push_out`)."""
        ...

    def question(self, function: Function, operands: int) -> int:
        """The number that kernels use to ask for a function of this many operands that they cannot compute."""
        ...

    def variants(
        self, rules: Sequence[PlanRule], counted: bool, scratch: bool = False, first: bool = False
    ) -> list[int]:
        """Where the variants of rules are (see `variants`)."""
        ...

    def tests(self, rule: PlanRule) -> int:
        """Where the variant of a rule is that is not applied, but says how to test a row of its only lookup."""
        ...

    def constant(self, value: Value) -> int:
        """The register of a constant."""
        ...

    def index(self, relation: Relation, columns: tuple[int, ...]) -> int:
        """The number of an index of a relation on some of these columns, or -1."""
        ...

    def noted(self, relation: Relation) -> int:
        """Where the descriptor is of those rows of a passing relation that gave instances without a value; or 0."""
        ...

    def keeping(self) -> list[int]:
        """Where the descriptors are of relations that keep longer guarantees of their rows back."""
        ...

    def rule_count(self) -> int:
        """How many rules there are."""
        ...

    def shows(self, made_by: int, rule: int, terms: tuple[Term, ...]) -> None:
        """Note which variables an example of a rule shows if a variant or an operation makes one."""
        ...


@dataclass(frozen=True, slots=True)
class Own:
    """A relation that an operation needs for itself: its rows wait for the calendar, or have more words."""

    relation: Relation
    waits: bool = False
    more: int = 0
    """How many words an operation keeps in a row."""
    codes: tuple[int, ...] = ()
    """Which of them are codes of values, which change when values are forgotten."""
    block: int | None = None
    """Which of them is the place of a block of memory that the row owns, or 0 if it owns none."""
    codes_in_block: int | None = None
    """If the words of the block are codes, too: which of the row's words has their number."""
    indexed: bool = True
    """Whether rows are looked up."""


@dataclass(frozen=True, slots=True)
class Operator(Generic[Node]):
    """How the nodes of one kind become operations."""

    node: type[Node]
    kernel: Any
    encode: Callable[[Node, Layout, int], Fields]
    """The fields of a node's operation, which will be at that place."""
    own: Callable[[Node], Own | tuple[Own, ...]] | None = None
    """The relation, or relations, that the operation needs for itself."""
    reads_log: Callable[[Node], bool] = lambda _: False
    """Whether it reads the log of all facts."""
    index: Callable[[Node], tuple[Relation, tuple[int, ...]] | None] = lambda _: None
    """An index that it needs, on some columns of a relation; it is that relation's second one, or its only one."""
    only_index: bool = False
    """Whether rows of that relation are found by that index alone."""
    times: tuple[int, ...] = ()
    """Which fields are time points near now: they move along when idle time is skipped."""


def span_words(span: Span | int | None) -> tuple[int, int, int]:
    """A window as kernels take it: how far back (negative: to the start), how far ahead, the step."""
    assert not isinstance(span, int)
    if span is None:
        return -1, 0, 1
    back = -1 if span.back is None or span.back >= SMALL else span.back
    return back, min(span.ahead, SMALL), min(span.step, SMALL)
