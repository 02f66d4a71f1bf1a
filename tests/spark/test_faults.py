"""What happens in clusters: executors and drivers die, disks fill up. The output is that of an undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lasing.bench.spark.processes import descendants, kill_all
from lasing.errors import LasingError
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.failures import stopped
from lasing.pipeline.local.checkpoints import Lock
from tests.spark.conftest import Files, parts
from tests.spark.expected import expected
from tests.spark.test_batch import JOIN, stream
from tests.spark.test_pipeline import found, run

pytestmark = pytest.mark.usefixtures("spark")  # what is begun in other processes is finished in this one

FILES = 6
TEXT = """
program = "join.lars"
view = "changes"
checkpoint = "{checkpoint}"
trigger = "available now"
shards = 2
[sources.p]
format = "parquet"
path = "in"
files_per_batch = 1
[sinks.q]
format = "parquet"
path = "out"
[spark]
master = "{master}"
"""
A_HANG = 1800
"""Nothing takes this many seconds, unless it hangs."""
CLUSTER = "local-cluster[2,1,1024]"


@pytest.fixture
def table(files: Files, tmp_path: Path) -> object:
    whole = stream(4000, 400)
    files("in", parts(whole, *(whole.num_rows * i // FILES for i in range(1, FILES))))
    (tmp_path / "join.lars").write_text(JOIN)
    return whole


def start(
    folder: Path, master: str = CLUSTER, checkpoint: str = "checkpoint", before: str = ""
) -> subprocess.Popen[str]:
    """A pipeline in its own process, started by the command that users type."""
    (folder / "join.toml").write_text(TEXT.format(master=master, checkpoint=checkpoint))
    command = [
        sys.executable,
        "-m",
        "lasing",
        "pipeline",
        str(folder / "join.toml"),
        "--metrics",
        str(folder / "metrics"),
    ]
    shell = ["unshare", "-rm", "sh", "-c", f'{before} && exec "$@"', "sh"] if before else []
    return subprocess.Popen([*shell, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def batches(folder: Path) -> list[int]:
    path = folder / "metrics"
    return [json.loads(line)["batch"] for line in path.read_text().splitlines()] if path.exists() else []


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + A_HANG
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)


def test_an_executor_and_the_driver_are_killed_and_the_next_run_is_interrupted(table: object, tmp_path: Path) -> None:
    with start(tmp_path) as process:
        wait_for(lambda: len(batches(tmp_path)) >= 1, process)
        executors = [pid for pid, line in descendants(process.pid).items() if "CoarseGrainedExecutorBackend" in line]
        assert len(executors) == 2
        os.kill(executors[0], signal.SIGKILL)
        wait_for(lambda: len(batches(tmp_path)) >= 3, process)
        kill_all(process.pid)
        process.communicate()
    done = len(batches(tmp_path))
    with start(tmp_path) as again:
        wait_for(lambda: len(batches(tmp_path)) > done, again)
        os.kill(again.pid, signal.SIGINT)
        said, _ = again.communicate(timeout=A_HANG)
        assert again.returncode == 0, said
        assert "stopped; run it again to continue from" in said
        assert "Traceback" not in said
    assert len(batches(tmp_path)) < FILES
    assert found(tmp_path / "out") != expected(JOIN, {"p": table}, "q", "changes")
    run(tmp_path / "join.toml")
    assert found(tmp_path / "out") == expected(JOIN, {"p": table}, "q", "changes")


def test_a_full_disk_is_reported_and_a_later_run_goes_on(table: object, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=60k none {disk}"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], check=False).returncode:
        pytest.skip("no small disk can be made here: that takes user namespaces")
    with start(tmp_path, "local[2]", "disk/checkpoint", mount) as process:
        said, _ = process.communicate(timeout=A_HANG)
        assert process.returncode == 1, said
        assert "error[E615]: the disk is full" in said
        assert "Traceback" not in said
    run(tmp_path / "join.toml")
    assert found(tmp_path / "out") == expected(JOIN, {"p": table}, "q", "changes")


def test_two_pipelines_do_not_use_one_checkpoint(table: object, tmp_path: Path) -> None:
    (tmp_path / "join.toml").write_text(TEXT.format(master="local[2]", checkpoint="checkpoint"))
    with Lock(tmp_path / "checkpoint"):
        with pytest.raises(LasingError, match=r"E616.*another pipeline, process \d+, uses the checkpoint"):
            run(tmp_path / "join.toml")
        assert not (tmp_path / "out").exists()
    run(tmp_path / "join.toml")
    assert found(tmp_path / "out") == expected(JOIN, {"p": table}, "q", "changes")


def test_a_file_system_that_became_read_only_is_named(tmp_path: Path) -> None:
    (tmp_path / "join.lars").write_text(JOIN)
    (tmp_path / "join.toml").write_text(TEXT.format(master="local[2]", checkpoint="checkpoint"))
    message = "Job aborted: java.io.FileNotFoundException: /disk/offsets/.3.tmp (Read-only file system)"
    error = stopped(None, replace(read_pipeline(tmp_path / "join.toml"), mode="batch"), RuntimeError(message))
    assert "E617" in str(error)
    assert "the file system is read-only" in str(error)
