"""What a shard keeps from batch to batch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from lasing.spark.tables import from_bytes, to_bytes

STATE = "state binary"
"""The columns of a state in Spark's store."""


@dataclass(frozen=True, slots=True)
class State:
    """All that must survive a failure: the raw window, and how far time has got.

    `start` is the timeline's, None before the first fact. All up to `until` is evaluated. `newest` is the newest
    instant of all facts of the stream, not of this shard's alone. `window` has the facts, by predicate and time; for
    intervals, `held` has since when atoms hold. `token`, new with every batch, tells whether an engine is up to date.
    """

    start: int | None = None
    until: int | None = None
    newest: int | None = None
    token: str = ""
    window: Mapping[str, Any] = field(default_factory=dict)
    held: Mapping[str, Any] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The state as Spark stores it: a table of tables, each as bytes, and what else is known as its metadata."""
        known = {"start": self.start, "until": self.until, "newest": self.newest, "token": self.token}
        tables = [("window", name, to_bytes(table)) for name, table in self.window.items()]
        tables += [("held", name, to_bytes(table)) for name, table in self.held.items()]
        columns = {
            "part": pa.array([part for part, _, _ in tables], pa.string()),
            "predicate": pa.array([name for _, name, _ in tables], pa.string()),
            "table": pa.array([table for _, _, table in tables], pa.binary()),
        }
        return to_bytes(pa.table(columns).replace_schema_metadata({"lasing": json.dumps(known)}))

    @classmethod
    def from_bytes(cls, stored: bytes) -> State:
        """The state that `to_bytes` has made."""
        tables = from_bytes(stored)
        parts: dict[str, dict[str, Any]] = {"window": {}, "held": {}}
        for part, name, table in zip(*(tables[column] for column in ("part", "predicate", "table")), strict=True):
            parts[part.as_py()][name.as_py()] = from_bytes(table.as_buffer())
        known = json.loads(tables.schema.metadata[b"lasing"])
        return cls(**known, window=parts["window"], held=parts["held"])
