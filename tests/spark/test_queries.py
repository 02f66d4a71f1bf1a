"""Queries over triples on Spark: the rows of one machine, from tables through a mapping, in batch and in streams."""

from __future__ import annotations

import re
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


DISJOINT = (
    SCHEMA
    + """
@prefix owl: <http://www.w3.org/2002/07/owl#> . :Thermometer owl:disjointWith :Clock . :status rdfs:domain :Clock ."""
)
FIRST_CLASH = r"W210[\s\S]*by the rule cax-dw, this cannot be true at 2026-05-01T00:00:02Z"


def test_inconsistent_data_of_a_query_is_reported(spark: Any, folder: Path, files: Files) -> None:
    (folder / "hot.rq").write_text(ENTAILED)
    (folder / "rooms.ttl").write_text(DISJOINT)
    table = readings(12)
    with pytest.warns(lasing.LasingWarning, match=FIRST_CLASH):
        wanted = local(folder, table, entail="owl-rl")
    assert wanted
    settings: dict[str, Any] = {"background": folder / "rooms.ttl", "entail": "owl-rl", "output": "hot", "shards": 1}
    history = lasing.rdf.triples(spark.createDataFrame(table), folder / "city.toml")
    found = history.transform(reason(folder / "hot.rq", slices=2, **settings))
    with pytest.warns(lasing.LasingWarning, match="W210"):  # whichever slice is the first to be ready
        assert rows_of(found) == wanted
    source = files("in", parts(table, 7))
    rows = spark.readStream.schema("ts timestamp, sensor string, celsius string, status string")
    rows = rows.option("maxFilesPerTrigger", 1).parquet(str(source))
    reasoning = reason(folder / "hot.rq", **settings)
    hot = lasing.rdf.triples(rows, folder / "city.toml").transform(reasoning)

    def run_to_the_end() -> None:
        reasoning.drain(writer(hot, folder))
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()

    with pytest.warns(lasing.LasingWarning, match="W210") as warned:
        run_to_the_end()
    assert len(warned) == 2  # one for each of the two queries of `drain`
    assert re.search(FIRST_CLASH, str(warned[0].message))
    assert rows_of(spark.read.parquet(str(folder / "out"))) == wanted


@pytest.mark.parametrize("mode", ["batch", "stream"])
def test_a_pipeline_reports_inconsistent_data(folder: Path, files: Files, mode: str) -> None:
    (folder / "hot.rq").write_text(ENTAILED)
    (folder / "rooms.ttl").write_text(DISJOINT)
    table = readings(12)
    files("in", parts(table, 7))
    head = f'mode = "{mode}"' + ('\ncheckpoint = "checkpoint"\ntrigger = "available now"' if mode == "stream" else "")
    text = PIPELINE.replace('mode = "batch"', f'entail = "owl-rl"\nshards = 1\n{head}').replace('"csv"', '"parquet"')
    (folder / "hot.toml").write_text(text)
    (found,) = run(folder / "hot.toml").diagnostics()
    with pytest.warns(lasing.LasingWarning, match="W210") as warned:
        local(folder, table, entail="owl-rl")
    assert found.code == "W210"
    assert any(str(found.note).replace("\n", "\n  = ") in str(one.message) for one in warned)


ELEMENTS = """
PREFIX : <http://ex.org/>
REGISTER ISTREAM <hot> AS SELECT ?sensor ?v
FROM NAMED WINDOW :w ON :readings [ELEMENTS 8 STEP 5]
WHERE { ?sensor :room ?room . WINDOW :w { ?sensor :celsius ?v } }
"""
TRIPLES = """
PREFIX : <http://ex.org/>
REGISTER QUERY hot AS SELECT ?sensor (COUNT(?v) AS ?n) (MAX(?v) AS ?most)
FROM STREAM :readings [RANGE TRIPLES 7]
WHERE { ?sensor :room ?room ; :celsius ?v }
GROUP BY ?sensor
"""


def texts(folder: Path, table: pa.Table) -> Rows:
    """The rows of one machine, with terms as text and the times of the query's own tick."""
    query = lasing.parse(folder / "hot.rq")
    (output,) = query.outputs or ()
    stream = lasing.rdf.triples(table, folder / "city.toml", predicate="readings")
    found = []
    for answer in lasing.run(query, stream, data=folder / "rooms.ttl"):
        assert answer.instant is not None
        for row in result_rows(output, answer.atoms):
            found.append((answer.instant.replace(tzinfo=None), *(None if v is None else mixed_text(v) for v in row)))
    return sorted(found, key=repr)


@pytest.mark.parametrize("query", [ELEMENTS, TRIPLES], ids=["elements", "triples"])
def test_batches_of_triples_in_a_history_in_a_stream_and_after_a_restart(
    spark: Any, folder: Path, files: Files, query: str
) -> None:
    (folder / "hot.rq").write_text(query)
    named, _, _ = MAPPING.rpartition("[[triples]]")  # blank nodes have other labels here, so triples another order
    (folder / "city.toml").write_text(named)
    table = readings(40)
    wanted = texts(folder, table)
    assert len(wanted) >= 20
    settings: dict[str, Any] = {"background": folder / "rooms.ttl", "output": "hot", "shards": 1}
    history = lasing.rdf.triples(spark.createDataFrame(table), folder / "city.toml")
    assert as_texts(history.transform(reason(folder / "hot.rq", **settings))) == wanted
    first, second, third = parts(table, 11, 24)
    source = files("in", [first, second])
    rows = spark.readStream.schema("ts timestamp, sensor string, celsius string, status string")
    rows = rows.option("maxFilesPerTrigger", 1).parquet(str(source))
    triples = lasing.rdf.triples(rows, folder / "city.toml")
    before = triples.transform(reason(folder / "hot.rq", **settings))
    writer(before, folder).start().awaitTermination()
    (files("more", [third]) / "000.parquet").rename(source / "002.parquet")
    again = reason(folder / "hot.rq", **settings)  # its engine is built from the state that the first query left
    again.drain(writer(triples.transform(again), folder))
    assert as_texts(spark.read.parquet(str(folder / "out"))) == wanted


def as_texts(frame: Any) -> Rows:
    """Rows whose columns may have numbers instead of terms, with everything but times as text."""
    found = [tuple(mixed_text(v) if isinstance(v, int) else v for v in row) for row in frame.collect()]
    return sorted(found, key=repr)


def test_an_unknown_regime_is_an_error_at_once(folder: Path) -> None:
    with pytest.raises(lasing.LasingError, match=r"E511.*there is no entailment regime rdfss"):
        reason(folder / "hot.rq", entail="rdfss")
