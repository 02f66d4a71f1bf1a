"""Facts as every source yields them, in order of time, and how Python values become theirs."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from math import isfinite
from operator import itemgetter

from lasing.errors import Diagnostic, LasingError, Place, fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.values import LARGEST, SMALLEST, Boxed, Value, is_value
from lasing.logic.values.texts import is_unicode
from lasing.timeline.limits import LIMIT, check_time
from lasing.timeline.ticks import Tick, parse_time, time_text

Arity = Mapping[str, int]
"""The number of arguments of each predicate in the program."""


class EventArity(dict[str, int]):
    """The number of arguments of each predicate in a program that declares events.

    A stream of events may have some that are not as declared: they are left out and counted, with one example for each
    predicate and number of arguments.
    """

    def __init__(self, arity: Arity, events: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(arity)
        self.events = events
        self.left_out: Counter[tuple[str, int]] = Counter()
        self.examples: dict[tuple[str, int], str] = {}

    def leave_out(self, atom: Atom, place: Place | None, values: int | None = None) -> None:
        """Count a fact, with its number of values if some of them are missing."""
        shape = (atom.predicate, len(atom.args) if values is None else values)
        self.left_out[shape] += 1
        self.examples.setdefault(shape, f"{atom}" if place is None else f"{atom} in {place.source}:{place.line}")

    def warnings(self) -> list[Diagnostic]:
        """What was left out, as warnings."""
        found = []
        for (predicate, number), count in sorted(self.left_out.items()):
            facts = f"{count:,} fact{'s'[: count != 1]} of {predicate}"
            values = f"{number} value{'s'[: number != 1]}"
            example = self.examples[predicate, number]
            message = f"{facts} left out: {values} instead of {self[predicate]}; for example {example}"
            declared = ", ".join(self.events[predicate])
            found.append(Diagnostic("W207", message, note=f"its attributes are {declared}" if declared else ""))
        return found


def check_arity(atom: Atom, arity: Arity | None, place: Callable[[], Place | None]) -> bool:
    """Whether a fact has as many arguments as in the program. If not, fail, unless it is an event to leave out."""
    known = len(atom.args) if arity is None else arity.get(atom.predicate, len(atom.args))
    if known == len(atom.args):
        return True
    if isinstance(arity, EventArity) and atom.predicate in arity.events:
        arity.leave_out(atom, place())
        return False
    count = f"{len(atom.args)} argument{'s'[: len(atom.args) != 1]}"
    raise fault("E508", f"{atom} has {count}, but {atom.predicate} has {known} in the program", place())


def merged(sources: Iterable[Iterable[Fact]]) -> Iterator[Fact]:
    """The rows of several sources by time; at the same time point, in the order of the sources."""
    return heapq.merge(*sources, key=itemgetter(0))


def by_time(rows: Iterable[Fact]) -> list[Fact]:
    """All rows, sorted by time; rows of the same time point keep their order."""
    return sorted(rows, key=itemgetter(0))


def value_of(thing: object, place: Place | None = None, what: str = "a value") -> Value:
    """The value for a Python value. Numbers, text and the classes of `logic.values` stay as they are. Python's truth
    values and dates become text, and its decimals become the integer or double that a program would read.

    >>> value_of(1.0), value_of(True), value_of("a b")
    (1, 'true', 'a b')
    """
    match thing:
        case bool():
            return "true" if thing else "false"
        case str():
            if not is_unicode(thing):
                raise fault("E506", f"{what} is not Unicode text: {ascii(thing)[:60]}", place)
            return str(thing)
        case int():
            if not SMALLEST <= thing <= LARGEST:
                raise fault("E506", f"{what} is beyond 64 bits: {_short(thing)}", place)
            return int(thing)
        case float():
            if not isfinite(thing):
                raise fault("E506", f"{what} is {thing}, which is not a number", place, "leave such rows out")
            return int(thing) if thing.is_integer() and SMALLEST <= thing <= LARGEST else float(thing)
        case Decimal():
            if not thing.is_finite() or not isfinite(float(thing)):
                raise fault("E506", f"{what} is {_short(thing)}, which fits no double", place, "leave such rows out")
            return int(thing) if SMALLEST <= thing <= LARGEST and thing == int(thing) else float(thing)
        case date() if not is_missing(thing):
            return thing.isoformat()
        case Boxed():
            if not is_value(thing):
                raise fault("E506", f"{what} is of type {type(thing).__name__}", place, "values are numbers and text")
            return thing
    if is_missing(thing):
        raise fault("E506", f"{what} is missing", place, "leave such rows out, or fill the value in")
    item = getattr(thing, "item", None)  # NumPy's scalars
    if callable(item):
        return value_of(item(), place, what)
    raise fault("E506", f"{what} is of type {type(thing).__name__}", place, "values are numbers and text")


def is_missing(thing: object) -> bool:
    """Whether a Python value marks a missing value: None, and its counterparts in pandas and NumPy."""
    kind = type(thing)
    if kind.__name__ == "datetime64" and kind.__module__ == "numpy":
        return str(thing) == "NaT"
    return thing is None or kind.__name__ in ("NAType", "NaTType")


def time_of(thing: object, tick: Tick | None, place: Place | None = None) -> int:
    """The time point for a Python value: a whole number, or a date and time where the program has a #tick."""
    if type(thing) is int and -LIMIT < thing < LIMIT:  # as nearly always
        return thing
    if not isinstance(thing, int | float | str | date) and callable(item := getattr(thing, "item", None)):
        return time_of(item(), tick, place)  # NumPy's scalars
    if isinstance(thing, str | date):
        try:
            return parse_time(str(thing).strip(), tick)
        except LasingError as error:
            d = error.diagnostics[0]
            raise fault(d.code, d.message, place, d.note) from None
    value = value_of(thing, place, "the time")
    if not isinstance(value, int) or isinstance(thing, bool):
        raise fault("E502", f"{value} is not a time", place, "write a whole number, or an ISO 8601 date and time")
    return check_time(value, place)


def late(time: int, last: int, place: Place, tick: Tick | None) -> Exception:
    """The error for a row that is older than the previous one."""
    shown = tick if tick is not None and tick.reads_dates else None
    return fault(
        "E504",
        f"this row is out of order: time {time_text(time, shown)} after {time_text(last, shown)}",
        place,
        "sort the stream by time, or let lasing sort it: --sort on the command line, sort=True in Python;\n"
        "a live stream can be read with a delay: --delay, delay=",
    )


def _short(thing: object) -> str:
    text = str(thing) if not isinstance(thing, int) or abs(thing) < 10**40 else f"about 10^{len(hex(thing)) * 6 // 5}"
    return text if len(text) <= 60 else text[:60] + "…"
