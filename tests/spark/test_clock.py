"""Time follows the clock on Spark: in batches and shards without data, and the same after a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasing
from lasing import LasingError
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.progress import Progress
from lasing.pipeline.run import run_pipeline
from lasing.spark import reason
from tests.spark.expected import expected, rows_of
from tests.spark.test_pipeline import pipeline

SECOND = 1_000_000
SENSORS = " ".join(f"sensor({i})." for i in range(8))
PROGRAM = f"#tick 1 sec. silent(S) :- sensor(S), not beat(S) in [2 sec].  {SENSORS}"
START = datetime(2026, 1, 31, 8, tzinfo=UTC)
_PATIENCE = 900


def seconds(number: float) -> datetime:
    return START + timedelta(seconds=number)


def beats(*rows: tuple[float, int]) -> pa.Table:
    times = pa.array([seconds(at) for at, _ in rows], pa.timestamp("us", "UTC"))
    return pa.table({"time": times, "s": [sensor for _, sensor in rows]})


def wait_for(condition: Callable[[], bool], query: Any = None) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert query is None or query.exception() is None, query.exception()
        assert time.monotonic() < deadline
        time.sleep(0.1)


class Turned:
    """A clock in a file, which the test turns, and a query that follows it."""

    def __init__(self, spark: Any, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self.clock = folder / "clock"
        (folder / "in").mkdir()

    def turn(self, number: float) -> None:
        later = self.folder / "later"
        later.write_text(str(int(seconds(number).timestamp() * SECOND)))
        later.replace(self.clock)

    def start(self) -> Any:
        reasoning = reason(PROGRAM, "beat", "silent", view="changes", shards=2, clock=self.clock, delay="1 sec")
        frame = self.spark.readStream.schema("time timestamp, s long").parquet(str(self.folder / "in"))
        writer = frame.transform(reasoning).writeStream.format("parquet").option("path", str(self.folder / "out"))
        return writer.option("checkpointLocation", str(self.folder / "checkpoint")).start()

    def bring(self, name: str, table: pa.Table) -> None:
        pq.write_table(table, self.folder / "part")
        (self.folder / "part").rename(self.folder / "in" / f"{name}.parquet")

    def until(self, number: int, query: Any) -> None:
        """Wait until everything up to a second is evaluated."""
        point = int(seconds(number).timestamp())

        def reached() -> bool:
            found = (progress.observedMetrics.get("lasing") for progress in query.recentProgress)
            return any(figures is not None and (figures["until"] or 0) >= point for figures in found)

        wait_for(reached, query)

    def rows(self) -> list[tuple[Any, ...]]:
        found = self.spark.read.parquet(str(self.folder / "out"))
        return rows_of(found.selectExpr("unix_seconds(time)", "change", "S"))


def test_silence_is_noticed_while_everybody_is_silent(spark: Any, tmp_path: Path) -> None:
    turned = Turned(spark, tmp_path)
    given = beats((0.5, 1), (0.7, 2), (1.5, 1))
    turned.bring("0", given)
    query = turned.start()
    wait_for(lambda: any(p.numInputRows for p in query.recentProgress), query)
    turned.turn(6.2)  # no fact comes any more: seconds 1 to 4 are over
    turned.until(4, query)
    query.stop()
    again = turned.start()  # after a restart, time goes on from there
    turned.turn(9.9)
    turned.until(7, again)
    again.stop()
    assert turned.rows() == expected(PROGRAM, {"beat": given}, "silent", "changes", end=seconds(7))
    assert {row[2] for row in turned.rows()} == set(range(8))


@pytest.mark.usefixtures("spark")
def test_a_pipeline_follows_the_wall_clock(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    now = datetime.now(UTC)
    (tmp_path / "in" / "0.csv").write_text(f"time,s\n{now.isoformat()},1\n")
    head = 'program = "join.lars"\ncheckpoint = "checkpoint"\nview = "changes"\nclock = true\nshards = 2\n'
    source = '[sources.beat]\nformat = "csv"\npath = "in"\nschema = "time timestamp, s bigint"\n'
    sink = '[sinks.silent]\nformat = "json"\npath = "out"\n'
    described = read_pipeline(pipeline(tmp_path, head + source + sink, PROGRAM))
    stop, failed = Event(), list[BaseException]()

    def go() -> None:
        try:
            with Progress(described.program, quiet=True) as progress:
                run_pipeline(described, progress, stop)
        except BaseException as error:
            failed.append(error)

    running = Thread(target=go)
    running.start()

    def silent_again() -> bool:
        assert not failed, failed
        written = "".join(file.read_text() for file in (tmp_path / "out").rglob("*.json"))
        return '"S":1' in written  # the only sensor that was heard of has been silent for more than two seconds

    try:
        wait_for(silent_again)
    finally:
        stop.set()
        running.join()
    assert not failed


def test_the_clock_needs_a_tick() -> None:
    with pytest.raises(LasingError, match="E503"):
        reason("q(X) :- p(X).", clock=True)


@pytest.mark.parametrize(
    ("line", "program", "message"),
    [
        ('mode = "batch"\n', PROGRAM, "a batch has no clock"),
        ('trigger = "available now"\n', PROGRAM, "reads what is there and stops"),
        ("", "silent(S) :- beat(S).", "does not say how long a time point is"),
    ],
)
def test_where_the_clock_makes_no_sense_it_is_refused(tmp_path: Path, line: str, program: str, message: str) -> None:
    head = 'program = "join.lars"\ncheckpoint = "checkpoint"\nclock = true\n' + line
    source = '[sources.beat]\nformat = "csv"\npath = "in"\nschema = "time bigint, s bigint"\n'
    with pytest.raises(LasingError, match=message):
        read_pipeline(pipeline(tmp_path, head + source + '[sinks.silent]\nformat = "console"\n', program))


def test_the_reference_agrees_on_what_the_clock_shows() -> None:
    """What the streaming test expects, by the reference engine."""
    rows = [("2026-01-31T08:00:00Z", "beat", 1)]
    answers = list(lasing.run(PROGRAM, rows, end="2026-01-31T08:00:03Z", engine="reference"))
    assert [len(answer.atoms) for answer in answers] == [7, 7, 7, 8]
