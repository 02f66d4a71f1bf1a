"""A cluster in the small: one or two executors of a core each, on one machine, and more and more shards.

Each cluster is a process of its own. Spark's event log says what its tasks sent to one another. Processor time is that
of the driver, the executors and their Python workers together: unlike seconds, it hardly depends on what else the
machine does. It is measured over all batches but the first ones, in which everything starts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cells import OURS, Settings
from lasing.bench.spark.own_home import AT_MOST, environment, link_spark
from lasing.bench.spark.processes import kill_all, processor_seconds
from lasing.bench.spark.session import FILES_A_BATCH, KEYS_A_POINT, SCHEMA, WINDOW, rule, write_events

NAME = "spark-cluster"
RATE, WORK, SHUFFLED, STATE, REBUILT = (
    "thousand events/s a core",
    "ms of processor time a batch",
    "kB shuffled a batch",
    "kB of state a batch",
    "% of engines rebuilt",
)
MEASURES = (RATE, WORK, SHUFFLED, STATE, REBUILT)
STARTING = 3
"""The first batches of a run, in which workers start and code is compiled."""


@dataclass(frozen=True)
class Clusters:
    """The numbers of executors and of shards; the events in a batch, and how many batches to measure."""

    executors: tuple[int, ...]
    shards: tuple[int, ...]
    batches: Mapping[int, int]
    contenders: tuple[str, ...] = (OURS,)

    @property
    def settings(self) -> Settings:
        return _settings(self.executors[0], self.shards[0], min(self.batches), RATE)

    def count(self) -> int:
        return len(self.executors) * len(self.shards) * len(self.batches) * len(MEASURES) if self.batches else 1

    def cells(self) -> Iterator[Cell]:
        with tempfile.TemporaryDirectory(prefix="lasing-bench-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            for batch, batches in self.batches.items():
                write_events(folder / f"events-{batch}", batch, STARTING + batches, KEYS_A_POINT * WINDOW)
            for number in self.executors:
                for run in self._runs(folder, number):
                    for measure in MEASURES:
                        settings = _settings(number, int(run["shards"]), int(run["batch"]), measure)
                        note = f"a single run, {run['batches']:.0f} batches"
                        yield Cell(NAME, OURS, "changes", settings, run[measure], note=note)

    def _runs(self, folder: Path, executors: int) -> Iterator[dict[str, float]]:
        """What each run on a cluster of this size has measured."""
        home, batches = folder / f"home-{executors}", list(self.batches)
        home.mkdir()
        link_spark(home / "spark")
        given = json.dumps([str(folder), executors, self.shards, batches])
        command = [sys.executable, "-m", __name__, given]
        with _started(command, environment(home / "spark", home)) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith(_MARK):
                    yield json.loads(line.removeprefix(_MARK))
            if process.wait(AT_MOST):
                raise RuntimeError(f"the cluster of {executors} has failed")


def _settings(executors: int, shards: int, batch: int, measure: str) -> Settings:
    return {"executors": executors, "shards": shards, "batch": batch, "measured": measure}


_MARK = "measured: "
"""What the lines begin with that have figures."""


@contextmanager
def _started(command: list[str], environment: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process
    finally:
        kill_all(process.pid)
        process.wait()


def run(folder: Path, executors: int, shards: list[int], batches: list[int]) -> None:
    """Run all settings on one cluster, and print what each has measured. This is what the process of a cluster does."""
    import lasing.spark
    from lasing.engine_choice import load_kernels

    load_kernels()
    logs = Path(tempfile.mkdtemp(dir=folder))
    logged = {"enabled": "true", "dir": f"file://{logs}", "compress": "false", "rolling.enabled": "false"}
    settings = {f"spark.eventLog.{name}": value for name, value in logged.items()}
    session = lasing.spark.session(f"local-cluster[{executors},1,1024]", "lasing bench", settings)
    measured = []
    for batch in batches:
        for number in shards:
            measured.append(_measured(session, folder, batch, number))
            measured[-1][RATE] /= executors
    session.stop()
    (log,) = (path for path in logs.iterdir() if path.is_file())
    sent = shuffled_bytes(log)
    for number, one in enumerate(measured):
        one[SHUFFLED] = sent[number] / (one["batches"] + STARTING) / 1000
        print(_MARK + json.dumps(one), flush=True)


def _measured(session: Any, folder: Path, batch: int, shards: int) -> dict[str, float]:
    """The figures of one run, but for what the log of events says."""
    import os

    import lasing.spark

    session.conf.set("spark.sql.shuffle.partitions", shards)
    stream = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", FILES_A_BATCH)
    stream = stream.parquet(str(folder / f"events-{batch}"))
    out = Path(tempfile.mkdtemp(dir=folder))
    changes = stream.transform(lasing.spark.reason(rule(), "p", "q", view="changes", shards=shards))
    writer = changes.writeStream.format("parquet").option("path", f"{out}/out")
    query = writer.option("checkpointLocation", f"{out}/checkpoint").trigger(availableNow=True).start()
    started = (0.0, 0.0)
    while query.isActive:
        if not started[0] and (out / "checkpoint" / "commits" / str(STARTING - 1)).exists():
            started = time.monotonic(), processor_seconds(os.getpid())
        time.sleep(0.05)
    query.awaitTermination()
    spent = processor_seconds(os.getpid()) - started[1]
    seconds = time.monotonic() - started[0]
    steady = [progress for progress in query.recentProgress if progress["numInputRows"]][STARTING:]
    figures = [progress["observedMetrics"]["lasing"] for progress in steady]
    return {
        "batch": batch,
        "shards": shards,
        "batches": len(steady),
        RATE: batch * len(steady) / seconds / 1000,
        WORK: 1000 * spent / len(steady),
        STATE: figures[-1]["state_bytes"] / 1000,
        REBUILT: 100 * sum(one["rebuilt"] for one in figures) / len(figures) / shards,
    }


def shuffled_bytes(log: Path) -> list[int]:
    """The bytes that each query of an event log has written for other tasks, in the order of the queries."""
    queries: dict[str, int] = {}
    stages: dict[int, str] = {}
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerStageSubmitted":
            query = event["Properties"]["spark.jobGroup.id"]  # that of a stream is the id of its run
            stages[event["Stage Info"]["Stage ID"]] = query
            queries.setdefault(query, 0)
        elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            written = event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
            queries[stages[event["Stage ID"]]] += written
    return list(queries.values())


if __name__ == "__main__":
    place, *rest = json.loads(sys.argv[1])
    run(Path(place), *rest)
