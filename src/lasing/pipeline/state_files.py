"""The files in which Spark stores a stream's state: which of them are damaged, and from which batch to continue.

Batch n starts from version n of the state, which is the sum of the files of all versions up to n, or of those since the
last snapshot. So without version n, a stream can continue from batch n - 1, which produced it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lasing.errors import Diagnostic
from lasing.pipeline.config import Pipeline
from lasing.spark.streaming import STATE_FOLDER

_NAMED = re.compile(rf"\b{STATE_FOLDER}/(\d+)/(\d+)\.(?:delta|snapshot)")
_KINDS = ("CANNOT_LOAD_STATE_STORE", "CANNOT_READ_DELTA_FILE", "CANNOT_READ_SNAPSHOT_FILE")


@dataclass(frozen=True, slots=True, order=True)
class StateFile:
    """A file of the state: the version it belongs to, and its path in the checkpoint."""

    version: int
    path: str


def damaged_state(spark: Any, pipeline: Pipeline, message: str) -> Diagnostic | None:
    """The state files that cannot be read, and how to continue from before they were written; None if the pipeline
    stopped for another reason."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    named = [StateFile(int(found[2]), found[0]) for found in _NAMED.finditer(message)]
    if not named and not any(kind in message for kind in _KINDS):
        return None
    try:
        files = sorted({*named, *_unreadable(spark, pipeline.checkpoint)})
    except Py4JError:
        files = sorted(set(named))
    if not files:
        text = f"the state of the stream is damaged: a file in {pipeline.checkpoint}/{STATE_FOLDER} cannot be read"
        return Diagnostic("E614", text, note="start with a new checkpoint, and with empty folders for the outputs")
    names = ", ".join(f"{pipeline.checkpoint}/{file.path}" for file in files)
    return Diagnostic(
        "E614", f"the state of the stream is damaged: {names}", note=_way_back(pipeline, files[0].version)
    )


def _way_back(pipeline: Pipeline, version: int) -> str:
    """What to do to continue without a version of the state."""
    batch, checkpoint = max(version - 1, 0), pipeline.checkpoint
    folders = sorted({s.given["path"] for s in (*pipeline.sinks, pipeline.late) if "path" in s.given})
    lines = [
        f"it can continue from batch {batch}, if its sources still have the data since then. To do so, delete",
        f"- from {checkpoint}/offsets and {checkpoint}/commits the files {batch} and above, and .{batch}.crc etc.",
        f"- from the folders in {checkpoint}/{STATE_FOLDER} the files of versions {version} and above",
        *(f"- from {folder} the folders batch={batch:06} and above" for folder in folders),
        "and run it again",
    ]
    return "\n".join(lines)


def _unreadable(spark: Any, checkpoint: str) -> Iterator[StateFile]:
    """The state files that cannot be decompressed."""
    from py4j.protocol import Py4JJavaError

    jvm = spark._jvm
    pattern = jvm.org.apache.hadoop.fs.Path(f"{checkpoint}/{STATE_FOLDER}/*/*.*")
    files = pattern.getFileSystem(spark._jsc.hadoopConfiguration())
    codec = jvm.org.apache.spark.io.LZ4CompressionCodec(spark._jsc.sc().conf())
    for status in files.globStatus(pattern) or ():
        path = status.getPath()
        found = _NAMED.search(path.toString())
        if found is None:
            continue
        try:
            opened = codec.compressedInputStream(files.open(path))
            try:
                size = opened.transferTo(jvm.java.io.OutputStream.nullOutputStream())
            finally:
                opened.close()
        except Py4JJavaError:
            size = 0
        if not size:
            yield StateFile(int(found[2]), found[0])
