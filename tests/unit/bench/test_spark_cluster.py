"""The cluster in the small: what an event log says, sentences with figures, and the time of processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cells import OURS
from lasing.bench.spark.cluster import MEASURES, NAME, RATE, REBUILT, SHUFFLED, STATE, WORK, shuffled_bytes
from lasing.bench.spark.cluster_sentences import of_clusters
from lasing.bench.spark.processes import processor_seconds


def submitted(stage: int, query: str) -> dict[str, object]:
    properties = {"spark.jobGroup.id": query}
    return {"Event": "SparkListenerStageSubmitted", "Stage Info": {"Stage ID": stage}, "Properties": properties}


def ended(stage: int, written: int) -> dict[str, object]:
    metrics = {"Shuffle Write Metrics": {"Shuffle Bytes Written": written}}
    return {"Event": "SparkListenerTaskEnd", "Stage ID": stage, "Task Metrics": metrics}


def test_bytes_are_added_up_by_query_in_order(tmp_path: Path) -> None:
    failed = {"Event": "SparkListenerTaskEnd", "Stage ID": 2, "Task Metrics": None}
    events = [submitted(1, "b"), ended(1, 5), ended(1, 7), submitted(2, "a"), ended(2, 11), failed, submitted(3, "b")]
    log = tmp_path / "log"
    log.write_text("".join(f"{json.dumps(event)}\n" for event in [{"Event": "other"}, *events, ended(3, 100)]))
    assert shuffled_bytes(log) == [112, 11]


def test_sentences() -> None:
    figures = {
        (1, 2): (50.0, 400.0, 10.0, 300.0, 0.0),
        (1, 8): (25.0, 1_000.0, 40.0, 310.0, 0.0),
        (2, 2): (45.0, 400.0, 10.0, 300.0, 0.0),
        (2, 8): (20.0, 1_000.0, 40.0, 310.0, 12.5),
    }
    assert MEASURES == (RATE, WORK, SHUFFLED, STATE, REBUILT)
    cells = [
        Cell(NAME, OURS, "changes", {"executors": e, "shards": s, "batch": 1000, "measured": measure}, value)
        for (e, s), values in figures.items()
        for measure, value in zip(MEASURES, values, strict=True)
    ]
    assert of_clusters(cells) == [
        "On 1 executor, in batches of 1,000, shards = 2 take in 50.0 thousand events/s a core, and shards = 8 25.0; "
        "10 and 40 kB are shuffled, and 0 and 0 % of the engines are rebuilt.",
        "On 1 executor, in batches of 1,000, a batch takes 200 ms of processor time, and each shard 100.0 ms more "
        "(least squares).",
        "On 2 executors, in batches of 1,000, shards = 2 take in 45.0 thousand events/s a core, and shards = 8 20.0; "
        "10 and 40 kB are shuffled, and 0 and 12 % of the engines are rebuilt.",
        "On 2 executors, in batches of 1,000, a batch takes 200 ms of processor time, and each shard 100.0 ms more "
        "(least squares).",
        "From 1 to 2 executors, the rate in batches of 1,000 is multiplied by 1.60 to 1.80.",
    ]


def test_the_time_of_children_counts() -> None:
    before = processor_seconds(os.getpid())
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    assert processor_seconds(os.getpid()) - before >= 0.25
