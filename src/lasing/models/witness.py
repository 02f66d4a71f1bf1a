"""A stream that is as asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lasing.connectors.rows import Row
from lasing.errors import LasingError
from lasing.logic.program import DataFact
from lasing.timeline.ticks import Tick


@dataclass(frozen=True, slots=True)
class Witness:
    """A stream that is as asked for: its facts, sorted by time and then by text. It can be passed on as a stream."""

    facts: tuple[DataFact, ...]
    tick: Tick | None = field(default=None, compare=False, repr=False)
    """Where times came in as dates."""

    @classmethod
    def of(cls, rows: Iterable[Row], tick: Tick | None = None) -> Witness:
        """The witness that has these facts."""
        distinct = sorted(set(rows), key=lambda row: (row[0], str(row[1])))
        return cls(tuple(DataFact(time, atom) for time, atom in distinct), tick)

    def __iter__(self) -> Iterator[Row]:
        return ((fact.time, fact.atom) for fact in self.facts)

    def __str__(self) -> str:
        return "\n".join(f"{fact_text(row, self.tick)}." for row in self)


def fact_text(row: Row, tick: Tick | None) -> str:
    """A fact as the language has it, without its full stop."""
    return f"{row[1]} at {time_text(row[0], tick)}"


def time_text(time: int, tick: Tick | None) -> str:
    """A time as the language has it: with a tick, as a date where there is one."""
    try:
        return str(time) if tick is None else f'"{tick.iso(time)}"'
    except LasingError:  # beyond the calendar
        return str(time)
