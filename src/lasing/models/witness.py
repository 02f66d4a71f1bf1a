"""A stream found as the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lasing.connectors.rows import Row
from lasing.errors import LasingError
from lasing.logic.program import DataFact
from lasing.timeline.ticks import Tick


@dataclass(frozen=True, slots=True)
class Witness:
    """A stream found as the answer to a question: its facts, sorted by time and then text. It can serve as an input."""

    facts: tuple[DataFact, ...]
    tick: Tick | None = field(default=None, compare=False, repr=False)
    """Set if times came in as dates."""

    @classmethod
    def of(cls, rows: Iterable[Row], tick: Tick | None = None) -> Witness:
        """The witness with these facts."""
        distinct = sorted(set(rows), key=lambda row: (row[0], str(row[1])))
        return cls(tuple(DataFact(time, atom) for time, atom in distinct), tick)

    def __iter__(self) -> Iterator[Row]:
        return ((fact.time, fact.atom) for fact in self.facts)

    def __str__(self) -> str:
        return "\n".join(f"{fact_text(row, self.tick)}." for row in self)


def fact_text(row: Row, tick: Tick | None) -> str:
    """A fact in the notation of the language, without the full stop."""
    return f"{row[1]} at {time_text(row[0], tick)}"


def time_text(time: int, tick: Tick | None) -> str:
    """A time in the notation of the language: with a tick, as a date if it has one."""
    try:
        return str(time) if tick is None else f'"{tick.iso(time)}"'
    except LasingError:  # beyond the calendar
        return str(time)
