"""What a pipeline's file describes: sources, sinks, the program, and how they are run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lasing.connectors.bad_rows import STOP
from lasing.connectors.missing import SKIP, Missing
from lasing.connectors.rdf.mapping import TripleMapping
from lasing.errors import Diagnostic
from lasing.limits import Limits
from lasing.logic.program import Program
from lasing.pipeline.formats import SPARK
from lasing.spark.inputs import Terms


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """Where facts come from."""

    name: str
    format: str
    fact: str
    time: str
    schema: str | None
    given: Mapping[str, Any]
    options: Mapping[str, str]
    delay: str | int | None = None
    idle: str | None = None
    missing: Missing | None = None
    mapping: TripleMapping | None = None
    """How its rows become triples."""
    terms: Terms = False
    """The columns that have terms."""
    bad_rows: str | None = None
    """What bad rows mean, if that differs from the other sources."""


@dataclass(frozen=True, slots=True)
class SinkConfig:
    """Where an output goes; `output` is empty for late facts."""

    name: str
    output: str
    format: str
    given: Mapping[str, Any]
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A checked pipeline. Paths are relative to the working directory of the command."""

    path: Path
    program: Program
    sources: tuple[SourceConfig, ...]
    sinks: tuple[SinkConfig, ...]
    late: SinkConfig
    view: str = "answers"
    mode: str = "stream"
    checkpoint: str = ""
    trigger: str = ""
    delay: str | int = 0
    idle: str | None = None
    missing: Missing = SKIP
    start: str | int | None = None
    end: str | int | None = None
    shards: int | None = None
    slices: int | None = None
    replicate: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    master: str = "local[*]"
    jars: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    engine: str = SPARK
    clock: bool = False
    """Whether time passes by the clock when no fact comes."""
    bad_rows: str = STOP
    """What bad rows mean: `stop`, `skip`, or the file that they are written to; on Spark, a folder."""
    max_bad_rows: float | None = None
    checkpoint_every: str | int = "1 sec"
    keep: int = 10
    """How many checkpoints are kept."""
    cautions: tuple[Diagnostic, ...] = ()
    """Warnings about settings that have no effect."""

    def missing_in(self, source: SourceConfig) -> Missing:
        """What a missing value means in a source."""
        return self.missing if source.missing is None else source.missing

    def bad_rows_in(self, source: SourceConfig) -> str:
        """What to do with bad rows of a source: stop, skip, or the file or folder to which they go."""
        return self.bad_rows if source.bad_rows is None else source.bad_rows
