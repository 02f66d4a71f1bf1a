"""Output in columns, the counterpart of `sinks.Record`. Each distinct value is converted to text once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lasing.connectors.batches import Numbers
from lasing.connectors.changed import NEVER, ChangedColumns, Values
from lasing.connectors.sinks import ShowTime, csv_cell, expiry_shown, json_term, time_text
from lasing.logic.values import value_text


@dataclass(frozen=True, slots=True)
class ChangeRecords:
    """Changes to write, sorted by time and then by text."""

    changed: ChangedColumns
    time: Values
    expiry: Values

    def __len__(self) -> int:
        return len(self.changed)

    def text(self) -> str:
        """One change per line."""
        parts = [self._sign(("+", "-")), *_text_parts(self.changed)]
        return _joined([*parts, " at ", self.time.mapped(time_text), ".\n"])

    def jsonl(self) -> str:
        """One JSON object per line. A removed atom has no expiry."""
        added = self.expiry.mapped(lambda until: f', "change": "+", "expires_at": {json_text(until)}')
        change = pc.if_else(pa.array(self.changed.signs > 0), added, ', "change": "-"')
        return _joined(['{"time": ', self.time.mapped(json_text), change, *_json_parts(self.changed), "}\n"])

    def csv(self, width: int) -> str:
        """A line of `width` cells for each change."""
        return _joined([*_csv_parts(self.cells(), width), "\n"])

    def cells(self) -> list[Values]:
        """The columns of a table."""
        signs = Values(("+", "-"), (1 - self.changed.signs) // 2)
        return [self.time, signs, self.expiry, *_columns(self.changed)]

    def _sign(self, texts: tuple[str, str]) -> Any:
        return pc.if_else(pa.array(self.changed.signs > 0), *texts)


def change_records(columns: Iterable[ChangedColumns], show_time: ShowTime) -> Iterator[ChangeRecords]:
    """Changes in the form in which they are written, in blocks."""
    for block in columns:
        changed = block.by_text()
        until = np.where(changed.provisional | (changed.signs < 0), _NONE, changed.guaranteed)
        expiry = _distinct(until, lambda time: None if time == _NONE else expiry_shown(_expiry(time), show_time))
        yield ChangeRecords(changed, _distinct(changed.times, show_time), expiry)


_NONE = NEVER - 1


def _expiry(time: int) -> int | float:
    return inf if time == NEVER else time


def _distinct(numbers: Numbers, shown: Callable[[int], Any]) -> Values:
    found = pa.array(numbers).dictionary_encode()
    return Values([shown(time) for time in found.dictionary.to_pylist()], found.indices.to_numpy().astype(np.int64))


def _atoms(
    changed: ChangedColumns, text: Callable[[Any], str], first: str, between: str, last: str, none: str
) -> list[Any]:
    """The texts that make up the atoms: predicates, and arguments with the text before, between and after them."""
    names = [name + (first if arity else none) for name, arity in changed.predicates]
    parts = [pa.array(names, pa.string()).take(pa.array(changed.numbers))]
    arities = np.array([arity for _, arity in changed.predicates], np.int64)[changed.numbers]
    for position, column in enumerate(changed.args, 1):
        texts = [text(value) for value in column.distinct]
        ends = arities == position
        number = np.where(column.numbers < 0, 2 * len(texts), column.numbers + len(texts) * ends)
        choices = pa.array([*(t + between for t in texts), *(t + last for t in texts), ""], pa.string())
        parts.append(choices.take(pa.array(number)))
    return parts


def text_atoms(changed: ChangedColumns) -> list[str]:
    """The text of each atom."""
    return _texts(_text_parts(changed))


def json_atoms(changed: ChangedColumns) -> list[str]:
    """The predicate and the arguments of each atom, as they follow the time in a JSON object."""
    return _texts(_json_parts(changed))


def csv_cells(changed: ChangedColumns, width: int) -> list[str]:
    """The cells of each atom, in a table of `width` columns of which one is the time."""
    return _texts(_csv_parts(_columns(changed), width - 1))


def _text_parts(changed: ChangedColumns) -> list[Any]:
    return _atoms(changed, value_text, "(", ",", ")", "")


def _json_parts(changed: ChangedColumns) -> list[Any]:
    return [', "predicate": "', *_atoms(changed, json_text, '", "args": [', ", ", "]", '", "args": []')]


def _csv_parts(columns: Sequence[Values], width: int) -> list[Any]:
    cells = [column.mapped(_csv_cell, "") for column in columns]
    cells += [""] * (width - len(cells))
    return [part for cell in cells for part in (cell, ",")][:-1]


def _columns(changed: ChangedColumns) -> list[Values]:
    """The predicate and the arguments of each atom."""
    return [Values([name for name, _ in changed.predicates], changed.numbers), *changed.args]


def _texts(parts: Sequence[Any]) -> list[str]:
    """Texts, each of which has its parts in these columns."""
    return list(pc.binary_join_element_wise(*parts, "").to_pylist())


def _joined(parts: Sequence[Any]) -> str:
    """Join texts row by row."""
    lines = pc.binary_join_element_wise(*parts, "")
    _, ends, text = lines.buffers()
    first, last = np.frombuffer(ends, np.int32)[[lines.offset, lines.offset + len(lines)]].tolist()
    return str(text.slice(first, last - first).to_pybytes().decode())


def json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=json_term)


def _csv_cell(cell: Any) -> str:
    """A cell as `csv` writes it in a row with others."""
    shown = csv_cell(cell)
    if type(shown) is int or type(shown) is float:
        return repr(shown)
    if isinstance(shown, str) and shown.isalnum():  # so it needs no quotes
        return shown
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([shown, ""])
    return line.getvalue()[: -len(",\n")]
