"""A history on Spark: replayed in slices of time or in shards by key, compared with pipelines that do not reason.

The identity groups rows by key into as many groups and passes them unchanged through `applyInArrow`; plain Spark
copies the files. The time to look through a history for its first and last fact counts as ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cells import IDENTITY, OURS, PLAIN, Settings, rated
from lasing.bench.spark.session import SCHEMA, Bench, rule, shared

NAME = "spark-replay"
BY_TIME, BY_KEY = "slices", "shards"


@dataclass(frozen=True)
class Replays:
    """How many events, in how many parts, and how many turns."""

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
        _turn(bench, bench.events(2_000, 10), self.parts[:1])  # to warm up
        folder = bench.events(self.events // 10, 10)
        rates: dict[_Run, list[float]] = {}
        for _ in range(self.turns):
            for run, seconds in _turn(bench, folder, self.parts).items():
                rates.setdefault(run, []).append(self.events / seconds / 1000)
        for divided in (BY_TIME, BY_KEY):
            for parts in self.parts:
                settings: Settings = {"parts": parts, "divided": divided}
                ours = rates[_Run(OURS, parts, divided)]
                yield rated(NAME, OURS, settings, ours, ours)
                yield rated(NAME, IDENTITY, settings, rates[_Run(IDENTITY, parts)], ours, note="grouped by key")
                yield rated(NAME, PLAIN, settings, rates[_Run(PLAIN)], ours, note="a copy, not divided")


class _Run(NamedTuple):
    contender: str
    parts: int = 0
    divided: str = ""


def _turn(bench: Bench, folder: str, numbers: tuple[int, ...]) -> dict[_Run, float]:
    """The seconds of each run: making a DataFrame and writing it."""
    seconds = {_Run(PLAIN): _seconds(bench, lambda: bench.spark.read.parquet(folder))}
    for n in numbers:
        seconds[_Run(IDENTITY, n)] = _seconds(bench, partial(applied, bench, folder, n))
        seconds[_Run(OURS, n, BY_TIME)] = _seconds(bench, partial(replayed, bench, folder, slices=n, shards=1))
        seconds[_Run(OURS, n, BY_KEY)] = _seconds(bench, partial(replayed, bench, folder, slices=1, shards=n))
    return seconds


def _seconds(bench: Bench, make: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    make().write.mode("overwrite").parquet(bench.out)
    return time.perf_counter() - begun


def replayed(bench: Bench, folder: str, slices: int, shards: int) -> Any:
    """The rule's changes over a history."""
    import lasing.spark

    reasoning = lasing.spark.reason(rule(), "p", "q", view="changes", slices=slices, shards=shards)
    return bench.spark.read.parquet(folder).transform(reasoning)


def applied(bench: Bench, folder: str, parts: int) -> Any:
    """The rows unchanged, in groups."""
    from lasing.spark.hashing import spread_ids

    places = ", ".join(map(str, spread_ids(parts, parts)))
    frame = bench.spark.read.parquet(folder).selectExpr("*", f"array({places})[cast(k % {parts} AS int)] AS place")
    grouped = frame.repartition(parts, "place").groupBy("place")
    return grouped.applyInArrow(lambda table: table.select(["time", "k", "a", "b"]), SCHEMA)
