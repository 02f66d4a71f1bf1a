"""Directed graphs in columns: every edge goes from left to right, but for those that close a circle.

The order within columns follows the neighbours, so that few edges cross; an edge over several columns passes between
the boxes of those between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lasing.drawing.svg import Drawing, width_of

_LINE, _PAD, _GAP_X, _GAP_Y, _MARGIN = 16.0, 7.0, 56.0, 12.0, 14.0
_PASSING = 6.0
"""How much room an edge takes that passes a column."""
_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Box:
    """A box: its kinds of paint, lines of text each with its kind, a hint, and how round its corners are."""

    kind: str
    lines: tuple[tuple[str, str], ...]
    hint: str = ""
    round: float = 3

    @property
    def width(self) -> float:
        return max(width_of(text) for _, text in self.lines) + 2 * _PAD

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + _PAD


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between boxes, by their names."""

    source: str
    target: str
    kind: str


def ranks(names: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The column of each box: one more than the greatest of those before it. A box with none before it is just before
    the first that follows. Edges that close a circle do not count.

    >>> ranks(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "b"), ("d", "c")])
    {'a': 0, 'b': 1, 'c': 2, 'd': 1}
    """
    following: dict[str, list[str]] = {name: [] for name in names}
    for source, target in dict.fromkeys(edges):
        following[source].append(target)
    order: list[str] = []
    state: dict[str, int] = {}  # 1: being visited, 2: done
    forward: dict[str, list[str]] = {name: [] for name in names}
    for root in names:
        stack = [(root, iter(following[root]))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            name, targets = stack[-1]
            following_one = next(targets, None)
            if following_one is None:
                state[name] = 2
                order.append(name)
                stack.pop()
            elif state.get(following_one) != 1:
                forward[name].append(following_one)
                if following_one not in state:
                    state[following_one] = 1
                    stack.append((following_one, iter(following[following_one])))
    found = dict.fromkeys(names, 0)
    for name in reversed(order):
        for target in forward[name]:
            found[target] = max(found[target], found[name] + 1)
    entered = {target for targets in forward.values() for target in targets}
    for name in names:
        if name not in entered and forward[name]:
            found[name] = min(found[target] for target in forward[name]) - 1
    return found


def draw_graph(drawing: Drawing, boxes: Mapping[str, Box], edges: Sequence[Edge], top: float) -> tuple[float, float]:
    """Draw boxes and arrows below `top`; how wide and how high the picture is then."""
    column = ranks(list(boxes), [(edge.source, edge.target) for edge in edges])
    count = max(column.values(), default=-1) + 1
    columns: list[list[str]] = [[] for _ in range(count)]
    for name in boxes:
        columns[column[name]].append(name)
    # The stations of each edge: its ends, and a place in each column that it passes.
    routes: list[tuple[Edge, list[str]]] = []
    neighbours: dict[str, list[str]] = {name: [] for name in boxes}
    for number, edge in enumerate(edges):
        first, last = column[edge.source], column[edge.target]
        step = 1 if first <= last else -1
        route = [edge.source]
        for between in range(first + step, last, step):
            station = f"\0{number}:{between}"
            columns[between].append(station)
            neighbours[station] = []
            route.append(station)
        route.append(edge.target)
        for one, other in pairwise(route):
            neighbours[one].append(other)
            neighbours[other].append(one)
        routes.append((edge, route))
    y = _heights(columns, boxes, neighbours, top)
    wide = [max((boxes[n].width for n in names if n in boxes), default=0.0) for names in columns]
    x = [_MARGIN + sum(wide[:i]) + i * _GAP_X for i in range(count)]
    place = {name: i for i, names in enumerate(columns) for name in names}
    for edge, route in routes:
        drawing.curve(edge.kind, _curve(route, boxes, place, x, wide, y))
    for name, box in boxes.items():
        left = x[place[name]]
        drawing.box(box.kind, left, y[name], box.width, box.height, box.round, box.hint)
        for number, (kind, text) in enumerate(box.lines):
            drawing.text(kind, left + _PAD, y[name] + _PAD / 2 + (number + 0.76) * _LINE, text)
    bottom = max((y[name] + box.height for name, box in boxes.items()), default=top)
    return sum(wide) + (count - 1) * _GAP_X + 2 * _MARGIN, bottom + _MARGIN


def _heights(
    columns: list[list[str]], boxes: Mapping[str, Box], neighbours: Mapping[str, Sequence[str]], top: float
) -> dict[str, float]:
    """Where each box and station is: near its neighbours, and clear of the others."""

    def height(name: str) -> float:
        return boxes[name].height if name in boxes else _PASSING

    y: dict[str, float] = {}
    for names in columns:
        below = top
        for name in names:
            y[name] = below
            below += height(name) + _GAP_Y
    for sweep in range(_SWEEPS):
        for names in columns if sweep % 2 == 0 else reversed(columns):
            wanted = {
                name: sum(y[n] + height(n) / 2 for n in near) / len(near) - height(name) / 2
                if (near := neighbours[name])
                else y[name]
                for name in names
            }
            names.sort(key=lambda name: wanted[name])
            below = -1e9
            for name in names:
                y[name] = max(wanted[name], below)
                below = y[name] + height(name) + _GAP_Y
            # Pushing down moved them below what they wanted: bring the column back up by the average.
            back = sum(y[name] - wanted[name] for name in names) / max(len(names), 1)
            for name in names:
                y[name] -= back
    highest = min(y.values(), default=0.0)
    return {name: place - highest + top for name, place in y.items()}


def _curve(
    route: Sequence[str],
    boxes: Mapping[str, Box],
    place: Mapping[str, int],
    x: Sequence[float],
    wide: Sequence[float],
    y: Mapping[str, float],
) -> str:
    """The path of an edge: from the right side of a box, past others, to the left side of a box, with an arrow head."""
    source, target = route[0], route[-1]
    begin = x[place[source]] + boxes[source].width, y[source] + boxes[source].height / 2
    end = x[place[target]] - 1, y[target] + boxes[target].height / 2
    path = f"M {begin[0]:.1f} {begin[1]:.1f}"
    at = begin
    forward = place[source] <= place[target]
    for station in route[1:-1]:
        left, right = x[place[station]], x[place[station]] + wide[place[station]]
        level = y[station] + _PASSING / 2
        enter, leave = (left, right) if forward else (right, left)
        path += _bend(at, (enter, level)) + f" H {leave:.1f}"
        at = leave, level
    path += _bend(at, end)
    x_end, y_end = end
    return f"{path} M {x_end - 6:.1f} {y_end - 3.5:.1f} L {x_end:.1f} {y_end:.1f} L {x_end - 6:.1f} {y_end + 3.5:.1f}"


def _bend(start: tuple[float, float], end: tuple[float, float]) -> str:
    reach = max(abs(end[0] - start[0]) / 2, 24.0)
    return f" C {start[0] + reach:.1f} {start[1]:.1f} {end[0] - reach:.1f} {end[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
