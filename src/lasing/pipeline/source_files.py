"""The files that a source of a pipeline reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lasing.pipeline.config import Pipeline


def files_of(spark: Any, pipeline: Pipeline, number: int) -> Iterator[str]:
    """The files of a source; for a stream, those of its last batch, which Spark logs in the checkpoint."""
    source = pipeline.sources[number]
    if pipeline.mode == "batch":
        yield from map(unquote, spark.read.text(source.given["path"]).inputFiles())
        return
    logs = Path(pipeline.checkpoint) / "sources" / str(number)
    batches = sorted((p for p in logs.glob("[0-9]*")), key=lambda p: int(p.name.partition(".")[0]))
    for line in batches[-1].read_text(encoding="utf-8").splitlines()[1:] if batches else ():
        yield unquote(json.loads(line)["path"])
