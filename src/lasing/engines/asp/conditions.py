"""Conditions: propositional formulas over atoms that may or may not hold.

They are built simplified and in negation normal form: only atoms are negated, and the weights of sums are positive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from lasing.logic.values import Value


@dataclass(frozen=True, slots=True)
class TimedAtom:
    """A ground atom at a time point, given relative to now: what stays the same as time passes compares equal."""

    ahead: int
    predicate: str
    args: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom holds, or, if `negated`, does not."""

    atom: TimedAtom
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """All parts hold; there are at least two."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Some part holds; there are at least two."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The weights of the parts that hold sum to at least the bound. Weights are positive; it is not trivially true."""

    bound: int
    parts: tuple[tuple[Condition, int], ...]


Condition = bool | Literal | AllOf | AnyOf | AtLeast


def all_of(parts: Iterable[Condition]) -> Condition:
    """The conjunction of conditions.

    >>> p = Literal(TimedAtom(0, "p", ()))
    >>> all_of([True, p, p]) == p, all_of([p, False]), all_of([])
    (True, False, True)
    """
    kept: dict[Condition, None] = {}
    for part in parts:
        if part is False:
            return False
        if isinstance(part, AllOf):
            kept.update(dict.fromkeys(part.parts))
        elif part is not True:
            kept[part] = None
    return next(iter(kept)) if len(kept) == 1 else AllOf(tuple(kept)) if kept else True


def any_of(parts: Iterable[Condition]) -> Condition:
    """The disjunction of conditions; it stops at the first that is true."""
    kept: dict[Condition, None] = {}
    for part in parts:
        if part is True:
            return True
        if isinstance(part, AnyOf):
            kept.update(dict.fromkeys(part.parts))
        elif part is not False:
            kept[part] = None
    return next(iter(kept)) if len(kept) == 1 else AnyOf(tuple(kept)) if kept else False


def at_least(bound: int, parts: Iterable[tuple[Condition, int]]) -> Condition:
    """The weights of the conditions that hold sum to at least the bound. Weights may be negative."""
    weights: dict[Condition, int] = {}
    for part, weight in parts:
        if part is True:
            bound -= weight
        elif part is not False:
            weights[part] = weights.get(part, 0) + weight
    kept: list[tuple[Condition, int]] = []
    for part, weight in weights.items():
        if weight < 0:  # if it does not hold, its weight is saved
            bound -= weight
            kept.append((negation(part), -weight))
        elif weight > 0:
            kept.append((part, weight))
    if bound <= 0:
        return True
    if sum(weight for _, weight in kept) < bound:
        return False
    if all(weight >= bound for _, weight in kept):
        return any_of(part for part, _ in kept)
    return AtLeast(bound, tuple(kept))


def negation(condition: Condition) -> Condition:
    """The condition that holds exactly if this one does not.

    >>> p, q = (Literal(TimedAtom(0, name, ())) for name in "pq")
    >>> negation(all_of([p, q])) == any_of([negation(p), negation(q)])
    True
    """
    match condition:
        case bool():
            return not condition
        case Literal(atom, negated):
            return Literal(atom, not negated)
        case AllOf(parts):
            return any_of(map(negation, parts))
        case AnyOf(parts):
            return all_of(map(negation, parts))
        case AtLeast(bound, weighted):
            total = sum(weight for _, weight in weighted)
            return at_least(total - bound + 1, [(negation(part), weight) for part, weight in weighted])
        case _:
            assert_never(condition)


def literals(condition: Condition) -> Iterator[Literal]:
    """The literals of a condition."""
    match condition:
        case bool():
            return
        case Literal():
            yield condition
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from literals(part)
        case AtLeast(_, weighted):
            for part, _ in weighted:
                yield from literals(part)
        case _:
            assert_never(condition)


def holds_in(condition: Condition, atoms: set[TimedAtom] | frozenset[TimedAtom]) -> bool:
    """Whether a condition holds if exactly these atoms hold."""
    match condition:
        case bool():
            return condition
        case Literal(atom, negated):
            return (atom in atoms) != negated
        case AllOf(parts):
            return all(holds_in(part, atoms) for part in parts)
        case AnyOf(parts):
            return any(holds_in(part, atoms) for part in parts)
        case AtLeast(bound, weighted):
            return sum(weight for part, weight in weighted if holds_in(part, atoms)) >= bound
        case _:
            assert_never(condition)
