"""Where the rules of a program came from, if it was written in another language: how its own words name what they hold.

A front end that makes rules says which predicates its reader knows, and what the others are for. Explanations then
speak of rows, triples and events, and put what a helper predicate rests on in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lasing.errors import SourceText

Form = Literal["row", "triple", "event", "interval"]
"""A row of a table, a triple of a graph, an event, or an event whose last two arguments are its start and end."""

Purpose = Literal["part", "context", "value", "detail"]
"""`part`: what a helper rests on belongs to what uses it. `context`: rows of the query around a subquery, which the
pattern of the subquery does not repeat. `value`: its last argument is computed from a group. `detail`: a reader knows
it without being told, such as that a group exists that has members."""


@dataclass(frozen=True, slots=True)
class Said:
    """A predicate that the reader of a program knows."""

    form: Form
    name: str
    """What its atoms are called: `readings`, `<out>`, `Temp`."""
    columns: tuple[str, ...] = ()
    """The names of the first arguments; further ones are not shown."""
    source: SourceText | None = None
    offset: int = -1
    """Where the statement begins that makes it; -1 if the places of its rules tell."""

    def place(self) -> str:
        """The place of the statement, as text; empty if there is none."""
        return "" if self.source is None or self.offset < 0 else str(self.source.place(self.offset, 1))


@dataclass(frozen=True, slots=True)
class Helper:
    """A predicate that only the translation knows."""

    purpose: Purpose = "part"
    absent: str = ""
    """A key of `Provenance.words`: what it means that there is no such atom."""
    via: str = ""
    """What to add to the facts that it rests on: `in WINDOW <w>`."""


PART = Helper()


@dataclass(frozen=True, slots=True)
class Provenance:
    """How to speak of the predicates and variables of a program that was made from another language."""

    rule: str
    """What a rule is called: `query`, `rule`."""
    said: Mapping[str, Said]
    helpers: Mapping[str, Helper] = field(default_factory=dict)
    """What predicates are for. One that is neither here nor in `said` is a part of what uses it."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The names of variables in the text that have another one in the rules."""
    words: Mapping[str, str] = field(default_factory=dict)
    """What to say before the pattern of a helper that does not hold: `OPTIONAL: nothing matches`."""

    counts: frozenset[str] = frozenset()
    """Variables of the translation that say how often a row is there. No condition on them is told."""

    def is_count(self, name: str) -> bool:
        """Whether a variable only counts copies of a row.

        >>> named = Provenance("query", {}, variables={"Left": "left"}, counts=frozenset(("Left", "Times")))
        >>> [named.is_count(name) for name in ("Times_3", "Left_2", "Value")]
        [True, False, False]
        """
        stem = _stem(name)
        return stem in self.counts and stem not in self.variables

    def helper(self, predicate: str) -> Helper:
        return self.helpers.get(predicate, PART)

    def variable(self, name: str) -> str:
        """What the text calls a variable.

        >>> Provenance("query", {}, variables={"Room": "?room"}).variable("Room_2")
        '?room'
        """
        stem = name if name in self.variables else _stem(name)
        return self.variables.get(stem, stem)


def _stem(name: str) -> str:
    """A variable without the number that a translation added."""
    stem, _, number = name.rpartition("_")
    return stem if stem and number.isdigit() else name
