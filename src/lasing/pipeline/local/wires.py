"""Network sources and sinks for a pipeline in one process, from their tables in its file."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from lasing.connectors.live.making import live_sink, live_source
from lasing.connectors.live.protocol import LiveSink, LiveSource
from lasing.pipeline.described import Pipeline, SinkConfig, SourceConfig


def wired_source(source: SourceConfig, journal: Path) -> LiveSource:
    """A source that keeps in a journal what it receives."""
    settings = {"format": source.format, **{key: v for key, v in source.given.items() if key != "payload"}}
    place = blake2b(str(journal.absolute()).encode(), digest_size=4).hexdigest()
    return live_source(settings, f"sources.{source.name}", journal, f"lasing-{source.name}-{place}")


def wired_sink(pipeline: Pipeline, name: str) -> Callable[[SinkConfig], LiveSink]:
    """Makes the sink of a name. Ids of messages begin with the pipeline and the sink."""

    def make(sink: SinkConfig) -> LiveSink:
        settings: dict[str, Any] = {"format": sink.format, **sink.given}
        where = "late" if not sink.output else f"sinks.{sink.name}"
        return live_sink(settings, where, f"{pipeline.path.stem}-{name.replace(' ', '-')}")

    return make
