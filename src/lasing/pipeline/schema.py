"""The schema of a source, as written in a pipeline file: `ts timestamp, sensor string, celsius double`."""

from __future__ import annotations

import re

TYPES = (
    "tinyint",
    "smallint",
    "int",
    "integer",
    "bigint",
    "long",
    "float",
    "double",
    "string",
    "timestamp",
    "timestamp_ntz",
    "date",
    "boolean",
)
WHOLE = ("tinyint", "smallint", "int", "integer", "bigint", "long")
DATED = ("timestamp", "timestamp_ntz", "date")

_COLUMN = re.compile(
    r"\s*(?:`([^`]+)`|([^\s`:]+))\s*:?\s+([A-Za-z_]+|decimal\(\s*\d+\s*,\s*\d+\s*\))\s*", re.IGNORECASE
)


def columns_of(text: str) -> dict[str, str]:
    """The names and types of columns; raises ValueError if the text is not a schema.

    >>> columns_of("ts timestamp, celsius double")
    {'ts': 'timestamp', 'celsius': 'double'}
    """
    found: dict[str, str] = {}
    for part in re.split(r",(?![^(]*\))", text):
        column = _COLUMN.fullmatch(part)
        if column is None:
            raise ValueError(f"{part.strip()!r} is not a column and its type, such as: celsius double")
        name, kind = column[1] or column[2], column[3].lower()
        if kind not in TYPES and not kind.startswith("decimal("):
            raise ValueError(f"the type {column[3]} of {name} is not one of {', '.join(TYPES)}")
        if name in found:
            raise ValueError(f"there are two columns {name}")
        found[name] = kind
    return found


def is_dated(schema: str, time: str) -> bool:
    """Whether a column of a schema has timestamps or dates."""
    try:
        return columns_of(schema).get(time) in DATED
    except ValueError:
        return False
