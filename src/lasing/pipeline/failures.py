"""Why a pipeline stopped, in a sentence, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from lasing.errors import Diagnostic, LasingError, fault
from lasing.pipeline.bad_rows import bad_row
from lasing.pipeline.config import Pipeline
from lasing.pipeline.formats import FILE_FORMATS
from lasing.pipeline.source_files import files_of
from lasing.pipeline.state_files import damaged_state

_OURS = re.compile(r"LasingError: (?:error\[(E\d+)\]: )?(.*?)(?:\n\s*SQLSTATE|\n\n|\s*\Z)", re.DOTALL)
_FILE = re.compile(r"\b(?:file|hdfs|s3a?|gs|abfss?)://?/?[^\s;,'\"]+")


def stopped(spark: Any, pipeline: Pipeline, error: BaseException) -> LasingError:
    """The reason why a pipeline stopped: a row that cannot be read, our own error in a worker, or Spark's message."""
    message = str(error)
    again = (
        "" if pipeline.mode == "batch" else f"once that is fixed, run it again: it continues from {pipeline.checkpoint}"
    )
    if pipeline.mode == "stream" and (damage := damaged_state(spark, pipeline, message)):
        return LasingError([damage])
    if "No space left on device" in message:
        return fault("E615", "the disk is full: a batch could not be written", note=again)
    if "Read-only file system" in message:
        return fault("E617", "a batch could not be written: the file system is read-only", note=again)
    ours = _OURS.search(message)
    if ours is None or ours[1] == "E506":
        found = _bad_row(spark, pipeline, message)
        if found is not None:
            notes = "\n".join(filter(None, (found.note, again)))
            return LasingError([Diagnostic(found.code, found.message, found.place, notes)])
    if ours is not None:
        lines = ours[2].split("\n  = ")
        return fault(ours[1] or "E614", lines[0].strip(), note="\n".join(filter(None, (*lines[1:], again))))
    return fault("E614", f"the query stopped: {_first_words(message)}", note=again)


# -- rows --------------------------------------------------------------------------------------------------------------


def _bad_row(spark: Any, pipeline: Pipeline, message: str) -> Diagnostic | None:
    """The row that cannot be read, if that is why the pipeline stopped."""
    from pyspark.errors import PySparkException

    named = {unquote(file).rstrip(".") for file in _FILE.findall(message)}
    for number, source in enumerate(pipeline.sources):
        if source.format not in FILE_FORMATS:
            continue
        try:
            files = list(files_of(spark, pipeline, number))
            chosen = [file for file in files if any(_same(file, name) for name in named)]
            found = bad_row(spark, source, chosen or files, pipeline.missing_in(source))
        except (PySparkException, OSError):  # the file is gone, or worse: fall back to Spark's message
            continue
        if found is not None:
            return found
    return None


def _same(file: str, name: str) -> bool:
    """Whether two addresses, such as file:/a and file:///a, name the same file."""
    return re.sub(r"^\w+:/+", "/", file) == re.sub(r"^\w+:/+", "/", name)


# -- Spark's message ---------------------------------------------------------------------------------------------------


def _first_words(message: str) -> str:
    """The line of Spark's message that says what happened."""
    found = re.findall(r"\[[A-Z_.]+\] [^\n]*|^Caused by: [^\n]*", message, re.MULTILINE)
    lines = [re.sub(r"^Caused by: |^[\w.$]+: |\[[A-Z_.]+\] | SQLSTATE: .*", "", line).strip() for line in found]
    whole = [line for i, line in enumerate(lines) if line and not any(line in other for other in lines[:i])]
    general = ("Query [", "Job aborted", "org.apache.spark", "Task failed")
    specific = [line for line in whole if not line.startswith(general)]
    python: Sequence[str] = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception): [^\n]*", message, re.MULTILINE)
    if python and "PYTHON_" in message and "DATA_SOURCE" in message:
        return python[-1][:600]
    words = "; ".join(dict.fromkeys([*specific[:1], *specific[-1:]])) or message.strip().partition("\n")[0]
    return words[:600] or "no reason given"
