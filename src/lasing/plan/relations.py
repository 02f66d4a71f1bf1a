"""What the nodes of a plan are about: relations, and the time windows in which rows stay in them."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.values import Value


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

    def __hash__(self) -> int:
        return hash(self.name)  # Python remembers the hash of a text, and passes look up relations all the time


Where = tuple[tuple[int, Value], ...]
"""Arguments that facts must have: their positions, in order, and their values."""


def expect_arity(node: object, relation: Relation, arity: int) -> None:
    """Raise a `ValueError` if the relation of a node has another number of columns."""
    if relation.arity != arity:
        raise wrong_arity(node, relation, arity)


def wrong_arity(node: object, relation: Relation, arity: int) -> ValueError:
    """The error that the relation of a node does not have this number of columns."""
    return misfit(node, f"{relation.name} has {relation.arity} columns, not {arity}")


def misfit(node: object, why: str) -> ValueError:
    """The error that the parts of a node do not fit together."""
    return ValueError(f"this {type(node).__name__} does not fit: {why}")
