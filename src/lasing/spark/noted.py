"""What the slices of a history note beside their rows, and how it gets to the driver: as a Spark accumulator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from lasing.entailment.contradictions import Contradiction
from lasing.errors import warn


@dataclass(slots=True)
class SliceNotes:
    """What was left out in one shard of one slice, with examples, and the inconsistent data that a query has met."""

    left_out: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)
    contradiction: Contradiction | None = None

    def __bool__(self) -> bool:
        return bool(self.left_out) or self.contradiction is not None


Notes = dict[int, SliceNotes]
"""By place. A slice that Spark evaluates twice has the same notes again, which count once."""


def left_out(notes: Notes) -> Counter[str]:
    """What all slices have left out."""
    return sum((Counter(one.left_out) for one in notes.values()), Counter[str]())


def examples(notes: Notes) -> dict[str, str]:
    """One example for each name in `left_out`."""
    return {name: text for one in reversed(notes.values()) for name, text in one.examples.items()}


def contradiction(notes: Notes) -> Contradiction | None:
    """The inconsistent data that all slices have met."""
    found: Contradiction | None = None
    for one in notes.values():
        found = found if one.contradiction is None else one.contradiction.joined(found)
    return found


class Gathering:
    """How notes add up, in the form of Spark's `AccumulatorParam`. The driver `warns` about inconsistent data."""

    def __init__(self, warns: bool = False) -> None:
        self._warns = warns

    def __reduce__(self) -> tuple[type[Gathering], tuple[()]]:
        return Gathering, ()  # workers do not warn

    def zero(self, _: Notes) -> Notes:
        return {}

    def addInPlace(self, known: Notes, more: Notes) -> Notes:  # noqa: N802 -- Spark's name
        known.update(more)
        if self._warns and (found := contradiction(known)) is not None:
            self._warns = False
            warn(found.findings())
        return known


def noting(spark: Any, warns: bool) -> Any:
    """An accumulator for `Notes`. If it `warns`, it does so in the driver, about the first inconsistency that comes."""
    return spark.sparkContext.accumulator({}, Gathering(warns))
