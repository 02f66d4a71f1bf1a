"""Event patterns on Spark: TESLA and ETALIS divided by keys, and DOTR over mapped rows, give what one machine gives."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing.spark import reason
from tests.spark.conftest import Files, parts
from tests.spark.expected import Rows, rows_of
from tests.spark.test_pipeline import run
from tests.spark.test_streaming import writer
from tests.unit.languages.etalis.test_use import prepared
from tests.unit.pipeline.local.pipelines import run as run_in_process

FIRE = Path(__file__).parents[2] / "examples" / "fire"
START = datetime(2026, 5, 1, tzinfo=UTC)
PATTERN = """
event Smoke(room: string);
event Temp(room: string, value: float);

define Fire(room: string, temp: float, n: int)
from Smoke() and last Temp(room = Smoke.room, value > 20) within 20 s from Smoke
     and not Smoke(room = Smoke.room) between Temp and Smoke
with room = Smoke.room, temp = Temp.value, n = COUNT(Temp(room = Smoke.room)) within 20 s from Smoke
consuming Temp;

define Again(room: string)
from Fire() and each Fire(room = Fire.room) as Before within 1 min from Fire
with room = Fire.room;
"""


def temps(rows: int = 80) -> pa.Table:
    return pa.table(
        {
            "value": [float(10 + i * 7 % 20) for i in range(rows)],
            "ts": pa.array([START + timedelta(seconds=i) for i in range(rows)], pa.timestamp("us", "UTC")),
            "room": [f"r{i * 5 % 3}" for i in range(rows)],
        }
    )


def smoke(rows: int = 80) -> pa.Table:
    chosen = [i for i in range(rows) if i % 6 == 5]
    return pa.table(
        {
            "room": [f"r{i % 4}" for i in chosen],
            "ts": pa.array([START + timedelta(seconds=i) for i in chosen], pa.timestamp("us", "UTC")),
        }
    )


def local(output: str) -> Rows:
    program = lasing.parse(PATTERN, language="tesla")
    streams = {"temp": lasing.Table(temps(), time="ts"), "smoke": lasing.Table(smoke(), time="ts")}
    found = []
    for answer in lasing.run(program, streams):
        begin = datetime.fromtimestamp(answer.time, UTC).replace(tzinfo=None)
        found += [(begin, *atom.values) for atom in answer.atoms if atom.predicate == output]
    return sorted(found, key=repr)


def test_a_history_divided_by_the_key_of_the_pattern(spark: Any) -> None:
    program = lasing.parse(PATTERN, language="tesla")
    frames = {"temp": spark.createDataFrame(temps()), "smoke": spark.createDataFrame(smoke())}
    outputs = reason(program, time="ts", shards=2)(frames)
    for output, columns in (("fire", ["time", "room", "temp", "n"]), ("again", ["time", "room"])):
        assert outputs[output].columns == columns
        assert rows_of(outputs[output]) == local(output)
        assert local(output)
    outputs.unpersist()


def test_columns_are_attributes_of_the_same_name(spark: Any) -> None:
    program = lasing.parse(PATTERN, language="tesla")
    frames = {"temp": spark.createDataFrame(temps()).withColumnRenamed("value", "val"), "smoke": None}
    with pytest.raises(lasing.LasingError, match=r"the DataFrame of temp has no column value"):
        reason(program, time="ts")({"temp": frames["temp"]})


def test_a_stream(spark: Any, files: Files, tmp_path: Path) -> None:
    program = lasing.parse("event Temp(room: string, value: float); " + CALM, language="tesla")
    stream = spark.readStream.schema("value double, ts timestamp, room string").option("maxFilesPerTrigger", 1)
    reasoning = reason(program, input="temp", output="rise", time="ts", shards=2)
    rises = stream.parquet(str(files("in", parts(temps(), 30, 55)))).transform(reasoning)
    reasoning.drain(writer(rises, tmp_path))
    expected = []
    for answer in lasing.run(program, {"temp": lasing.Table(temps(), time="ts")}):
        begin = datetime.fromtimestamp(answer.time, UTC).replace(tzinfo=None)
        expected += [(begin, *atom.values) for atom in answer.atoms if atom.predicate == "rise"]
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == sorted(expected, key=repr)
    assert expected


CALM = """
define Rise(room: string, by: float)
from Temp() as Now and last Temp(room = Now.room) as Before within 10 s from Now
with room = Now.room, by = Now.value - Before.value
"""


def test_dotr_over_mapped_rows(spark: Any) -> None:
    rows = spark.read.csv(
        str(FIRE / "readings.csv"), header=True, schema="ts timestamp, id string, sensor string, value int"
    )
    triples = lasing.rdf.triples(rows, FIRE / "readings.toml")
    entail: list[str | Path] = ["rdfs", FIRE / "building.lars"]
    program = lasing.parse(FIRE / "fire.dotr", data=FIRE / "building.ttl", entail=entail)
    reasoning = reason(program, output="fire")
    found = {(row[2], row[3]) for row in rows_of(triples.transform(reasoning))}
    building = "<http://building.example/{}>"
    assert (building.format("at_room"), building.format("kitchen")) in found
    assert {value for name, value in found if name == building.format("seen_by")} == {
        building.format(reading) for reading in ("r26", "r31", "r47")
    }


@pytest.mark.parametrize(
    ("name", "expected"), [("rooms.toml", "fire(kitchen,71)"), ("fire.toml", "<http://building.example/r26>)")]
)
def test_the_pipelines_of_the_example(
    name: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "fire"
    shutil.copytree(FIRE, folder)
    run(folder / name)
    printed = capsys.readouterr().out
    assert f"{expected} at 2026-03-02T08:05:30Z." in printed
    assert printed.count(" at 2026-03-02T08:07:30Z.") == printed.count(" at 2026-03-02T08:09:30Z.") > 0


ORDERS = """
event placed(order: string, amount: float), paid(order: string).
tick 1 s.
payment(O, A) <- (placed(O, A) SEQ paid(O)).1 min.
busy(O) <- payment(O, _) DURING (payment(O, _) AND placed(O, _)).2 min.
unpaid(O) <- (NOT(paid(O)).[placed(O, _), placed(O, _)]).1 min.
times dates.
"""
ORDER_SCHEMAS = {"placed": "ts timestamp, order string, amount double", "paid": "ts timestamp, order string"}


def orders() -> dict[str, pa.Table]:
    times = [START + timedelta(seconds=3 * i) for i in range(60)]
    placed, paid = range(0, 60, 2), range(1, 60, 3)
    return {
        "placed": pa.table(
            {
                "ts": pa.array([times[i] for i in placed], pa.timestamp("us", "UTC")),
                "order": [f"o{i % 5}" for i in placed],
                "amount": [float(i) for i in placed],
            }
        ),
        "paid": pa.table(
            {
                "ts": pa.array([times[i] for i in paid], pa.timestamp("us", "UTC")),
                "order": [f"o{i % 5}" for i in paid],
            }
        ),
    }


def intervals_on_one_machine(output: str) -> Rows:
    program = lasing.parse(ORDERS, language="etalis")
    streams = {name: lasing.Table(table, time="ts") for name, table in orders().items()}
    found = lasing.run(program, streams).to_arrow()[output].to_pylist()
    return sorted((tuple(map(as_in_spark, row.values())) for row in found), key=repr)


def as_in_spark(value: Any) -> Any:
    """Spark has times without a zone, and amounts as they are declared."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return float(value) if isinstance(value, int) else value


@pytest.mark.parametrize("view", ["answers", "intervals"])
def test_etalis_on_a_history_gives_the_intervals_of_one_machine(spark: Any, view: Any) -> None:
    program = lasing.parse(ORDERS, language="etalis")
    reasoning = reason(program, time="ts", shards=2, view=view)
    outputs = reasoning({name: spark.createDataFrame(table) for name, table in orders().items()})
    for output in ("payment", "busy", "unpaid"):
        wanted = intervals_on_one_machine(output)
        if view == "intervals":  # a result holds when its event ends, and then no more
            wanted = sorted(((row[0], *row) for row in wanted), key=repr)
        assert rows_of(outputs[output]) == wanted
        assert wanted, output
    outputs.unpersist()


def test_etalis_on_streams_and_after_a_restart(spark: Any, files: Files, tmp_path: Path) -> None:
    program = lasing.parse(ORDERS, language="etalis")
    tables = orders()
    cuts = {"placed": (10, 22), "paid": (7, 14)}  # at the same times, so that no fact is late
    given = {name: parts(table, *cuts[name]) for name, table in tables.items()}
    folders = {name: files(name, pieces[:2]) for name, pieces in given.items()}
    frames = {
        name: spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folders[name]))
        for name, schema in ORDER_SCHEMAS.items()
    }
    started = reason(program, time="ts", shards=2)
    writer(started(frames).results, tmp_path).start().awaitTermination()
    for name, pieces in given.items():
        (files("more", pieces) / "002.parquet").rename(folders[name] / "002.parquet")
    again = reason(program, time="ts", shards=2)
    outputs = again(frames)
    again.drain(writer(outputs.results, tmp_path))
    results = spark.read.parquet(str(tmp_path / "out"))
    for output in ("payment", "busy", "unpaid"):
        wanted = intervals_on_one_machine(output)
        assert rows_of(outputs.take(results, output)) == wanted
        assert wanted, output


def read_rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in folder.rglob("*.json") for line in file.read_text().splitlines()]


def test_a_pipeline_of_etalis_finds_the_intervals_of_one_process(tmp_path: Path) -> None:
    path = prepared(tmp_path, "times dates.")
    run_in_process(path)
    shutil.rmtree(tmp_path / "state")
    wanted = {}
    for output in ("work", "settled"):
        (tmp_path / output).rename(tmp_path / f"{output} in this process")
        wanted[output] = sorted(map(str, read_rows(tmp_path / f"{output} in this process")))
        assert wanted[output], output
    for source in ("placed", "packed", "paid"):  # Spark streams the files of a folder
        (tmp_path / source).mkdir()
        (tmp_path / f"{source}.csv").rename(tmp_path / source / "0.csv")
    path.write_text(path.read_text().replace('engine = "local"', "shards = 2").replace('.csv"', '"'))
    run(path)
    for output, rows in wanted.items():
        found = [{name: cell for name, cell in row.items() if name != "batch"} for row in read_rows(tmp_path / output)]
        assert sorted(map(str, found)) == rows
