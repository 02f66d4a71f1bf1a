"""Facts of predicates that the program does not name, for programs whose windows count all facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lasing.connectors.rows import value_of
from lasing.logic.values import Value, value_from_text, value_text


class Others:
    """Finds equal facts among these: a fact counts once at a time point, and nothing else about it matters.

    Each fact gets a number of its own instead of arguments. Its text is kept only until time moves on, because until
    then the fact may come again. So a stream of ever new names does not fill the memory.

    >>> others = Others()
    >>> others.numbers([7, 7, 7], map(to_text, [("door", 1), ("door", "1"), ("door", 1.0)]))
    [0, 1, 0]
    >>> others.pass_to(8)
    >>> others.numbers([8], [to_text(("door", 1))])
    [2]
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str], int] = {}
        self._next = 0
        self._time: int | None = None

    def numbers(self, times: Iterable[int], texts: Iterable[str]) -> list[int]:
        """The numbers of facts, given as texts, at their time points."""
        found = []
        for key in zip(times, texts, strict=True):
            number = self._numbers.get(key)
            if number is None:
                number = self._numbers[key] = self._next
                self._next += 1
            found.append(number)
        return found

    def texts(self, time: int) -> dict[int, str]:
        """The texts of the facts at a time point that has not passed, by number."""
        return {number: text for (at, text), number in self._numbers.items() if at == time}

    def pass_to(self, time: int) -> None:
        """Forget facts before this time point, because no more facts will come for those times."""
        if time != self._time:
            self._numbers = {key: number for key, number in self._numbers.items() if key[0] >= time}
            self._time = time


def to_text(fact: Sequence[object]) -> str:
    """A text for a fact of any predicate; equal facts have equal texts. The text of a value never has a line break."""
    predicate, *args = fact
    return "\n".join((str(predicate), *(value_text(value_of(arg)) for arg in args)))


def from_text(text: str) -> tuple[str, tuple[Value, ...]]:
    """The fact for a text."""
    predicate, *args = text.split("\n")
    return predicate, tuple(map(value_from_text, args))
