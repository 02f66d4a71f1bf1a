"""N-Triples with a time on each line, after the object: before the full stop, or after it.

    <http://ex.org/s1> <http://ex.org/celsius> "21.5"^^xsd:decimal 17 .
    <http://ex.org/s1> <http://ex.org/celsius> "21.5"^^xsd:decimal . 2026-01-31T08:00:00Z

A time is a whole number, an ISO 8601 date and time, or a literal of either. Lines in a row with the same time are one
graph. Blank lines and comments may be anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import RdfFormat

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.files import Block, OnBytesRead, RawBlock, blocks, decoded, raw_blocks
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.clock import Clock
from lasing.connectors.rdf.files import parsed
from lasing.connectors.rdf.terms import value_of_term
from lasing.connectors.rdf.timed import Timed, timed_batches
from lasing.errors import LasingError, Place, fault
from lasing.logic.values import BlankNode, Value

if TYPE_CHECKING:
    from lasing.connectors.batches import Batch  # these load Arrow and kernels, so only when needed
    from lasing.connectors.rdf.columns import ScannedTriples, TermValues

_IRI, _BLANK = r"<[^<>\s]*>", r"_:[^\s<>\"]*[^\s<>\".]"
_TEXT = r'"(?:[^"\\]|\\.)*+"'
_LITERAL = rf"{_TEXT}(?:@[A-Za-z0-9\-]+|\^\^{_IRI})?"
_TIME = rf"{_LITERAL}|[-+\w:.]*\w"
_LINE = re.compile(
    rf"\s*(?P<s>{_IRI}|{_BLANK})\s*(?P<p>{_IRI})\s*(?P<o>{_IRI}|{_BLANK}|{_LITERAL})"
    rf"(?:\s+(?P<before>{_TIME})\s*\.|\s*\.\s*(?P<after>{_TIME}))\s*(?:\#.*)?\Z"
)
_NOTE = "a line is a triple and its time: <http://ex.org/s> <http://ex.org/p> <http://ex.org/o> 2026-01-31T08:00:00Z ."
_MOST_VALUES = 1 << 20
_SIZE = 2**23


def stamped_lines(path: Path, clock: Clock, bad: BadRows, progress: OnBytesRead | None = None) -> Iterator[Timed]:
    """The triples of a file, each after its time point."""
    reader = _Lines(clock, bad)
    for block in blocks(path, progress, bad):
        yield from reader.read(block)


def stamped_batches(
    path: Path, clock: Clock, predicate: str, bad: BadRows, progress: OnBytesRead | None = None
) -> Iterator[Batch]:
    """The triples of a file as facts in columns. A kernel reads lines of the common form."""
    from lasing.connectors.rdf.columns import TermValues, taken

    reader, values = _Lines(clock, bad), TermValues()
    source = raw_blocks(path, progress, _SIZE)
    for found in taken(source, True, lambda triples: reader.take(triples, values, predicate)):
        if isinstance(found, RawBlock):
            for block in decoded(found, clock.name, bad):
                yield from timed_batches(reader.read(block), predicate)
        elif len(found):
            yield found


class _Lines:
    """Reads the lines of one file: exactly, line by line, or as a kernel has found them."""

    def __init__(self, clock: Clock, bad: BadRows) -> None:
        self._clock = clock
        self._bad = bad
        self._terms = _Terms(clock.name)
        self._scope = scope_of(clock.name)
        self._graph, self._blank, self._written, self._point = 0, Blanks(""), "", 0

    def read(self, block: Block) -> Iterator[Timed]:
        """The triples of some lines, each after its time point."""
        bad, text = self._bad, block.text.removesuffix("\n")
        for number, line in enumerate((line.removesuffix("\r") for line in text.split("\n")), block.line):
            try:
                timed = self._triple(line, number)
            except LasingError as error:
                bad.take(error, Place(self._clock.name, number, 1, line))
                continue
            if timed is not None and not bad.stopping:
                bad.rows += 1
                yield timed
        bad.stop()

    def _triple(self, line: str, number: int) -> Timed | None:
        """The triple of a line, after its time point; None if the line is blank or a comment."""
        name, terms = self._clock.name, self._terms
        found = _LINE.match(line)
        if found is None:
            if not line.strip() or line.lstrip().startswith("#"):
                return None
            raise fault("E501", "this is not a triple with a time", Place(name, number, 1, line), _note(line))
        subject, predicate, value, before, after = found.groups()
        stamp = before or after
        if stamp != self._written:
            place = Place(name, number, 1 + found.start("before" if before else "after"), line, len(stamp))
            given = terms(stamp, number, self._blank) if stamp.startswith('"') else stamp
            self._point = self._clock.point(given, place)
            self._begin(stamp, self._graph + 1)
        s, p, o = (terms(text, number, self._blank) for text in (subject, predicate, value))
        return self._point, s, p, o

    def take(self, found: ScannedTriples, values: TermValues, predicate: str) -> Batch | None:
        """The triples that a kernel has found, as facts; None if `read` would find a mistake."""
        import numpy as np

        from lasing.connectors.batches import Batch, Chosen, Part
        from lasing.connectors.rdf.scan import STAMP

        if not len(found.triples):
            return Batch(np.zeros(0, np.int64), ())
        written = found.triples[:, STAMP]
        stamps = found.stamps
        numbers = np.zeros(len(found.texts), np.int64)
        numbers[list(stamps)] = np.arange(len(stamps))
        first = self._graph + (stamps[int(written[0])] != self._written)
        graphs = {self._graph: self._blank}

        def blank(graph: int, label: str) -> BlankNode:
            if first + graph not in graphs:
                graphs[first + graph] = self._blanks(first + graph)
            return graphs[first + graph](label)

        known = values.of(found, blank)
        times = None if known is None else self._clock.quickly(list(stamps.values()), numbers[written])
        if known is None or times is None:
            return None
        last = first + int((written[1:] != written[:-1]).sum())
        self._begin(stamps[int(written[-1])], last, graphs.get(last))
        self._point = int(times[-1])
        self._bad.rows += len(times)
        return Batch(times, (Part(predicate, tuple(Chosen(known, found.triples[:, i]) for i in range(3))),))

    def _begin(self, stamp: str, graph: int, blank: Blanks | None = None) -> None:
        self._written, self._graph, self._blank = stamp, graph, blank or self._blanks(graph)

    def _blanks(self, graph: int) -> Blanks:
        return Blanks(f"{self._scope}g{graph}")


def _note(line: str) -> str:
    return f"{_NOTE}\nN-Triples without times are background: --data FILE" if line.rstrip().endswith(".") else _NOTE


class _Terms:
    """The values of terms, by their text. Each distinct one is parsed once, by the parser of whole files."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._known: dict[str, Value] = {}

    def __call__(self, text: str, line: int, blank: Blanks) -> Value:
        value = self._known.get(text)
        if value is None:
            if text.startswith("_:"):
                return blank(text[2:])
            (quad,) = parsed(f"_:s <x:p> {text} .", RdfFormat.N_TRIPLES, self._name, line)
            value = value_of_term(quad.object)
            if len(self._known) >= _MOST_VALUES:
                self._known.clear()
            self._known[text] = value
        return value
