"""Several sources in one pipeline: time moves with the slowest, and no batch or kill changes what comes out."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lasing
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.progress import Progress
from lasing.pipeline.run import run_pipeline
from lasing.spark.notices import listen
from tests.spark.conftest import Files, parts
from tests.spark.test_pipeline import found, run

pytestmark = pytest.mark.usefixtures("spark")

PROGRAM = """
    hot(S) :- temp(S, V) in [3], V > 6, not door(S) in [2].
    both(S) :- door(S) in [4], beat(S) in [4].
"""
HEAD = """
program = "rooms.lars"
view = "changes"
checkpoint = "checkpoint"
trigger = "available now"
delay = 2
shards = 2
"""
SINKS = """
[sinks.hot]
format = "parquet"
path = "hot"
[sinks.both]
format = "parquet"
path = "both"
"""
SOURCES = {"temp": (1600, 0), "door": (400, 2), "beat": (300, 3)}
"""The sources, with their number of rows and how far out of order these come."""
BATCHES = 6


def readings(name: str, rows: int, disorder: int) -> pa.Table:
    """Rows of a source in the order in which they arrive, some later than its delay allows."""
    chance = np.random.default_rng(len(name) + rows)
    times = np.sort(chance.integers(0, 200, rows))
    slack = chance.integers(0, disorder + 1, rows) + np.where(chance.random(rows) < 0.02, 9, 0)
    table = pa.table({"time": times, "s": chance.integers(0, 5, rows)})
    if name == "temp":
        table = table.append_column("v", pa.array(chance.integers(0, 10, rows)))
    return table.take(pa.array(np.argsort(times + slack, kind="stable")))


@pytest.fixture
def pipeline(files: Files, tmp_path: Path) -> Path:
    (tmp_path / "rooms.lars").write_text(PROGRAM)
    for name, (rows, disorder) in SOURCES.items():
        table = readings(name, rows, disorder)
        files(name, parts(table, *(table.num_rows * i // (2 * BATCHES) for i in range(1, 2 * BATCHES))))
    return described(tmp_path, 2)


def described(folder: Path, *files_per_batch: int, more: str = "") -> Path:
    text = HEAD + more
    for i, name in enumerate(SOURCES):
        number = files_per_batch[i % len(files_per_batch)]
        text += f'[sources.{name}]\nformat = "parquet"\npath = "{name}"\nfiles_per_batch = {number}\n'
    (folder / "rooms.toml").write_text(text + SINKS)
    return folder / "rooms.toml"


def output(folder: Path) -> dict[str, Any]:
    """All that a pipeline wrote."""
    texts = [path.read_text() for path in sorted((folder / "checkpoint-late").rglob("*.json"))]
    late = [json.loads(line) for text in texts for line in text.splitlines()]
    return {
        **{name: Counter(found(folder / name) if (folder / name).exists() else []) for name in ("hot", "both")},
        "late": Counter(tuple(sorted(row.items())) for row in late),
    }


def forget(folder: Path, checkpoint: bool = True) -> None:
    for name in ("hot", "both", "checkpoint-late", *(["checkpoint"] if checkpoint else [])):
        shutil.rmtree(folder / name, ignore_errors=True)


def test_batches_of_other_sizes_give_the_same_answers_and_the_same_late_rows(pipeline: Path, tmp_path: Path) -> None:
    run(pipeline)
    wanted = output(tmp_path)
    assert min(map(len, wanted.values())) > 0
    for sizes in ((100, 100, 100), (1, 5, 100)):
        forget(tmp_path)
        run(described(tmp_path, *sizes))
        assert output(tmp_path) == wanted, sizes


def points_between_writes(batch: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a checkpoint lacks if the driver dies before writing it."""
    yield "commit", (f"commits/{batch}",)
    offsets = (f"commits/{batch}", f"offsets/{batch}")
    yield "offsets", offsets
    for number in range(len(SOURCES)):
        yield f"source {number}", (*offsets, f"sources/{number}/{batch}")
    for number in range(len(SOURCES) - 1, 0, -1):
        yield (
            f"sources from {number}",
            (
                *offsets,
                *(f"sources/{later}/{batch}" for later in range(number, len(SOURCES))),
            ),
        )


def test_a_kill_between_any_two_writes_to_the_logs_changes_nothing(pipeline: Path, tmp_path: Path) -> None:
    run(pipeline)
    wanted = output(tmp_path)
    forget(tmp_path)
    batch = BATCHES // 2
    saved = tmp_path / "saved"

    class Stopping(Progress):
        """Keeps a copy of everything as it was after a batch."""

        def finished(self, number: int, seconds: float) -> None:
            super().finished(number, seconds)
            if number == batch:
                stop.set()

    stop = Event()
    with Stopping(lasing.parse(PROGRAM), quiet=True) as progress:
        run_pipeline(read_pipeline(pipeline), progress, stop)
    names = ("checkpoint", "hot", "both", "checkpoint-late")
    last = max(int(path.name) for path in (tmp_path / "checkpoint" / "offsets").glob("[0-9]*"))
    assert batch <= last < BATCHES
    for name in names:
        if (tmp_path / name).exists():
            shutil.copytree(tmp_path / name, saved / name)
    for point, missing in points_between_writes(last):
        forget(tmp_path)
        for name in names:
            if (saved / name).exists():
                shutil.copytree(saved / name, tmp_path / name)
        for log in missing:
            path = tmp_path / "checkpoint" / log
            assert path.exists() or log.startswith("commits"), log
            path.unlink(missing_ok=True)
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        run(pipeline)
        assert output(tmp_path) == wanted, point


def test_a_kill_within_the_first_write_changes_nothing(pipeline: Path, tmp_path: Path) -> None:
    run(pipeline)
    wanted = output(tmp_path)
    forget(tmp_path)
    (tmp_path / "checkpoint" / "offsets").mkdir(parents=True)
    (tmp_path / "checkpoint" / "offsets" / ".0.unfinished.tmp").write_text("v1")
    run(pipeline)
    assert output(tmp_path) == wanted


def versions(folder: Path, prefix: str = "") -> list[tuple[int, Path]]:
    """The files of a folder that have a number as their name."""
    return [
        (int(number), p) for p in folder.iterdir() if (number := p.name.removeprefix(prefix).split(".")[0]).isdigit()
    ]


@pytest.mark.parametrize("harm", ["flipped", "cut short", "gone"])
def test_damaged_state_is_named_with_a_note_on_how_to_go_on(
    pipeline: Path, tmp_path: Path, spark: Any, harm: str
) -> None:
    run(pipeline)
    wanted = output(tmp_path)
    checkpoint = tmp_path / "checkpoint"
    last = max(number for number, _ in versions(checkpoint / "commits"))
    (checkpoint / "commits" / str(last)).unlink()  # so that there is something to do
    file = checkpoint / "state" / "0" / "1" / f"{last - 1}.delta"
    stored = bytearray(file.read_bytes())
    middle = len(stored) // 2
    stored[middle : middle + 4] = bytes(255 - byte for byte in stored[middle : middle + 4])
    match harm:
        case "flipped":
            file.write_bytes(stored)
        case "cut short":
            file.write_bytes(stored[:middle])
        case _:
            file.unlink()
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    spark._jvm.org.apache.spark.sql.execution.streaming.state.StateStore.stop()  # it has the state in memory
    with pytest.raises(lasing.LasingError, match="E614") as caught:
        run(pipeline)
    (said,) = caught.value.diagnostics
    assert said.message == f"the state of the stream is damaged: {file}"
    assert f"it can continue from batch {last - 2}" in said.note
    folders = {"offsets": 0, "commits": 0, "state/0/0": 1, "state/0/1": 1}
    for name, more in folders.items():
        for number, path in versions(checkpoint / name):
            if number >= last - 2 + more:
                path.unlink()
                path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    for name in ("hot", "both", "checkpoint-late"):
        for number, path in versions(tmp_path / name, "batch="):
            if number >= last - 2:
                shutil.rmtree(path)
    run(pipeline)
    assert output(tmp_path) == wanted


def test_everything_waits_for_a_source_that_brings_nothing_and_a_warning_names_it(
    spark: Any, pipeline: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (tmp_path / "beat").glob("*.parquet"):
        file.unlink()
    pq.write_table(readings("beat", 10, 0).slice(0, 0), tmp_path / "beat" / "000.parquet")
    listen(spark)  # as if `reason` had been used in the same session: its warnings have hints for Python
    with pytest.warns(lasing.LasingWarning) as caught:
        progress = run(pipeline)
    (warning,) = [str(warning.message) for warning in caught]
    assert "everything waits for source beat" in warning
    assert [batch.waiting_for for batch in progress.done[:BATCHES]] == [["beat"]] * BATCHES
    assert [batch.evaluated_until for batch in progress.done[:BATCHES]] == [""] * BATCHES
    assert "evaluated until nothing yet, waiting for beat" in capsys.readouterr().err
    assert progress.total.rows.get("hot", 0) > 0  # the end of the stream does not wait
    waited = output(tmp_path)
    forget(tmp_path)
    progress = run(described(tmp_path, 2, more='idle = "0 sec"\n'))
    assert not any(batch.waiting_for for batch in progress.done)
    assert all(batch.evaluated_until for batch in progress.done[1:])
    assert output(tmp_path) == waited
