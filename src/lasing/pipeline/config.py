"""A pipeline's file, read and checked as a whole before anything starts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lasing.connectors.bad_rows import SKIP as SKIP_BAD
from lasing.connectors.bad_rows import STOP
from lasing.connectors.files import read_text
from lasing.connectors.missing import SKIP, Gaps
from lasing.connectors.rdf.mapped_spark import TRIPLE_COLUMNS
from lasing.connectors.rdf.mapping import TripleMapping, read_mapping
from lasing.connectors.rows import time_of
from lasing.connectors.sinks import VIEWS
from lasing.errors import Diagnostic, LasingError, fault, in_order, similar
from lasing.limits import Limits, limits_of
from lasing.logic.facts import facts_of
from lasing.logic.program import Program
from lasing.pipeline.described import Pipeline, SinkConfig, SourceConfig
from lasing.pipeline.engines import Misfits
from lasing.pipeline.formats import (
    ENGINES,
    FILE_FORMATS,
    MESSAGES,
    NEED_SCHEMA,
    NEEDED,
    PAYLOADS,
    RATE_COLUMNS,
    SINK_KEYS,
    SINKS_NEED,
    SOURCE_KEYS,
    SPARK,
)
from lasing.pipeline.programs import program_of
from lasing.pipeline.schema import DATED, WHOLE, columns_of, is_dated
from lasing.spark.inputs import specification
from lasing.timeline.delay import delay_of, silence_of

__all__ = ["AVAILABLE_NOW", "Pipeline", "SinkConfig", "SourceConfig", "read_pipeline"]

TOP_KEYS: dict[str, tuple[type, ...]] = {
    "program": (str, list),
    "allow": (str, list),
    "constants": (dict,),
    "functions": (str,),
    "data": (str, list),
    "entail": (str, list),
    "view": (str,),
    "mode": (str,),
    "checkpoint": (str,),
    "trigger": (str,),
    "delay": (str, int),
    "idle": (str,),
    "clock": (bool,),
    "missing": (str, int, float),
    "bad_rows": (str,),
    "max_bad_rows": (int, float),
    "start": (str, int),
    "end": (str, int),
    "shards": (int,),
    "slices": (int,),
    "replicate": (list,),
    "max_atoms": (int,),
    "max_memory": (str, int),
    "max_time": (str, int, float),
    "sources": (dict,),
    "sinks": (dict,),
    "late": (dict,),
    "spark": (dict,),
    "engine": (str,),
    "checkpoint_every": (str,),
    "keep": (int,),
}
SPARK_KEYS: dict[str, tuple[type, ...]] = {"master": (str,), "jars": (list,), "settings": (dict,)}
AVAILABLE_NOW = "available now"


_DEEPEST = 64
_DEEP_KEY = re.compile(rf"^[ \t]*\[*[ \t]*(?:[\w-]+[ \t]*\.[ \t]*){{{_DEEPEST}}}", re.MULTILINE)


def read_pipeline(path: Path) -> Pipeline:
    """Read a pipeline's file; raises `LasingError` with every mistake in it."""
    text = read_text(path)
    if _DEEP_KEY.search(text):  # reading such a key takes time quadratic in its length
        raise fault("E611", f"{path} is not TOML: a key has more than {_DEEPEST} parts")
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise fault("E611", f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise fault("E611", f"{path} is not TOML: its brackets are nested too deeply") from None
    return _Reading(path, given).pipeline()


class _Reading:
    """Goes through the tables of a file and collects the mistakes in them."""

    def __init__(self, path: Path, given: Mapping[str, Any]) -> None:
        self._path = path
        self._given = given
        self._found: list[Diagnostic] = []

    def pipeline(self) -> Pipeline:
        given = self._given
        self._check_keys("", given, TOP_KEYS, ("program", "sources", "sinks"))
        program, found = program_of(given, self._path, self._place)
        self._found += found
        mode = given.get("mode", "stream")
        self._one_of("mode", mode, ("stream", "batch"))
        self._one_of("view", given.get("view", "answers"), VIEWS)
        sources = tuple(
            self._source(name, table, program, mode) for name, table in self._tables("sources") if self._is_table(table)
        )
        sinks = tuple(
            self._sink(name, table, program) for name, table in self._tables("sinks") if self._is_table(table)
        )
        checkpoint = self._place(given.get("checkpoint", ""))
        if mode == "stream" and not checkpoint:
            self._wrong("checkpoint is missing", 'a stream stores its state there: checkpoint = "state"')
        engine = given.get("engine", SPARK)
        self._one_of("engine", engine, ENGINES)
        misfits = Misfits(self._path, given, engine, mode)
        self._times(program, sources)
        self._clock(program, mode)
        self._bad_rows(sources)
        self._one_source_for_each(sources)
        spark = given.get("spark", {})
        if self._is_table(spark):
            self._check_keys("spark.", spark, SPARK_KEYS, ())
        late = self._late(checkpoint)
        limits = self._limits()
        self._found += misfits.errors(sources)
        if self._found:
            raise LasingError(in_order(self._found))
        assert program is not None
        return Pipeline(
            path=self._path,
            program=program,
            sources=sources,
            sinks=sinks,
            late=late,
            view=given.get("view", "answers"),
            mode=mode,
            checkpoint=checkpoint,
            trigger=given.get("trigger", ""),
            delay=given.get("delay", 0),
            idle=given.get("idle"),
            clock=given.get("clock", False),
            missing=given.get("missing", SKIP),
            bad_rows=self._for_bad_rows(given.get("bad_rows", STOP)),
            max_bad_rows=given.get("max_bad_rows"),
            start=given.get("start"),
            end=given.get("end"),
            shards=given.get("shards"),
            slices=given.get("slices"),
            replicate=tuple(given.get("replicate", ())),
            limits=limits,
            master=spark.get("master", "local[*]"),
            jars=tuple(self._place(jar) for jar in spark.get("jars", ())),
            settings={key: str(value) for key, value in spark.get("settings", {}).items()},
            engine=engine,
            checkpoint_every=given.get("checkpoint_every", "1 sec"),
            keep=given.get("keep", 10),
            cautions=tuple(misfits.cautions()),
        )

    # -- what is wrong ---------------------------------------------------------------------------------------------

    def _wrong(self, message: str, note: str = "") -> None:
        self._found.append(Diagnostic("E612", f"{self._path}: {message}", note=note))

    def _check_keys(
        self, where: str, table: Mapping[str, Any], known: Mapping[str, tuple[type, ...]], needed: Sequence[str]
    ) -> None:
        for key, value in table.items():
            if key not in known:
                self._wrong(f"{where}{key} is unknown", similar(key, known) or f"the keys are {', '.join(known)}")
            elif not isinstance(value, known[key]) or (isinstance(value, bool) and bool not in known[key]):
                names = {str: "text", int: "a number", float: "a number", list: "a list", dict: "a table", bool: "true"}
                kinds = dict.fromkeys(names[kind] for kind in known[key])
                self._wrong(f"{where}{key} is {value!r}", f"it must be {' or '.join(kinds)}")
        for key in needed:
            if key not in table:
                self._wrong(f"{where}{key} is missing")

    def _one_of(self, what: str, value: object, known: Sequence[str]) -> bool:
        if value in known:
            return True
        self._wrong(f"{what} is {value!r}", f"it must be one of {', '.join(known)}")
        return False

    def _is_table(self, thing: object) -> bool:
        return isinstance(thing, dict)

    def _tables(self, name: str) -> list[tuple[str, Any]]:
        tables = self._given.get(name, {})
        if not isinstance(tables, dict):
            return []
        for key, table in tables.items():
            if not isinstance(table, dict):
                self._wrong(f"{name}.{key} is {table!r}", f"it must be a table: [{name}.{key}]")
        if not tables and name in self._given:
            self._wrong(f"there are no {name}")
        return list(tables.items())

    def _limits(self) -> Limits:
        try:
            return limits_of(*(self._given.get(name) for name in ("max_atoms", "max_memory", "max_time")))
        except LasingError as error:
            found = error.diagnostics[0]
            self._wrong(found.message, found.note)
            return Limits()

    def _clock(self, program: Program | None, mode: str) -> None:
        """Check that time can follow the clock, if it should."""
        if not self._given.get("clock"):
            return
        if mode == "batch":
            self._wrong("clock is true, but a batch has no clock", "leave it out, or set the end of the timeline: end")
        if self._given.get("trigger") == AVAILABLE_NOW:
            note = 'leave out the trigger, or give a duration such as trigger = "1 sec"'
            self._wrong(f'clock is true, but the trigger "{AVAILABLE_NOW}" reads what is there and stops', note)
        if program is not None and program.tick is None:
            note = "add a tick to the program, such as: #tick 1 sec."
            self._wrong("clock is true, but the program does not say how long a time point is", note)

    def _for_bad_rows(self, rule: Any) -> Any:
        return rule if rule in (STOP, SKIP_BAD) else self._place(rule)

    def _bad_rows(self, sources: Sequence[SourceConfig]) -> None:
        """Check the share of bad rows."""
        share, general = self._given.get("max_bad_rows"), self._given.get("bad_rows", STOP)
        if share is None or isinstance(share, str):
            return
        if not 0 <= share <= 1:
            self._wrong(f"max_bad_rows is {share!r}", "give a number from 0 to 1, such as 0.05")
        elif all((source.bad_rows or general) == STOP for source in sources):
            self._wrong("max_bad_rows is given, but the pipeline stops at bad rows", 'skip them: bad_rows = "skip"')

    # -- parts -----------------------------------------------------------------------------------------------------

    def _place(self, path: Any) -> Any:
        """A path relative to the pipeline's file; a path with a scheme, such as s3a://…, stays as it is."""
        if not isinstance(path, str) or not path or "://" in path:
            return path
        return str(self._path.parent / path)

    def _place_files(self, given: dict[str, Any], kind: object) -> None:
        """Let the files among the keys of a source or a sink be relative to the pipeline's file."""
        for key in ("path", "password_file", "token_file", "ca", "certificate", "key"):
            if key in given and not (key == "path" and kind == "http"):  # that is the path of an address
                given[key] = self._place(given[key])

    def _source(self, name: str, table: Mapping[str, Any], program: Program | None, mode: str) -> SourceConfig:
        where = f"sources.{name}."
        kind = table.get("format")
        common: dict[str, tuple[type, ...]] = {
            **dict.fromkeys(("format", "fact", "time", "schema", "idle"), (str,)),
            "options": (dict,),
            "delay": (str, int),
            "missing": (str, int, float),
            "bad_rows": (str,),
            "mapping": (str,),
            "terms": (bool, str, list),
        }
        if self._one_of(f"{where}format", kind, tuple(SOURCE_KEYS)):
            self._check_keys(where, table, {**common, **SOURCE_KEYS[str(kind)]}, NEEDED[str(kind)])
        if mode == "batch" and kind not in FILE_FORMATS:
            self._wrong(f"{where}format is {kind}", f"a batch reads {', '.join(FILE_FORMATS)}")
        if "payload" in table:
            self._one_of(f"{where}payload", table["payload"], PAYLOADS)
        schema = table.get("schema")
        if schema is None and kind in NEED_SCHEMA:
            self._wrong(f"{where}schema is missing", 'such as: schema = "ts timestamp, sensor string, celsius double"')
        mapping = self._mapping(table)
        named = None if mapping is None else mapping.time
        time = table.get("time", named or ("timestamp" if kind == "rate" else "time"))
        fact = table.get("fact", name)
        self._columns(where, kind, schema, fact, time, program, mapping)
        given = {key: table[key] for key in table if key not in common}
        self._place_files(given, kind)
        options = (
            {
                key: str(value).lower() if isinstance(value, bool) else str(value)
                for key, value in table.get("options", {}).items()
            }
            if isinstance(table.get("options", {}), dict)
            else {}
        )
        delay, idle, missing = (table.get(key) for key in ("delay", "idle", "missing"))
        terms = table.get("terms", False)
        bad = self._for_bad_rows(table.get("bad_rows"))
        return SourceConfig(
            name, str(kind), fact, time, schema, given, options, delay, idle, missing, mapping, terms, bad
        )

    def _mapping(self, table: Mapping[str, Any]) -> TripleMapping | None:
        path = table.get("mapping")
        try:
            return read_mapping(Path(self._place(path))) if isinstance(path, str) else None
        except LasingError as error:
            self._found.extend(error.diagnostics)
            return None

    def _columns(
        self,
        where: str,
        kind: Any,
        schema: Any,
        fact: str,
        time: str,
        program: Program | None,
        mapping: TripleMapping | None,
    ) -> None:
        """Check the predicate of a source against its columns and the program."""
        try:
            predicate, named = specification(fact)
        except LasingError as error:
            self._wrong(f"{where}fact: {error.diagnostics[0].message}", error.diagnostics[0].note or "")
            return
        columns: dict[str, str] | None = None
        if kind == "rate":
            columns = RATE_COLUMNS
        elif isinstance(schema, str):
            try:
                columns = columns_of(schema)
            except ValueError as error:
                self._wrong(f"{where}schema: {error}")
                return
        if mapping is not None and named is not None:
            note = f'its triples are the arguments; name only the predicate: fact = "{predicate}"'
            self._wrong(f"{where}fact names columns, but the source has a mapping", note)
        arguments = None if columns is None else [name for name in columns if name != time]
        if named is None and mapping is None and program is not None:
            named = program.argument_names().get(predicate)
        used, where_used = (named or (), "fact") if mapping is None else (mapping.columns, "mapping")
        if mapping is not None:
            arguments, named = list(TRIPLE_COLUMNS), None
        if columns is not None and kind in MESSAGES:
            columns = {"timestamp": "timestamp", **columns}  # when a message came
        if program is not None:
            facts = facts_of(program)
            arity = facts.arity
            if (predicate not in arity and not facts.counts_all_facts) or not program.takes(predicate):
                arity = {known: number for known, number in arity.items() if program.takes(known)}
                note = similar(predicate, arity) or f"it has {', '.join(sorted(arity))}"
                self._wrong(f"{where}fact: the program does not use {predicate}", note)
            taken = arguments if named is None else named
            count = None if taken is None else len(taken)
            if predicate in arity and count is not None and count != arity[predicate]:
                note = f'name the columns that are its arguments: fact = "{predicate}(…)"'
                self._wrong(f"{where}fact: {predicate} has {arity[predicate]} arguments, not {count}", note)
        if columns is not None:
            for column in (time, *used):
                if column not in columns:
                    note = similar(column, columns) or f"columns are {', '.join(columns)}"
                    at = "time" if column == time else where_used
                    self._wrong(f"{where}{at}: there is no column {column}", note)
            if columns.get(time, "timestamp") not in (*WHOLE, *DATED):
                self._wrong(f"{where}time: {time} is of type {columns[time]}, which is not a time")

    def _sink(self, name: str, table: Mapping[str, Any], program: Program | None) -> SinkConfig:
        where = f"sinks.{name}."
        found = self._written(where, name, table, {"output": (str,)})
        output = table.get("output", name)
        if program is not None and output not in program.output():
            known = sorted(program.output())
            note = similar(str(output), known) or f"it has {', '.join(known) or 'none'}"
            self._wrong(f"{where}output: the program has no output {output}", note)
        return SinkConfig(name, output, found.format, found.given, found.options)

    def _late(self, checkpoint: str) -> SinkConfig:
        """Late facts are never dropped: by default, they go to a folder beside the checkpoint."""
        table = self._given.get("late")
        if not isinstance(table, dict):
            beside = checkpoint or str(self._path.with_suffix(""))
            return SinkConfig("late", "", "json", {"path": f"{beside}-late"}, {})
        return self._written("late.", "late", table, {})

    def _written(
        self, where: str, name: str, table: Mapping[str, Any], more: Mapping[str, tuple[type, ...]]
    ) -> SinkConfig:
        kind = table.get("format")
        common = {"format": (str,), "options": (dict,), **more}
        if self._one_of(f"{where}format", kind, tuple(SINK_KEYS)):
            self._check_keys(where, table, {**common, **SINK_KEYS[str(kind)]}, SINKS_NEED[str(kind)])
        given = {key: table[key] for key in table if key not in common}
        self._place_files(given, kind)
        options = table.get("options", {})
        texts = {key: str(value) for key, value in options.items()} if isinstance(options, dict) else {}
        return SinkConfig(name, "", str(kind), given, texts)

    def _times(self, program: Program | None, sources: Sequence[SourceConfig]) -> None:
        """Check the trigger, delay, idle time, start and end, and the values for missing ones."""
        trigger = self._given.get("trigger", "")
        if isinstance(trigger, str) and trigger not in ("", AVAILABLE_NOW):
            try:
                delay_of(trigger, 1)
            except LasingError:
                note = f'give "{AVAILABLE_NOW}", to read what is there and stop, or a duration such as "10 sec"'
                self._wrong(f"trigger is {trigger!r}", note)
        tables = {"": self._given} | {
            f"sources.{name}.": table for name, table in self._tables("sources") if self._is_table(table)
        }
        for where, table in tables.items():
            if isinstance(table.get("idle"), str):
                self._check_value(f"{where}idle", silence_of, table["idle"])
            if type(table.get("missing")) in TOP_KEYS["missing"]:
                self._check_value(f"{where}missing", Gaps, table["missing"])
        if program is None:
            return
        unit = program.tick.milliseconds * 1000 if program.tick else None
        for where, table in tables.items():
            self._check_value(f"{where}delay", delay_of, table.get("delay", 0), unit)
        for name in ("start", "end"):
            if name in self._given:
                self._check_value(name, time_of, self._given[name], program.tick)
        dated = [s.name for s in sources if s.schema is not None and is_dated(s.schema, s.time)]
        if dated and program.tick is None:
            note = "add a tick to the program, such as: #tick 1 sec."
            self._wrong(f"sources.{dated[0]}.time is a timestamp, but the program has no tick", note)

    def _check_value(self, name: str, read: Callable[..., object], *given: object) -> None:
        """Check a value by reading it."""
        try:
            read(*given)
        except LasingError as error:
            self._wrong(f"{name}: {error.diagnostics[0].message}", error.diagnostics[0].note or "")

    def _one_source_for_each(self, sources: Sequence[SourceConfig]) -> None:
        """Check that no two sources bring facts of the same predicate."""
        found: dict[str, str] = {}
        for source in sources:
            predicate = source.fact.partition("(")[0].strip()
            if predicate in found:
                note = "a predicate has one source: put the files in one folder, or use two predicates"
                self._wrong(f"sources.{source.name} and sources.{found[predicate]} both bring {predicate}", note)
            found.setdefault(predicate, source.name)
