"""Parquet files that lack a whole column. Spark reads nulls there, but the schema has changed, and no value is missing.

Files are inspected only if a batch has rows that lack a value, so a pipeline with complete data pays nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lasing.errors import fault
from lasing.pipeline.config import Pipeline
from lasing.pipeline.source_files import files_of
from lasing.spark.bad_rows import path_of


def check_columns(spark: Any, pipeline: Pipeline, missing: Mapping[str, Mapping[str, int]]) -> None:
    """Fail if rows, counted by source and column, lack a value because their file does not have the column."""
    from pyspark.sql import functions as f

    for number, source in enumerate(pipeline.sources):
        files = list(files_of(spark, pipeline, number)) if source.format == "parquet" and source.name in missing else ()
        for name in missing[source.name] if files else ():
            column = name if source.mapping is None else source.time  # only the time of a triple can be missing
            reader = spark.read if source.schema is None else spark.read.schema(source.schema)
            values = reader.options(**source.options).parquet(*files)
            by_file = values.groupBy("_metadata.file_path").agg(f.count(f"`{column}`").alias("values"))
            for row in by_file.where("values = 0").orderBy("file_path").collect():
                if column not in spark.read.parquet(row.file_path).columns:
                    message = f"sources.{source.name}: {path_of(row.file_path)} has no column {column}"
                    raise fault("E505", message, note="fix the file, or leave it out")
