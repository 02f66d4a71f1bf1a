"""A history on Spark: the answers of one machine, however it is cut."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lasing
from lasing.logic.modules import functions_of_module
from lasing.spark import reason
from tests.spark.expected import expected, rows_of

JOIN = "q(K, A, C) :- p(K, A, B) in [3], p(K, B, C) in [3]."
KEYLESS = """
    edge(A, B) :- p(_, A, B) in [4].
    reach(A, B) :- edge(A, B).
    reach(A, C) :- reach(A, B), edge(B, C).
    quiet(K) :- known(K), not p(K, _, _) in [2].
    known(0). known(1). known(99).
"""
COUNTED = "last(K, B) :- p(K, A, B) in [#2 by K].  recent(B) :- p(_, _, B) in [#3]."


def stream(rows: int = 400, points: int = 60, seed: int = 5) -> pa.Table:
    chance = np.random.default_rng(seed)
    table = pa.table(
        {
            "time": np.sort(chance.integers(0, points, rows)),
            "k": chance.integers(0, 7, rows),
            "a": chance.integers(0, 6, rows),
            "b": chance.integers(0, 6, rows),
        }
    )
    order = [("time", "ascending"), ("k", "ascending"), ("a", "ascending"), ("b", "ascending")]
    return table.group_by(["time", "k", "a", "b"], use_threads=False).aggregate([]).sort_by(order)


@pytest.mark.parametrize(
    ("view", "shards", "slices"), [("answers", 3, 2), ("changes", 1, 5), ("intervals", 3, 1), ("intervals", 2, 4)]
)
def test_a_join_in_shards_and_slices(spark: Any, view: Any, shards: int, slices: int) -> None:
    table = stream()
    out = spark.createDataFrame(table).transform(reason(JOIN, "p", "q", view=view, shards=shards, slices=slices))
    assert rows_of(out) == expected(JOIN, {"p": table}, "q", view)


def test_functions_of_the_user_are_sent_to_the_workers(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "only_here.py").write_text("FACTOR = 10\ndef times(x: int) -> int: return x * FACTOR\n")
    functions = {**functions_of_module("only_here", tmp_path), "half": lambda x: x / 2}
    program = "q(K, @times(A), @half(B)) :- p(K, A, B) in [3], @times(A) > 20."
    table = stream(60)
    out = spark.createDataFrame(table).transform(reason(program, "p", "q", functions=functions, shards=3, slices=2))
    wanted = expected(program, {"p": table}, "q", "answers", functions=functions)
    found = rows_of(out)
    assert sorted((*row[:3], float(row[3])) for row in found) == sorted((*row[:3], float(row[3])) for row in wanted)
    assert found


@pytest.mark.parametrize("view", ["changes", "intervals"])
def test_recursion_and_negation_without_a_key_in_slices(spark: Any, view: Any) -> None:
    table = stream(60)
    out = reason(KEYLESS, view=view, slices=4)({"p": spark.createDataFrame(table)})
    assert set(out) == {"edge", "reach", "quiet"}
    for predicate in out:
        assert rows_of(out[predicate]) == expected(KEYLESS, {"p": table}, predicate, view)
    out.unpersist()


def test_windows_that_count_facts_get_them_in_every_slice(spark: Any) -> None:
    table = stream(60, 200)
    out = reason(COUNTED, view="answers", slices=6)({"p": spark.createDataFrame(table)})
    for predicate in ("last", "recent"):
        assert rows_of(out[predicate]) == expected(COUNTED, {"p": table}, predicate, "answers")
    out.unpersist()


def test_types_names_and_times_come_out_right(spark: Any) -> None:
    program = """
        #tick 1 min.
        warm(Sensor, Celsius, Since) :- temp(Sensor, Celsius, Since, Ok) in [1 min], Celsius >= 20, Ok = "true".
        mean(Sensor, M, N) :- temp(Sensor, _, _, _), M = #avg{V : temp(Sensor, V, _, _) in [5 min]},
            N = #count{V : temp(Sensor, V, _, _) in [5 min]}.
    """
    noon = datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC)
    rows = [
        (noon, "s1", 21.5, noon, True),
        (noon + timedelta(minutes=1), "s1", 19.0, noon, True),
        (noon + timedelta(minutes=1), "s2", 30.0, noon - timedelta(days=1), False),
    ]
    frame = spark.createDataFrame(rows, "ts timestamp, sensor string, celsius double, since timestamp, ok boolean")
    out = reason(program, time="ts", slices=1)({"temp(sensor, celsius, since, ok)": frame})
    assert out["warm"].schema.simpleString() == ("struct<time:timestamp,Sensor:string,Celsius:double,Since:timestamp>")
    naive = noon.replace(tzinfo=None, second=0)
    at_noon = noon.replace(tzinfo=None)
    assert rows_of(out["warm"]) == [
        (naive, "s1", 21.5, at_noon),
        (naive + timedelta(minutes=1), "s1", 21.5, at_noon),
    ]
    assert dict(out["mean"].dtypes) == {"time": "timestamp", "Sensor": "string", "M": "double", "N": "bigint"}
    assert (naive + timedelta(minutes=1), "s1", 20.25, 2) in rows_of(out["mean"])
    out.unpersist()


def test_a_number_and_its_text_stay_apart_in_one_column(spark: Any) -> None:
    numbers = spark.createDataFrame([(1, 1), (2, 2)], "time long, x long")
    names = spark.createDataFrame([(1, "1"), (1, "one"), (3, "2")], "time long, x string")
    out = reason("q(X) :- n(X).  q(X) :- t(X).  text(X) :- t(X).", slices=2)({"n": numbers, "t": names})
    assert rows_of(out["q"]) == sorted([(1, "1"), (1, '"1"'), (1, "one"), (2, "2"), (3, '"2"')], key=repr)
    assert rows_of(out["text"]) == [(1, "1"), (1, "one"), (3, "2")]
    out.unpersist()


def test_background_comes_from_a_frame_a_file_or_the_program(spark: Any, tmp_path: Path) -> None:
    program = "seen(R) :- temp(S, V), room(S, R), open(R).  open(hall)."
    readings = spark.createDataFrame([(1, "s1", 5), (2, "s2", 6)], "time long, s string, v long")
    rooms = spark.createDataFrame([("s1", "hall"), ("s2", "attic")], "s string, r string")
    (tmp_path / "rooms.lars").write_text("room(s1, hall). room(s2, attic).")
    for background in ({"room": rooms}, tmp_path / "rooms.lars"):
        out = readings.transform(reason(program, "temp", "seen", background=background, slices=2))
        assert rows_of(out) == [(1, "hall")]


def test_several_inputs_and_a_replicated_one(spark: Any) -> None:
    program = "seen(K, W) :- p(K, _, _), word(W) in [3].  lone(K) :- p(K, _, _), not word(_) in [1]."
    table = stream(100, 30)
    words = pa.table({"time": [3, 9, 20], "w": ["a", "b", "c"]})
    given = {"p": table, "word": words}
    frames = {name: spark.createDataFrame(t) for name, t in given.items()}
    out = reason(program, shards=3, slices=2, replicate=["word"])(frames)
    for predicate in ("seen", "lone"):
        assert rows_of(out[predicate]) == expected(program, given, predicate, "answers")
    out.unpersist()


def test_facts_before_the_start_are_reported(spark: Any) -> None:
    frame = spark.createDataFrame([(1, 7), (4, 8), (5, 9)], "time long, x long")
    out = reason("q(X) :- p(X) in [1].", "p", start=4, end=7)(frame)
    assert rows_of(out["q"]) == [(4, 8), (5, 8), (5, 9), (6, 9)]
    assert rows_of(out.late) == [("p", 1, 3, 3, "p(7) at 1.")]


def test_no_facts_at_all(spark: Any) -> None:
    nothing = spark.createDataFrame([], "time long, x long")
    assert rows_of(nothing.transform(reason("q(X) :- p(X).", "p", "q"))) == []
    quiet = reason("quiet :- not p(_) in [1].", "p", "quiet", start=0, end=2)
    assert rows_of(nothing.transform(quiet)) == [(0,), (1,), (2,)]


@pytest.mark.parametrize(
    ("options", "schema", "code", "words"),
    [
        ({"input": "r"}, "time long, x long", "E604", "does not use r"),
        ({"input": "p"}, "time long, x long, y long", "E604", "p has 1 arguments"),
        ({"input": "p"}, "at long, x long", "E604", "no column time"),
        ({"input": "p(z)"}, "time long, x long", "E604", "no column z"),
        ({"input": "p"}, "time string, x long", "E604", "which is not a time"),
        ({"input": "p"}, "time timestamp, x long", "E503", "how long a time point is"),
        ({"input": "p"}, "time long, x array<int>", "E604", "array<int>"),
        ({"input": "p", "output": "s"}, "time long, x long", "E605", "no output s"),
        ({"input": "p", "view": "pictures"}, "time long, x long", "E305", "no view pictures"),
        ({"input": "p", "delay": "soon"}, "time long, x long", "E305", "is not a delay"),
        ({"input": "p", "shards": 0}, "time long, x long", "E305", "shards is 0"),
        ({"input": "P("}, "time long, x long", "E604", "does not say"),
    ],
)
def test_mistakes_are_reported_before_anything_runs(
    spark: Any, options: dict[str, Any], schema: str, code: str, words: str
) -> None:
    with pytest.raises(lasing.LasingError, match=code) as caught:
        reason("q(X) :- p(X).", **options)(spark.createDataFrame([], schema))
    assert words in str(caught.value)


def test_facts_before_the_start_are_shown_with_their_dates(spark: Any) -> None:
    frame = spark.createDataFrame(
        [(datetime(2026, 1, 1, 8, minute, tzinfo=UTC), 7) for minute in (0, 5)], "time timestamp, x int"
    )
    start = datetime(2026, 1, 1, 8, 3, tzinfo=UTC)
    out = reason("#tick 1 min. q(X) :- p(X).", start=start)({"p": frame})
    assert [row.fact for row in out.late.collect()] == ['p(7) at "2026-01-01T08:00:00Z".']


GAPS = [(None, "z", 9), (1, "a", 5), (2, "b", None), (2, None, 7), (3, "a", None), (4, None, None)]


def test_rows_that_lack_a_value_are_left_out_and_counted_once(spark: Any) -> None:
    frame = spark.createDataFrame(GAPS, "time long, s string, v long")
    program = "q(S, V) :- p(S, V) in [2]. r(S) :- p(S, _) in [#1 by S]."  # facts go to several slices and shards
    with pytest.warns(lasing.LasingWarning) as warned:
        outputs = reason(program, "p", end=4, slices=2, shards=2)(frame)
    assert outputs.missing == {("p", "time"): 1, ("p", "s"): 2, ("p", "v"): 2}
    assert outputs.events == 1
    words = sorted(str(warning.message).splitlines()[0] for warning in warned)
    assert words == [
        "warning[W206]: 1 row of p left out: no value in the column time",
        "warning[W206]: 2 rows of p left out: no value in the column s",
        "warning[W206]: 2 rows of p left out: no value in the column v",
    ]
    assert sorted(map(tuple, outputs["q"].collect())) == [(1, "a", 5), (2, "a", 5), (3, "a", 5)]
    assert sorted(map(tuple, outputs["r"].collect())) == [(t, "a") for t in (1, 2, 3, 4)]


def test_a_missing_value_may_be_an_error_or_another_value(spark: Any) -> None:
    frame = spark.createDataFrame([(1, "a", 5), (2, "b", None)], "time long, s string, v long")
    with pytest.raises(Exception, match=r"E506.*no value for v: time=2, s='b', v=None"):
        frame.transform(reason("q(S) :- p(S, V).", "p", "q", missing="error")).collect()
    filled = frame.transform(reason("q(S, V) :- p(S, V).", "p", "q", missing={"p": 0}))
    assert sorted(map(tuple, filled.collect())) == [(1, "a", 5), (2, "b", 0)]
    with pytest.raises(Exception, match=r"E506.*'none' cannot replace a missing int64 in the column v of p"):
        frame.transform(reason("q(S) :- p(S, V).", "p", "q", missing="none")).collect()
    with pytest.raises(lasing.LasingError, match=r"E604.*missing is given for r"):
        reason("q(S) :- p(S, V).", "p", "q", missing={"r": 0})(frame)
    with pytest.raises(lasing.LasingError, match="E510"):
        reason("q(S) :- p(S, V).", "p", "q", missing=None)  # type: ignore[arg-type]


def test_background_facts_that_lack_a_value_are_left_out(spark: Any) -> None:
    frame = spark.createDataFrame([(1, "a"), (1, "b")], "time long, s string")
    rooms = spark.createDataFrame([("a", 1), ("b", None)], "s string, n long")
    with pytest.warns(lasing.LasingWarning, match="W206.*1 row of room left out: no value in the column n"):
        located = reason("q(S, N) :- p(S), room(S, N).", "p", "q", background={"room": rooms})
    assert sorted(map(tuple, located(frame).collect())) == [(1, "a", 1)]


def test_a_program_without_a_key_says_why_it_has_one_shard(spark: Any) -> None:
    frame = spark.createDataFrame([(1, 1)], "time long, x long")
    with pytest.raises(lasing.LasingError, match="E607"):
        reason("n :- p(_).", "p", "n", shards=2, slices=1)(frame)
