"""The layer below `Engine`: an engine that takes facts in its own form and keeps the raw window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Protocol

from lasing.connectors.arrow import is_frame, table_of
from lasing.connectors.rows import EventArity, is_missing, value_of
from lasing.errors import Diagnostic, LasingError, fault, similar
from lasing.live.updates import ChangeSource
from lasing.logic.answers import Answer
from lasing.logic.examples import Examples
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.runs import Run
from lasing.logic.values import is_name

Facts = Iterable[tuple[object, ...] | Atom] | Mapping[str, Any]
"""Tuples such as ("temp", "s1", 70), atoms, or data frames by predicate, whose columns are the arguments."""


_ONLY_TUPLES = frozenset([tuple])


def checked(facts: object) -> list[tuple[object, ...]] | Mapping[str, Any]:
    """Facts as tuples, or as data frames by predicate; anything else is refused."""
    if type(facts) is list and set(map(type, facts)) <= _ONLY_TUPLES and () not in facts:  # as nearly always
        return facts.copy()
    if isinstance(facts, Mapping):
        return facts
    note = 'facts are a list of tuples such as ("temp", "s1", 70), or a dictionary of data frames by predicate'
    if isinstance(facts, str | bytes | Atom) or is_frame(facts) or not isinstance(facts, Iterable):
        raise fault("E510", f"a {type(facts).__name__} is not a list of facts", note=note)
    given = list(facts)
    if set(map(type, given)) <= {tuple}:
        if () in given:
            raise fault("E510", "an empty tuple is not a fact", note=note)
        return given
    tuples: list[tuple[object, ...]] = []
    for fact in given:
        if isinstance(fact, Atom):
            tuples.append((fact.predicate, *fact.args))
        elif isinstance(fact, tuple | list) and fact:
            tuples.append(tuple(fact))
        else:
            raise fault("E510", f"{fact!r} is not a fact", note=note)
    return tuples


def without_misfits(facts: list[tuple[object, ...]], events: EventArity) -> list[tuple[object, ...]]:
    """The facts without those of events that have too few or too many values, which are counted."""
    kept = []
    for fact in facts:
        predicate = fact[0]
        if isinstance(predicate, str) and events.get(predicate, len(fact) - 1) != len(fact) - 1:
            known = (arg for arg in fact[1:] if not is_missing(arg))
            events.leave_out(Atom(predicate, tuple(map(value_of, known))), None, len(fact) - 1)
        else:
            kept.append(fact)
    return kept


def declared_columns(frames: Mapping[str, Any], events: EventArity, time: str | None = None) -> Mapping[str, Any]:
    """The tables of events with the columns that are declared, in that order, and their time if they have one."""
    return {p: _declared(p, frame, events.events[p], time) if p in events else frame for p, frame in frames.items()}


def _declared(predicate: str, frame: Any, names: tuple[str, ...], time: str | None) -> Any:
    table = frame_of(frame, predicate, time)
    wanted = [*([] if time is None else [time]), *names]
    absent = next((name for name in wanted if name not in table.column_names), None)
    if absent is not None:
        hint = similar(absent, table.column_names)
        note = "; ".join(filter(None, (hint, f"the columns are {', '.join(table.column_names) or 'none at all'}")))
        raise fault("E505", f"the table of {predicate} has no column {absent}", note=note)
    return table.select(wanted)


def unused(predicate: str, known: Iterable[str]) -> Diagnostic:
    """The warning about facts of a predicate that the program does not use."""
    note = similar(predicate, known) or "its facts are ignored"
    return Diagnostic("W204", f"the program does not use {predicate}", note=note)


def batch_of(frames: object) -> Mapping[str, Any]:
    """Data frames by predicate; anything else is refused."""
    if not isinstance(frames, Mapping):
        note = "give a dictionary of data frames by predicate"
        raise fault("E510", f"a {type(frames).__name__} is not a batch", note=note)
    return frames


_is_name = lru_cache(1024)(is_name)
"""The same few predicates come with every push."""


def check_predicate(predicate: object) -> None:
    """Fail if this is not the name of a predicate, as every other input does."""
    if not isinstance(predicate, str) or not _is_name(predicate):
        note = 'a fact is a tuple such as ("temp", "s1", 70); a predicate starts with a lower-case letter'
        raise fault("E509", f"{predicate!r} is not a predicate's name", note=note)


def frame_of(frame: Any, predicate: object, time: str | None = None) -> Any:
    """The data frame of a predicate as an Arrow table; fails if it lacks the time column, where one is given."""
    check_predicate(predicate)
    table = table_of(frame, str(predicate))
    if time is not None and time not in table.column_names:
        raise fault("E505", f"the table of {predicate} has no column {time}", note="name it: push_batch(…, time=…)")
    return table


def not_utf8(predicate: object) -> LasingError:
    """The error for a text column whose bytes are not UTF-8."""
    return fault("E506", f"the table of {predicate} has text that is not UTF-8", note="leave such rows out")


def out_of_order() -> LasingError:
    return fault("E504", "the rows are out of order", note="sort them by time")


Own = Sequence[Fact]
"""Data facts from the program's own text, sorted by time."""
TimePoint = Callable[[object], int]
"""Returns the time point for a value of a time column, or refuses it."""


class EncodedBatch(Protocol):
    """Encoded facts of many time points, in order."""

    def span(self) -> tuple[int, int] | None: ...


class Core(Protocol):
    """`encode` may refuse facts, and changes nothing; `push` takes the encoded facts, and `gathered` makes a batch of
    facts that were encoded for several time points, in their order.

    `recall` takes in the facts of a raw window, and what derived streams remember, and reports no changes; `holding`
    reports everything that holds now as added now. `unused` names the predicates of facts that nothing depends on.
    """

    @property
    def time(self) -> int: ...
    @property
    def unused(self) -> AbstractSet[str]: ...
    def encode(self, time: int, facts: Facts) -> Any: ...
    def push(self, time: int, encoded: Any) -> ChangeSource: ...
    def encode_batch(self, frames: Mapping[str, Any], time: str, time_point: TimePoint) -> EncodedBatch: ...
    def with_own(self, batch: Any, own: Own) -> EncodedBatch: ...
    def gathered(self, parts: Sequence[tuple[int, Any]]) -> EncodedBatch: ...
    def push_batch(self, end: int, batch: Any) -> ChangeSource: ...
    def recall(self, end: int, batch: Any, runs: Iterable[Run] = ()) -> None: ...
    def holding(self) -> ChangeSource: ...
    def answer(self) -> Answer: ...
    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]: ...
    def examples(self) -> Examples: ...
    def remembered(self) -> Iterable[Run]: ...
    def window(self) -> Iterable[Fact]: ...


class CoreState(Protocol):
    """The state of a core at a time point, and how many words of memory a copy of it takes."""

    @property
    def time(self) -> int: ...
    @property
    def words(self) -> int: ...


class CoreWithPast(Core, Protocol):
    """A core that can go back to an earlier time point, by itself or as a new core that `reopen` makes.

    `look_back_to` says how far back facts may still come, so that equal ones are recognized.
    """

    def checkpoint(self) -> CoreState: ...
    def rewind(self, checkpoint: Any, start: int, reopen: Callable[[int], Core]) -> Core: ...
    def look_back_to(self, time: int) -> None: ...
