"""JSON-LD, one object per line, each a graph with a time.

    {"@context": {"@vocab": "http://ex.org/"}}
    {"time": 17, "@id": "http://ex.org/s1", "celsius": 21.5}

A line that has nothing but a @context gives it to the lines after it that have none of their own. The key of the time
is part of the graph too if the @context names it, so a @vocab is not enough.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pyoxigraph import RdfFormat

from lasing.connectors.files import OnBytesRead, blocks
from lasing.connectors.jsonl import lines_of, record_of
from lasing.connectors.missing import Gaps
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.clock import Clock
from lasing.connectors.rdf.files import parsed
from lasing.connectors.rdf.named_graphs import TermValues, triple
from lasing.connectors.rows import value_of
from lasing.errors import LasingError, Place
from lasing.logic.values import Value

_CONTEXT = "@context"


def stamped_objects(
    path: Path, clock: Clock, time: str, gaps: Gaps, progress: OnBytesRead | None = None
) -> Iterator[tuple[int, Value, Value, Value]]:
    """The triples of all lines, each after its time point; `time` is the key of the time."""
    reader, bad = _Objects(clock, time, gaps), gaps.bad
    for block in blocks(path, progress, bad):
        for number, line in lines_of(block):
            try:
                found = reader.read(line, number)
            except LasingError as error:
                bad.take(error, Place(clock.name, number, 1, line))
                continue
            if not bad.stopping:
                yield from found
        bad.stop()


class _Objects:
    """Reads the objects of one file, line by line. A line with nothing but a @context is for those after it."""

    def __init__(self, clock: Clock, time: str, gaps: Gaps) -> None:
        self._clock = clock
        self._time = time
        self._gaps = gaps
        self._values, self._scope = TermValues(), scope_of(clock.name)
        self._context: object = None

    def read(self, line: str, number: int) -> list[tuple[int, Value, Value, Value]]:
        """The triples of a line."""
        clock, time, place = self._clock, self._time, Place(self._clock.name, number, 1, line)
        record = record_of(line, place)
        if list(record) == [_CONTEXT]:
            self._context = record[_CONTEXT]
            return []
        stamp = record.get(time)
        if stamp is None:
            if self._gaps.skips:
                self._gaps.left_out[clock.name, time] += 1
                return []
            raise clock.wrong(f"this object has no {time}", place, "", "name the key of the time: --time KEY")
        if isinstance(stamp, dict) and "@value" in stamp:
            stamp = stamp["@value"]
        point = clock.point(value_of(stamp, place, "the time"), replace(place, cell=time))
        given = record.get(_CONTEXT, self._context)
        if not _names(given, time):
            del record[time]
        text = json.dumps(record if given is None else {_CONTEXT: given, **record})
        blank = Blanks(f"{self._scope}g{number}")
        quads = list(parsed(text, RdfFormat.JSON_LD, clock.name, number))
        self._gaps.bad.rows += 1
        return [(point, *triple(quad, self._values, blank)) for quad in quads]


def _names(context: object, key: str) -> bool:
    """Whether a @context says what a key means."""
    if isinstance(context, list):
        return any(_names(part, key) for part in context)
    return isinstance(context, dict) and key in context
