"""Why a row of text does not fit the schema of its source: the reason, the column, and the place in the line."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

Said = tuple[str, str, str, int]
"""A code, the reason, the column and the character."""


@dataclass(frozen=True, slots=True)
class RowFault:
    """Compares a row with the columns of its schema. Spark knows which of them got no value, and this says why.

    >>> fault = RowFault("csv", {"time": "bigint", "celsius": "double"})
    >>> fault("5,warm", ["celsius"])
    ('E614', "celsius is 'warm', which is not of type double", 'celsius', 3)
    """

    format: str
    columns: Mapping[str, str]
    separator: str = ","
    needed: tuple[str, ...] = ()
    """The columns in which a missing value is a mistake."""

    def __call__(self, text: str, empty: Collection[str]) -> Said:
        return self._csv(text, empty) if self.format == "csv" else self._json(text, empty)

    def _csv(self, text: str, empty: Collection[str]) -> Said:
        cells = next(csv.reader([text], delimiter=self.separator), [])
        if len(cells) != len(self.columns):
            cells_and_columns = f"{len(cells)} cell{'s'[: len(cells) != 1]}, but the schema has {len(self.columns)}"
            return "E614", f"this row has {cells_and_columns} columns", "", 1
        at = 1
        for (name, kind), cell in zip(self.columns.items(), cells, strict=True):
            if name in empty:
                if cell.strip():
                    return "E614", f"{name} is {cell!r}, which is not of type {kind}", name, at
                if name in self.needed:
                    return "E506", f"there is no value for {name}", name, at
            at += len(cell) + 1
        return "E614", "this row does not fit the schema", "", 1

    def _json(self, text: str, empty: Collection[str]) -> Said:
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            return "E614", "this row is not JSON", "", getattr(error, "colno", 1)
        if not isinstance(given, dict):
            return "E614", "this row is not a JSON object", "", 1
        for name, kind in self.columns.items():
            if name not in empty:
                continue
            at = max(text.find(f'"{name}"'), 0) + 1
            if given.get(name) is not None:
                return "E614", f"{name} is {given[name]!r}, which is not of type {kind}", name, at
            if name in self.needed:
                return "E506", f"there is no value for {name}", name, at
        return "E614", "this row does not fit the schema", "", 1


def is_header(text: str, columns: Mapping[str, str], separator: str) -> bool:
    """Whether a line names the columns."""
    cells = next(csv.reader([text], delimiter=separator), [])
    return [cell.strip().lower() for cell in cells] == [name.lower() for name in columns]
