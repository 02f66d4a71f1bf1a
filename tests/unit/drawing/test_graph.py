"""Graphs in columns."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest

from lasing.drawing.graph import Box, Edge, draw_graph, ranks
from lasing.drawing.svg import Drawing


def test_edges_go_from_left_to_right_and_circles_end() -> None:
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "a"), ("c", "c"), ("d", "c")]
    found = ranks(["a", "b", "c", "d", "alone"], edges)
    assert found == {"a": 0, "b": 1, "c": 2, "d": 1, "alone": 0}


def test_a_long_chain_is_no_recursion() -> None:
    names = [str(i) for i in range(5_000)]
    assert ranks(names, list(pairwise(names)))["4999"] == 4_999


@pytest.mark.parametrize("size", [1, 4, 30])
def test_boxes_do_not_overlap(size: int) -> None:
    boxes = {str(i): Box("box", (("text", f"relation {i}"),) * (1 + i % 3)) for i in range(size)}
    edges = [Edge(str(i), str(j), "edge") for i, j in combinations(range(size), 2) if (i * j + i) % 5 == 1]
    drawing = Drawing("test", {})
    width, height = draw_graph(drawing, boxes, edges, 10)
    shapes = [
        tuple(map(float, re.findall(r' (?:x|y|width|height)="([\d.]+)"', part)))
        for part in drawing.parts
        if part.startswith("<rect")
    ]
    assert len(shapes) == size
    for one, other in combinations(shapes, 2):
        beside = one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0]
        below = one[1] + one[3] <= other[1] or other[1] + other[3] <= one[1]
        assert beside or below
    assert all(x >= 0 and y >= 10 and x + w <= width and y + h <= height for x, y, w, h in shapes)
