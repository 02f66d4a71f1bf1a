"""Background facts in columns: millions of them, without an object for each."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from lasing.logic.formulas import Atom
from lasing.logic.values import Value, value_text

Numbers = array  # of C ints, so 4 bytes for each argument of a fact


@dataclass(frozen=True, eq=False)
class FactTable:
    """Background facts of one predicate. A fact is a number in each column; a number is the place of a value.

    Several tables may share their values. A value may be in `values` twice, and a fact in the table twice: both are
    harmless, because facts are a set. A table never changes after it is made.

    >>> table = FactTable.of("p", [("a", 1), ("b", 1)])
    >>> len(table), table.arity, [str(atom) for atom in table.atoms()]
    (2, 2, ['p(a,1)', 'p(b,1)'])
    """

    predicate: str
    values: Sequence[Value]
    columns: tuple[Numbers[int], ...]
    known: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    """What was computed about the table."""

    @classmethod
    def of(cls, predicate: str, rows: Iterable[Sequence[Value]], arity: int | None = None) -> FactTable:
        """The table of some facts, given by their arguments; `arity` is needed only if there may be none."""
        numbers: dict[Value, int] = {}
        columns: tuple[Numbers[int], ...] | None = None if arity is None else _columns(arity)
        for row in rows:
            columns = columns or _columns(len(row))
            for column, value in zip(columns, row, strict=True):
                column.append(numbers.setdefault(value, len(numbers)))
        return cls(predicate, tuple(numbers), columns or ())

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    @property
    def arity(self) -> int:
        return len(self.columns)

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """The arguments of each fact."""
        value = self.values.__getitem__
        return zip(*(map(value, column) for column in self.columns), strict=True)

    def atoms(self) -> Iterator[Atom]:
        """Each fact as an atom, made when it is asked for."""
        return (Atom(self.predicate, row) for row in self.rows())

    def used(self, column: int) -> Iterator[Value]:
        """The values of a column, each once."""
        return map(self.values.__getitem__, set(self.columns[column]))

    def filtered(self, column: int, keep: Callable[[Value], bool]) -> FactTable:
        """The facts whose value in a column is to be kept."""
        wanted = {number for number in set(self.columns[column]) if keep(self.values[number])}
        places = [i for i, number in enumerate(self.columns[column]) if number in wanted]
        columns = tuple(array("i", [numbers[i] for i in places]) for numbers in self.columns)
        return FactTable(self.predicate, self.values, columns)

    @property
    def digest(self) -> str:
        """A checksum: tables with different facts have different ones."""
        if "digest" not in self.known:
            found = blake2b(f"{self.predicate}/{self.arity}".encode(), digest_size=16)
            for value in self.values:
                found.update(f"{value_text(value)}\n".encode())
            for column in self.columns:
                found.update(column.tobytes())
            self.known["digest"] = found.hexdigest()
        return self.known["digest"]

    def __str__(self) -> str:
        """A comment in place of the facts."""
        facts = f"fact{'s'[: len(self) != 1]}"
        return f"% {len(self):,} background {facts} of {self.predicate}/{self.arity}, checksum {self.digest}"


def _columns(arity: int) -> tuple[Numbers[int], ...]:
    return tuple(array("i") for _ in range(arity))
