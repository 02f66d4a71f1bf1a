"""Which settings of a pipeline's file fit the engine that runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lasing.errors import Diagnostic, LasingError
from lasing.pipeline.described import SourceConfig
from lasing.pipeline.formats import FILE_FORMATS, LOCAL, ON_SPARK, SINK_KEYS, SINKS_ON_SPARK, SOURCE_KEYS, SPARK
from lasing.timeline.delay import delay_of

_ONLY_SPARK = ("shards", "slices", "replicate", "spark")
_ONLY_LOCAL = ("checkpoint_every", "keep")
_TEXT_OPTIONS = ("header", "sep", "delimiter")
_KAFKA_KEYS = 'with engine = "local", Kafka has keys such as user, password_env, mechanism, tls and ca'


class Misfits:
    """The settings of a file that its engine does not know."""

    def __init__(self, path: Path, given: Mapping[str, Any], engine: object, mode: str) -> None:
        self._path = path
        self._given = given
        self._is_local = engine == LOCAL
        self._mode = mode

    def cautions(self) -> Iterator[Diagnostic]:
        """Settings that have no effect: the same file may be run by either engine."""
        useless = _ONLY_SPARK if self._is_local else _ONLY_LOCAL
        engine = LOCAL if self._is_local else SPARK
        for key in useless:
            if key in self._given:
                shown = f"[{key}]" if isinstance(self._given[key], dict) else key
                yield Diagnostic("W604", f'{self._path}: {shown} has no effect with engine = "{engine}"')

    def errors(self, sources: Sequence[SourceConfig]) -> list[Diagnostic]:
        """Settings that the engine cannot follow."""
        found = [*self._top(), *(each for source in sources for each in self._source(source))]
        return [Diagnostic("E612", f"{self._path}: {message}", note=note) for message, note in [*found, *self._sinks()]]

    def _top(self) -> Iterator[tuple[str, str]]:
        given = self._given
        every, keep = given.get("checkpoint_every"), given.get("keep")
        if isinstance(every, str):
            try:
                delay_of(every, 1)
            except LasingError:
                yield f"checkpoint_every is {every!r}", 'give a duration, such as "1 sec" or "500 ms"'
        if isinstance(keep, int) and keep < 1:
            yield f"keep is {keep}", "at least one checkpoint is kept"

    def _source(self, source: SourceConfig) -> Iterator[tuple[str, str]]:
        where = f"sources.{source.name}."
        if not self._is_local:
            if source.format not in ON_SPARK:
                if source.format in SOURCE_KEYS:
                    yield f"{where}format is {source.format}, which Spark does not read", 'use engine = "local"'
                return
            for key in source.given:
                if key in SOURCE_KEYS[source.format] and key not in ON_SPARK[source.format]:
                    known = ", ".join(ON_SPARK[source.format])
                    yield f'{where}{key} is only for engine = "local"', f"on Spark, {source.format} has {known}"
            return
        follow = source.given.get("follow")
        if follow is not None and follow not in ("files", "lines"):
            yield f"{where}follow is {follow!r}", "it must be one of files, lines"
        if follow == "lines" and source.format == "parquet":
            yield f"{where}follow is lines", "a Parquet file has no lines; it is read when it is complete"
        if source.format == "kafka" and source.options:
            yield f"{where}options are only for Spark", _KAFKA_KEYS
        if source.format in FILE_FORMATS:
            options = _TEXT_OPTIONS if source.format == "csv" else ()
            for option in source.options:
                if option not in options:
                    note = f"options are {', '.join(options)}" if options else f"{source.format} has no options"
                    yield f"{where}options.{option} is only for Spark", f'with engine = "local", {note}'

    def _sinks(self) -> Iterator[tuple[str, str]]:
        tables = {f"sinks.{name}": table for name, table in self._tables("sinks").items()}
        if isinstance(self._given.get("late"), dict):
            tables["late"] = self._given["late"]
        for where, table in tables.items():
            kind = table.get("format")
            if self._is_local and kind == "kafka" and table.get("options"):
                yield f"{where}.options are only for Spark", _KAFKA_KEYS
            if self._is_local or kind not in SINK_KEYS:
                continue
            if kind not in SINKS_ON_SPARK:
                yield f"{where}.format is {kind}, which Spark does not write", 'use engine = "local"'
                continue
            for key in table:
                if key in SINK_KEYS[kind] and key not in SINKS_ON_SPARK[kind]:
                    note = f"on Spark, {kind} has {', '.join(SINKS_ON_SPARK[kind])}, and options of Spark's own"
                    yield f'{where}.{key} is only for engine = "local"', note

    def _tables(self, name: str) -> dict[str, Mapping[str, Any]]:
        tables = self._given.get(name)
        return (
            {key: table for key, table in tables.items() if isinstance(table, dict)} if isinstance(tables, dict) else {}
        )
