"""Pipelines in processes of their own, which a campaign can kill.

A pipeline on Spark is the command that a user types. One in this process's engine is forked from a process that has
loaded everything, because it would otherwise spend most of its life on imports.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import BinaryIO, Self

from lasing.bench.spark.processes import kill_all
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.checkpoints import Checkpoints
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from tests.campaign.cases import LOCAL

PATIENCE = 1800
"""Nothing takes this many seconds, unless it hangs."""
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.loaded"])
LOGS = ("offsets", "commits", "sources/0")
"""What Spark writes to a checkpoint, batch by batch."""


class Deadly(Disk):
    """Kills the process before the n-th change to the disk; if that is a write, half of it is done."""

    def __init__(self, last: int) -> None:
        self._last = last
        self._changes = 0

    def about_to(self, what: str, path: Path) -> None:  # noqa: ARG002 -- it concerns any change
        self._changes += 1
        if self._changes == self._last and what not in ("write", "append"):
            os.kill(os.getpid(), signal.SIGKILL)

    def put(self, file: BinaryIO, data: bytes) -> None:
        if self._changes == self._last:
            file.write(data[: len(data) // 2])
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        super().put(file, data)


class Pipe:
    """A pipeline that runs; at the end of a `with`, it does not any more. `dies` is the number of the change to the
    disk before which a local one kills itself."""

    def __init__(self, path: Path, engine: str, dies: int | None = None) -> None:
        self._engine = engine
        self._said = path.with_name(f"said-{time.monotonic_ns()}")
        self._local: BaseProcess | None = None
        self._spark: subprocess.Popen[bytes] | None = None
        if engine == LOCAL:
            self._local = _FORKS.Process(target=_run, args=(path, self._said, dies))
            self._local.start()
        else:
            command = [sys.executable, "-m", "lasing", "pipeline", str(path), "--quiet"]
            with self._said.open("ab") as said:
                self._spark = subprocess.Popen(command, stdout=said, stderr=said)

    @property
    def pid(self) -> int:
        found = self._local.pid if self._local is not None else self._spark.pid if self._spark is not None else None
        assert found is not None
        return found

    def code(self) -> int | None:
        """The exit code; None while it runs."""
        if self._local is not None:
            return self._local.exitcode
        assert self._spark is not None
        return self._spark.poll()

    def said(self) -> str:
        """What it has printed."""
        return self._said.read_text(errors="replace") if self._said.exists() else ""

    def wait_until(self, holds: Callable[[], bool], or_ended: bool = False, most: float = PATIENCE) -> None:
        """Wait for a condition. If it may as well end, or `most` seconds may pass without it, that is no failure."""
        until = time.monotonic() + most
        while not holds():
            if self.code() is not None:
                assert or_ended, f"it ended with {self.code()}: {self.said()}"
                return
            if time.monotonic() >= until:
                assert most < PATIENCE, f"it hangs: {self.said()}"
                return
            time.sleep(0.002)

    def end(self) -> int:
        """Wait for its end; the exit code."""
        until = time.monotonic() + PATIENCE
        while (code := self.code()) is None:
            assert time.monotonic() < until, f"it hangs: {self.said()}"
            time.sleep(0.005)
        return code

    def stop(self) -> None:
        """Ask it to stop; it saves what it has done."""
        os.kill(self.pid, signal.SIGTERM)
        assert self.end() == 0, self.said()

    def kill(self) -> bool:
        """Kill it, with whatever it started. Whether it was still running."""
        ran = self.code() is None
        if ran:
            kill_all(self.pid)
        self.end()
        return ran

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def _run(path: Path, said: Path, dies: int | None) -> None:
    """Become the command `lasing pipeline`, or die in the course of it."""
    opened = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(opened, descriptor)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 -- it stays open, as in any process
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    if dies is None:
        from lasing.cli import main

        sys.argv = ["lasing", "pipeline", str(path), "--quiet"]
        main()
        return
    described = read_pipeline(path)
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress, disk=Deadly(dies))


def steps(folder: Path, engine: str, log: str = "commits", checkpoint: str = "state") -> int:
    """How many checkpoints or batches a pipeline has ever had."""
    if engine == LOCAL:
        return max(Checkpoints(folder / checkpoint).numbers(), default=-1) + 1
    names = [path.name.partition(".")[0] for path in (folder / checkpoint / log).glob("[0-9]*")]
    return max(map(int, names), default=-1) + 1


def has_begun(folder: Path, engine: str) -> bool:
    """Whether a pipeline has taken in anything."""
    return steps(folder, engine) > 1


def finish(path: Path, engine: str) -> None:
    """Run a pipeline to the end of what is there."""
    with Pipe(path, engine) as last:
        assert last.end() == 0, last.said()


def check_clear(said: str, *codes: str) -> None:
    """Fail unless a pipeline stopped with an error that a user can understand."""
    assert "Traceback" not in said, said
    assert any(f"error[{code}]" in said for code in codes), said


__all__ = ["LOGS", "Pipe", "check_clear", "finish", "has_begun", "steps"]
