"""The sinks of a pipeline: where the outputs of a batch go.

After a failure, a batch may be retried with the same rows and the same number. The files of a batch are in a folder
named after its number, and replace those of an earlier try, so that each row is there once. A row sent to Kafka has a
key that is the same at each try.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from lasing.connectors.rows import value_of
from lasing.connectors.sinks import View
from lasing.connectors.spark_terms import marked_columns
from lasing.logic.formulas import Atom
from lasing.logic.values import UNBOUND, Value, value_from_text
from lasing.pipeline.config import SinkConfig
from lasing.pipeline.formats import FILE_FORMATS
from lasing.spark.outputs import LEADING


def write(frame: Any, sink: SinkConfig, view: View | None, batch: int | None) -> None:
    """Write the rows of an output: those of a batch of a stream or, without a batch number, those of a history."""
    if sink.format in FILE_FORMATS:
        path = sink.given["path"] if batch is None else _folder(sink, batch)
        writer = frame.write.mode("overwrite").format(sink.format)
        if sink.format == "csv":
            writer = writer.option("header", "true")
        writer.options(**sink.options).save(path)
    elif sink.format == "console":
        terms = marked_columns(frame)
        for row in frame.toLocalIterator():
            print(line_of(sink, view, row.asDict(), terms))
        sys.stdout.flush()
    else:
        _to_kafka(frame, sink)


def clear(spark: Any, sink: SinkConfig, batch: int) -> None:
    """Remove the files of an earlier try of a batch, because it may have no rows this time."""
    if sink.format not in FILE_FORMATS:
        return
    path = spark._jvm.org.apache.hadoop.fs.Path(_folder(sink, batch))
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)


def _folder(sink: SinkConfig, batch: int) -> str:
    return f"{sink.given['path']}/batch={batch:06}"


def line_of(sink: SinkConfig, view: View | None, row: dict[str, Any], terms: Collection[str] = ()) -> str:
    """A row in the notation of stream files."""
    if view is None:
        return f"% late by {row['late_by']}: {row['fact']}"
    leading = {name: _moment(row.pop(name)) for name in LEADING[view]}
    atom = Atom(sink.output, tuple(_value(value, name in terms) for name, value in row.items()))
    if view == "intervals":
        return f"{atom} from {leading['from']} to {leading['until']}."
    sign = {"1": "+", "-1": "-"}.get(leading.get("change", ""), "")
    return f"{sign}{atom} at {leading['time']}."


def _value(cell: Any, is_term: bool) -> Value:
    if cell is None:
        return UNBOUND
    return value_from_text(cell) if is_term else value_of(cell)


def _moment(value: Any) -> str:
    if isinstance(value, datetime):
        utc = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return f"{utc.isoformat()}Z"
    return str(value)


def _to_kafka(frame: Any, sink: SinkConfig) -> None:
    from pyspark.sql import functions as f

    value = f.to_json(f.struct("*"))
    rows = frame.select(f.sha2(f.concat(f.lit(sink.output), value), 256).alias("key"), value.alias("value"))
    writer = rows.write.format("kafka").option("kafka.bootstrap.servers", sink.given["servers"])
    writer.option("topic", sink.given["topic"]).options(**sink.options).save()
