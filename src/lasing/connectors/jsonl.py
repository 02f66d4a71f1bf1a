"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from lasing.connectors.files import Block, OnBytesRead, blocks
from lasing.connectors.missing import Gaps
from lasing.connectors.rows import Arity
from lasing.connectors.tables import Columns, RowMaker
from lasing.errors import LasingError, Place, fault
from lasing.logic.program import Fact
from lasing.logic.values import NotAValue, Undefined, read_value
from lasing.timeline.ticks import Tick


def read_jsonl(
    path: Path,
    columns: Columns,
    tick: Tick | None = None,
    ordered: bool = True,
    progress: OnBytesRead | None = None,
    arity: Arity | None = None,
    gaps: Gaps | None = None,
) -> Iterator[Fact]:
    """The rows of a file of JSON objects; `-` is standard input."""
    name = "standard input" if str(path) == "-" else str(path)
    maker = RowMaker(name, columns, tick, ordered, arity, gaps or Gaps())
    for block in blocks(path, progress, maker.gaps.bad):
        yield from rows_of(block, maker)


def rows_of(block: Block, maker: RowMaker) -> Iterator[Fact]:
    """The rows of some lines."""
    bad = maker.gaps.bad
    for number, line in lines_of(block):
        place = Place(maker.name, number, 1, line)
        try:
            row = maker.row(_checked(record_of(line, place), maker, place), place)
        except LasingError as error:
            bad.take(error, place)
            continue
        if row and not bad.stopping:
            yield row
    bad.stop()


def _checked(record: dict[str, object], maker: RowMaker, place: Place) -> dict[str, object]:
    try:
        maker.check(record, record=True)
    except LasingError as error:
        d = error.diagnostics[0]
        raise fault(d.code, d.message, place, d.note) from None
    return record


def lines_of(block: Block) -> Iterator[tuple[int, str]]:
    """The lines of a block that are not blank, with their numbers."""
    for number, line in enumerate(block.text.removesuffix("\n").split("\n"), block.line):
        if line.strip():
            yield number, line.removesuffix("\r")


class _Double(Exception):  # noqa: N818 -- internal: it carries a key
    """An object has the same key twice."""


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise _Double(next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i])))
    return record


def record_of(line: str, place: Place) -> dict[str, object]:
    """The object of a line."""
    try:
        record = json.loads(line, object_pairs_hook=_without_doubles)
    except json.JSONDecodeError as error:
        at = Place(place.source, place.line, error.colno, line)
        raise fault("E501", f"this is not JSON: {error.msg}", at) from None
    except _Double as double:
        raise fault("E505", f"this object has two values for {double}", place) from None
    except RecursionError:
        raise fault("E501", "this JSON is nested too deeply", place) from None
    except ValueError:
        raise fault("E506", "this JSON has a number with too many digits", place) from None
    if '"term"' in line and isinstance(record, dict):
        record = {name: _with_terms(thing, place) for name, thing in record.items()}
    if not isinstance(record, dict):
        raise fault("E501", "this is not a JSON object", place, 'such as: {"time": 5, "sensor": "s1", "value": 70}')
    return record


def _with_terms(thing: object, place: Place) -> object:
    """The value for a JSON value: `{"term": "<http://ex.org/a>"}` is the value written as `<http://ex.org/a>`."""
    match thing:
        case {"term": str(text), **others} if not others:
            try:
                value, end = read_value(text)
            except (NotAValue, Undefined, ValueError):
                end = -1
            if end != len(text):
                raise fault("E506", f"{text[:60]} is not the text of a value", place, 'such as {"term": "_:b1"}')
            return value
        case list(things):
            return [_with_terms(one, place) for one in things]
        case _:
            return thing
