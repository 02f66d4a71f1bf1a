"""Derived streams on Spark: shards, restarts and slices remember what one machine does, and `check` says how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lasing.spark import reason
from tests.command import lasing
from tests.spark.conftest import Files, parts
from tests.spark.expected import expected, rows_of
from tests.spark.test_batch import stream
from tests.spark.test_streaming import SCHEMA, writer

INERTIA = """
    #stream on/1, raised/2.
    on(K) :- p(K, A, _), A > 4.
    on(K) :- on(K) in [1,-1], not p(K, 0, _).
    raised(K, B) :- p(K, _, B), on(K), not raised(K, B) in [4,-1].
    back(K, T) :- p(K, _, _), not on(K), on(K) at T in [3].
    latest(K, T, B) :- p(K, _, _), (T, B) = #last{U, V : raised(K, V) at U in [9,-1]}.
    #show on/1, raised/2, back/2, latest/3.
"""
CHAINED = """
    #stream hot/1, twice/1.
    hot(K) :- p(K, A, _) in [1], A > 3.
    twice(K) :- hot(K) at T in [4,-2], hot(K), p(K, _, _).
    calm(K) :- p(K, _, _), not twice(K) in [6].
"""
"""Streams that rest on one another, but none on its own past."""


def test_a_stream_remembers_from_batch_to_batch_and_after_a_restart(spark: Any, files: Files, tmp_path: Path) -> None:
    table = stream(200)
    first, second, third = parts(table, 70, 131)  # cut within time points
    folder = files("in", [first, second])
    frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(folder))
    started = reason(INERTIA, "p", view="intervals", shards=2)
    writer(started(frame).results, tmp_path).start().awaitTermination()
    files("more", [first, second, third])
    (tmp_path / "more" / "002.parquet").rename(folder / "002.parquet")
    again = reason(INERTIA, "p", view="intervals", shards=2)
    outputs = again(frame)
    again.drain(writer(outputs.results, tmp_path))
    results = spark.read.parquet(str(tmp_path / "out"))
    for predicate in outputs:
        wanted = expected(INERTIA, {"p": table}, predicate, "intervals")
        assert rows_of(outputs.take(results, predicate)) == wanted
        assert wanted


@pytest.mark.parametrize(("view", "shards"), [("changes", 1), ("intervals", 2)])
def test_slices_of_a_history_add_up_lookbacks(spark: Any, view: Any, shards: int) -> None:
    table = stream(150)
    outputs = reason(CHAINED, "p", view=view, shards=shards, slices=5)(spark.createDataFrame(table))
    for predicate in ("hot", "twice", "calm"):
        wanted = expected(CHAINED, {"p": table}, predicate, view)
        assert rows_of(outputs[predicate]) == wanted
        assert wanted
    outputs.unpersist()


@pytest.mark.parametrize("slices", [None, 3])
def test_a_stream_that_rests_on_its_own_past_is_evaluated_in_order(spark: Any, slices: int | None) -> None:
    table = stream(150)
    outputs = reason(INERTIA, "p", shards=2, slices=slices)(spark.createDataFrame(table))
    for predicate in ("on", "raised", "back", "latest"):
        assert rows_of(outputs[predicate]) == expected(INERTIA, {"p": table}, predicate, "answers")
    outputs.unpersist()


def test_check_says_how_a_history_is_evaluated(tmp_path: Path) -> None:
    (tmp_path / "inertia.lars").write_text(INERTIA)
    (tmp_path / "chained.lars").write_text(CHAINED)
    why = "history   is evaluated in order, not in slices of time: on is derived from its own past"
    assert why in lasing("check", "inertia.lars", folder=tmp_path).stdout
    added = "history   slices of time look back 11 time points"  # 1 for the facts, 4 for hot, 6 for twice
    assert added in lasing("check", "chained.lars", folder=tmp_path).stdout
