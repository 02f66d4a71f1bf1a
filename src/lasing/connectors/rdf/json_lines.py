"""JSON-LD, one object per line, each a graph with a time.

    {"@context": {"@vocab": "http://ex.org/"}}
    {"time": 17, "@id": "http://ex.org/s1", "celsius": 21.5}

A line that has nothing but a @context gives it to the lines after it that have none of their own. The key of the time
is part of the graph too if the @context names it, so a @vocab is not enough.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from lasing.errors import Place
from lasing.logic.values import Value

_CONTEXT = "@context"


def stamped_objects(
    path: Path, clock: Clock, time: str, gaps: Gaps, progress: OnBytesRead | None = None
) -> Iterator[tuple[int, Value, Value, Value]]:
    """The triples of all lines, each after its time point; `time` is the key of the time."""
    values, scope = TermValues(), scope_of(clock.name)
    context: object = None
    for block in blocks(path, progress):
        for number, line in lines_of(block):
            place = Place(clock.name, number, 1, line)
            record = record_of(line, place)
            if list(record) == [_CONTEXT]:
                context = record[_CONTEXT]
                continue
            stamp = record.get(time)
            if stamp is None:
                if gaps.skips:
                    gaps.left_out[clock.name, time] += 1
                    continue
                raise clock.wrong(f"this object has no {time}", place, "", "name the key of the time: --time KEY")
            if isinstance(stamp, dict) and "@value" in stamp:
                stamp = stamp["@value"]
            point = clock.point(value_of(stamp, place, "the time"), place)
            given = record.get(_CONTEXT, context)
            if not _names(given, time):
                del record[time]
            line = json.dumps(record if given is None else {_CONTEXT: given, **record})
            blank = Blanks(f"{scope}g{number}")
            for quad in parsed(line, RdfFormat.JSON_LD, clock.name, number):
                yield point, *triple(quad, values, blank)


def _names(context: object, key: str) -> bool:
    """Whether a @context says what a key means."""
    if isinstance(context, list):
        return any(_names(part, key) for part in context)
    return isinstance(context, dict) and key in context
