"""A page about a pipeline on Spark: it sees the batches and the newest results, and the command serves it."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from lasing.pipeline.config import read_pipeline
from lasing.pipeline.progress import MOST_SEEN, Progress
from lasing.pipeline.run import run_pipeline
from lasing.serve.pipelines import WatchedPipeline
from lasing.serve.server import serve_in_thread
from lasing.serve.settings import Address, Settings
from tests.command import COMMAND
from tests.serve.test_attached import events
from tests.spark.conftest import Files, parts
from tests.spark.expected import Rows, expected
from tests.spark.test_batch import JOIN, stream
from tests.spark.test_pipeline import HEAD, SOURCE, pipeline

PATIENCE = 600
"""Ends a test that hangs, in seconds."""
SINK = '[sinks.q]\nformat = "parquet"\npath = "out"\n'


def times_of(rows: list[str]) -> list[int]:
    """The times of the rows that a page shows: those of `time`, or the ends of intervals."""
    cells = [dict(cell.split(" ") for cell in row.split(", ")) for row in rows]
    return [int(row["time"] if "time" in row else row["until"]) for row in cells]


def last_times(rows: Rows, column: int) -> list[int]:
    return sorted(row[column] for row in rows)[-MOST_SEEN:]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("mode", "view"), [("stream", "changes"), ("stream", "intervals"), ("batch", "answers")])
def test_batches_and_newest_results_reach_the_page(files: Files, tmp_path: Path, mode: str, view: str) -> None:
    table = stream()
    files("in", parts(table, 210))
    text = f'mode = "{mode}"\n{HEAD.format(view=view)}{SOURCE.format(format="parquet")}{SINK}'
    described = read_pipeline(pipeline(tmp_path, text))
    watching = WatchedPipeline(described.program)
    with (
        Progress(described.program, quiet=True) as progress,
        serve_in_thread(Settings(address=Address(port=0)), watching) as served,
    ):
        progress.watcher = watching
        run_pipeline(described, progress)
        ((_, told),) = [
            found for found in events(served.url, lambda name, _: name == "batches") if found[0] == "batches"
        ]
    wanted = expected(JOIN, {"p": table}, "q", view)
    batches = told["batches"]
    every = [210, table.num_rows - 210, 0] if mode == "stream" else [table.num_rows]
    assert [batch["events"] for batch in batches] == every
    assert sum(batch["rows"].get("q", 0) for batch in batches) == len(wanted)
    column = 1 if view == "intervals" else 0
    if mode == "batch":
        assert times_of(batches[-1]["results"]["q"]) == last_times(wanted, column)
        return
    done: Rows = []
    left = sorted(wanted, key=lambda row: row[column])
    for batch in batches:
        done, left = left[: batch["rows"].get("q", 0)], left[batch["rows"].get("q", 0) :]
        if done:
            assert times_of(batch["results"]["q"]) == last_times(done, column)
    assert done


def test_the_command_serves_a_page_while_the_pipeline_runs(files: Files, tmp_path: Path) -> None:
    table = stream(60, 20)
    files("in", [table])
    text = HEAD.format(view="answers").replace('trigger = "available now"\n', "") + SOURCE.format(format="parquet")
    settings = '[spark]\nmaster = "local[2]"\nsettings = { "spark.driver.memory" = "512m" }\n'
    path = pipeline(tmp_path, text + SINK + settings)
    said = tmp_path / "said"
    command = [*COMMAND, "pipeline", str(path), "--serve", "--port", "0", "--quiet"]
    with said.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as running:
        try:
            deadline = time.monotonic() + PATIENCE
            while not (found := [line for line in said.read_text().splitlines() if "in a browser" in line]):
                assert running.poll() is None, said.read_text()
                assert time.monotonic() < deadline
                time.sleep(0.05)
            url = found[0].partition("open ")[2].partition(" ")[0]
            told = events(url, lambda name, content: name == "batches" and any(b["rows"] for b in content["batches"]))
            running.send_signal(signal.SIGTERM)
            assert running.wait(PATIENCE) == 0, said.read_text()
        finally:
            running.kill()
    (first, *_) = told[-1][1]["batches"]
    assert first["events"] == table.num_rows
    assert json.dumps(first["results"]["q"]).count("time ") == MOST_SEEN
    assert "Traceback" not in said.read_text()
