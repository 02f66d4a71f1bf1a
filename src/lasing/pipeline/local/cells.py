"""The cells of text rows as values of a schema's types, with the meaning that they have on Spark."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import lru_cache, partial
from typing import Any

import pyarrow as pa

_WHOLE = {"tinyint": 8, "smallint": 16, "int": 32, "integer": 32, "bigint": 64, "long": 64}
_ARROW = {
    **{name: getattr(pa, f"int{bits}")() for name, bits in _WHOLE.items()},
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d+")


def arrow_type(kind: str) -> Any:
    """The Arrow type of a type in a schema. Decimals become doubles, as they do in facts."""
    return pa.float64() if kind.startswith("decimal") else _ARROW[kind]


def of_text(kind: str) -> Callable[[str], Any]:
    """Reads a cell of CSV; raises ValueError if it is not of the type."""
    if kind in _WHOLE:
        return partial(_integer, bits=_WHOLE[kind])
    if kind in ("float", "double") or kind.startswith("decimal"):
        return _double
    others: dict[str, Callable[[str], Any]] = {
        "string": str,
        "timestamp": _instant,
        "timestamp_ntz": _naive,
        "date": _date,
        "boolean": _boolean,
    }
    return others[kind]


def of_json(kind: str) -> Callable[[Any], Any]:
    """Reads a value of a JSON object; raises ValueError or TypeError if it is not of the type."""
    if kind in _WHOLE:
        return partial(_whole, bits=_WHOLE[kind])
    if kind in ("float", "double") or kind.startswith("decimal"):
        return _number
    if kind == "string":
        return lambda value: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if kind == "boolean":
        return _truth
    return {"timestamp": _json_instant, "timestamp_ntz": _naive, "date": _date}[kind]


def _integer(text: str, bits: int) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return _within(int(text), bits)


def _within(value: int, bits: int) -> int:
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise ValueError(value)
    return value


def _double(text: str) -> float:
    if not _NUMBER.fullmatch(text) or not math.isfinite(found := float(text)):
        raise ValueError(text)
    return found


@lru_cache(4096)
def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _naive(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is None else found.astimezone(UTC).replace(tzinfo=None)


def _date(text: str) -> date:
    return date.fromisoformat(text)


def _boolean(text: str) -> bool:
    word = text.lower()
    if word not in ("true", "false"):
        raise ValueError(text)
    return word == "true"


def _whole(value: object, bits: int) -> int:
    if type(value) is not int:
        raise ValueError(value)
    return _within(value, bits)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


def _json_instant(value: Any) -> datetime:
    """A number means seconds from 1970, as on Spark."""
    if type(value) is int:
        return datetime.fromtimestamp(value, UTC)
    return _instant(value)
