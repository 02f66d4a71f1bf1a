"""Which column a name means, in the query itself or in the queries around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lasing.algebra.nodes import Column, Condition, Node
from lasing.errors import similar
from lasing.languages.cql.mistakes import NAME, Mistake
from lasing.languages.cql.types import Field
from lasing.logic.terms import Variable


@dataclass(slots=True)
class Source:
    """Rows that expressions are evaluated on. Translating an expression may add columns to its node."""

    node: Node
    fields: list[Field]
    outer: Source | None = None
    """The rows of the query around this one, whose columns it can name too."""
    asked: dict[Column, Field] = field(default_factory=dict)
    """The columns that queries inside of this one name."""
    deferred: list[Condition] = field(default_factory=list)
    """Conditions of inner joins that name columns of the queries around: they are tested where these are at hand."""

    def tables(self) -> list[str]:
        return list(dict.fromkeys(f.table for f in self.fields if f.table is not None))

    def find(self, name: str, table: str | None, offset: int, length: int) -> Field:
        """The column of a name; raises a `Mistake` if there is none, or more than one."""
        found = self._own(name, table)
        if len({f.column for f in found}) > 1:
            tables = list(dict.fromkeys(f.table or "USING" for f in found))
            if len(tables) == 1:
                note = "give one of them another name there, with AS"
                raise Mistake(NAME, f"{tables[0]} has several columns {name}", offset, length, note)
            note = f"say which: {found[0].table}.{name}"
            raise Mistake(NAME, f"{name} is in {' and '.join(tables)}", offset, length, note)
        if found:
            return found[0]
        if self.outer is not None:
            try:
                outside = self.outer.find(name, table, offset, length)
            except Mistake:
                pass  # it is reported in terms of this query
            else:
                self.outer.asked[outside.column] = outside
                return outside
        raise self._unknown(name, table, offset, length)

    def _own(self, name: str, table: str | None) -> list[Field]:
        wanted = name.lower()
        if table is None:
            return [f for f in self.fields if f.shown and f.name.lower() == wanted]
        known = [f for f in self.fields if f.table is not None and f.table.lower() == table.lower()]
        return [f for f in known if f.name.lower() == wanted]

    def has(self, name: str) -> bool:
        """Whether there is a column of this name in the query itself."""
        return bool(self._own(name, None))

    def is_outside(self, column: Variable) -> bool:
        """Whether a query around this one has a column."""
        return self.outer is not None and (
            any(f.column == column for f in self.outer.fields) or self.outer.is_outside(column)
        )

    def _all(self) -> Iterator[Field]:
        yield from self.fields
        if self.outer is not None:
            yield from self.outer._all()

    def _unknown(self, name: str, table: str | None, offset: int, length: int) -> Mistake:
        everything = list(self._all())
        tables = list(dict.fromkeys(f.table for f in everything if f.table is not None))
        if table is not None and table.lower() not in [known.lower() for known in tables]:
            note = similar(table, tables) or f"in this query there {_listed(tables)}"
            return Mistake(NAME, f"there is no table {table} here", offset, length, note)
        names = [f.name for f in everything if table is None or (f.table or "").lower() == table.lower()]
        where = "" if table is None else f" in {table}"
        note = similar(name, names) or f"columns are {', '.join(dict.fromkeys(names)) or 'none at all'}"
        return Mistake(NAME, f"there is no column {name}{where}", offset, length, note)


def _listed(names: list[str]) -> str:
    return "are " + ", ".join(names) if len(names) > 1 else f"is {names[0]}" if names else "is none"
