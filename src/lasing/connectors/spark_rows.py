"""The order in which rows of Spark's streams arrive, as a column of text that sorts in that order."""

from __future__ import annotations

import json
import logging
from typing import Any

ARRIVAL = "*arrival"
"""The column that says when a row arrived."""
BAD = "*bad"
"""The column that says what is wrong with a row; null for a good one."""


def file_arrival(frame: Any) -> Any | None:
    """When the rows of a stream of files arrived: with their file. None if Spark does not know which file that is."""
    from pyspark.sql import functions as f

    if not _of_files(frame):
        return None
    modified = padded(f.unix_millis("_metadata.file_modification_time"))
    return f.concat(modified, f.lit(" "), f.col("_metadata.file_path")).alias(ARRIVAL)


def file_path(frame: Any) -> Any | None:
    """The address of the file that a row comes from, as a column; None if Spark does not know it."""
    from pyspark.sql import functions as f

    return f.col("_metadata.file_path") if _of_files(frame) else None


def _of_files(frame: Any) -> bool:
    """Whether Spark knows which file a row comes from. It does not after a join or union of streams."""
    from pyspark.errors import AnalysisException

    log = logging.getLogger("DataFrameQueryContextLogger")
    level = log.level
    log.setLevel(logging.CRITICAL)  # else Spark would log a page about a missing column
    try:
        frame.select("_metadata.file_path", "_metadata.file_modification_time")
    except AnalysisException:
        return False
    finally:
        log.setLevel(level)
    return True


def refused(thing: object, code: str, reason: str, column: str = "") -> str:
    """What is wrong with a row that was read, but is not a fact, as a text for the column `BAD`."""
    return json.dumps({"row": str(thing), "code": code, "reason": reason, "column": column})


def padded(number: Any) -> Any:
    """A whole number as text that sorts in the order of the numbers."""
    from pyspark.sql import functions as f

    return f.lpad(f.hex(number.bitwiseXOR(f.lit(-(2**63)))), 16, "0")


def quoted(name: str) -> str:
    """A column name, quoted for Spark, which would read a dot as access to a nested field."""
    return "`" + name.replace("`", "``") + "`"
