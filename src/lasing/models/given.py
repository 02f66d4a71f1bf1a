"""The inputs of a task: rows, times and constants, and structures made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from lasing.connectors.missing import Gaps
from lasing.connectors.rows import by_time, merged, time_of, value_of
from lasing.connectors.sources import stream_rows
from lasing.engines.reference.stream import Derived, Facts, Stream
from lasing.engines.reference.structure import background_of
from lasing.errors import fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.values import Value
from lasing.timeline.intervals import Interval

if TYPE_CHECKING:
    from lasing.engines.asp.conditions import TimedAtom
    from lasing.engines.asp.unfolding import Unknowns

Time = int | str | datetime


def all_facts(program: Program, stream: Any, sort: bool, arity: Mapping[str, int], gaps: Gaps) -> list[Fact]:
    """The facts of a program's own text and of a stream, in order and without duplicates."""
    own = by_time(program.data)
    return list(dict.fromkeys(merged([own, stream_rows(stream, program.tick, sort, arity=arity, gaps=gaps)])))


def time_or(given: Time | None, default: int, program: Program) -> int:
    """The given time point, or the default."""
    return default if given is None else time_of(given, program.tick)


def check_timeline(timeline: Interval, now: int, program: Program) -> None:
    """Fail if a time point is not in the timeline."""
    start = program.time_text(timeline.lo)
    end = None if timeline.hi is None else program.time_text(timeline.hi)
    if not timeline:
        raise fault("E306", f"the timeline ends at {end}, before it starts at {start}")
    if now not in timeline:
        until = "" if end is None else f" to {end}"
        raise fault("E306", f"the time point {program.time_text(now)} is not in the timeline, from {start}{until}")


def values_of(constants: Mapping[str, Value] | None) -> dict[str, Value]:
    """The values of the constants."""
    return {name: value_of(value, what=f"the constant {name}") for name, value in (constants or {}).items()}


def facts_at(atoms: Iterable[TimedAtom], now: int) -> Iterator[Fact]:
    """The facts for atoms that an engine found, whose times are relative to now."""
    return (Fact(now + atom.ahead, Atom(atom.predicate, atom.args)) for atom in atoms)


def unknowns(
    program: Program, timeline: Interval, now: int, data: list[Fact], derived: Iterable[Fact] = ()
) -> Unknowns:
    """A structure with this data, in which the derived atoms may hold or not."""
    from lasing.engines.asp.unfolding import Unknowns, possible_values

    stream = Stream(timeline, Facts(data), _derived(derived))
    return Unknowns(stream, background_of(program.all_background()), now, values=possible_values)


def _derived(facts: Iterable[Fact]) -> Derived:
    derived = Derived()
    for time, atom in facts:
        derived.add(time, atom.predicate, atom.values)
    return derived
