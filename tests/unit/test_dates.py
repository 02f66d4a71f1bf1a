"""Times go out as they came in, and written dates read back as the same times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lasing
from lasing import models
from lasing.connectors.sinks import (
    Record,
    format_of,
    header,
    model_records,
    write_csv,
    write_jsonl,
    write_parquet,
    write_text,
)
from lasing.connectors.sources import stream_rows
from lasing.errors import LasingError
from lasing.logic.answers import Answer
from lasing.logic.formulas import Atom
from lasing.timeline.ticks import Dates, Tick

PROGRAM = "#tick 1 min.  q(X) :- p(X) in [1 min]."
STAMPS = 'p(a) at "2026-01-01T08:00:30Z".  p(b) at "2026-01-01T08:02:00Z".'
FIRST = datetime(2026, 1, 1, 8, tzinfo=UTC)
DATED = ["2026-01-01T08:00:00Z: q(a)", "2026-01-01T08:01:00Z: q(a)", "2026-01-01T08:02:00Z: q(b)"]
NUMBERED = ["29454240: q(a)", "29454241: q(a)", "29454242: q(b)"]

STREAMS = {
    "text": STAMPS,
    "rows with text": [("2026-01-01T08:00:30Z", "p", "a"), ("2026-01-01T08:02:00Z", "p", "b")],
    "rows with datetime": [(FIRST.replace(second=30), "p", "a"), (FIRST.replace(minute=2), "p", "b")],
    "a frame": {"p": pl.DataFrame({"time": [FIRST.replace(second=30), FIRST.replace(minute=2)], "x": ["a", "b"]})},
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("sort", [False, True])
def test_an_answer_has_a_date_where_dates_came_in(stream: object, sort: bool) -> None:
    answers = list(lasing.run(PROGRAM, stream, engine="reference", sort=sort))
    assert list(map(str, answers)) == DATED
    assert answers[0].instant == FIRST
    assert answers[0].time == 29454240
    changes = list(lasing.run(PROGRAM, stream, engine="reference", sort=sort).changes())
    assert [c.instant for c in changes] == [FIRST, FIRST.replace(minute=2)]


def test_a_date_for_the_start_counts() -> None:
    numbers = "p(a) at 29454240.  p(b) at 29454242."
    assert list(map(str, lasing.run(PROGRAM, numbers, engine="reference"))) == NUMBERED
    assert list(map(str, lasing.run(PROGRAM, numbers, FIRST, engine="reference"))) == DATED
    assert list(map(str, lasing.run(PROGRAM, numbers, end="2026-01-01T08:02Z", engine="reference"))) == DATED


def test_a_program_does_not_remember_the_dates_of_another_run() -> None:
    program = lasing.parse(PROGRAM)
    assert list(map(str, lasing.run(program, STAMPS, engine="reference"))) == DATED
    answers = list(lasing.run(program, "p(a) at 1.", engine="reference"))
    assert (str(answers[0]), answers[0].instant) == ("1: q(a)", None)


def test_an_engine_answers_with_dates() -> None:
    engine = lasing.Engine(PROGRAM, engine="reference")
    engine.push("2026-01-01T08:00:30Z", [("p", "a")])
    assert str(engine.answer()) == DATED[0]
    engine = lasing.Engine(PROGRAM, engine="reference")
    engine.push(29454240, [("p", "a")])
    assert str(engine.answer()) == NUMBERED[0]


def test_a_time_beyond_the_calendar_is_printed_as_a_number() -> None:
    answer = Answer.single(99999999, frozenset([Atom("q")]))
    assert str(replace(answer, tick=Tick(86_400_000))) == "99999999: q"
    with pytest.raises(LasingError, match="E502"):
        _ = replace(answer, tick=Tick(86_400_000)).instant


def test_a_model_has_dates_and_reads_back() -> None:
    found = models.answer_stream(PROGRAM, STAMPS, time="2026-01-01T08:02Z")
    assert found is not None
    assert 'q(b) at "2026-01-01T08:02:00Z".' in str(found).splitlines()
    assert models.check(PROGRAM, str(found), STAMPS, time="2026-01-01T08:02Z")
    reasons = models.check(PROGRAM, STAMPS, STAMPS, time="2026-01-01T08:02Z").reasons
    assert any('q(b) at "2026-01-01T08:02:00Z" is missing' in reason for reason in reasons)


ticks = st.sampled_from([1, 20, 1_000, 60_000, 7 * 86_400_000]).map(Tick)
instants = st.datetimes(datetime(1900, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC))


@pytest.mark.parametrize("name", ["q.facts", "q.jsonl", "q.csv", "q.parquet"])
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tick=ticks, when=st.lists(instants, min_size=1, max_size=4))
def test_dates_that_are_written_are_read_as_the_same_times(
    tmp_path: Path, name: str, tick: Tick, when: list[datetime]
) -> None:
    times = sorted({tick.point(instant) for instant in when})
    atom = Atom("q", ("a",))
    show = tick.instant if format_of(Path(name)) == "parquet" else tick.iso
    batches = model_records((Answer.single(time, frozenset([atom])) for time in times), None, show)
    _write(batches, tmp_path / name)
    watched = tick.watched()
    assert list(stream_rows(tmp_path / name, watched)) == [(time, atom) for time in times]
    assert watched.dates == Dates(seen=True)


def test_parquet_has_real_timestamps(tmp_path: Path) -> None:
    answers = [Answer.single(29454240, frozenset([Atom("q", ("a",))]))]
    _write(model_records(answers, None, Tick(60_000).instant), tmp_path / "q.parquet")
    assert pq.read_table(tmp_path / "q.parquet")["time"].to_pylist() == [FIRST]
    assert pl.read_parquet(tmp_path / "q.parquet")["time"].dtype == pl.Datetime("ms", "UTC")


def _write(batches: Iterator[list[Record]], path: Path) -> None:
    names = header("answers", True, 1)
    form = format_of(path)
    if form == "parquet":
        write_parquet(batches, path, names)
        return
    with path.open("w", encoding="utf-8", newline="") as out:
        if form == "csv":
            write_csv(batches, out, names)
        elif form == "jsonl":
            write_jsonl(batches, out)
        else:
            write_text(batches, out)
