"""Which settings of a pipeline's file fit the engine that runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lasing.connectors.bad_rows import STOP
from lasing.errors import Diagnostic, LasingError
from lasing.logic.program import Program
from lasing.pipeline.described import SourceConfig
from lasing.pipeline.formats import FILE_FORMATS, LOCAL, SPARK
from lasing.timeline.delay import delay_of

_ONLY_SPARK = ("shards", "slices", "replicate", "spark")
_ONLY_LOCAL = ("checkpoint_every", "keep")
ONLY_LOCAL_FORMATS = ("http", "unix", "stdin")
_TEXT_OPTIONS = ("header", "sep", "delimiter")
_NO_KAFKA = (
    'engine = "local" has no connector for Kafka: use engine = "spark", or bring the topic to a socket or a file, such '
    "as with kcat -C -t TOPIC | lasing pipeline FILE"
)


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

    def errors(self, program: Program | None, sources: Sequence[SourceConfig]) -> list[Diagnostic]:
        """Settings that the engine cannot follow."""
        found = [*self._top(program), *(each for source in sources for each in self._source(source))]
        return [Diagnostic("E612", f"{self._path}: {message}", note=note) for message, note in [*found, *self._sinks()]]

    def _top(self, program: Program | None) -> Iterator[tuple[str, str]]:
        given = self._given
        every, keep, share = (given.get(name) for name in ("checkpoint_every", "keep", "max_bad_rows"))
        if isinstance(every, str):
            try:
                delay_of(every, 1)
            except LasingError:
                yield f"checkpoint_every is {every!r}", 'give a duration, such as "1 sec" or "500 ms"'
        if isinstance(keep, int) and keep < 1:
            yield f"keep is {keep}", "at least one checkpoint is kept"
        if isinstance(share, int | float) and not 0 <= share <= 1:
            yield f"max_bad_rows is {share}", "give a share from 0 to 1, such as 0.05"
        rules = [given.get("bad_rows", STOP), *(s.get("bad_rows", STOP) for s in self._tables("sources").values())]
        if share is not None and all(rule == STOP for rule in rules):
            yield "max_bad_rows has no meaning where bad rows stop the pipeline", 'skip them: bad_rows = "skip"'
        if given.get("clock") is True and program is not None and program.tick is None:
            yield "clock is true, but the program has no tick", "add a tick to the program, such as: #tick 1 sec."

    def _source(self, source: SourceConfig) -> Iterator[tuple[str, str]]:
        where = f"sources.{source.name}."
        if not self._is_local:
            if source.format in ONLY_LOCAL_FORMATS:
                yield f"{where}format is {source.format}, which Spark does not read", 'use engine = "local"'
            if "follow" in source.given:
                yield f'{where}follow is only for engine = "local"', "Spark reads whole files as they appear"
            return
        if source.format == "kafka":
            yield f"{where}format is kafka", _NO_KAFKA
        follow = source.given.get("follow")
        if follow is not None and follow not in ("files", "lines"):
            yield f"{where}follow is {follow!r}", "it must be one of files, lines"
        if follow == "lines" and source.format == "parquet":
            yield f"{where}follow is lines", "a Parquet file has no lines; it is read when it is complete"
        if source.format in FILE_FORMATS:
            known = _TEXT_OPTIONS if source.format == "csv" else ()
            for option in source.options:
                if option not in known:
                    note = f"options are {', '.join(known)}" if known else f"{source.format} has no options"
                    yield f"{where}options.{option} is only for Spark", f'with engine = "local", {note}'

    def _sinks(self) -> Iterator[tuple[str, str]]:
        tables = {f"sinks.{name}": table for name, table in self._tables("sinks").items()}
        if isinstance(self._given.get("late"), dict):
            tables["late"] = self._given["late"]
        for where, table in tables.items():
            kind = table.get("format")
            if self._is_local and kind == "kafka":
                yield f"{where}.format is kafka", _NO_KAFKA
            if not self._is_local and kind in ("mqtt", "http", "socket", "unix"):
                yield f"{where}.format is {kind}, which Spark does not write", 'use engine = "local"'

    def _tables(self, name: str) -> dict[str, Mapping[str, Any]]:
        tables = self._given.get(name)
        return (
            {key: table for key, table in tables.items() if isinstance(table, dict)} if isinstance(tables, dict) else {}
        )
