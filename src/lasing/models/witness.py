"""A stream found as the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lasing.errors import LasingError
from lasing.logic.program import Fact
from lasing.timeline.ticks import Tick


@dataclass(frozen=True, slots=True)
class Witness:
    """A stream found as the answer to a question: its facts, sorted by time and then text. It can serve as an input."""

    facts: tuple[Fact, ...]
    tick: Tick | None = field(default=None, compare=False, repr=False)
    """Set if times came in as dates."""

    @classmethod
    def of(cls, facts: Iterable[Fact], tick: Tick | None = None) -> Witness:
        """The witness with these facts."""
        distinct = sorted(set(facts), key=lambda fact: (fact.time, str(fact.atom)))
        return cls(tuple(distinct), tick)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __str__(self) -> str:
        return "\n".join(f"{fact_text(fact, self.tick)}." for fact in self)


def fact_text(fact: Fact, tick: Tick | None) -> str:
    """A fact in the notation of the language, without the full stop."""
    return f"{fact.atom} at {time_text(fact.time, tick)}"


def time_text(time: int, tick: Tick | None) -> str:
    """A time in the notation of the language: with a tick, as a date if it has one."""
    try:
        return str(time) if tick is None else f'"{tick.iso(time)}"'
    except LasingError:  # beyond the calendar
        return str(time)
