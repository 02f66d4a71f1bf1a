"""A stream that is as asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lasing.connectors.rows import Row
from lasing.logic.program import DataFact


@dataclass(frozen=True, slots=True)
class Witness:
    """A stream that is as asked for: its facts, sorted by time and then by text. It can be passed on as a stream."""

    facts: tuple[DataFact, ...]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Witness:
        """The witness that has these facts."""
        distinct = sorted(set(rows), key=lambda row: (row[0], str(row[1])))
        return cls(tuple(DataFact(time, atom) for time, atom in distinct))

    def __iter__(self) -> Iterator[Row]:
        return ((fact.time, fact.atom) for fact in self.facts)

    def __str__(self) -> str:
        return "\n".join(map(str, self.facts))
