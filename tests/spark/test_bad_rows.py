"""Bad rows on Spark: they stop a query, or are left out, counted, and kept with their file, line and reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lasing import LasingError, LasingWarning
from lasing.spark import reason
from tests.spark.test_pipeline import pipeline, run

pytestmark = pytest.mark.usefixtures("spark")

PROGRAM = "q(X) :- p(X)."
HEAD = 'program = "join.lars"\nmode = "{mode}"\ncheckpoint = "checkpoint"\ntrigger = "available now"\n'
SOURCE = '[sources.p]\nformat = "{format}"\npath = "in"\nschema = "time bigint, x double"\nfiles_per_batch = 1\n'
SINK = '[sinks.q]\nformat = "json"\npath = "out"\n'
FILES = {
    "csv": (
        "time,x\n1,1.5\nrubbish\n2,2.5\nsoon,3.5\n3,warm\n,9.5\n4,4.5\n",
        [
            (3, "", "this row has 1 cell, but the schema has 2 columns"),
            (5, "time", "time is 'soon', which is not of type bigint"),
            (6, "x", "x is 'warm', which is not of type double"),
        ],
    ),
    "json": (
        '{"time": 1, "x": 1.5}\n{{{\n{"time": 2, "x": 2.5}\n{"time": "soon", "x": 1}\n{"time": 3, "x": "warm"}\n'
        '{"x": 9.5}\n{"time": 4, "x": 4.5}\n',
        [
            (2, "", "this row is not JSON"),
            (4, "time", "time is 'soon', which is not of type bigint"),
            (5, "x", "x is 'warm', which is not of type double"),
        ],
    ),
}


def written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(folder.rglob("*.json")) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("mode", ["batch", "stream"])
@pytest.mark.parametrize("form", FILES)
def test_bad_rows_go_to_a_folder(tmp_path: Path, form: str, mode: str) -> None:
    text, wrong = FILES[form]
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / f"0.{form}"
    file.write_text(text)
    head = HEAD.format(mode=mode) + 'bad_rows = "bad"\nmax_bad_rows = 0.5\n'
    progress = run(pipeline(tmp_path, head + SOURCE.format(format=form) + SINK, PROGRAM))
    assert sorted((row["time"], row["X"]) for row in written(tmp_path / "out")) == [(1, 1.5), (2, 2.5), (4, 4.5)]
    bad = sorted(written(tmp_path / "bad"), key=lambda row: row["line"])
    assert [(row["line"], row["column"], row["reason"]) for row in bad] == wrong
    assert {(row["source"], row["file"], row["code"]) for row in bad} == {("p", str(file), "E614")}
    assert [row["row"] for row in bad] == [text.splitlines()[line - 1] for line, _, _ in wrong]
    assert progress.total.bad == {"p": 3}
    assert "3 bad rows left out" in progress.summary()
    (warned,) = [d for d in progress.diagnostics() if d.code == "W209"]
    assert "3 bad rows of source p left out: the first, E614" in warned.message
    assert [d.code for d in progress.diagnostics()] == ["W206", "W209"]  # a row without a time is not bad


@pytest.mark.parametrize("mode", ["batch", "stream"])
def test_too_large_a_share_stops_a_pipeline(tmp_path: Path, mode: str) -> None:
    (tmp_path / "in").mkdir()
    lines = [f"{t},{'warm' if t % 4 else 1}" for t in range(200)]
    (tmp_path / "in" / "0.csv").write_text("\n".join(["time,x", *lines]))
    head = HEAD.format(mode=mode) + 'bad_rows = "skip"\nmax_bad_rows = 0.5\n'
    with pytest.raises(LasingError, match="150 of 200 rows are bad") as caught:
        run(pipeline(tmp_path, head + SOURCE.format(format="csv") + SINK, PROGRAM))
    assert [d.code for d in caught.value.diagnostics] == ["E517"]


def test_a_source_has_a_rule_of_its_own_and_a_mapping_refuses_rows(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("time,x\n1,1.5\n2,warm\n3,NaN\n4,4.5\n")
    (tmp_path / "map.toml").write_text('[[triples]]\ntriple = "<a:s> <a:p> {x}"\n')
    source = SOURCE.format(format="csv").replace("[sources.p]", "[sources.triple]") + 'bad_rows = "bad"\n'
    source += 'mapping = "map.toml"\n'
    program = "q(O) :- triple(S,P,O)."
    progress = run(pipeline(tmp_path, HEAD.format(mode="stream") + source + SINK, program))
    assert sorted(row["time"] for row in written(tmp_path / "out")) == [1, 4]
    assert sorted((row["line"], row["code"]) for row in written(tmp_path / "bad")) == [(0, "E506"), (3, "E614")]
    assert progress.total.bad == {"triple": 2}


SCHEMA = "time long, x double, _corrupt_record string"


def lines(spark: Any, folder: Path) -> Any:
    folder.mkdir()
    (folder / "0.json").write_text('{"time": 1, "x": 1.5}\n{{{\n{"time": 2, "x": "warm"}\n{"time": 3, "x": 2.5}\n')
    return spark.readStream.schema(SCHEMA).json(str(folder))


def test_reason_knows_the_column_of_corrupt_records(spark: Any, tmp_path: Path) -> None:
    frame = lines(spark, tmp_path / "in")
    reasoning = reason(PROGRAM, "p", bad_rows="skip")
    outputs = reasoning(frame)
    rows: list[Any] = []
    bad: list[Any] = []

    def take(results: Any, _number: int) -> None:
        rows.extend(outputs.take(results, "q").collect())
        bad.extend(outputs.take_bad(results).collect())

    writer = outputs.results.writeStream.foreachBatch(take)

    def drain() -> None:
        reasoning.drain(writer.option("checkpointLocation", str(tmp_path / "checkpoint")))
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()

    with pytest.warns(LasingWarning, match="2 bad rows of p left out"):
        drain()
    assert sorted((row.time, row.X) for row in rows) == [(1, 1.5), (3, 2.5)]
    assert [(row.predicate, row.line, row.column, row.code) for row in sorted(bad, key=lambda row: row.line)] == [
        ("p", 2, "", "E614"),
        ("p", 3, "x", "E614"),
    ]


def test_reason_stops_at_a_corrupt_record(spark: Any, tmp_path: Path) -> None:
    reasoning = reason(PROGRAM, "p", "q")
    frame = lines(spark, tmp_path / "in").transform(reasoning)
    writer = frame.writeStream.format("parquet").option("path", str(tmp_path / "out"))
    with pytest.raises(Exception, match=r"E614.*a row for p is bad: this row does not fit the schema"):
        reasoning.drain(writer.option("checkpointLocation", str(tmp_path / "checkpoint")))


def test_the_bad_rows_of_a_history(spark: Any, tmp_path: Path) -> None:
    lines(spark, tmp_path / "in")
    frame = spark.read.schema(SCHEMA).json(str(tmp_path / "in"))
    outputs = reason(PROGRAM, "p", bad_rows="skip")(frame)
    assert sorted((row.time, row.X) for row in outputs["q"].collect()) == [(1, 1.5), (3, 2.5)]
    assert sorted(row.line for row in outputs.bad.collect()) == [2, 3]
    outputs.unpersist()
