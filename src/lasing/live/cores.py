"""What stands below `Engine`: an engine that takes facts in a form of its own, and keeps the raw window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

from lasing.connectors.arrow import is_frame, table_of
from lasing.errors import Diagnostic, LasingError, fault, similar
from lasing.live.updates import Source
from lasing.logic.answers import Answer
from lasing.logic.formulas import Atom
from lasing.logic.terms import Value, is_name

Facts = Iterable[tuple[object, ...] | Atom] | Mapping[str, Any]
"""Tuples such as ("temp", "s1", 70), atoms, or data frames by predicate, whose columns are the arguments."""


def checked(facts: object) -> list[tuple[object, ...]] | Mapping[str, Any]:
    """Facts as tuples, or as data frames by predicate; whatever is neither is refused."""
    if isinstance(facts, Mapping):
        return facts
    note = 'facts are a list of tuples such as ("temp", "s1", 70), or a dictionary of data frames by predicate'
    if isinstance(facts, str | bytes | Atom) or is_frame(facts) or not isinstance(facts, Iterable):
        raise fault("E510", f"a {type(facts).__name__} is no list of facts", note=note)
    given = list(facts)
    if set(map(type, given)) <= {tuple}:
        if () in given:
            raise fault("E510", "an empty tuple is no fact", note=note)
        return given
    tuples: list[tuple[object, ...]] = []
    for fact in given:
        if isinstance(fact, Atom):
            tuples.append((fact.predicate, *fact.args))
        elif isinstance(fact, tuple | list) and fact:
            tuples.append(tuple(fact))
        else:
            raise fault("E510", f"{fact!r} is no fact", note=note)
    return tuples


def unused(predicate: str, known: Iterable[str]) -> Diagnostic:
    """The warning about facts of a predicate that the program does not use."""
    note = similar(predicate, known) or "its facts are ignored"
    return Diagnostic("W204", f"the program does not use {predicate}", note=note)


def batch_of(frames: object) -> Mapping[str, Any]:
    """Data frames by predicate; whatever is none is refused."""
    if not isinstance(frames, Mapping):
        note = "give a dictionary of data frames by predicate"
        raise fault("E510", f"a {type(frames).__name__} is no batch", note=note)
    return frames


_is_name = lru_cache(1024)(is_name)
"""The same few predicates come with every push."""


def check_predicate(predicate: object) -> None:
    """Fail at what is no predicate's name, as every other way in does."""
    if not isinstance(predicate, str) or not _is_name(predicate):
        note = 'a fact is a tuple such as ("temp", "s1", 70); a predicate starts with a lower-case letter'
        raise fault("E509", f"{predicate!r} is not a predicate's name", note=note)


def frame_of(frame: Any, predicate: object, time: str | None = None) -> Any:
    """The data frame of a predicate as an Arrow table, with the column of the time if one is asked for."""
    check_predicate(predicate)
    table = table_of(frame, str(predicate))
    if time is not None and time not in table.column_names:
        raise fault("E505", f"the table of {predicate} has no column {time}", note="name it: push_batch(…, time=…)")
    return table


def not_utf8(predicate: object) -> LasingError:
    """The error for a column of text whose bytes are none."""
    return fault("E506", f"the table of {predicate} has text that is not UTF-8", note="leave such rows out")


def out_of_order() -> LasingError:
    return fault("E504", "the rows are out of order", note="sort them by time")


Fact = tuple[int, str, tuple[Value, ...]]
Own = Sequence[tuple[int, Atom]]
"""Data facts of the program's own text, by time."""
TimePoint = Callable[[object], int]
"""The time point for a value of a column of times; it may refuse it."""


class Batch(Protocol):
    """Encoded facts of many time points, in order."""

    def span(self) -> tuple[int, int] | None: ...


class Core(Protocol):
    """`encode` may refuse facts, and changes nothing; `push` takes what it has made of them.

    `recall` takes the facts of a raw window in, and tells nothing; `holding` tells all that holds now, as added now.
    """

    @property
    def time(self) -> int: ...
    def encode(self, time: int, facts: Facts) -> Any: ...
    def push(self, time: int, encoded: Any) -> Source: ...
    def encode_batch(self, frames: Mapping[str, Any], time: str, time_point: TimePoint) -> Batch: ...
    def with_own(self, batch: Any, own: Own) -> Batch: ...
    def push_batch(self, end: int, batch: Any) -> Source: ...
    def recall(self, end: int, batch: Any) -> None: ...
    def holding(self) -> Source: ...
    def answer(self) -> Answer: ...
    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]: ...
    def window(self) -> Iterable[Fact]: ...
