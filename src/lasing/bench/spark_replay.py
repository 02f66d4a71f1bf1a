"""A history on Spark: replayed in slices of time, or in shards by key, beside pipelines that do not reason.

The identity sends rows by key to as many groups, and through `applyInArrow`, unchanged; plain Spark copies the files.
What we need to look through a history for its first and last fact is counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lasing.bench.records import Cell
from lasing.bench.spark_cells import IDENTITY, OURS, PLAIN, Settings, rated
from lasing.bench.spark_session import SCHEMA, Bench, rule, shared

NAME = "spark-replay"
BY_TIME, BY_KEY = "slices", "shards"


@dataclass(frozen=True)
class Replays:
    """How many events, in how many parts, how often."""

    events: int
    parts: tuple[int, ...]
    turns: int
    contenders: tuple[str, ...] = (OURS, IDENTITY, PLAIN)

    @property
    def settings(self) -> Settings:
        return {"parts": self.parts[0], "divided": BY_TIME}

    def count(self) -> int:
        return 2 * 3 * len(self.parts)

    def cells(self) -> Iterator[Cell]:
        bench = shared()
        folder = bench.events(self.events // 10, 10)
        rates: dict[tuple[str, int, str], list[float]] = {}

        def note(frame: Any, contender: str, parts: int = 0, divided: str = "") -> None:
            rate = self.events / _seconds(bench, frame) / 1000
            rates.setdefault((contender, parts, divided), []).append(rate)

        for turn in range(self.turns + 1):
            note(lambda: bench.spark.read.parquet(folder), PLAIN)
            for parts in self.parts:
                note(lambda n=parts: applied(bench, folder, n), IDENTITY, parts)
                note(lambda n=parts: replayed(bench, folder, slices=n, shards=1), OURS, parts, BY_TIME)
                note(lambda n=parts: replayed(bench, folder, slices=1, shards=n), OURS, parts, BY_KEY)
            if not turn:  # it was to warm up
                rates.clear()
        for divided in (BY_TIME, BY_KEY):
            for parts in self.parts:
                settings: Settings = {"parts": parts, "divided": divided}
                ours = rates[OURS, parts, divided]
                yield rated(NAME, OURS, settings, ours, ours)
                yield rated(NAME, IDENTITY, settings, rates[IDENTITY, parts, ""], ours, note="grouped by key")
                yield rated(NAME, PLAIN, settings, rates[PLAIN, 0, ""], ours, note="a copy, not divided")


def _seconds(bench: Bench, frame: Any) -> float:
    """How long it takes to make a DataFrame, and to write it."""
    begun = time.perf_counter()
    frame().write.mode("overwrite").parquet(bench.out)
    return time.perf_counter() - begun


def replayed(bench: Bench, folder: str, slices: int, shards: int) -> Any:
    """What the rule changes, of a history."""
    import lasing.spark

    reasoning = lasing.spark.reason(rule(), "p", "q", view="changes", slices=slices, shards=shards)
    return bench.spark.read.parquet(folder).transform(reasoning)


def applied(bench: Bench, folder: str, parts: int) -> Any:
    """The rows as they are, in groups."""
    from lasing.spark.hashing import spread_ids

    places = ", ".join(map(str, spread_ids(parts, parts)))
    frame = bench.spark.read.parquet(folder).selectExpr("*", f"array({places})[cast(k % {parts} AS int)] AS place")
    grouped = frame.repartition(parts, "place").groupBy("place")
    return grouped.applyInArrow(lambda table: table.select(["time", "k", "a", "b"]), SCHEMA)
