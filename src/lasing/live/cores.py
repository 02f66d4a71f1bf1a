"""What stands below `Engine`: an engine that takes facts in a form of its own, and keeps the raw window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from lasing.live.updates import Source
from lasing.logic.answers import Answer
from lasing.logic.formulas import Atom
from lasing.logic.terms import Value

Facts = Iterable[tuple[object, ...] | Atom] | Mapping[str, Any]
"""Tuples such as ("temp", "s1", 70), atoms, or data frames by predicate, whose columns are the arguments."""

Fact = tuple[int, str, tuple[Value, ...]]


class Core(Protocol):
    """`encode` may refuse facts, and changes nothing; `push` takes what it has made of them."""

    @property
    def time(self) -> int: ...
    def encode(self, time: int, facts: Facts) -> Any: ...
    def push(self, time: int, encoded: Any) -> Source: ...
    def answer(self) -> Answer: ...
    def window(self) -> Iterable[Fact]: ...
