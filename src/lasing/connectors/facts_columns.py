"""Stream files in columns: a kernel reads facts of the common form, and the others are read term by term."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.batches import Batch, Column, Numbers, Part, batches_of
from lasing.connectors.cells import column, time_points
from lasing.connectors.facts import FactReader, check_text
from lasing.connectors.files import Block, OnBytesRead, RawBlock, decoded, is_text, raw_blocks
from lasing.connectors.rows import Arity
from lasing.connectors.scan import (
    ARITY,
    FIRST_CELL,
    PREDICATE_LENGTH,
    PREDICATE_START,
    SHAPE,
    TIME,
    TIME_KIND,
    TIME_LENGTH,
    scan_facts,
)
from lasing.errors import LasingError
from lasing.logic.program import Fact
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick, parse_time

_SIZE = 2**21
_SHORTEST = len("p at 1.")
_MOST_SHAPES = 256
_STRETCH = 2**12
"""How many bytes, at least, are read term by term after a fact that does not have the common form."""

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


def facts_batches(
    path: Path, tick: Tick | None, ordered: bool, progress: OnBytesRead | None, arity: Arity, bad: BadRows
) -> Iterator[Batch]:
    """The facts of a stream file."""
    return _batches(raw_blocks(path, progress, _SIZE), str(path), tick, ordered, arity, bad)


def text_batches(
    text: str, tick: Tick | None, ordered: bool, arity: Arity, bad: BadRows | None = None
) -> Iterator[Batch]:
    """The facts of a text."""
    check_text(text)
    return _batches(iter([RawBlock(text.encode(), 1)]), "stream", tick, ordered, arity, bad)


def _finished(reader: FactReader, block: Block) -> Iterator[Fact]:
    yield from reader.read(block, last=True)


def _batches(
    source: Iterator[RawBlock],
    name: str,
    tick: Tick | None,
    ordered: bool,
    arity: Arity,
    bad: BadRows | None = None,
) -> Iterator[Batch]:
    reader = FactReader(name, tick, ordered, arity, bad)
    scanner = _Scanner(reader)
    rest = Block("", 1)  # the beginning of a fact that continues in the next block
    for raw in source:
        if not is_text(raw.raw):
            for block in decoded(raw, name, bad):
                rest = yield from _exact(reader, _joined(rest, block))
            continue
        text = raw.raw.removeprefix(b"\xef\xbb\xbf") if raw.line == 1 else raw.raw
        data, at, line, stretch = np.frombuffer(text, np.uint8), 0, raw.line, _STRETCH
        while at < len(text):
            if not rest.text:
                batch, end = scanner.scan(data, at)
                if batch is not None:
                    yield batch
                stretch = 2 * stretch if end == at else _STRETCH
                line, at = line + text.count(b"\n", at, end), end
                if at == len(text):
                    break
            # The kernel stopped: read some lines term by term, from the beginning of the current line.
            begin = at if rest.text else text.rfind(b"\n", 0, at) + 1
            end = text.find(b"\n", at + stretch) + 1 or len(text)
            lines = Block(text[begin:end].decode(), line, len(text[begin:at].decode()))
            rest = yield from _exact(reader, _joined(rest, lines))
            line, at = line + text.count(b"\n", at, end), end
    yield from batches_of(_finished(reader, rest))


def _joined(rest: Block, block: Block) -> Block:
    return Block(rest.text + block.text, rest.line, rest.begin) if rest.text else block


def _exact(reader: FactReader, block: Block) -> Generator[Batch, None, Block]:
    """Read a block term by term; return the unfinished fact at its end."""
    rest = Block("", 1)

    def rows() -> Iterator[Fact]:
        nonlocal rest
        rest = yield from reader.read(block, last=False)

    yield from batches_of(rows())
    return rest


class _Scanner:
    """Reads facts of the common form, into memory that is reused."""

    def __init__(self, reader: FactReader) -> None:
        self._reader = reader
        self._facts: Numbers = np.empty((0, 5), np.int64)
        self._cells: Numbers = np.empty((0, 4), np.int64)
        self._shapes: Numbers = np.empty((_MOST_SHAPES, 3), np.int64)

    def scan(self, data: Bytes, begin: int) -> tuple[Batch | None, int]:
        """The facts from `begin` on, as far as they have the common form, and where they end.

        If one of them has a mistake, none is taken: the exact reader reports it.
        """
        most = len(data) // _SHORTEST + 1
        if most > len(self._facts):
            self._facts, self._cells = np.empty((most, 5), np.int64), np.empty((len(data) // 2 + 1, 4), np.int64)
        found, used, kinds, end = scan_facts(data, begin, self._facts, self._cells, self._shapes)
        if not found:
            return None, end
        facts, cells, tick = self._facts[:found], self._cells[:used], self._reader.tick
        places = (facts[:, TIME], facts[:, TIME_LENGTH])
        try:
            times = time_points(
                data, facts[:, TIME_KIND], facts[:, TIME], places, tick, lambda text: parse_time(text, tick)
            )
        except LasingError:
            times = None
        parts = tuple(_part(data, facts, cells, self._shapes[shape], shape, kinds) for shape in range(kinds))
        if times is None or not self._reader.takes(times, parts):
            return None, begin
        return Batch(times, parts), end


def _part(data: Bytes, facts: Numbers, cells: Numbers, shape: Numbers, number: int, shapes: int) -> Part:
    start, length, arity = shape[PREDICATE_START], shape[PREDICATE_LENGTH], int(shape[ARITY])
    predicate = data[start : start + length].tobytes().decode()
    where = np.flatnonzero(facts[:, SHAPE] == number) if shapes > 1 else None
    if where is None:
        of_shape = [cells[k::arity] for k in range(arity)]
    else:
        of_shape = [cells[facts[where, FIRST_CELL] + k] for k in range(arity)]
    args: tuple[Column, ...] = tuple(column(data, mine, _never) for mine in of_shape)
    return Part(predicate, args, where)


def _never(_text: str) -> Value:
    raise AssertionError("the kernel does not read odd constants")
