"""How long a stream pauses when an executor or the driver is killed: seconds until the next batch is committed.

The stream runs in its own process, on a cluster of two executors with a core each. A batch is committed when its file
is in the checkpoint. We kill an executor right after a batch. We kill the driver together with all that it has started,
and run the same command again at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cells import OURS, Settings, quartiles
from lasing.bench.spark.own_home import AT_MOST, environment, link_spark
from lasing.bench.spark.processes import descendants, kill_all
from lasing.bench.spark.session import SCHEMA, rule, shared

NAME = "spark-recovery"
CLUSTER = "local-cluster[2,1,1024]"
NOTHING, EXECUTOR, DRIVER = "nothing", "an executor", "the driver"
NEXT_BATCH, SPARK_IS_UP = "the next batch", "Spark is up"
CASES = ((NOTHING, NEXT_BATCH), (EXECUTOR, NEXT_BATCH), (DRIVER, SPARK_IS_UP), (DRIVER, NEXT_BATCH))
BATCH = 20_000


@dataclass(frozen=True)
class Recoveries:
    """How often to kill each process."""

    times: int
    contenders: tuple[str, ...] = (OURS,)

    @property
    def settings(self) -> Settings:
        return {"killed": EXECUTOR, "until": NEXT_BATCH}

    def count(self) -> int:
        return len(CASES) if self.times else len(self.contenders)

    def cells(self) -> Iterator[Cell]:
        if not self.times:
            yield Cell(NAME, OURS, "changes", self.settings, note="measured in a full run only")
            return
        bench = shared()
        seconds = _measure(bench.folder / "recovery", bench.events(BATCH, 20 * self.times), self.times)
        for killed, until in CASES:
            values = seconds[killed, until]
            settings: Settings = {"killed": killed, "until": until}
            note = "a single run" if self.times == 1 else ""
            yield Cell(NAME, OURS, "changes", settings, float(np.median(values)), quartiles(values), note=note)


def _measure(folder: Path, events: str, times: int) -> dict[tuple[str, str], list[float]]:
    """The seconds of each case; the same stream continues through all of them."""
    seconds: dict[tuple[str, str], list[float]] = {case: [] for case in CASES}
    with _running(folder, events) as stream:
        stream.next_commit()
        for _ in range(times):
            stream.next_commit()
            begun = time.monotonic()
            stream.next_commit()
            seconds[NOTHING, NEXT_BATCH].append(time.monotonic() - begun)
            stream.kill_an_executor()
            begun = time.monotonic()
            stream.next_commit()
            seconds[EXECUTOR, NEXT_BATCH].append(time.monotonic() - begun)
            stream.next_commit()
            begun = time.monotonic()
            stream.kill()
            stream.start()
            stream.wait(stream.up.exists, "Spark does not start")
            seconds[DRIVER, SPARK_IS_UP].append(time.monotonic() - begun)
            stream.next_commit()
            seconds[DRIVER, NEXT_BATCH].append(time.monotonic() - begun)
    return seconds


@contextmanager
def _running(folder: Path, events: str) -> Iterator[_Stream]:
    stream = _Stream(folder, events)
    stream.start()
    try:
        yield stream
    finally:
        stream.kill()


@dataclass
class _Stream:
    """The process of a stream, which can be restarted."""

    folder: Path
    events: str
    process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def up(self) -> Path:
        return self.folder / "up"

    def start(self) -> None:
        home, scratch = self.folder / "home", self.folder / "scratch"
        if not home.exists():
            scratch.mkdir(parents=True)
            link_spark(home)
        self.up.unlink(missing_ok=True)
        command = [sys.executable, "-m", __name__, str(self.folder), self.events]
        with (self.folder / "said").open("wb") as said:
            self.process = subprocess.Popen(command, env=environment(home, scratch), stdout=said, stderr=said)

    def kill(self) -> None:
        """Kill the driver and all that it has started."""
        assert self.process is not None
        kill_all(self.process.pid)
        self.process.wait()

    def kill_an_executor(self) -> None:
        assert self.process is not None
        running = descendants(self.process.pid).items()
        os.kill(next(pid for pid, line in running if "CoarseGrainedExecutorBackend" in line), signal.SIGKILL)

    def commits(self) -> int:
        """The number of the last committed batch, -1 before the first."""
        folder = self.folder / "checkpoint" / "commits"
        names = [path.name for path in folder.iterdir()] if folder.exists() else []
        return max((int(name) for name in names if name.isdigit()), default=-1)

    def next_commit(self) -> None:
        before = self.commits()
        self.wait(lambda: self.commits() > before, "no batch is committed")

    def wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        assert self.process is not None
        deadline = time.monotonic() + AT_MOST
        while not condition():
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / "said").read_text(errors="replace")
                raise RuntimeError(f"{otherwise}: {said[-2000:]}")
            time.sleep(0.02)


def run(folder: str, events: str) -> None:
    """Run the stream, from files to files."""
    import lasing.spark

    session = lasing.spark.session(CLUSTER, "lasing bench", {"spark.sql.shuffle.partitions": 2})
    Path(folder, "up").touch()
    stream = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 2).parquet(events)
    changes = stream.transform(lasing.spark.reason(rule(), "p", "q", view="changes", shards=2))
    writer = changes.writeStream.format("parquet").option("path", f"{folder}/out")
    writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    run(*sys.argv[1:])
