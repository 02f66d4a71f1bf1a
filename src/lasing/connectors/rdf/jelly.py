"""Jelly: a binary format for streams of graphs. Each frame is a graph, or has named graphs.

A frame of triples has one time: that of its triples with the time property. A frame of named graphs has the times of
its graphs in its default graph, as in TriG.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pyjelly import jelly
from pyjelly.errors import JellyConformanceError
from pyjelly.parse.decode import Adapter, Decoder
from pyjelly.parse.ioutils import get_options_and_frames

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.files import OnBytesRead, unreadable
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.clock import Clock
from lasing.connectors.rdf.files import CountingFile
from lasing.errors import LasingError, Place, fault
from lasing.logic.values import Iri, TaggedLiteral, Value, datatypes, literal

_MOST_VALUES = 1 << 20
_DEFAULT = ""
"""In place of the default graph's name."""


class _Values(Adapter):  # type: ignore[misc]  # pyjelly has no types
    """What the decoder makes: values, and tuples of them. Blank nodes are those of the current frame."""

    def __init__(self, options: Any) -> None:
        super().__init__(options=options)
        self.blank = Blanks("")
        self._known: dict[object, Value] = {}
        self._graph: object = _DEFAULT

    def iri(self, iri: str) -> Value:
        known = self._known.get(iri)
        return self._remember(iri, Iri(iri)) if known is None else known

    def bnode(self, bnode: str) -> Value:
        return self.blank(bnode)

    def default_graph(self) -> str:
        return _DEFAULT

    def literal(self, lex: str, language: str | None = None, datatype: str | None = None) -> Value:
        key = lex, language, datatype
        known = self._known.get(key)
        if known is not None:
            return known
        made = TaggedLiteral(lex, language) if language else literal(lex, datatype or datatypes.STRING)
        return self._remember(key, made)

    def namespace_declaration(self, name: str, iri: str) -> None:  # noqa: ARG002 -- prefixes are not data
        return None

    def quoted_triple(self, terms: Iterable[Any]) -> Any:  # noqa: ARG002 -- they are refused
        raise fault("E506", "a triple term, which is not supported", note="the terms of RDF 1.1 are supported")

    def triple(self, terms: Iterable[Any]) -> Any:
        return (*terms, self._graph)

    def quad(self, terms: Iterable[Any]) -> Any:
        return tuple(terms)

    def graph_start(self, graph_id: Any) -> None:
        self._graph = graph_id

    def graph_end(self) -> None:
        self._graph = _DEFAULT

    def _remember(self, key: object, value: Value) -> Value:
        if len(self._known) >= _MOST_VALUES:
            self._known.clear()
        self._known[key] = value
        return value


class _Raw(io.RawIOBase):
    """A counting file, as pyjelly wants to read it."""

    def __init__(self, file: CountingFile) -> None:
        self._counting = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._counting.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


def stamped_frames(
    path: Path, clock: Clock, time_property: str, bad: BadRows, progress: OnBytesRead | None = None
) -> Iterator[tuple[int, Value, Value, Value]]:
    """The triples of all frames, each after its time point. A frame whose time is wrong is bad; damage ends the run."""
    scope, stamp = scope_of(clock.name), Iri(time_property)
    try:
        file = CountingFile(path, progress)
    except OSError as error:
        raise unreadable(path, error) from None
    try:
        options, frames = get_options_and_frames(_Raw(file))
        adapter = _Values(options)
        decoder = Decoder(adapter=adapter)
        grouped = options.stream_types.physical_type != jelly.PHYSICAL_STREAM_TYPE_TRIPLES
        for number, frame in enumerate(frames, 1):
            adapter.blank = Blanks(f"{scope}g{number}")
            statements = [one for one in decoder.iter_rows(frame) if one is not None]
            try:
                found = list(_stamped(statements, stamp, clock, f"frame {number}", grouped)) if statements else []
            except LasingError as error:
                bad.take(error, Place(clock.name, number, 1, f"frame {number}"))
                bad.stop()
                continue
            bad.rows += 1
            yield from found
    except LasingError:
        raise
    except OSError as error:
        raise unreadable(path, error) from None
    except (JellyConformanceError, NotImplementedError, ValueError, KeyError, IndexError, TypeError) as error:
        raise fault("E501", f"{path} is not Jelly, or is damaged: {error}") from None
    except Exception as error:  # protobuf has errors of its own, which are not part of its interface
        if type(error).__module__.startswith("google.protobuf"):
            raise fault("E501", f"{path} is not Jelly, or is damaged: {error}") from None
        raise
    finally:
        file.close()


def _stamped(
    statements: list[Any], stamp: Iri, clock: Clock, frame: str, grouped: bool
) -> Iterator[tuple[int, Value, Value, Value]]:
    note = f"the time is the object of <{stamp.iri}>; --time names another property"
    named = [one for one in statements if one[3] != _DEFAULT] if grouped else []
    if not named:
        found = {one[2]: None for one in statements if one[1] == stamp}
        points = {clock.point(time, what=frame) for time in found}
        if len(points) != 1:
            raise clock.wrong("it has no time" if not points else "it has several times", None, frame, note)
        (point,) = points
        yield from ((point, s, p, o) for s, p, o, _ in statements)
        return
    times = {one[0]: one[2] for one in statements if one[3] == _DEFAULT and one[1] == stamp}
    points_of = {graph: clock.point(time, what=f"{frame}, the graph {graph}") for graph, time in times.items()}
    for s, p, o, graph in named:
        if graph not in points_of:
            raise clock.wrong("it has no time", None, f"{frame}, the graph {graph}", note)
        yield points_of[graph], s, p, o
