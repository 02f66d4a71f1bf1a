"""A pipeline with engine = "local", on the join and the events of the streams on Spark, compared with `lasing.run`.

A checkpoint is saved each second. A restart is a new process that continues after a kill: from its start to the first
checkpoint with new results. It is compared with a new process in which `lasing.run` evaluates the same new file.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

import lasing
from lasing.bench.costs.medians import medians
from lasing.bench.spark.session import FILES_A_BATCH, KEYS_A_POINT, SCHEMA, WINDOW, rule, write_events
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.checkpoints import Checkpoints
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress

BATCHES, BATCH = 25, 200_000
_EVENTS = BATCHES * BATCH
_ROUNDS = 3
_HANGS = 900
PIPELINE = f"""
program = "join.lars"
engine = "local"
view = "changes"
checkpoint = "state"
checkpoint_every = "1 sec"
[sources.p]
format = "parquet"
path = "events"
schema = "{SCHEMA}"
[sinks.q]
format = "parquet"
path = "out"
"""
_TO_ITS_END = 'trigger = "available now"\n'
CHILD = """
import sys
import pyarrow.parquet as pq
import lasing
lasing.run(sys.argv[1], {"p": pq.read_table(sys.argv[2])}).changes().to_arrow()
"""


def local_pipeline() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, events per second or seconds, and the ratio of its time to that of `lasing.run`."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_events(folder / "events", BATCH, BATCHES, KEYS_A_POINT * WINDOW)
        (folder / "join.lars").write_text(rule())
        plain, ours, first, restart = medians(
            {
                "baseline: lasing.run, Parquet to Parquet": partial(_plainly, folder),
                'engine = "local", Parquet to Parquet, a checkpoint each second': partial(_through, folder),
                "baseline: a new process, lasing.run on one file": partial(_new_process, folder),
                "a restart after a kill, to the first checkpoint with that file": partial(_restart, folder),
            },
            _ROUNDS,
        )
    return [
        *(
            (each.name, f"{_EVENTS / each.median:,.0f}/s", f"{each.median / plain.median:.2f}x")
            for each in (plain, ours)
        ),
        *((each.name, f"{each.median:.2f} s", f"{each.median / first.median:.2f}x") for each in (first, restart)),
    ]


def _plainly(folder: Path) -> float:
    begun = time.perf_counter()
    results = lasing.run(rule(), {"p": pq.read_table(folder / "events")}).changes().to_arrow()
    pq.write_table(results["q"], folder / "plain.parquet")
    return time.perf_counter() - begun


def _through(folder: Path) -> float:
    described = read_pipeline(_prepared(folder, _TO_ITS_END))
    begun = time.perf_counter()
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress)
    return time.perf_counter() - begun


def _prepared(folder: Path, more: str = "") -> Path:
    """A pipeline that has not run yet."""
    for written in ("state", "state-late", "out"):
        shutil.rmtree(folder / written, ignore_errors=True)
    path = folder / "join.toml"
    path.write_text(more + PIPELINE)
    return path


def _last(folder: Path) -> Path:
    return folder / "events" / f"{BATCHES * FILES_A_BATCH - 1:04}.parquet"


def _new_process(folder: Path) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", CHILD, rule(), str(_last(folder))], check=True)
    return time.perf_counter() - begun


def _restart(folder: Path) -> float:
    """Kill a pipeline that has read all files but one, and let it go on with that one."""
    path, last = _prepared(folder), _last(folder)
    aside = folder / last.name
    last.rename(aside)
    try:
        _until_checkpoint(path, 0, killed_at=_EVENTS - BATCH // FILES_A_BATCH)
    finally:
        aside.rename(last)
    known = Checkpoints(folder / "state").numbers()[-1]
    return _until_checkpoint(path, known + 1)


def _until_checkpoint(path: Path, number: int, killed_at: int = 0) -> float:
    """How long a process takes from its start to a checkpoint, or to the first that covers so many events; then it is
    killed."""
    checkpoints = Checkpoints(path.parent / "state")
    begun = time.perf_counter()
    with subprocess.Popen([sys.executable, "-m", "lasing", "pipeline", str(path), "--quiet"]) as process:
        try:
            while not _has(checkpoints, number, killed_at):
                if process.poll() is not None or time.perf_counter() - begun > _HANGS:
                    raise RuntimeError("the pipeline does not go on")
                time.sleep(0.005)
            return time.perf_counter() - begun
        finally:
            os.kill(process.pid, signal.SIGKILL)


def _has(checkpoints: Checkpoints, number: int, events: int) -> bool:
    known = checkpoints.numbers()
    if not known or known[-1] < number:
        return False
    if not events:
        return True
    files = checkpoints.open(known[-1]).sources.get("p", ())
    return len(files) * BATCH // FILES_A_BATCH >= events
