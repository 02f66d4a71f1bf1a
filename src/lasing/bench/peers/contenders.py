"""Contenders as processes of their own: what a peer is, how a job is run, and what that took."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lasing.bench.peers.environments import Environment, alone
from lasing.bench.peers.jobs import Job, Rows, rows_of, rows_of_changes

SCRIPTS = Path(__file__).parent / "scripts"
PATIENCE = 900.0
"""The seconds after which a run is given up."""


@dataclass(frozen=True)
class Peer:
    """Another system: what pip installs, the script that knows its jobs, and why it cannot do some of them.

    `seconds` are the lengths of its two streams with --quick. The longer one takes the peer some seconds beyond its
    start, and is longer in a full run. `batch` says whether it needs the whole input before its first result.
    """

    name: str
    requirements: tuple[str, ...]
    script: str
    seconds: tuple[int, int]
    cannot: Mapping[str, str] = field(default_factory=dict)
    batch: bool = False
    variables: Callable[[], Mapping[str, str]] = dict
    more: Callable[[], tuple[str, ...]] = tuple
    """Requirements that depend on the machine."""


class FailedError(Exception):
    """A run that ended with an error, or took too long; the message says which."""


@dataclass(frozen=True)
class Took:
    """Seconds of a run: by the clock, and of the processor, with all processes that it started."""

    clock: float
    processor: float


Command = Callable[[Job, Path, Path], Sequence[str]]


@dataclass(frozen=True)
class Runner:
    """Runs jobs as processes: the command of a job for an input folder and a result, the columns of that result, and
    how it is read."""

    name: str
    command: Command
    columns: Callable[[Job], Sequence[str]]
    suffix: str = ""
    variables: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    read: Callable[[Job, Path, Sequence[str], int], Rows] = rows_of

    def run(self, job: Job, folder: Path, out: Path) -> Took:
        """Run a job to its end. A result that is there already is deleted first."""
        if out.is_dir():
            shutil.rmtree(out)
        out.unlink(missing_ok=True)
        command = self.command(job, folder, out)
        with (folder / "messages").open("w+b") as messages:
            begun = time.perf_counter()
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=messages, stderr=subprocess.STDOUT, cwd=folder,
                env=self.variables,
            )  # fmt: skip
            late = threading.Timer(PATIENCE, child.kill)
            late.start()
            try:
                _, status, used = os.wait4(child.pid, 0)
            except BaseException:  # such as Ctrl-C: leave no process behind
                child.kill()
                raise
            finally:
                late.cancel()
            clock = time.perf_counter() - begun
            child.returncode = os.waitstatus_to_exitcode(status)
            if clock >= PATIENCE:
                raise FailedError(f"more than {PATIENCE / 60:.0f} minutes")
            if child.returncode:
                messages.seek(0)
                said = messages.read().decode(errors="replace").strip().splitlines() or ["no message"]
                raise FailedError(f"failed: {said[-1][:200]}")
        return Took(clock, used.ru_utime + used.ru_stime)


def ours(name: str, view: Literal["changes", "answers"] = "changes") -> Runner:
    """`lasing run`, from CSV to CSV: what changes, or all that holds at each time point, which is more to write."""

    def command(job: Job, folder: Path, out: Path) -> Sequence[str]:
        program = folder / f"{job.name}.lars"
        program.write_text(job.program, encoding="utf-8")
        streams = [str(folder / f"{stream}.csv") for stream in job.streams]
        return [sys.executable, "-m", "lasing", "run", str(program), *streams, "--as", view, "--output", str(out)]

    def columns(job: Job) -> Sequence[str]:
        """The arguments of an atom; of answers, also its time, which for a pair is that of the later reading."""
        arguments = job.columns if job.timed is None else tuple(c for c in job.columns if c != "time")
        if view == "changes":
            return arguments
        return ("known" if job.timed is None else "time", "predicate", *arguments)

    return Runner(name, command, columns, ".csv", read=rows_of_changes if view == "changes" else rows_of)


def runner(peer: Peer, environment: Environment) -> Runner:
    """A peer's script, in its environment."""
    script = SCRIPTS / f"{peer.script}.py"
    return Runner(
        f"{peer.name} {environment.version}",
        lambda job, folder, out: [str(environment.python), str(script), job.name, str(folder), str(out)],
        lambda job: job.columns,
        variables={**alone(), **peer.variables()},
    )
