"""Property paths (SPARQL 1.1, §9 and §18.4): sequences and alternatives keep duplicates, repetitions do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, Path, SequencePath
from rdflib.term import URIRef

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Join, Node, Pattern, Project, Union
from lasing.languages.rspql.graphs import Graph
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.names import value_of
from lasing.logic.formulas import Atom, Compare, Formula
from lasing.logic.terms import Term, Variable
from lasing.logic.values import Value


@dataclass(slots=True)
class Paths:
    """Translates the paths of a query."""

    builder: Builder

    def node(self, start: Term, path: Any, end: Term, graph: Graph) -> Node:
        """The pairs of a path in a graph."""
        match path:
            case URIRef():
                return self._pattern((graph.triple(start, value_of(path), end),), start, end, graph)
            case InvPath():
                return self.node(end, path.arg, start, graph)
            case SequencePath():
                return self._sequence(start, path.args, end, graph)
            case AlternativePath():
                return Union(tuple(self.node(start, part, end, graph) for part in path.args))
            case NegatedPath():
                return self._negated(start, path.args, end, graph)
            case MulPath():
                return self._repeated(start, path, end, graph)
            case Path():
                raise Mistake(f"cannot read the path {path}")
            case _:
                raise Mistake(f"{path} is not a path")

    def _pattern(self, literals: tuple[Formula, ...], start: Term, end: Term, graph: Graph) -> Node:
        ends = [term for term in (start, end) if isinstance(term, Variable)]
        return Pattern(literals, tuple(dict.fromkeys((*ends, *graph.columns))))

    def _sequence(self, start: Term, parts: list[Any], end: Term, graph: Graph) -> Node:
        first, *rest = parts
        if not rest:
            return self.node(start, first, end, graph)
        middle = self.builder.variable("Step")
        both = Join(self.node(start, first, middle, graph), self._sequence(middle, rest, end, graph))
        ends = [term for term in (start, end) if isinstance(term, Variable)]
        return Project(both, tuple(dict.fromkeys((*ends, *graph.columns))))

    def _negated(self, start: Term, parts: list[Any], end: Term, graph: Graph) -> Node:
        """Triples with none of some predicates, forwards, or backwards if inverses are excluded."""
        forward = [value_of(part) for part in parts if isinstance(part, URIRef)]
        backward = [value_of(part.arg) for part in parts if isinstance(part, InvPath) and isinstance(part.arg, URIRef)]
        found = [self._excluding(start, forward, end, graph)] if forward or not backward else []
        if backward:
            found.append(self._excluding(end, backward, start, graph))
        return found[0] if len(found) == 1 else Union(tuple(found))

    def _excluding(self, subject: Term, excluded: list[Value], value: Term, graph: Graph) -> Node:
        predicate = self.builder.variable("Predicate")
        tests = tuple(Compare("!=", predicate, other) for other in excluded)
        return self._pattern((graph.triple(subject, predicate, value), *tests), subject, value, graph)

    def _repeated(self, start: Term, path: MulPath, end: Term, graph: Graph) -> Node:
        """`*`, `+` and `?`: each pair once. A constant end keeps the search to what it reaches."""
        if not isinstance(end, Variable) and isinstance(start, Variable):
            return self._repeated(end, MulPath(InvPath(path.path), path.mod), start, graph)
        builder, key = self.builder, graph.key
        x, y, z = (builder.variable(name) for name in ("X", "Y", "Z"))
        step = builder.predicate("step")
        rows = builder.lower(Project(self.node(x, path.path, y, graph), (x, y, *graph.columns)), bag=False)
        for body in rows.bodies:
            builder.rule(Atom(step, (*key, body.terms[x], body.terms[y])), body.literals)
        reached = builder.predicate("reached")
        fixed = isinstance(start, Variable) is False
        origin: Term = start if fixed else x
        builder.rule(Atom(reached, (*key, origin, y)), [Atom(step, (*key, origin, y))])
        if path.mod != "?":
            builder.rule(Atom(reached, (*key, origin, z)), [Atom(reached, (*key, origin, y)), Atom(step, (*key, y, z))])
        if path.mod in ("*", "?"):
            if fixed:
                self._itself(reached, start, graph)
            elif not isinstance(end, Variable):
                self._itself(reached, end, graph)
            else:
                for literal in (graph.triple(x, y, z), graph.triple(z, y, x)):
                    builder.rule(Atom(reached, (*key, x, x)), [literal])
        return self._pattern((Atom(reached, (*key, start, end)),), start, end, graph)

    def _itself(self, reached: str, term: Term, graph: Graph) -> None:
        """A constant reaches itself, even if the graph does not have it."""
        x, y, z = (self.builder.variable(name) for name in ("X", "Y", "Z"))
        body = [graph.triple(x, y, z)] if graph.columns else []  # once for each graph that there is
        self.builder.rule(Atom(reached, (*graph.key, term, term)), body)
