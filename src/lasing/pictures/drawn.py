"""A timeline as SVG: a lane for each predicate, facts as dots, derived atoms as bars, windows as shades.

| temp     s1 |   ● 35      ● 33         |      facts of the stream, by their first argument
|          s2 |   ● 20                   |
|             |   ├────[2]───┤           |      a window of the chosen moment
| hot      s1 |   ▬▬▬▬▬▬▬▬▬▬▬▬           |      when an atom holds
|             |   1    2     3     4     |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lasing.drawing.svg import (
    BLUE,
    EDGE,
    FAINT,
    INK,
    ORANGE,
    PAGE,
    SOFT,
    VIOLET,
    Drawing,
    paint,
    shortened,
    width_of,
)
from lasing.pictures.axis import marks
from lasing.pictures.rows import LABEL, MOST_ROWS, Rows, rows_of
from lasing.pictures.timeline import Item, Lane, Timeline

MOST_LANES = 40
"""How many lanes are drawn; the others are only counted."""
_MOST_SHADES = 4
"""How many windows of a lane have a line of their own."""
_BUCKET = 4
"""How wide a bar is that counts atoms, in pixels."""

_ROW, _SHADE, _PAD, _AXIS = 18, 15, 5, 40
_MARGIN = 14
_RADIUS, _SMALLEST = 4.0, 2.5
"""Of dots, and of those of narrow cells."""
_NARROWEST = 320
_NAME, _KEY = 22, 18
"""The longest names of predicates and of rows, in letters."""

_PAINTS = {
    "page": paint(fill=PAGE),
    "name": paint(fill=INK, others="font-weight: 600;"),
    "key": paint(fill=SOFT, others="font-size: 11px;"),
    "words": paint(fill=INK, others="font-size: 11px;"),
    "inside": paint(fill=INK, others="font-size: 11px;"),
    "soft": paint(fill=SOFT, others="font-size: 11px; font-style: italic;"),
    "grid": paint(stroke=FAINT),
    "rule": paint(stroke=EDGE, others="stroke-width: 0.6;"),
    "data": paint(fill=BLUE),
    "unseen": paint(fill=PAGE, stroke=BLUE, others="stroke-width: 1.4;"),
    "derived": paint(fill=("#ffd8a8", "#5c3a12"), stroke=ORANGE),
    "possible": paint(fill=PAGE, stroke=ORANGE, others="stroke-dasharray: 3 2;"),
    "count": paint(fill=EDGE),
    "shade": paint(fill=VIOLET, others="fill-opacity: 0.11;"),
    "window": paint(stroke=VIOLET, others="stroke-width: 1.3;"),
    "windowed": paint(fill=VIOLET, others="font-size: 11px;"),
    "now": paint(stroke=VIOLET, others="stroke-dasharray: 4 3;"),
}


@dataclass(frozen=True, slots=True)
class _Scale:
    """From time points to pixels: each time point is a cell of the same width."""

    start: int
    left: float
    right: float
    cell: float

    def x(self, time: int) -> float:
        """Where the cell of a time point begins."""
        return self.left + (time - self.start) * self.cell

    def middle(self, time: int) -> float:
        return self.x(time) + self.cell / 2

    def extent(self, item: Item) -> tuple[float, float]:
        """From where to where an atom is drawn: a fact as a dot, a derived atom as a bar, which can be seen even where
        cells are narrow."""
        if item.kind == "data":
            middle = self.middle(item.since)
            radius = min(_RADIUS, max(self.cell / 2, _SMALLEST))
            return middle - radius, middle + radius
        left, right = min(self.x(item.since), self.right - 3), self.x(item.until + 1)
        return left, max(right, left + 3)


def drawn(timeline: Timeline, width: int) -> str:
    """A timeline as an SVG picture."""
    width = max(width, _NARROWEST)
    lanes = timeline.lanes[:MOST_LANES]
    name, key = _gutter(lanes, width)
    left = _MARGIN + name + key + 10
    right = width - _MARGIN
    scale = _Scale(timeline.start, left, right, (right - left) / (timeline.end - timeline.start + 1))
    drawing = Drawing("lasing-timeline", _PAINTS)
    laid = [(lane, rows_of(lane.items, scale.extent, (left, right))) for lane in lanes]
    heights = [_height(lane, rows) for lane, rows in laid]
    top = 30.0 if timeline.at is not None else 12.0
    bottom = top + sum(heights)
    notes = _notes(timeline, int((width - 2 * _MARGIN) / (0.61 * 11)))
    total = bottom + _AXIS + 22 + _SHADE * len(notes)
    drawing.box("page", 0, 0, width, total)
    _axis(drawing, timeline, scale, (left, right), (top, bottom))
    y = top
    for (lane, rows), height in zip(laid, heights, strict=True):
        drawing.line("rule", (_MARGIN, y), (right, y))
        _Lane(drawing, timeline, scale, (left, right), name).draw(lane, rows, y, height)
        y += height
    drawing.line("rule", (_MARGIN, bottom), (right, bottom))
    _moment(drawing, timeline, scale, (left, right), (top, bottom))
    _legend(drawing, timeline, bottom + _AXIS + 12, width)
    for number, text in enumerate(notes):
        drawing.text("soft", _MARGIN, bottom + _AXIS + 30 + number * _SHADE, text)
    return drawing.svg(width, total, timeline.title)


def _gutter(lanes: Sequence[Lane], width: int) -> tuple[float, float]:
    """How wide the names of predicates and of rows are: at most a third of the picture."""
    names = max((width_of(shortened(lane.predicate, _NAME)) for lane in lanes), default=40.0)
    keys = max((width_of(shortened(item.key, _KEY), 11) for lane in lanes for item in lane.items), default=0.0)
    room = width / 3 - 8
    names = min(names, room * 2 / 3)  # names of predicates come first
    keys = min(keys, room - names)
    counts = max((width_of(f"and {len(lane.items):,} more", 11) for lane in lanes), default=0.0)
    return names + 8, max(keys, counts - names - 8) if any(len(lane.items) > MOST_ROWS for lane in lanes) else keys


def _height(lane: Lane, rows: Rows) -> float:
    shades = min(len(lane.shades), _MOST_SHADES + 1)
    return max(len(rows.rows) + bool(rows.left_out), 1) * _ROW + shades * _SHADE + 2 * _PAD


@dataclass(frozen=True, slots=True)
class _Lane:
    """Draws the lanes, one by one."""

    drawing: Drawing
    timeline: Timeline
    scale: _Scale
    ends: tuple[float, float]
    name: float
    """How much room there is for the name of a predicate."""

    def draw(self, lane: Lane, rows: Rows, y: float, height: float) -> None:
        drawing, (left, right) = self.drawing, self.ends
        letters = max(round((self.name - 8) / width_of("x")), 3)
        drawing.text("name", _MARGIN, y + _PAD + 13, shortened(lane.predicate, letters), hint=lane.predicate)
        for shade in lane.shades:
            x = self.scale.x(shade.since)
            drawing.box("shade", x, y, max(self.scale.x(shade.until + 1) - x, 1), height)
        keys = max(round((left - 10 - _MARGIN - self.name) / width_of("x", 11)), 2)
        for number, row in enumerate(rows.rows):
            base = y + _PAD + number * _ROW
            if row.name:
                drawing.text("key", left - 8, base + 13, shortened(row.name, keys), "end", row.name)
            for placed in row.placed:
                self._item(placed.item, placed.left, placed.right, base)
                if placed.label:
                    drawing.text("words", placed.label_x, base + 13, placed.label)
        after = y + _PAD + len(rows.rows) * _ROW
        if rows.left_out:
            drawing.text("soft", left - 8, after + 13, f"and {len(rows.left_out):,} more", "end")
            self._counts(rows.left_out, after)
            after += _ROW
        elif not rows.rows:
            drawing.text("soft", left + 4, after + 13, "nothing")
            after += _ROW
        self._windows(lane, after)
        assert right > left, "the gutter takes at most a third"

    def _item(self, item: Item, left: float, right: float, base: float) -> None:
        time = self.timeline.time_text
        if item.kind == "data":
            kind = "data" if self.timeline.at is None or item.seen else "unseen"
            self.drawing.dot(
                kind, (left + right) / 2, base + 9, (right - left) / 2, f"{item.text} at {time(item.since)}"
            )
            return
        when = (
            f"at {time(item.since)}" if item.since == item.until else f"from {time(item.since)} to {time(item.until)}"
        )
        hint = f"{item.text} {when}" + (", in some answers" if item.kind == "possible" else "")
        self.drawing.box(item.kind, left, base + 2, right - left, _ROW - 4, min(3, (right - left) / 3), hint)

    def _counts(self, items: Sequence[Item], base: float) -> None:
        """How many atoms there are without a mark of their own, as bars: the highest one fills the row."""
        left, right = self.ends
        number = max(int((right - left) / _BUCKET), 1)
        change = [0] * (number + 1)
        for item in items:
            first = int((self.scale.x(item.since) - left) / (right - left) * number)
            last = int((self.scale.x(item.until + 1) - left - 0.01) / (right - left) * number)
            change[min(first, number - 1)] += 1
            change[min(max(last, first), number - 1) + 1] -= 1
        counts, so_far = [], 0
        for difference in change[:-1]:
            so_far += difference
            counts.append(so_far)
        highest = max(counts)
        for place, count in enumerate(counts):
            if count:
                tall = max(1.0, (_ROW - 5) * count / highest)
                x = left + place * (right - left) / number
                self.drawing.box("count", x, base + _ROW - 2 - tall, (right - left) / number, tall, hint=f"{count:,}")

    def _windows(self, lane: Lane, y: float) -> None:
        """A line for each window, from end to end, with its name above or beside it."""
        left, right = self.ends
        for shade in lane.shades[:_MOST_SHADES]:
            begin, end, middle = self.scale.x(shade.since), self.scale.x(shade.until + 1), y + _SHADE / 2 + 1
            wide = width_of(shade.window, LABEL) + 8
            self.drawing.line("window", (begin, middle - 3), (begin, middle + 3))
            self.drawing.line("window", (end, middle - 3), (end, middle + 3))
            if wide + 12 <= end - begin:
                centre = (begin + end) / 2
                self.drawing.line("window", (begin, middle), (centre - wide / 2, middle))
                self.drawing.line("window", (centre + wide / 2, middle), (end, middle))
                self.drawing.text("windowed", centre, middle + 4, shade.window, "middle")
            else:
                self.drawing.line("window", (begin, middle), (end, middle))
                beside = end + 4 if end + wide <= right or begin - left < wide else begin - wide
                self.drawing.text("windowed", beside, middle + 4, shade.window)
            y += _SHADE
        if len(lane.shades) > _MOST_SHADES:
            more = len(lane.shades) - _MOST_SHADES
            self.drawing.text("soft", left + 4, y + 11, f"and {more:,} more window{'s'[: more != 1]}")


def _axis(
    drawing: Drawing, timeline: Timeline, scale: _Scale, ends: tuple[float, float], heights: tuple[float, float]
) -> None:
    """Lines at round times, with the times below."""
    left, right = ends
    longest = width_of("00:00:00.000" if timeline.tick is not None else str(max(timeline.end, -timeline.start)), 11)
    wide = max(longest, width_of("2026-01-01", 11) if timeline.tick is not None else 0) + 14
    last = left - wide
    for mark in marks(timeline.start, timeline.end, timeline.tick, int((right - left) / wide)):
        x = scale.middle(mark.time) if scale.cell >= 6 else scale.x(mark.time)
        drawing.line("grid", (x, heights[0]), (x, heights[1] + 4))
        half = width_of(mark.label, 11) / 2
        at = min(max(x, left - 6 + half), right - half)
        if at - half >= last:
            drawing.text("key", at, heights[1] + 17, mark.label, "middle")
            last = at + half + 6
        if mark.below:
            half = width_of(mark.below, 11) / 2
            drawing.text("key", min(max(x, left - 6 + half), right - half), heights[1] + 31, mark.below, "middle")


def _moment(
    drawing: Drawing, timeline: Timeline, scale: _Scale, ends: tuple[float, float], heights: tuple[float, float]
) -> None:
    """The chosen moment: a line through all lanes, with the time above."""
    if timeline.at is None:
        return
    x = scale.middle(timeline.at)
    drawing.line("now", (x, heights[0] - 6), (x, heights[1]))
    text = f"at {timeline.time_text(timeline.at)}"
    half = width_of(text, 11) / 2
    drawing.text("windowed", min(max(x, ends[0] + half), ends[1] - half), heights[0] - 12, text, "middle")


def _legend(drawing: Drawing, timeline: Timeline, y: float, width: int) -> None:
    """What the marks mean: only those that are there."""
    kinds = {item.kind for lane in timeline.lanes for item in lane.items}
    entries = []
    if "data" in kinds and timeline.at is None:
        entries.append(("data", "fact"))
    elif "data" in kinds:
        entries += [("data", "fact in a window"), ("unseen", "other fact")]
    if "derived" in kinds:
        entries.append(("derived", "derived" if "possible" not in kinds else "in every answer"))
    if "possible" in kinds:
        entries.append(("possible", "in some answers"))
    if any(lane.shades for lane in timeline.lanes):
        entries.append(("shade", "window"))
    x = float(_MARGIN)
    for kind, words in entries:
        wide = 22 + width_of(words, 11) + 16
        if x + wide > width and x > _MARGIN:
            break  # a narrow picture has the first ones
        if kind in ("data", "unseen"):
            drawing.dot(kind, x + 8, y - 4, _RADIUS)
        else:
            drawing.box(kind, x, y - 9, 16, 11, 3)
        drawing.text("key", x + 22, y, words)
        x += wide


def _notes(timeline: Timeline, letters: int) -> list[str]:
    """What the picture leaves out."""
    notes = []
    if len(timeline.lanes) > MOST_LANES:
        more = len(timeline.lanes) - MOST_LANES
        notes.append(f"and {more:,} more predicate{'s'[: more != 1]}")
    if timeline.others:
        number = sum(timeline.others.values())
        names = ", ".join(sorted(timeline.others)[:5]) + (", …" if len(timeline.others) > 5 else "")
        notes.append(f"no rule looks at {number:,} fact{'s'[: number != 1]}: {names}")
    return [shortened(text, letters) for text in notes]
