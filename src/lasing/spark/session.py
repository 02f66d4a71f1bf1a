"""A Spark session that is configured for reasoning."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lasing.errors import fault
from lasing.spark.java import provide_java

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",  # fewer, larger batches between Spark and Python
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # which other readers understand as a time in UTC
    # a driver killed in its first batch leaves an unfinished file, and Spark would refuse the checkpoint because of it
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
    "spark.python.daemon.module": "lasing.spark.daemon",  # workers are forked with the engine loaded
    "spark.python.worker.reuse": "true",  # an engine stays alive in its worker from batch to batch
}
"""What differs from Spark's defaults; each may be overridden."""

_LOG = "log4j2.properties"
_PURPOSE = "LASING_WORKERS_FOR"


def session(master: str = "local[*]", name: str = "lasing", settings: Mapping[str, Any] | None = None) -> Any:
    """A Spark session: the one that is running, or a new one with an installed or bundled Java.

    `settings` are Spark's own, such as {"spark.sql.shuffle.partitions": 8}. No setting is required, and a session
    created in any other way works as well.
    """
    require_pyspark()
    provide_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # otherwise Spark warns if the host has no name
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName(name)
    quiet = {"spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{Path(__file__).parent / _LOG}"}
    for key, value in {**SETTINGS, **quiet, **(settings or {})}.items():
        builder = builder.config(key, str(value))
    return builder.getOrCreate()


@contextmanager
def workers_of_their_own(spark: Any, purpose: str) -> Iterator[None]:
    """Functions that are given to Spark meanwhile run in Python workers that run nothing else.

    Spark takes idle workers in turn, whatever they did before, and a worker for each function of a task. Among workers
    that also pack and unpack, an engine would hardly ever find the worker in which it is.
    """
    environment = spark.sparkContext.environment
    environment[_PURPOSE] = purpose  # workers with other variables are not the same to Spark
    try:
        yield
    finally:
        del environment[_PURPOSE]


def stop() -> None:
    """Stop the running session, if there is one. Without PySpark there is none."""
    if "pyspark.sql" not in sys.modules:
        return
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        running.stop()


def require_pyspark() -> None:
    """Fail with a clear error if PySpark or pandas is not installed."""
    missing = [name for name in ("pyspark", "pandas") if find_spec(name) is None]
    if missing:
        raise fault("E602", f"{' and '.join(missing)} not installed", note="pip install 'lasing[spark]'")
