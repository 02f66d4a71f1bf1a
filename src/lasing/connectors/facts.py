"""Stream files in the language's own notation: `temp(s1, 70) at 36.`, with comments and any white space.

One regular expression reads facts of the common form, names and numbers on one line; others are read term by term.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.files import Block, OnBytesRead, blocks
from lasing.connectors.rows import Arity, check_arity, late
from lasing.errors import LasingError, Place, SourceText, fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.values import NAME, RESERVED, STRING, NotAValue, Undefined, Value, is_name, read_value, unescape
from lasing.logic.values.texts import is_unicode
from lasing.timeline.ticks import DATE, Tick, parse_time

_MOST_REMEMBERED = 100_000

_PLAIN = re.compile(r'\s*([a-z]\w*)(?:\(([^()"<>%\n]*)\))?\s+at\s+(-?[0-9]{1,17})\s*\.(?![0-9])', re.ASCII)
_SKIP = re.compile(r"(?:\s+|%\*(?s:.*?)\*%|%(?!\*)[^\n]*)*")
_WORD = re.compile(NAME)
_TIME = re.compile(rf"-?[0-9]+(?![0-9]*\.[0-9])|{STRING}")


def read_facts(
    path: Path,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: OnBytesRead | None = None,
    arity: Arity | None = None,
    bad: BadRows | None = None,
) -> Iterator[Fact]:
    """The rows of a stream file; `-` is standard input. If `ordered`, a row out of order is an error."""
    name = "standard input" if str(path) == "-" else str(path)
    bad = bad or BadRows()
    return _rows(blocks(path, progress, bad), name, tick, ordered, arity, bad)


def parse_facts(
    text: str,
    tick: Tick | None = None,
    ordered: bool = True,
    name: str = "stream",
    arity: Arity | None = None,
    bad: BadRows | None = None,
) -> Iterator[Fact]:
    """The rows of a text."""
    check_text(text)
    return _rows([Block(text, 1)], name, tick, ordered, arity, bad)


def check_text(text: str) -> None:
    """Fail if a string is not Unicode text."""
    if not is_unicode(text):
        raise fault("E506", "the stream is not Unicode text", note="a lone surrogate is not a character")


def _rows(
    source: Iterable[Block],
    name: str,
    tick: Tick | None,
    ordered: bool,
    arity: Arity | None,
    bad: BadRows | None = None,
) -> Iterator[Fact]:
    reader = FactReader(name, tick, ordered, arity, bad)
    rest = Block("", 1)
    for block in source:
        rest = Block(rest.text + block.text, rest.line, rest.begin) if rest.text else block
        rest = yield from reader.read(rest, last=False)
    yield from reader.read(rest, last=True)


class _Stuck(Exception):  # noqa: N818 -- internal: the text cannot be read beyond this point
    def __init__(self, offset: int, expected: str) -> None:
        self.offset, self.expected = offset, expected
        super().__init__(expected)


class FactReader:
    """Reads facts block by block. It remembers the newest time and the value of each constant."""

    def __init__(
        self, name: str, tick: Tick | None, ordered: bool, arity: Arity | None, bad: BadRows | None = None
    ) -> None:
        self._bad = bad or BadRows()
        self._arity = {} if arity is None else arity
        self._name = name
        self.tick = tick
        self._ordered = ordered
        self._newest: int | None = None
        self._values: dict[str, Value] = {}

    def takes(self, times: Any, parts: Iterable[Any]) -> bool:
        """Whether many facts are in order and have the right number of arguments; if so, advance the newest time."""
        for part in parts:
            if self._arity.get(part.predicate, len(part.args)) != len(part.args):
                return False
        if self._ordered and ((times[1:] < times[:-1]).any() or (self._newest is not None and times[0] < self._newest)):
            return False
        self._bad.rows += len(times)
        newest = int(times.max())
        self._newest = newest if self._newest is None else max(newest, self._newest)
        return True

    def read(self, block: Block, last: bool) -> Generator[Fact, None, Block]:
        """The facts of a block; returns an unfinished fact at its end, which is an error in the last block."""
        text, position = block.text, block.begin
        match = _PLAIN.match
        while True:
            if (plain := match(text, position)) and (row := self._plain(plain)):
                end = plain.end()
            else:
                skipped = _SKIP.match(text, position)
                assert skipped is not None
                position = skipped.end()
                if position == len(text):
                    self._bad.stop()
                    return Block("", 1)
                try:
                    row, end = self._fact(text, position)
                except _Stuck as stuck:
                    unfinished = not text[stuck.offset :].strip() or text.startswith("%*", stuck.offset)
                    if unfinished and not last:
                        begin = text.rfind("\n", 0, position) + 1
                        self._bad.stop()
                        return Block(text[begin:], block.line + text.count("\n", 0, begin), position - begin)
                    self._bad.take(self._not_a_fact(block, stuck, position))
                    position = _next_line(text, position)
                    continue
                except LasingError as error:
                    self._bad.take(self._placed(block, position, error))
                    position = _next_line(text, position)
                    continue
            if self._takes_one(row, block, position) and not self._bad.stopping:
                self._bad.rows += 1
                yield row
            position = end

    def _takes_one(self, row: Fact, block: Block, position: int) -> bool:
        """Whether a fact is taken: not if it is out of order, or has a wrong number of arguments."""
        time, atom = row
        try:
            if self._newest is None or time > self._newest:
                self._newest = time
            elif time < self._newest and self._ordered:
                raise late(time, self._newest, self._place(block, _skip(block.text, position)), self.tick)
            fits = self._arity.get(atom.predicate, len(atom.args)) == len(atom.args)
            return fits or check_arity(atom, self._arity, partial(self._place, block, _skip(block.text, position)))
        except LasingError as error:
            self._bad.take(error)
            return False

    def _plain(self, match: re.Match[str]) -> Fact | None:
        """A fact of the common form, or None if a word is not what it seems."""
        predicate, written, time = match.groups()
        if predicate in RESERVED:
            return None
        if written is None:
            return Fact(int(time), Atom(predicate))
        parts, values = written.split(","), self._values
        try:
            return Fact(int(time), Atom(predicate, tuple([values[part] for part in parts])))
        except KeyError:  # a new constant
            if len(values) >= _MOST_REMEMBERED:
                values.clear()
            if not all(self._learn(part) for part in parts):
                return None
            return Fact(int(time), Atom(predicate, tuple([values[part] for part in parts])))

    def _learn(self, part: str) -> bool:
        """Whether a part between commas is a constant; if so, remember it."""
        text = part.strip()
        try:
            value, end = _constant(text, 0)
        except _Stuck:
            return False
        if end == len(text):
            self._values[part] = value
        return end == len(text)

    def _fact(self, text: str, position: int) -> tuple[Fact, int]:
        """A fact, term by term, and where it ends."""
        word = _WORD.match(text, position)
        if word is None or not is_name(word[0]):
            raise _Stuck(position, "a predicate's name, such as temp")
        args: list[Value] = []
        position = _skip(text, word.end())
        if text.startswith("(", position):
            separator = "("
            while separator != ")":
                value, end = _constant(text, _skip(text, position + 1))
                args.append(value)
                position = _skip(text, end)
                separator = text[position : position + 1]
                if separator not in (",", ")"):
                    raise _Stuck(position, "a comma or a closing parenthesis")
            position += 1
        at = _skip(text, position)
        found = _WORD.match(text, at)
        if found is None or found[0] != "at":
            raise _Stuck(at, f"at and a time, such as: {word[0]} at 36.")
        position = _skip(text, found.end())
        time = _TIME.match(text, position)
        if time is None:
            raise _Stuck(position, "a time: a whole number, or a date and time in quotes")
        end = _skip(text, time.end())
        if not text.startswith(".", end):
            if (date := DATE.match(text, position)) is not None:
                raise _Stuck(position, f'the date in quotes, "{date[0]}"')
            raise _Stuck(end, "a full stop at the end of the fact")
        written = unescape(time[0]) if time[0].startswith('"') else time[0]
        return Fact(parse_time(written, self.tick), Atom(word[0], tuple(args))), end + 1

    def _place(self, block: Block, offset: int) -> Place:
        place = SourceText(self._name, block.text).place(offset)
        return replace(place, line=place.line + block.line - 1)

    def _not_a_fact(self, block: Block, stuck: _Stuck, begin: int) -> LasingError:
        offset = min(stuck.offset, len(block.text.rstrip()))
        if self._bad.skips and "\n" in block.text[begin:offset]:
            offset = begin  # only its first line is left out, and what follows is read
        found = block.text[stuck.offset : stuck.offset + 20].split("\n")[0]
        message = f"expected {stuck.expected}, but " + (f"found {found}" if found.strip() else "the line ends")
        note = "a stream has facts such as: temp(s1,70) at 36.  Rules belong in the program"
        return fault("E501", message, self._place(block, offset), note)

    def _placed(self, block: Block, offset: int, error: LasingError) -> LasingError:
        d = error.diagnostics[0]
        return fault(d.code, d.message, self._place(block, offset), d.note)


def _next_line(text: str, position: int) -> int:
    """Where the line after a position begins. After a mistake, reading goes on below the line where the fact begins:
    what comes after the mistake may be good."""
    return text.find("\n", position) + 1 or len(text)


def _skip(text: str, position: int) -> int:
    match = _SKIP.match(text, position)
    assert match is not None
    return match.end()


def _constant(text: str, position: int) -> tuple[Value, int]:
    """The constant at a position in a text, and where it ends."""
    try:
        return read_value(text, position)
    except NotAValue as wrong:
        raise _Stuck(wrong.offset, wrong.expected) from None
    except (Undefined, ValueError):
        raise _Stuck(position, "a number of at most 64 bits") from None
