"""Comma-separated values, with a header. Cells that look like numbers are numbers, except with leading zeros."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lasing.connectors.files import LONGEST_LINE, Block, OnBytesRead, blocks
from lasing.connectors.missing import Gaps
from lasing.connectors.rows import Arity
from lasing.connectors.tables import Columns, RowMaker
from lasing.errors import LasingError, Place, fault
from lasing.logic.program import Fact
from lasing.logic.values import Value, looks_like_term, value_from_text
from lasing.timeline.ticks import Tick

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NEVER_CLOSED = "unexpected end of data"
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def read_csv(
    path: Path,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: OnBytesRead | None = None,
    arity: Arity | None = None,
    gaps: Gaps | None = None,
) -> Iterator[Fact]:
    """The rows of a CSV file; `-` is standard input."""
    name = "standard input" if str(path) == "-" else str(path)
    maker = RowMaker(name, columns, tick, ordered, arity, gaps or Gaps())
    reader = CsvReader(maker)
    source = blocks(path, progress, maker.gaps.bad)
    for block in source:
        yield from reader.rows(Lines(block, source))
    reader.finish()


class Lines:
    """The lines of a block. If a cell continues beyond it, the lines of the next block follow."""

    def __init__(self, block: Block, following: Iterator[Block]) -> None:
        self._following = following
        self.first = block.line
        self._taken = 0
        self._row: list[str] = []
        self._begin(block)

    def _begin(self, block: Block) -> None:
        self._text = block.text.removesuffix("\n")
        self._at = 0
        """Where the next line begins; -1 if there is none."""

    @property
    def over(self) -> bool:
        """Whether all lines have been taken, so that a row that ends here ends the block."""
        return self._at < 0

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        while self.over:
            self._begin(next(self._following))
        end = self._text.find("\n", self._at)
        line = self._text[self._at :] if end < 0 else self._text[self._at : end]
        self._at = end + 1 if end >= 0 else -1
        self._taken += 1
        line = line.removesuffix("\r")
        self._row.append(line)
        return f"{line}\n"

    def row(self) -> str:
        """The lines that have been taken since this was last asked, as they are in the file."""
        row = "\n".join(self._row)
        self._row.clear()
        return row

    def rest(self) -> Block:
        """The lines that have not been taken."""
        left = "" if self.over else f"{self._text[self._at :]}\n"
        self._at = -1
        return Block(left, self.first + self._taken)


@dataclass(slots=True)
class CsvReader:
    """Reads CSV row by row, from one block of lines to the next."""

    maker: RowMaker
    header: list[str] | None = None

    def rows(self, lines: Lines) -> Iterator[Fact]:
        """The rows of some lines."""
        bad = self.maker.gaps.bad
        for place, cells in self.records(lines):
            if self.header is None:
                self.take_header(cells)
                continue
            try:
                record = _record(self.header, cells, place, self.maker.columns.texts)
                row = self.maker.row(record, place)
            except LasingError as error:
                bad.take(error, place)
                continue
            if row and not bad.stopping:
                yield row
        bad.stop()

    def records(self, lines: Lines) -> Iterator[tuple[Place, list[str]]]:
        """The cells of some lines, row by row, without blank lines; only a blank first line, as a header, is kept."""
        reader = csv.reader(lines, strict=True)
        csv.field_size_limit(LONGEST_LINE)
        name = self.maker.name
        while not lines.over:
            line = lines.first + reader.line_num
            try:
                cells = next(reader, None)
            except csv.Error as error:
                wrong = _not_csv(error, Place(name, line, 1, lines.row()))
                if self.header is None:
                    raise wrong from None
                self.maker.gaps.bad.take(wrong)
                continue
            if cells is None:
                break
            place = Place(name, line, 1, lines.row())
            if cells or self.header is None:
                yield place, cells

    def take_header(self, cells: list[str]) -> None:
        """Take the first row, which names the columns."""
        header = [cell.strip() for cell in cells]
        try:
            self.maker.check(header)
        except LasingError as error:
            d = error.diagnostics[0]
            place = Place(self.maker.name, 1, 1, ",".join(cells))
            raise LasingError([replace(d, place=place)]) from None
        self.header = header

    def finish(self) -> None:
        """There are no more lines."""
        if self.header is None:
            note = "a CSV file begins with a header, such as: time,sensor,value"
            raise fault("E505", f"{self.maker.name} is empty", note=note)


def _not_csv(error: csv.Error, place: Place) -> LasingError:
    if str(error) == _NEVER_CLOSED:
        note = "a quotation mark in a cell is written twice, and the cell has quotation marks around it"
        return fault("E501", "this is not CSV: a quotation mark opens a cell, and none closes it", place, note)
    return fault("E501", f"this is not CSV: {error}", place)


def cell_value(text: str) -> Value:
    """The value of a cell: a number or a term if it looks like one, otherwise a text.

    >>> cell_value("70"), cell_value("7.5"), cell_value("007"), cell_value("s1")
    (70, 7.5, '007', 's1')
    """
    if looks_like_term(text):
        return value_from_text(text)
    if text == '""':  # how the empty text is written, because an empty cell is a missing value
        return ""
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 4000 else text
    return float(text) if _DECIMAL.fullmatch(text) else text


def _record(header: list[str], cells: list[str], place: Place, texts: frozenset[str]) -> dict[str, object]:
    """The values of a row; None for an empty cell."""
    if len(cells) != len(header):
        message = f"this row has {len(cells)} cell{'s'[: len(cells) != 1]}"
        raise fault("E505", message, place, f"the header has {len(header)}: {', '.join(header)}")
    return {
        name: (text_cell(text) if name in texts else cell_value(text)) if (text := cell.strip()) else None
        for name, cell in zip(header, cells, strict=True)
    }


def text_cell(text: str) -> str:
    """The text of a cell in a column of texts."""
    return "" if text == '""' else text
