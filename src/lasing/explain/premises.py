"""Why a literal of a rule holds: what was found, what was looked for in vain, what was compared, counted or chosen.

A `Found` refers to an atom and a time point. If the atom is derived there, its derivation is elsewhere, so that a
derivation that is used several times is there once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lasing.explain.evidence import Args
from lasing.logic.formulas import Aggregate, Atom, Compare, Formula, Select
from lasing.logic.values import Value
from lasing.timeline.intervals import Interval

Origin = Literal["data", "background", "remembered", "derived"]


@dataclass(frozen=True, slots=True)
class Leaving:
    """When a fact leaves the window through which it was seen: at a time point, or after a number of further facts.
    Neither means that it stays."""

    time: int | None = None
    facts: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The atom holds at a time point."""

    atom: Atom
    time: int
    origin: Origin
    leaving: Leaving = Leaving()
    others: int = 0
    """How many more time points would do."""


@dataclass(frozen=True, slots=True)
class Throughout:
    """The body holds at every time point of an interval."""

    body: Formula
    span: Interval
    each: tuple[Premise, ...]
    """Why, at each time point; for background, one premise is enough."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Nothing makes the formula true."""

    body: Formula
    span: Interval
    """The time points at which it was looked for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison of these values holds."""

    formula: Compare
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Member:
    """A tuple in braces, and why it is there."""

    values: Args
    premises: tuple[Premise, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """The value of an aggregate, and the tuples that it is made of."""

    formula: Aggregate
    value: Value
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tuple that `#first` or `#last` selects, and the next ones that it beat, best first."""

    formula: Select
    member: Member
    beaten: tuple[Args, ...]
    number: int
    """How many tuples there were."""


@dataclass(frozen=True, slots=True)
class All:
    """Several formulas hold together."""

    parts: tuple[Premise, ...]


Premise = Found | Throughout | Absent | Compared | Collected | Chosen | All


def founds(premise: Premise) -> list[Found]:
    """The atoms that a premise rests on."""
    result: list[Found] = []
    stack: list[Premise] = [premise]
    while stack:
        match stack.pop():
            case Found() as found:
                result.append(found)
            case Throughout(each=parts) | All(parts):
                stack.extend(reversed(parts))
            case Collected(members=members):
                stack.extend(part for member in reversed(members) for part in reversed(member.premises))
            case Chosen(member=member):
                stack.extend(reversed(member.premises))
            case Absent() | Compared():
                continue
    return result
