"""The rows of a lane: where each atom is drawn, and which ones there is no room for.

The first of these ways that needs few enough rows is taken:

1. a row (or some) for each first argument, and the other arguments beside each mark;
2. the same without the other arguments;
3. all atoms packed closely, each with its arguments beside it;
4. all atoms packed closely, without words;
5. as the second, for the first arguments that come first; the rest is only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lasing.drawing.svg import shortened, width_of
from lasing.pictures.timeline import Item

MOST_ROWS = 12
"""How many rows a lane has at most."""
_ROWS_OF_A_KEY = 3
"""How many rows a first argument has at most, where not all atoms can be drawn."""
_LONGEST = 28
"""The longest words beside a mark, in letters."""
LABEL = 11.0
"""The size of words beside marks."""
_GAP = 4.0


@dataclass(frozen=True, slots=True)
class Placed:
    """An atom with its place in a row, from x to x, and words that begin at `label_x`."""

    item: Item
    left: float
    right: float
    label: str
    label_x: float


@dataclass(frozen=True, slots=True)
class Row:
    """A row: what it is called, and what is in it."""

    name: str
    placed: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a lane, and the atoms for which there was no room."""

    rows: tuple[Row, ...]
    left_out: tuple[Item, ...] = ()


Extent = Callable[[Item], tuple[float, float]]
"""From where to where the mark of an atom is, in pixels."""
Ends = tuple[float, float]
Label = Callable[[Item], str]
"""The words beside the mark of an atom."""


def rows_of(items: Sequence[Item], extent: Extent, ends: Ends, most: int = MOST_ROWS) -> Rows:
    """The rows of a lane; `ends` are those of the picture, in pixels."""
    by_key: dict[str, list[Item]] = {}
    for item in items:
        by_key.setdefault(item.key, []).append(item)
    if len(by_key) <= most:
        for label in (_rest, _nothing):
            rows, left_out = _by_key(by_key, extent, label, ends, most)
            if not left_out:
                return Rows(tuple(rows))
    for label in (_all, _nothing):
        rows, left_out = _packed("", items, extent, label, ends, most)
        if not left_out:
            return Rows(tuple(rows))
    rows, left_out = _by_key(by_key, extent, _nothing, ends, most - 1, _ROWS_OF_A_KEY)  # one row counts the rest
    return Rows(tuple(rows), tuple(left_out))


def _by_key(
    by_key: Mapping[str, list[Item]], extent: Extent, label: Label, ends: Ends, most: int, each: int = MOST_ROWS
) -> tuple[list[Row], list[Item]]:
    """Rows for each first argument, as long as there is room, and what has none."""
    rows: list[Row] = []
    left_out: list[Item] = []
    for key, items in by_key.items():
        mine, others = _packed(key, items, extent, label, ends, min(each, most - len(rows)))
        rows += mine
        left_out += others
    return rows, left_out


def _rest(item: Item) -> str:
    return shortened(item.rest, _LONGEST)


def _all(item: Item) -> str:
    return shortened(f"{item.key},{item.rest}" if item.rest else item.key, _LONGEST)


def _nothing(_item: Item) -> str:
    return ""


def _packed(
    name: str, items: Iterable[Item], extent: Extent, label: Label, ends: Ends, most: int
) -> tuple[list[Row], list[Item]]:
    """Items, in order of time, each in the first row in which there is room for it and its words; and those that are
    in none of them."""
    rows: list[list[Placed]] = []
    taken: list[float] = []
    left_out: list[Item] = []
    for item in items:
        left, right = extent(item)
        words = label(item)
        wide = width_of(words, LABEL)
        if not words or wide + 2 * _GAP <= right - left:  # words inside a bar
            begin, until, label_x = left, right, left + _GAP
        elif right + _GAP + wide <= ends[1]:
            begin, until, label_x = left, right + _GAP + wide, right + _GAP
        elif left - _GAP - wide >= ends[0]:
            begin, until, label_x = left - _GAP - wide, right, left - _GAP - wide
        else:  # too narrow a picture for these words
            begin, until, label_x, words = left, right, left, ""
        number = next((i for i, last in enumerate(taken) if last + 1 <= begin), None)
        if number is None and len(rows) >= most:
            left_out.append(item)
            continue
        if number is None:
            number = len(rows)
            rows.append([])
            taken.append(until)
        rows[number].append(Placed(item, left, right, words, label_x))
        taken[number] = until
    return [Row(name if number == 0 else "", tuple(row)) for number, row in enumerate(rows)], left_out
