"""N-Triples in columns: a kernel finds the terms, and each distinct term of a block becomes a value once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from pyoxigraph import RdfFormat, parse

from lasing.connectors.batches import Numbers
from lasing.connectors.files import RawBlock, is_text
from lasing.connectors.rdf.scan import BLANK, GRAPH, KIND, LENGTH, OTHER, PLAIN_IRI, START, WRITTEN_TIME, scan_triples
from lasing.connectors.rdf.terms import value_of_term
from lasing.errors import LasingError
from lasing.logic.values import BlankNode, Value
from lasing.logic.values.iris import valid_iri

_MOST_TRIPLES = 1 << 16
_MOST_VALUES = 1 << 20

_STRETCH = 2**12
"""How many bytes, at least, are read exactly after a line that does not have the common form."""

Taken = TypeVar("Taken")
OnBlank = Callable[[int, str], BlankNode]
"""Makes a blank node from the number of its graph and its label."""


@dataclass(frozen=True, slots=True)
class ScannedTriples:
    """Triples as numbers of terms, with the text, kind and graph of each term.

    `end` is where the text after them begins; `odd` says whether that is a line of another form.
    """

    triples: Numbers
    texts: list[bytes]
    kinds: list[int]
    graphs: list[int]
    end: int
    odd: bool

    @property
    def stamps(self) -> dict[int, str]:
        """The times as they are written, by their numbers."""
        return {i: self.texts[i].decode() for i, kind in enumerate(self.kinds) if kind == WRITTEN_TIME}


class TripleScanner:
    """Finds triples of the common form, with memory that is reused."""

    def __init__(self, stamped: bool) -> None:
        self._stamped = stamped
        self._triples: Numbers = np.empty((_MOST_TRIPLES, 4), np.int64)
        self._terms: Numbers = np.empty((2 * _MOST_TRIPLES, 5), np.int64)
        self._table: Numbers = np.empty(8 * _MOST_TRIPLES, np.int64)

    def scan(self, raw: bytes, begin: int) -> ScannedTriples:
        """The triples from the line at `begin` on, up to the first line of another form, but not too many."""
        data = np.frombuffer(raw, np.uint8)
        self._table[:] = 0
        found, known, end, odd = scan_triples(data, begin, self._stamped, self._triples, self._terms, self._table)
        terms = self._terms[:known]
        starts = terms[:, START].tolist()
        ends = (terms[:, START] + terms[:, LENGTH]).tolist()
        texts = [raw[start:stop] for start, stop in zip(starts, ends, strict=True)]
        return ScannedTriples(
            self._triples[:found].copy(), texts, terms[:, KIND].tolist(), terms[:, GRAPH].tolist(), end, odd
        )


def taken(
    source: Iterator[RawBlock], stamped: bool, take: Callable[[ScannedTriples], Taken | None]
) -> Iterator[Taken | RawBlock]:
    """What `take` makes of the triples that the kernel finds, and the lines that are to be read exactly.

    Those are lines in which the kernel finds no triple, or of which `take` makes nothing, and some lines after them.
    """
    scanner = TripleScanner(stamped)
    for block in source:
        text, at, line, stretch = block.raw, 0, block.line, _STRETCH
        if not is_text(text):
            yield block
            continue
        while at < len(text):
            found = scanner.scan(text, at)
            made = take(found)
            end = at if made is None else found.end
            if made is not None:
                yield made
            stretch = 2 * stretch if end == at else _STRETCH
            line, at = line + text.count(b"\n", at, end), end
            if found.odd or made is None:
                end = text.find(b"\n", at + stretch) + 1 or len(text)
                yield RawBlock(text[at:end], line)
                line, at = line + text.count(b"\n", at, end), end


class TermValues:
    """The values of terms, by their text. Blank nodes belong to their graph, so they are made again each time."""

    def __init__(self) -> None:
        self._known: dict[bytes, Value] = {}

    def of(self, found: ScannedTriples, blank: OnBlank) -> list[Value] | None:
        """The values of all terms, with an empty text for each time; None if one of the terms is not valid."""
        if len(self._known) > _MOST_VALUES:
            self._known.clear()
        known = list(map(self._known.get, found.texts))
        new = [number for number, value in enumerate(known) if value is None]
        values = values_of(found, new, blank)
        if values is None:
            return None
        for number, value in zip(new, values, strict=True):
            known[number] = value
            if found.kinds[number] in (PLAIN_IRI, OTHER):
                self._known[found.texts[number]] = value
        return known  # type: ignore[return-value]  # there is no None


def values_of(found: ScannedTriples, numbers: list[int], blank: OnBlank) -> list[Value] | None:
    """The values of some terms, with an empty text for each time; None if one of the terms is not valid."""
    texts, kinds = found.texts, found.kinds
    try:
        others = iter(_parsed([texts[number] for number in numbers if kinds[number] == OTHER]))
    except (SyntaxError, LasingError):
        return None
    values: list[Value] = []
    for number in numbers:
        kind = kinds[number]
        if kind == PLAIN_IRI:
            values.append(valid_iri(texts[number][1:-1].decode()))
        elif kind == OTHER:
            values.append(next(others))
        elif kind == BLANK:
            values.append(blank(found.graphs[number], texts[number][2:].decode()))
        else:
            values.append("")
    return values


def _parsed(texts: list[bytes]) -> list[Value]:
    """The values of terms, by the parser of whole files."""
    lines = b"".join(b"_:s <x:p> " + text + b" .\n" for text in texts)
    quads: Any = parse(lines, RdfFormat.N_TRIPLES)
    values = [value_of_term(quad.object) for quad in quads]
    assert len(values) == len(texts), "a term is on one line"
    return values
