"""The state that a shard keeps from batch to batch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import pyarrow as pa

from lasing.errors import LasingError, fault
from lasing.spark.tables import from_bytes, to_bytes

STATE = "state binary"
"""The columns of a state in Spark's state store."""

_VERSION = b"lasing state 2\n"
_HEAD = len(_VERSION) + 4


@dataclass(frozen=True, slots=True)
class ShardState:
    """Everything that must survive a failure: the raw window, what is remembered, and how far time has got.

    `start` is the start of the timeline, None before the first fact. Everything up to `until` is evaluated. `last` is
    the newest time point of all facts in the stream, not only of this shard's. For each input, `closed` has the last
    time point for which no more facts are accepted, and `heard` the time of its latest facts by Spark's clock. `window`
    has the facts, by predicate and time, and `remembered` the table of what derived streams remember, under the name
    "". For intervals, `held` says since when atoms hold. `token` changes whenever time moves; it shows whether an
    engine is up to date. `work` names the query that wrote the state. After a change of programs, `pending` has what
    is different at the next time point because of it, by predicate.
    """

    start: int | None = None
    until: int | None = None
    last: int | None = None
    closed: Mapping[str, int] = field(default_factory=dict)
    heard: Mapping[str, int] = field(default_factory=dict)
    token: str = ""
    window: Mapping[str, Any] = field(default_factory=dict)
    held: Mapping[str, Any] = field(default_factory=dict)
    remembered: Mapping[str, Any] = field(default_factory=dict)
    pending: Mapping[str, Any] = field(default_factory=dict)
    work: str = ""

    @property
    def has_begun(self) -> bool:
        """Whether any time point has been evaluated."""
        return self.start is not None and self.until is not None and self.until >= self.start

    def to_bytes(self) -> bytes:
        """The state as Spark stores it: its version, a checksum, and a table of tables, each as bytes. The other fields
        are in the table's metadata."""
        known = {name: getattr(self, name) for name in _KNOWN}
        parts = {"window": self.window, "held": self.held, "remembered": self.remembered, "pending": self.pending}
        tables = [(part, name, to_bytes(table)) for part, found in parts.items() for name, table in found.items()]
        columns = {
            "part": pa.array([part for part, _, _ in tables], pa.string()),
            "predicate": pa.array([name for _, name, _ in tables], pa.string()),
            "table": pa.array([table for _, _, table in tables], pa.binary()),
        }
        content = to_bytes(pa.table(columns).replace_schema_metadata({"lasing": json.dumps(known)}))
        return b"".join((_VERSION, crc32(content).to_bytes(4, "big"), content))

    @classmethod
    def from_bytes(cls, stored: bytes) -> ShardState:
        """The state that `to_bytes` wrote, checked before any part of it is used.

        Raises `LasingError` with E608 for a state of another version, and with E614 for a damaged one.
        """
        content = memoryview(stored)[_HEAD:]
        if bytes(stored[: len(_VERSION)]) != _VERSION:
            if _is_older(stored):
                note = "start with a new checkpoint"
                raise fault("E608", "the checkpoint was written by another version of lasing", note=note)
            raise damaged("it does not start like a state")
        if bytes(stored[len(_VERSION) : _HEAD]) != crc32(content).to_bytes(4, "big"):
            raise damaged("its checksum is wrong")
        try:
            return cls._read(content)
        except (pa.ArrowException, OSError, ValueError, TypeError, LookupError, AttributeError) as error:
            raise damaged(f"it cannot be read: {error}") from None

    @classmethod
    def _read(cls, content: memoryview) -> ShardState:
        tables = from_bytes(content)
        tables.validate()
        known = {"work": "", **json.loads(tables.schema.metadata[b"lasing"])}  # older states do not name it
        if set(known) != set(_KNOWN) or not all(_fits(name, value) for name, value in known.items()):
            raise damaged("it does not say how far time has advanced")
        parts: dict[str, dict[str, Any]] = {part: {} for part in _FIRST}
        for part, name, stored in zip(*(tables[column] for column in ("part", "predicate", "table")), strict=True):
            table = from_bytes(stored.as_buffer())
            table.validate()
            times = table.column(0)
            if table.column_names[0] != _FIRST[part.as_py()] or times.type != pa.int64():
                raise damaged(f"the {part} of {name} has no times")
            if any(column.null_count for column in table.columns):
                raise damaged(f"the {part} of {name} lacks values")
            parts[part.as_py()][name.as_py()] = table
        return replace(cls(**known), **parts)  # type: ignore[arg-type]  # these are tables


_KNOWN = {"start": int, "until": int, "last": int, "closed": dict, "heard": dict, "token": str, "work": str}
"""The fields of a state other than its tables, with their types."""
_FIRST = {"window": "time", "held": "from", "remembered": "from", "pending": "time"}
"""The parts of a state that are tables, with the names of their first columns."""


def damaged(why: str) -> LasingError:
    """The error for a state that differs from what was written."""
    return fault("E614", f"the state of a stream is damaged: {why}")


def _fits(name: str, value: object) -> bool:
    match _KNOWN[name]:
        case kind if kind is int:
            return value is None or type(value) is int
        case kind if kind is dict:
            return isinstance(value, dict) and all(type(number) is int for number in value.values())
        case _:
            return isinstance(value, str)


def _is_older(stored: bytes) -> bool:
    """Whether this state is from before states had a version: it then starts with the metadata of an Arrow stream."""
    return stored[:4] == b"\xff\xff\xff\xff" and b'"newest"' in stored[:4096]
