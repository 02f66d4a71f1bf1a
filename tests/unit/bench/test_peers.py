"""The jobs that peers do: what they read, lasing's programs, and how results are compared and costs are fitted."""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lasing.bench import experiments
from lasing.bench.measuring.course import FULL, QUICK, Effort
from lasing.bench.measuring.records import Cell
from lasing.bench.measuring.turns import DisagreementError
from lasing.bench.peers.contenders import SCRIPTS, FailedError, Peer, Runner, Took, ours
from lasing.bench.peers.experiments import (
    ALL_PEERS,
    FIGURES,
    READING,
    START,
    lines,
    measured,
    sentences,
)
from lasing.bench.peers.jobs import BEGIN, JOBS, SENSORS, Job, rows_of, write_streams
from lasing.cli import app
from tests.unit.bench import plain_jobs

SECONDS = 150


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    write_streams(folder, SECONDS)
    return folder


# -- the generator -----------------------------------------------------------------------------------------------------


def _rows(path: Path) -> list[tuple[int, str, float]]:
    with path.open(newline="") as file:
        return [(int(time), sensor, float(value)) for time, sensor, value in list(csv.reader(file))[1:]]


def test_streams_are_in_order_and_a_sensor_reports_once_a_second(streams: Path) -> None:
    for name in ("temp", "smoke"):
        rows = _rows(streams / f"{name}.csv")
        assert [time for time, *_ in rows] == sorted(time for time, *_ in rows)
        assert len({(time, sensor) for time, sensor, _ in rows}) == len(rows)
        assert {time for time, *_ in rows} <= set(range(BEGIN, BEGIN + SECONDS))
        assert {sensor for _, sensor, _ in rows} == {f"s{number}" for number in range(SENSORS)}
        assert all((4 * value).is_integer() for *_, value in rows)


def test_sensors_fall_silent_and_speak_again(streams: Path) -> None:
    by_sensor = plain_jobs.readings(streams / "temp.csv")
    gaps = [b - a for times in map(sorted, by_sensor.values()) for a, b in pairwise(times)]
    assert max(gaps) > 11
    assert gaps.count(1) > len(gaps) * 0.9


def test_the_same_length_is_the_same_stream_and_rows_are_counted(streams: Path, tmp_path: Path) -> None:
    counted = write_streams(tmp_path, SECONDS)
    for name, count in counted.items():
        assert (tmp_path / f"{name}.csv").read_bytes() == (streams / f"{name}.csv").read_bytes()
        assert count == len(_rows(streams / f"{name}.csv"))


# -- lasing's programs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("job", JOBS.values(), ids=list(JOBS))
def test_a_program_does_what_plain_python_does(job: Job, streams: Path, tmp_path: Path) -> None:
    wanted = tmp_path / "wanted.csv"
    plain_jobs.main(job.name, str(streams), str(wanted))
    rows = rows_of(job, wanted, job.columns, SECONDS)
    assert rows
    for mine in (ours("lasing"), ours("lasing, answers", "answers")):
        found = tmp_path / f"{mine.name}.csv"
        done = CliRunner().invoke(app, mine.command(job, streams, found)[3:])
        assert done.exit_code == 0, done.output
        assert mine.read(job, found, mine.columns(job), SECONDS) == rows


def test_every_peer_has_a_script_or_can_do_nothing() -> None:
    for peer in ALL_PEERS:
        assert set(peer.cannot) <= set(JOBS)
        text = (SCRIPTS / f"{peer.script}.py").read_text() if peer.script else ""
        assert "lasing." not in text.replace("of lasing.", "")
        for name in JOBS:
            assert name in peer.cannot or f'"{name}"' in text, (peer.name, name)


# -- results -----------------------------------------------------------------------------------------------------------


def test_results_are_read_from_a_folder_without_what_is_hidden_or_late(tmp_path: Path) -> None:
    (tmp_path / "part-0").write_text(f"s1,{BEGIN + 10}\ns2,{BEGIN + 50}\n")
    (tmp_path / "part-1").write_text(f'"sensor","time"\n"s3","{BEGIN + 49}"\n"s3","{BEGIN + 49}"\n')
    (tmp_path / ".part-0.crc").write_text(f"s4,{BEGIN + 10}\n")
    found = rows_of(JOBS["silent"], tmp_path, ("sensor", "time"), 50)
    assert found == {("s1", BEGIN + 10): 1, ("s3", BEGIN + 49): 2}


def test_pairs_have_no_time_at_which_they_would_be_late(tmp_path: Path) -> None:
    (tmp_path / "out").write_text(f"s1,{BEGIN},20.50,{BEGIN + 3},7\n")
    found = rows_of(JOBS["join"], tmp_path / "out", JOBS["join"].columns, 1)
    assert list(found) == [("s1", BEGIN, 20.5, BEGIN + 3, 7)]


# -- measuring, with plain Python in the place of peers ----------------------------------------------------------------

FAKE = Runner(
    "lasing",
    lambda job, folder, out: [sys.executable, plain_jobs.__file__, job.name, str(folder), str(out)],
    lambda job: job.columns,
)
PEER = Peer("fake", ("fake",), "in_fake", (20, 40), {"join": "it cannot"})
EFFORT = Effort(turns=1, length=1)


def test_cells_have_figures_or_say_why_not() -> None:
    absent = Peer("absent", ("absent",), "in_absent", (20, 40), {"join": "it cannot"})
    found = list(
        measured([FAKE], (20, 60), [PEER, absent], {"fake": replace(FAKE, name="fake 1.0")}, {"absent": "gone"}, EFFORT)
    )
    assert len(found) == len(JOBS) * len(FIGURES) * 3
    notes = {(cell.contender, str(cell.settings["job"])): cell.note for cell in found}
    assert notes["fake 1.0", JOBS["join"].title] == "it cannot"
    assert notes["absent", JOBS["join"].title] == "it cannot"
    assert notes["absent", JOBS["rising"].title] == "gone"
    starts = [cell for cell in found if cell.contender == "lasing" and cell.settings["cost of"] == START]
    assert [cell.ratio for cell in starts if cell.cost is not None] == [1.0] * len(JOBS)


def test_a_run_that_fails_is_a_note() -> None:
    broken = Runner("fake", lambda *_: [sys.executable, "-c", "raise SystemExit('no more of it')"], lambda _: ())
    found = list(measured([FAKE], (20, 60), [PEER], {"fake": broken}, {}, EFFORT))
    notes = {cell.note for cell in found if cell.contender == "fake"}
    assert notes == {"it cannot", "failed: no more of it"}


def test_another_result_is_a_disagreement() -> None:
    wrong = Runner(
        "fake",
        lambda _job, _folder, out: [sys.executable, "-c", f"open({str(out)!r}, 'w').write('s1,{BEGIN},5\\n')"],
        lambda job: job.columns,
    )
    with pytest.raises(DisagreementError, match="only fake"):
        list(measured([FAKE], (20, 60), [PEER], {"fake": wrong}, {}, EFFORT))


def test_a_run_is_measured_with_all_its_processes(tmp_path: Path) -> None:
    burn = "t = time.process_time()\nwhile time.process_time() < t + 0.3: pass"
    child = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', '''import time\n{burn}'''], check=True)"
    took = Runner("fake", lambda *_: [sys.executable, "-c", child], lambda _: ()).run(
        JOBS["silent"], tmp_path, tmp_path / "out"
    )
    assert took.processor >= 0.3
    assert took.clock > 0


def test_what_a_run_left_is_gone_before_the_next(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part").write_text("s1,1\n")
    Runner("fake", lambda *_: [sys.executable, "-c", ""], lambda _: ()).run(JOBS["silent"], tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_without_a_message_still_fails(tmp_path: Path) -> None:
    with pytest.raises(FailedError, match="no message"):
        Runner("fake", lambda *_: [sys.executable, "-c", "raise SystemExit(3)"], lambda _: ()).run(
            JOBS["silent"], tmp_path, tmp_path / "out"
        )


def test_a_line_has_a_slope_and_a_start() -> None:
    runs = [(Took(3.0, 2.0), Took(13.0, 4.0)), (Took(3.0, 2.5), Took(3.5, 3.5))]
    found = lines(runs, 100_000, 1_100_000)
    assert found[READING] == pytest.approx([2.0, 1.0])
    assert found[START] == pytest.approx([1.8, 2.4])


def test_sentences_say_where_flink_stands_and_who_is_faster() -> None:
    settings = {"job": JOBS["silent"].title, "cost of": READING}
    cells = [
        Cell("peers", "lasing", "answers", settings, 1.0, ratio=1.0),
        Cell("peers", "Flink SQL 2.3.0", "answers", settings, 12.0, ratio=12.0),
        Cell("peers", "DuckDB 2.0.0", "answers", settings, 0.1, ratio=0.1),
        Cell("peers", "Bytewax 1", "answers", settings, note="gone"),
    ]
    said = sentences(cells)
    assert said == [
        "silent for 10 s: a reading costs Flink 12x (bar: 10x, reached).",
        "silent for 10 s: faster than lasing are DuckDB 2.0.0 (batch) 10x.",
    ]


def test_peers_are_measured_quickly_only_if_named() -> None:
    assert "peers" in experiments.choose((), quick=True).left_out
    assert "peers" not in experiments.choose(("peers",), quick=True).left_out
    assert "peers" not in experiments.choose((), quick=False).left_out
    assert experiments.EXPERIMENTS["peers"].count(QUICK) == experiments.EXPERIMENTS["peers"].count(FULL)
