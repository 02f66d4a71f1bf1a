"""Queries over triples on Spark: the rows of one machine, from tables through a mapping, in batch and in streams."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import lasing
from lasing.connectors.spark_terms import marked_columns
from lasing.logic.results import rows_of as result_rows
from lasing.logic.values import mixed_text
from lasing.spark import reason
from tests.spark.conftest import Files, parts
from tests.spark.expected import Rows, rows_of
from tests.spark.test_pipeline import run
from tests.spark.test_streaming import writer

MAPPING = """
time = "ts"
[prefixes]
e = "http://ex.org/"
[[triples]]
triple = "e:{sensor} e:celsius {celsius}^^xsd:decimal"
[[triples]]
triple = "e:{sensor} e:status {status}@en"
[[triples]]
triple = "_:reading e:by e:{sensor}"
"""
QUERY = """
PREFIX : <http://ex.org/>
REGISTER RSTREAM <hot> AS SELECT ?sensor ?room ?status
FROM NAMED WINDOW :w ON :readings [RANGE PT4S STEP PT2S]
WHERE { ?sensor :room ?room . WINDOW :w { ?sensor :celsius ?v OPTIONAL { ?sensor :status ?status } } FILTER(?v > 20) }
"""
STATIC = "@prefix : <http://ex.org/> . :s0 :room :r1 . :s1 :room :r1 . :s2 :room :r2 .\n"
START = datetime(2026, 5, 1, tzinfo=UTC)


def readings(rows: int = 60) -> pa.Table:
    return pa.table(
        {
            "ts": pa.array([START + timedelta(milliseconds=400 * i) for i in range(rows)], pa.timestamp("us", "UTC")),
            "sensor": [f"s{i * 7 % 4}" for i in range(rows)],
            "celsius": [f"{15 + i % 9}.5" for i in range(rows)],
            "status": [None if i % 3 else f"state {i % 2}" for i in range(rows)],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("city.toml", MAPPING), ("hot.rq", QUERY), ("rooms.ttl", STATIC)):
        (tmp_path / name).write_text(text)
    return tmp_path


def local(folder: Path, table: pa.Table, dated: bool = True, entail: Path | str | None = None) -> Rows:
    """The rows of one machine, with terms as text; the time is left out unless rows are `dated`."""
    query = lasing.parse(folder / "hot.rq")
    (output,) = query.outputs or ()
    stream = lasing.rdf.triples(table, folder / "city.toml", predicate="readings")
    found = []
    for answer in lasing.run(query, stream, data=folder / "rooms.ttl", entail=entail):
        begin = datetime.fromtimestamp(answer.time * 2, UTC).replace(tzinfo=None)
        for row in result_rows(output, answer.atoms):
            texts = tuple(None if value is None else mixed_text(value) for value in row)
            found.append((begin, *texts) if dated else texts)
    return sorted(found, key=repr)


def test_rows_become_triples_and_queries_are_applied_to_queries(spark: Any, folder: Path) -> None:
    table = readings()
    frame = lasing.rdf.triples(spark.createDataFrame(table), folder / "city.toml")
    assert frame.columns == ["time", "subject", "predicate", "object"]
    assert marked_columns(frame) == {"subject", "predicate", "object"}
    hot = frame.transform(reason(folder / "hot.rq", background=folder / "rooms.ttl", slices=3, shards=2, output="hot"))
    assert hot.columns == ["time", "sensor", "room", "status"]
    wanted = local(folder, table)
    found = rows_of(hot)
    assert found == wanted
    assert len(set(found)) < len(found)  # equal rows repeat
    assert any(row[-1] is None for row in found)
    assert any(row[-1] == '"state 0"@en' for row in found)
    program = "#tick 2 sec.  room(R, N) :- hot(_, R, _), N = #count{S : hot(S, R, _)}.  #show room/2."
    rooms = rows_of(reason(program, missing="none", output="room")({"hot": hot}))
    assert {row[1] for row in rooms} == {"<http://ex.org/r1>", "<http://ex.org/r2>"}


def test_a_query_on_a_stream_of_mapped_rows(spark: Any, folder: Path, files: Files) -> None:
    table = readings()
    source = files("in", parts(table, 20, 45))
    rows = spark.readStream.schema("ts timestamp, sensor string, celsius string, status string")
    rows = rows.option("maxFilesPerTrigger", 1).parquet(str(source))
    reasoning = reason(folder / "hot.rq", background=folder / "rooms.ttl", output="hot", shards=2)
    hot = lasing.rdf.triples(rows, folder / "city.toml").transform(reasoning)
    assert marked_columns(hot) == {"sensor", "room", "status"}
    reasoning.drain(writer(hot, folder))
    assert rows_of(spark.read.parquet(str(folder / "out"))) == local(folder, table)


PIPELINE = """
program = "hot.rq"
mode = "batch"
data = ["rooms.ttl"]
[sources.readings]
format = "csv"
path = "in"
schema = "ts timestamp, sensor string, celsius string, status string"
mapping = "city.toml"
[sinks.hot]
format = "console"
"""


def test_a_pipeline_of_a_query_and_a_mapping(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = readings(30)
    (folder / "in").mkdir()
    shown = table.set_column(0, "ts", table["ts"].cast(pa.string()))
    pacsv.write_csv(shown, folder / "in" / "0.csv")
    (folder / "hot.toml").write_text(PIPELINE)
    run(folder / "hot.toml")
    printed = [line.partition(" at ")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("hot(")]
    rows = local(folder, table, dated=False)
    assert sorted(printed) == sorted(f"hot({','.join(part or 'new(unbound)' for part in row)})" for row in rows)
    bad = shown.set_column(2, "celsius", pa.array(["warm", *shown["celsius"].to_pylist()[1:]]))
    pacsv.write_csv(bad, folder / "in" / "0.csv")
    with pytest.raises(lasing.LasingError, match=r"E506.*sources.readings.*'warm', which is not a value of .*decimal"):
        run(folder / "hot.toml")


SCHEMA = """@prefix : <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:celsius rdfs:domain :Thermometer ; rdfs:subPropertyOf :measures . :Thermometer rdfs:subClassOf :Sensor .
:s0 :room :r1 . :s1 :room :r1 . :s2 :room :r2 .
"""
ENTAILED = """
PREFIX : <http://ex.org/>
REGISTER RSTREAM <hot> AS SELECT ?sensor ?v ?room
FROM NAMED WINDOW :w ON :readings [RANGE PT4S STEP PT2S]
WHERE { ?sensor :room ?room . WINDOW :w { ?sensor a :Sensor ; :measures ?v } }
"""


@pytest.mark.parametrize("regime", ["rdfs", "owl-rl", "rules.lars"])
def test_entailment_in_the_windows_of_a_query(spark: Any, folder: Path, regime: str) -> None:
    (folder / "hot.rq").write_text(ENTAILED)
    (folder / "rooms.ttl").write_text(SCHEMA)
    (folder / "rules.lars").write_text(
        "#prefix ex: <http://ex.org/>.\nex:Sensor(X) :- ex:celsius(X, _).\nex:measures(X, V) :- ex:celsius(X, V).\n"
    )
    entail = folder / regime if regime.endswith(".lars") else regime
    shards = 2 if regime.endswith(".lars") else 1  # RDFS and OWL reason about objects too, so they have no key
    table = readings(30)
    frame = lasing.rdf.triples(spark.createDataFrame(table), folder / "city.toml")
    reasoning = reason(
        folder / "hot.rq", background=folder / "rooms.ttl", entail=entail, slices=2, shards=shards, output="hot"
    )
    found = rows_of(frame.transform(reasoning))
    assert found == local(folder, table, entail=entail)
    assert len(found) > 30
    nothing = reason(folder / "hot.rq", background=folder / "rooms.ttl", output="hot")
    assert rows_of(frame.transform(nothing)) == []


def test_entailment_of_streamed_triples_in_a_program(spark: Any, folder: Path) -> None:
    program = "#tick 1 sec.  #prefix ex: <http://ex.org/>.  seen(X) :- ex:Sensor(X).  #show seen/1."
    (folder / "rooms.ttl").write_text(SCHEMA)
    table = readings(20)
    frame = lasing.rdf.triples(spark.createDataFrame(table), folder / "city.toml")
    reasoning = reason(program, input="triple", background=folder / "rooms.ttl", entail="rdfs", output="seen")
    stream = lasing.rdf.triples(table, folder / "city.toml", predicate="triple")
    expected = sorted(
        (datetime.fromtimestamp(answer.time, UTC).replace(tzinfo=None), mixed_text(atom.values[0]))
        for answer in lasing.run(program, stream, data=folder / "rooms.ttl", entail="rdfs")
        for atom in answer.atoms
    )
    assert rows_of(frame.transform(reasoning)) == expected
    assert len(expected) == 20


def test_an_unknown_regime_is_an_error_at_once(folder: Path) -> None:
    with pytest.raises(lasing.LasingError, match=r"E511.*there is no entailment regime rdfss"):
        reason(folder / "hot.rq", entail="rdfss")
