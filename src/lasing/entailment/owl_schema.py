"""The schema of OWL 2 RL that is known before the run: its relations, closed (see rules/owl-rl-compiled.lars)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lasing.entailment.schema import DOMAIN, OWL, RANGE, SUB_CLASS, SUB_PROPERTY, TYPE, Pair, closed, direct
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri, Value, datatypes

EQUIVALENT_CLASS, EQUIVALENT_PROPERTY, INTERSECTION, UNION, CLASS, THING, NOTHING = (
    Iri(f"{OWL}{name}")
    for name in ("equivalentClass", "equivalentProperty", "intersectionOf", "unionOf", "Class", "Thing", "Nothing")
)
FIRST, REST = (Iri(f"{datatypes.RDF}{name}") for name in ("first", "rest"))
_PAIRS = (
    SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE, EQUIVALENT_CLASS, EQUIVALENT_PROPERTY, INTERSECTION, UNION, FIRST, REST,
)  # fmt: skip


@dataclass
class OwlSchema:
    """The relations of the schema in the background. What follows from triples about other things, such as
    `owl:sameAs`, is left to the rules."""

    classes: set[Value] = field(default_factory=set)
    pairs: dict[Value, set[Pair]] = field(default_factory=lambda: {p: set() for p in _PAIRS})
    """The subjects and objects of each property that matters here."""

    def add(self, triples: Iterable[tuple[Value, ...]]) -> None:
        """Take note of some triples."""
        for s, p, o in triples:
            if p in self.pairs:
                self.pairs[p].add((s, o))
            elif p == TYPE and o == CLASS:
                self.classes.add(s)

    def add_table(self, table: FactTable) -> None:
        """Take note of the triples of a table."""
        values = table.values
        wanted = {p for p in set(table.columns[1]) if values[p] in self.pairs or values[p] == TYPE}
        rows = ((s, p, o) for s, p, o in zip(*table.columns, strict=True) if p in wanted)
        self.add((values[s], values[p], values[o]) for s, p, o in rows)

    def relations(self) -> dict[str, list[tuple[Value, ...]]]:
        """The relations, by name."""
        sub_class, sub_property = closed(self._class_steps()), closed(self._property_steps())
        domains, ranges = self.pairs[DOMAIN], self.pairs[RANGE]
        below: dict[Value, set[Value]] = {}
        for low, above in sub_property.items():
            for high in above:
                below.setdefault(high, set()).add(low)

        def all_of(pairs: set[Pair]) -> Iterator[Pair]:
            for p, c in pairs:
                for property_ in (p, *below.get(p, ())):
                    yield from ((property_, d) for d in (c, *sub_class.get(c, ())))

        return {
            "sub_class": list(direct(sub_class)),
            "known_sub_class": [(c, d) for c, above in sub_class.items() for d in above],
            "sub_property": list(direct(sub_property)),
            "known_sub_property": [(p, q) for p, above in sub_property.items() for q in above],
            "domain": list(domains),
            "known_domain": list(dict.fromkeys(all_of(domains))),
            "range": list(ranges),
            "known_range": list(dict.fromkeys(all_of(ranges))),
        }

    def _class_steps(self) -> set[Pair]:
        """scm-cls, scm-eqc1, scm-int, scm-uni"""
        found = {*self.pairs[SUB_CLASS], *_both_ways(self.pairs[EQUIVALENT_CLASS])}
        found.update((c, THING) for c in self.classes)
        found.update((NOTHING, c) for c in self.classes)
        first, rest = _by_subject(self.pairs[FIRST]), _by_subject(self.pairs[REST])
        found.update((c, k) for c, cells in self.pairs[INTERSECTION] for k in _elements(cells, first, rest))
        found.update((k, c) for c, cells in self.pairs[UNION] for k in _elements(cells, first, rest))
        return {(low, high) for low, high in found if low != high}

    def _property_steps(self) -> set[Pair]:
        """scm-eqp1"""
        found = {*self.pairs[SUB_PROPERTY], *_both_ways(self.pairs[EQUIVALENT_PROPERTY])}
        return {(low, high) for low, high in found if low != high}


Steps = dict[Value, set[Value]]


def _elements(start: Value, first: Steps, rest: Steps) -> set[Value]:
    """The elements of a list. A cell may have several, or several cells after it, as anything in RDF may."""
    found: set[Value] = set()
    seen, waiting = {start}, [start]
    while waiting:
        cell = waiting.pop()
        items = first.get(cell, set())
        found |= items
        following = rest.get(cell, set()) - seen if items else set()
        seen |= following
        waiting += following
    return found


def _both_ways(pairs: set[Pair]) -> set[Pair]:
    return pairs | {(b, a) for a, b in pairs}


def _by_subject(pairs: set[Pair]) -> Steps:
    found: Steps = {}
    for s, o in pairs:
        found.setdefault(s, set()).add(o)
    return found
