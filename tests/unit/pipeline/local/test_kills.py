"""A process that runs a pipeline without Spark, killed at random moments, writes what an undisturbed one writes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from lasing.pipeline.local.checkpoints import Checkpoints
from tests.differential.sizes import programs
from tests.unit.pipeline.local.pipelines import LIVE, PATIENCE, SOURCE, Row, csv_text, json_rows, stream, written

SINKS = """
[sinks.q]
format = "json"
path = "out"
[sinks.logged]
output = "q"
format = "file"
path = "log/q.jsonl"
most_bytes = 2000
"""
KILLS = programs(5, 25)
ROWS = 800 * KILLS


def prepared(folder: Path, rows: list[Row]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "in.csv").write_text(csv_text(rows))
    head = LIVE.replace('"0 ms"', '"50 ms"') + "delay = 2\nkeep = 3\n"
    return written(folder, head + SOURCE.format(format="csv", path="in.csv") + SINKS)


def results(folder: Path) -> tuple[list[Any], ...]:
    """The rows of each sink; those of a time point have no order."""
    out, log = (sorted(json_rows(folder / name), key=lambda row: tuple(row.values())) for name in ("out", "log"))
    return out, log, json_rows(folder / "state-late")


@contextmanager
def process(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A pipeline in a process of its own; it is not there any more afterwards."""
    errors = path.with_name("errors")
    command = [sys.executable, "-m", "lasing", "pipeline", str(path), "--quiet"]
    with errors.open("ab") as written_to, subprocess.Popen(command, stdout=written_to, stderr=written_to) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                running.kill()


def wait_until(running: subprocess.Popen[bytes], folder: Path, holds: Callable[[], bool]) -> None:
    until = monotonic() + PATIENCE
    while not holds():
        assert running.poll() is None, (folder / "errors").read_text()
        assert monotonic() < until, "it hangs"
        sleep(0.002)


class Growing:
    """A file to which rows are added, at times in two parts."""

    def __init__(self, path: Path, rows: list[Row], chance: random.Random) -> None:
        self._path = path
        self._rows = rows
        self._chance = chance
        self.given = 0

    def add(self, number: int) -> None:
        part = self._rows[self.given : self.given + number]
        self.given += len(part)
        text = "".join(f"{','.join(map(str, row))}\n" for row in part)
        cut = self._chance.randint(0, len(text))
        for piece in (text[:cut], text[cut:]):
            with self._path.open("a") as file:
                file.write(piece)


def newest(folder: Path) -> int:
    return max(Checkpoints(folder / "state").numbers(), default=-1)


def end(folder: Path, path: Path) -> None:
    """Let the pipeline read what is there, and stop by itself."""
    path.write_text(path.read_text().replace('engine = "local"', 'engine = "local"\ntrigger = "available now"'))
    with process(path) as running:
        assert running.wait(PATIENCE) == 0, (folder / "errors").read_text()


def _has_later(folder: Path, past: int) -> bool:
    return newest(folder) > past


def _grown(growing: Growing, most: int, folder: Path, past: int) -> bool:
    """Let a file grow a little. Whether that has led to a checkpoint, or the file has as many rows as it should."""
    growing.add(2)
    return newest(folder) > past or growing.given >= most


@pytest.mark.parametrize("seed", range(programs(1, 4)))
def test_kills_at_random_moments(tmp_path: Path, seed: int) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    rows = stream(seed, ROWS)
    whole = tmp_path / "whole"
    end(whole, prepared(whole, rows))
    wanted = results(whole)
    assert all(wanted)
    folder = tmp_path / "killed"
    path = prepared(folder, [])
    growing = Growing(folder / "in.csv", rows, chance)
    for kill in range(1, KILLS + 1):
        before, more = newest(folder), chance.randint(1, 6)
        growing.add(ROWS // KILLS // 4)
        with process(path) as running:
            wait_until(running, folder, partial(_has_later, folder, before))
            wait_until(running, folder, partial(_grown, growing, kill * 800 - 2, folder, before + more))
            sleep(chance.uniform(0, 0.06))
            running.send_signal(signal.SIGKILL)
            assert running.wait(PATIENCE) == -signal.SIGKILL
        assert newest(folder) > before
    growing.add(ROWS)
    end(folder, path)
    assert (folder / "in.csv").read_text() == csv_text(rows)
    assert results(folder) == wanted


def test_a_request_to_terminate_ends_it_with_a_checkpoint(tmp_path: Path) -> None:
    rows = stream(7, 300)
    whole, folder = tmp_path / "whole", tmp_path / "stopped"
    end(whole, prepared(whole, rows))
    path = prepared(folder, rows[:150])
    with process(path) as running:
        wait_until(running, folder, lambda: newest(folder) > 0)
        running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE) == 0
    assert "run it again to continue" in (folder / "errors").read_text()
    with (folder / "in.csv").open("a") as file:
        file.write("".join(f"{','.join(map(str, row))}\n" for row in rows[150:]))
    end(folder, path)
    assert results(folder) == results(whole)
