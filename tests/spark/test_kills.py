"""Kills at random moments, again and again: the output is that of an undisturbed run. Made to run overnight."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lasing.bench.spark.processes import kill_all
from tests.differential.sizes import NIGHTLY
from tests.spark.conftest import Files, parts
from tests.spark.test_pipeline import run
from tests.spark.test_sources_together import PROGRAM, SOURCES, described, forget, output, readings

pytestmark = [
    pytest.mark.usefixtures("spark"),
    pytest.mark.skipif(not NIGHTLY, reason="it takes ten minutes: make fuzz runs it"),
]

KILLS = 20
FILES = 60
LOGS = ("offsets", "commits", "sources/0", "sources/1", "sources/2")


def entries(checkpoint: Path, log: str) -> int:
    """The number of batches that a log has ever had."""
    names = [path.name.partition(".")[0] for path in (checkpoint / log).glob("[0-9]*")]
    return max(map(int, names), default=-1) + 1


def test_twenty_random_kills_change_nothing(files: Files, tmp_path: Path) -> None:
    (tmp_path / "rooms.lars").write_text(PROGRAM)
    for name, (rows, disorder) in SOURCES.items():
        table = readings(name, rows, disorder)
        files(name, parts(table, *(table.num_rows * i // FILES for i in range(1, FILES))))
    pipeline = described(tmp_path, 1, 1, 2, more='spark = { master = "local[2]" }\n')
    run(described(tmp_path, FILES))
    wanted = output(tmp_path)
    forget(tmp_path)
    described(tmp_path, 1, 1, 2, more='spark = { master = "local[2]" }\n')
    chance, checkpoint, kills = random.Random(12), tmp_path / "checkpoint", 0
    while kills < KILLS:
        log = chance.choice(LOGS)
        before = entries(checkpoint, log)
        command = [sys.executable, "-m", "lasing", "pipeline", str(pipeline), "--quiet"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            # a kill comes within a moment after something is written, so before something else is
            while entries(checkpoint, log) <= before + chance.choice([0, 0, 1]) and process.poll() is None:
                time.sleep(0.002)
            time.sleep(chance.choice([0, 0, 0.02, 0.1, 0.3]))
            ended = process.poll()
            kill_all(process.pid)
            said, _ = process.communicate()
        assert ended in (None, 0), said
        assert ended is None or kills > 0, "it ended before it was killed"
        if ended == 0:
            break
        kills += 1
    print(f"{kills} kills, the last after {entries(checkpoint, 'commits')} batches")
    run(pipeline)
    assert output(tmp_path) == wanted
    assert kills == KILLS
