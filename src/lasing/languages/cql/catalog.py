"""The streams, tables and views that queries can read, and their rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lasing.algebra.lowering import Lowering
from lasing.algebra.nodes import Condition, Extend, Node, Pattern
from lasing.algebra.terms import TRUE, call
from lasing.errors import similar
from lasing.languages.cql.mistakes import NAME, WINDOW, Mistake
from lasing.languages.cql.syntax import ColumnDef, Declaration, LastRows, Now, StreamWindow
from lasing.languages.cql.types import Field
from lasing.languages.cql.windows import window_of
from lasing.logic.formulas import At, Atom, Compare, Formula, Not, Window
from lasing.logic.terms import Term, Variable
from lasing.logic.values import is_name

GREATEST = 1.7976931348623157e308
"""No number is greater, and no other value is less."""

CONVERTED = ("BOOLEAN", "TIMESTAMP", "DECIMAL")
"""The types of columns whose values come in as texts, and are converted where a query reads them."""

_NO_NAME = re.compile(r"[^A-Za-z0-9_]")


def predicate_of(name: str) -> str:
    """The predicate of the facts of a stream or table: its name in lower case.

    >>> predicate_of("Temps"), predicate_of("2 halls")
    ('temps', 't_2_halls')
    """
    plain = _NO_NAME.sub("_", name.lower())
    return plain if is_name(plain) else f"t_{plain}"


def variable_name(name: str) -> str:
    """What a variable for a column is called.

    >>> variable_name("sensor"), variable_name("2nd")
    ('Sensor', 'V_2nd')
    """
    plain = _NO_NAME.sub("_", name)
    return plain[:1].upper() + plain[1:] if plain[:1].isalpha() else f"V_{plain}"


@dataclass(frozen=True, slots=True)
class View:
    """The rows of a query under a name: a predicate with its columns, and `unseen` more arguments that tell equal rows
    apart. A derived stream has windows."""

    name: str
    predicate: str
    fields: tuple[Field, ...]
    unseen: int
    stream: bool = False
    counted: bool = False
    """Whether the last of its columns says how many equal rows there are."""


@dataclass(slots=True)
class Catalog:
    """What queries can read, by name in lower case."""

    builder: Lowering
    tick: int | None
    declared: dict[str, Declaration] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    inserted: dict[str, str] = field(default_factory=dict)
    """Predicates for rows of tables that have equal rows; their last argument numbers them."""
    read: set[str] = field(default_factory=set)

    def names(self) -> list[str]:
        return [*(d.name for d in self.declared.values()), *(v.name for v in self.views.values())]

    def source(
        self, name: str, alias: str, window: StreamWindow | None, offset: int, local: dict[str, View]
    ) -> tuple[Node, list[Field]]:
        """The rows of a stream, table or view, with new variables."""
        key = name.lower()
        view = local.get(key) or self.views.get(key)
        known = self.declared.get(key)
        if view is None and known is None:
            note = similar(name, self.names()) or f"there are {', '.join(self.names()) or 'none'}"
            raise Mistake(NAME, f"there is no stream, table or view {name}", offset, len(name), note)
        self.read.add(key)
        is_stream = view.stream if view is not None else known is not None and known.stream
        if is_stream and window is None:
            note = f"write {name} [RANGE UNBOUNDED] for all rows so far, {name} [NOW] for those of this moment"
            raise Mistake(WINDOW, f"the stream {name} has no window", offset, len(name), note)
        if not is_stream and window is not None:
            what = "view" if view is not None else "table"
            note = "only streams have windows"
            raise Mistake(WINDOW, f"{name} is a {what}, not a stream", window.offset, window.length, note)
        if view is not None:
            return self._view(view, alias, window)
        assert known is not None
        return self._stream(known, alias, window) if window is not None else self._table(known, alias)

    def _fresh(self, name: str) -> Variable:
        return self.builder.variable(variable_name(name))

    def _view(self, view: View, alias: str, window: StreamWindow | None) -> tuple[Node, list[Field]]:
        columns = tuple(self._fresh(f.name) for f in view.fields)
        fields = [
            Field(f.name, c, f.type, f.nullable, alias, scale=f.scale)
            for f, c in zip(view.fields, columns, strict=True)
        ]
        hidden = tuple(self.builder.variable("Row") for _ in range(view.unseen))
        atom = Atom(view.predicate, (*columns, *hidden))
        missing = frozenset(f.column for f in fields if f.nullable)
        if window is None:
            return Pattern((atom,), columns, missing), fields
        if isinstance(window.content, LastRows):
            note = "windows of a derived stream are [NOW] and [RANGE …]"
            raise Mistake(WINDOW, "a derived stream has no windows of rows", window.offset, window.length, note)
        inside = window_of(window, view.predicate, (), self.tick)
        literal = atom if isinstance(window.content, Now) else Window(inside, At(self.builder.variable("Time"), atom))
        return Pattern((literal,), columns, missing), fields

    def _table(self, table: Declaration, alias: str) -> tuple[Node, list[Field]]:
        columns = tuple(self._fresh(c.name) for c in table.columns)
        missing = frozenset(v for v, c in zip(columns, table.columns, strict=True) if not c.not_null)
        predicate = self.inserted.get(table.name.lower())
        numbered = () if predicate is None else (self.builder.variable("Row"),)
        atom = Atom(predicate or predicate_of(table.name), (*columns, *numbered))
        node: Node = Pattern((atom,), columns, missing)
        return self._converted(node, table, alias, columns, None)

    def _stream(self, stream: Declaration, alias: str, window: StreamWindow) -> tuple[Node, list[Field]]:
        columns = tuple(self._fresh(c.name) for c in stream.columns)
        missing = frozenset(v for v, c in zip(columns, stream.columns, strict=True) if not c.not_null)
        predicate = predicate_of(stream.name)
        atom = Atom(predicate, columns)
        keys: list[int] = []
        if isinstance(window.content, LastRows):
            for name, offset in window.content.keys:
                place = next((i for i, c in enumerate(stream.columns) if c.name.lower() == name.lower()), None)
                if place is None:
                    note = similar(name, [c.name for c in stream.columns])
                    raise Mistake(NAME, f"{stream.name} has no column {name} to divide it by", offset, len(name), note)
                keys.append(place)
        time = self._fresh("time" if stream.time is None else stream.time.name)
        literal: Formula = Window(window_of(window, predicate, keys, self.tick), At(time, atom))
        if isinstance(window.content, Now) and stream.time is None:
            literal = atom
        tests = [t for v, c in zip(columns, stream.columns, strict=True) for t in tests_of(v, c)]
        shown = (*columns, *(() if stream.time is None else (time,)))
        node = Pattern((literal, *tests), shown, missing)
        return self._converted(node, stream, alias, columns, time)

    def _converted(
        self, node: Node, declared: Declaration, alias: str, columns: tuple[Variable, ...], time: Variable | None
    ) -> tuple[Node, list[Field]]:
        """The rows with truth values and moments in place of the texts that they come as."""
        fields = []
        for variable, column in zip(columns, declared.columns, strict=True):
            place = variable
            if column.type in CONVERTED:
                place = self._fresh(column.name)
                node = Extend(node, place, Condition(call("sql_cast", variable, "VARCHAR", column.full_type)))
            nullable = not column.not_null or place != variable
            fields.append(Field(column.name, place, column.type, nullable, alias, scale=column.digits.scale))
        if declared.time is not None and time is not None:
            place = time
            if declared.time.type == "TIMESTAMP":
                place = self._fresh(declared.time.name)
                node = Extend(node, place, Condition(call("instant", time, self.tick or 1)))
            fields.append(Field(declared.time.name, place, declared.time.type, False, alias))
        return node, fields


def tests_of(term: Term, column: ColumnDef) -> list[Formula]:
    """The literals that a value that came in is one of a column. Kernels can tell numbers from texts."""
    match column.type:
        case "DOUBLE" | "BIGINT":
            return [Compare("<=", term, GREATEST)] if column.not_null else [Not(Compare(">=", term, ""))]
        case "VARCHAR":
            return [Compare(">=", term, "")] if column.not_null else [Not(Compare("<=", term, GREATEST))]
    return [Compare("=", call("sql_reads", term, column.full_type, int(column.not_null)), TRUE)]
