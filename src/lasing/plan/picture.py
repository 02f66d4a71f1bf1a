"""A plan as a picture: relations, and the rules and operators that fill them from others.

What `show` prints is all here: the rules are hints of their boxes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from lasing.drawing.graph import Box, Edge, draw_graph
from lasing.drawing.svg import BLUE, BOX, EDGE, INK, ORANGE, PAGE, SOFT, VIOLET, Drawing, paint, shortened, width_of
from lasing.plan.nodes import Derive, Plan, PlanRule, Recompute
from lasing.plan.operators import OperatorNode
from lasing.plan.relations import Relation
from lasing.plan.show import feed_text, rule_text, test_text, window_of

MOST = 120
"""How many rules and operators are drawn; the others are only counted."""
_LONGEST = 34
_MOST_DETAILS = 3

_PAINTS = {
    "page": paint(fill=PAGE),
    "guaranteed": paint(fill=BOX, stroke=BLUE),
    "counted": paint(fill=BOX, stroke=ORANGE, others="stroke-dasharray: 5 3;"),
    "rule": paint(fill=PAGE, stroke=EDGE),
    "operator": paint(fill=PAGE, stroke=VIOLET),
    "name": paint(fill=INK),
    "soft": paint(fill=SOFT),
    "output": paint(fill=INK, others="font-weight: 700;"),
    "edge": paint(stroke=EDGE),
    "negated": paint(stroke=EDGE, others="stroke-dasharray: 2 3;"),
}
_LEGEND = (
    ("guaranteed", "relation, guaranteed"),
    ("counted", "relation, counted"),
    ("rule", "rule"),
    ("operator", "operator"),
)


def picture(plan: Plan) -> str:
    """A plan as an SVG image, from the facts on the left to the output on the right."""
    graph = _Graph(plan)
    drawing = Drawing("lasing-plan", _PAINTS)
    page = len(drawing.parts)
    width, height = draw_graph(drawing, graph.boxes, graph.edges, 14)
    width = max(width, 680)
    y = height + 8
    x = 14.0
    for kind, words in _LEGEND:
        drawing.box(kind, x, y - 9, 16, 11, 5 if kind in ("rule", "operator") else 2)
        drawing.text("soft", x + 22, y, words)
        x += width_of(words) + 40
    drawing.line("negated", (x, y - 4), (x + 20, y - 4))
    drawing.text("soft", x + 26, y, "negated")
    if graph.left_out:
        y += 20
        drawing.text("soft", 14, y, f"and {graph.left_out:,} more rules and operators")
    background = Drawing("", {})
    background.box("page", 0, 0, width, y + 14)
    drawing.parts.insert(page, background.parts[0])
    rules = sum(box.kind == "rule" for box in graph.boxes.values())
    title = f"Plan of {_counted(len(plan.relations), 'relation')} and {_counted(rules, 'rule')}"
    return drawing.svg(width, y + 14, title)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s'[: number != 1]}"


class _Graph:
    """The boxes and arrows of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.boxes: dict[str, Box] = {}
        self.edges: list[Edge] = []
        self.left_out = 0
        self._drawn = 0
        for rule in plan.guaranteed:
            self._rule(rule)
        for stage in plan.stages:
            match stage:
                case Derive(rules):
                    for rule in rules:
                        self._rule(rule)
                case OperatorNode():
                    self._operator(stage)
                case Recompute():
                    for relation, copy in stage.inputs:
                        self._passes(relation, copy)
                    for rule in stage.rules:
                        self._rule(rule)
                    for box in stage.boxes:
                        self._operator(box)
                    for relation, scratch in stage.outputs:
                        self._passes(scratch, relation)
                case _:
                    assert_never(stage)
        for output in plan.outputs:
            self._relation(output.relation)
        self.edges = list(dict.fromkeys(self.edges))

    def _full(self) -> bool:
        self._drawn += 1
        self.left_out += self._drawn > MOST
        return self._drawn > MOST

    def _rule(self, rule: PlanRule) -> None:
        if self._full():
            return
        head = self._relation(rule.head)
        if rule.origin < 0 and len(rule.lookups) == 1 and not rule.tests and rule.within is None:
            lookup = rule.lookups[0]  # what the plan adds to pass rows on needs no box
            self._edge(self._relation(lookup.relation), head, lookup.negated)
            return
        name = f"rule {len(self.boxes)}"
        tests = [shortened(test_text(test), _LONGEST) for test in rule.tests[:_MOST_DETAILS]]
        if len(rule.tests) > _MOST_DETAILS:
            tests.append("…")
        if rule.within is not None:
            tests.append(f"{rule.within[0]} in {window_of(rule.within[1])}")
        more = f" and {len(rule.others):,} more" if rule.others else ""
        called = f"rule {rule.origin + 1}{more}" if rule.origin >= 0 else "added"
        lines = (("name", called), *(("soft", text) for text in tests))
        self.boxes[name] = Box("rule", lines, rule_text(rule), 9)
        self._edge(name, head)
        for lookup in rule.lookups:
            self._edge(self._relation(lookup.relation), name, lookup.negated)

    def _operator(self, node: OperatorNode) -> None:
        if self._full():
            return
        name = f"operator {len(self.boxes)}"
        text = str(node)
        self.boxes[name] = Box("operator", (("name", shortened(text, 2 * _LONGEST)),), text, 9)
        if node.origin_of_rows is not None:
            self._edge(self._relation(node.origin_of_rows), name)
        self._edge(name, self._relation(node.target))

    def _passes(self, source: Relation, target: Relation) -> None:
        if not self._full():
            self._edge(self._relation(source), self._relation(target))

    def _edge(self, source: str, target: str, negated: bool = False) -> None:
        self.edges.append(Edge(source, target, "negated" if negated else "edge"))

    def _relation(self, relation: Relation) -> str:
        name = f"<{relation.name}>/{relation.arity}"
        if name not in self.boxes:
            details = list(self._details(relation))
            lines = [("name", shortened(relation.name, _LONGEST))]
            lines += [("soft", shortened(text, _LONGEST)) for text in details[:_MOST_DETAILS]]
            if len(details) > _MOST_DETAILS:
                lines.append(("soft", f"and {len(details) - _MOST_DETAILS:,} more"))
            shown = [output.predicate for output in self._plan.outputs if output.relation == relation]
            if shown:
                lines.append(("output", shortened(f"→ {', '.join(shown)}", _LONGEST)))
            kind = "counted" if relation.counted else "guaranteed"
            self.boxes[name] = Box(kind, tuple(lines), "\n".join([name, *details]))
        return name

    def _details(self, relation: Relation) -> Iterator[str]:
        """What flows into a relation from outside."""
        for feed in self._plan.feeds:
            if feed.relation == relation:
                yield f"← {feed_text(feed)}"
        for clock in self._plan.clocks:
            if clock.relation == relation:
                yield f"← time points of {window_of(clock.span)}"
        rows = sum(row[0] == relation for row in self._plan.background)
        rows += sum(len(load.table) for load in self._plan.loads if load.relation == relation)
        if rows:
            yield f"← {rows:,} background fact{'s'[: rows != 1]}"
