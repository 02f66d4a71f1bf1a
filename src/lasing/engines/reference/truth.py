"""Truth algebras: what a formula evaluates to.

The entailment relation says how the truth of a formula follows from that of its parts. It leaves open what truth is: a
truth value, or a condition on atoms that may hold or not. An algebra has the truth of atoms, and ¬, ∧ and ∨.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from lasing.engines.reference.stream import Args, Stream
from lasing.engines.reference.structure import Structure
from lasing.logic.formulas import Aggregate, Select
from lasing.logic.terms import Substitution

S = TypeVar("S", bound=Structure, contravariant=True)
Truth = TypeVar("Truth")


class Algebra(Protocol[S, Truth]):
    """A kind of truth, in structures of a kind."""

    def atom(self, m: S, s: Stream, t: int, predicate: str, args: Args) -> Truth:
        """M, S, t ⊩ a, for a ground atom a."""
        ...

    def aggregate(self, m: S, s: Stream, t: int, formula: Aggregate, sub: Substitution) -> Truth:
        """Whether an aggregate compares with its bound as the formula requires."""
        ...

    def select(self, m: S, s: Stream, t: int, formula: Select, sub: Substitution) -> Truth:
        """Whether the targets of a selection are among the tuples that it selects."""
        ...

    def known(self, truth: bool) -> Truth:
        """Something that is true or false whatever holds in the stream."""
        ...

    def negation(self, truth: Truth) -> Truth: ...

    def all_of(self, truths: Iterable[Truth]) -> Truth: ...

    def any_of(self, truths: Iterable[Truth]) -> Truth: ...
