"""The sources of a pipeline as DataFrames: streams, or tables for a batch."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from lasing.connectors.bad_rows import STOP
from lasing.connectors.live.mqtt_connection import MqttAddress
from lasing.connectors.rdf.mapped_spark import mapped_frame
from lasing.connectors.spark_rows import BAD
from lasing.connectors.spark_terms import marked
from lasing.errors import fault, warn
from lasing.pipeline.bad_rows import CORRUPT, with_corrupt
from lasing.pipeline.config import Pipeline, SourceConfig
from lasing.pipeline.formats import FILE_FORMATS
from lasing.spark.bad_rows import bad_column
from lasing.spark.inputs import Terms

_STRICT = {"mode": "FAILFAST"}
"""A row that cannot be read stops the pipeline. Spark's default would silently turn it into nulls."""
_LENIENT = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
"""A row that cannot be read is kept as text."""


_ORDER = {"socket": 1, "rate": 1, "kafka": 3, "mqtt": 1}
"""How many columns give the order of arrival of a source's rows. For files, Spark knows when they came."""


def order_of(source: SourceConfig) -> tuple[str, ...]:
    """The columns that give the order of arrival of a source's rows."""
    return tuple(f"*order{i}" for i in range(_ORDER.get(source.format, 0)))


def terms_marked(frame: Any, terms: Terms) -> Any:
    """The rows of a source, with a mark on the columns that have terms."""
    texts = [name for name, kind in frame.dtypes if kind == "string" and name != BAD]
    named = texts if terms is True else [] if terms is False else [terms] if isinstance(terms, str) else terms
    return marked(frame, [name for name in named if name in texts])


def frames_of(spark: Any, pipeline: Pipeline) -> dict[str, Any]:
    """The DataFrame of each source, by its predicate and arguments."""
    from pyspark.errors import PySparkException

    frames = {}
    for source in pipeline.sources:
        try:
            frame = _frame(spark, pipeline, source)
            if source.mapping is not None:
                rows = terms_marked(frame, source.terms)
                frame = mapped_frame(rows, source.mapping, source.time, f"sources.{source.name}", order_of(source))
            frames[source.fact] = frame
        except PySparkException as error:
            raise _refused(error, source) from None
    return frames


def _frame(spark: Any, pipeline: Pipeline, source: SourceConfig) -> Any:
    if source.format in FILE_FORMATS:
        return _files(spark, source, pipeline.mode == "stream", pipeline.bad_rows_in(source) != STOP)
    if source.format == "rate":
        rate = source.given.get("rows_per_second", 1)
        rows = spark.readStream.format("rate").options(**source.options).option("rowsPerSecond", rate).load()
        return rows.withColumn("*order0", rows["value"])
    return _messages(_received(spark, pipeline, source), source, pipeline.bad_rows_in(source) != STOP)


def _files(spark: Any, source: SourceConfig, streaming: bool, lenient: bool) -> Any:
    path = source.given["path"]
    schema: Any = source.schema
    if schema is None:  # Parquet files have their own
        schema = spark.read.parquet(path).schema
    lenient = lenient and source.format != "parquet"
    if lenient:
        schema = with_corrupt(source.schema or "")
    reader = (spark.readStream if streaming else spark.read).schema(schema).format(source.format)
    if source.format != "parquet":
        reader = reader.options(**(_LENIENT if lenient else _STRICT))
    if source.format == "csv":
        reader = reader.option("header", "true").option("enforceSchema", "false")
    if streaming and "files_per_batch" in source.given:
        reader = reader.option("maxFilesPerTrigger", source.given["files_per_batch"])
    rows = reader.options(**source.options).load(path)
    if streaming and _is_file(spark, path):
        message = f"sources.{source.name}: {path} is one file, but a stream on Spark reads the files of a folder"
        raise fault("E613", message, note='give a folder or a pattern such as "in/*.csv", or set engine = "local"')
    return _saying_bad(rows) if lenient else rows


def _is_file(spark: Any, path: str) -> bool:
    place = spark._jvm.org.apache.hadoop.fs.Path(path)
    return bool(place.getFileSystem(spark._jsc.hadoopConfiguration()).isFile(place))


def _saying_bad(rows: Any) -> Any:
    """The rows, with a column that says what is wrong with the bad ones."""
    return rows.withColumn(BAD, bad_column(rows, CORRUPT)).drop(CORRUPT)


def _received(spark: Any, pipeline: Pipeline, source: SourceConfig) -> Any:
    """Messages with the columns `value`, as text, `timestamp`, when they came, and those of their order."""
    from pyspark.sql import functions as f

    given = source.given
    reader = spark.readStream.options(**source.options)
    if source.format == "socket":
        reader = reader.format("socket").option("host", given["host"]).option("port", given["port"])
        lines = reader.option("includeTimestamp", "true").load()
        return lines.select("value", "timestamp", lines["timestamp"].alias("*order0"))
    if source.format == "mqtt":
        from lasing.pipeline.mqtt import MqttSource

        spark.dataSource.register(MqttSource)
        warn(MqttAddress.of(given, f"sources.{source.name}")[1])  # also finds a secret that is missing
        settings = {key: str(value) for key, value in given.items() if key != "payload"}
        settings["where"] = f"sources.{source.name}"
        spool = str(Path(pipeline.checkpoint) / "mqtt" / source.name)
        messages = reader.format(MqttSource.name()).options(**settings).option("spool", spool).load()
        return messages.withColumnRenamed("number", "*order0")
    reader = (
        reader.format("kafka").option("kafka.bootstrap.servers", given["servers"]).option("subscribe", given["topic"])
    )
    reader = reader.option("startingOffsets", given.get("from", "earliest"))
    # each partition is in order; across partitions, the time of arrival is the best guess at the order
    order = [f.col(name).alias(f"*order{i}") for i, name in enumerate(("timestamp", "partition", "offset"))]
    return reader.load().select(f.col("value").cast("string"), "timestamp", *order)


def _messages(received: Any, source: SourceConfig, lenient: bool) -> Any:
    """The columns of messages whose text is JSON or CSV."""
    from pyspark.sql import functions as f

    read = f.from_csv if source.given.get("payload", "json") == "csv" else f.from_json
    order = [f"`{name}`" for name in order_of(source)]
    text, options = source.schema or "", _STRICT
    if lenient:
        text, options = with_corrupt(text), _LENIENT
    parsed = received.select("timestamp", *order, read("value", text, options).alias("message"))
    names = parsed.select("message.*").columns
    kept = ["timestamp"] if "timestamp" not in names and source.time == "timestamp" else []
    rows = parsed.select(*kept, *order, "message.*")
    return _saying_bad(rows) if lenient else rows


def _refused(error: Exception, source: SourceConfig) -> Exception:
    """Why Spark refuses a source, in a sentence."""
    where = f"sources.{source.name}"
    if source.format == "kafka" and "find" in str(error).lower():
        note = 'give the jars of spark-sql-kafka-0-10 and what it needs: [spark] jars = ["…"]'
        return fault("E613", f"{where}: Spark has no connector for Kafka", note=note)
    words = re.sub(r"^\[[A-Z_.]+\] | SQLSTATE: .*", "", str(error).strip().partition("\n")[0])
    return fault("E613", f"{where}: {words}")
