"""A schema that is known before the run: its relations, closed, for rules that look them up.

What a class or a property leads to takes one step per level in the data; the relations have the direct steps, so that
every triple is derived about once. `known_...` has all that the steps lead to: whatever else the schema gets to say
while the program runs is left to other rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri, Value, datatypes

Pair = tuple[Value, Value]
Triple = tuple[Value, Value, Value]
Steps = Mapping[Value, Collection[Value]]

OWL = "http://www.w3.org/2002/07/owl#"
TYPE = Iri(f"{datatypes.RDF}type")
CLASS, DATATYPE, LITERAL, RESOURCE = (
    Iri(f"{datatypes.RDFS}{name}") for name in ("Class", "Datatype", "Literal", "Resource")
)
SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE = (
    Iri(f"{datatypes.RDFS}{name}") for name in ("subClassOf", "subPropertyOf", "domain", "range")
)
_PAIRS = (SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE)
_STRUCTURE = {SUB_CLASS, SUB_PROPERTY, DOMAIN, RANGE, Iri(f"{datatypes.RDF}first"), Iri(f"{datatypes.RDF}rest")}
_VOCABULARIES = (datatypes.RDF, datatypes.RDFS, OWL)


def is_schema(triple: tuple[Value, ...]) -> bool:
    """Whether a triple says something about classes and properties, and not about other things.

    >>> a, b = Iri("http://ex.org/a"), Iri("http://ex.org/b")
    >>> is_schema((a, SUB_CLASS, b)), is_schema((a, TYPE, CLASS)), is_schema((a, TYPE, b))
    (True, True, False)
    """
    _, p, o = triple
    if p == TYPE:
        return isinstance(o, Iri) and o.iri.startswith(_VOCABULARIES)
    return p in _STRUCTURE or (isinstance(p, Iri) and p.iri.startswith(OWL))


def schema_triples(program: Program, predicate: str) -> Iterator[tuple[Value, ...]]:
    """The background triples of a predicate that are schema."""
    yield from (atom.values for atom in program.background if atom.predicate == predicate and is_schema(atom.values))
    for table in program.tables:
        if table.predicate == predicate:
            yield from _schema_rows(table)


def _schema_rows(table: FactTable) -> Iterator[tuple[Value, ...]]:
    values = table.values
    wanted = {p for p in set(table.columns[1]) if values[p] == TYPE or is_schema((RESOURCE, values[p], RESOURCE))}
    for s, p, o in zip(*table.columns, strict=True):
        if p in wanted:
            row = values[s], values[p], values[o]
            if is_schema(row):
                yield row


@dataclass
class StaticSchema:
    """The relations of the RDFS schema in the background, with the axiomatic triples."""

    classes: set[Value] = field(default_factory=set)
    properties: set[Value] = field(default_factory=set)
    pairs: dict[Value, set[Pair]] = field(default_factory=lambda: {p: set() for p in _PAIRS})
    """The subjects and objects of each of the four properties of RDFS."""

    def add(self, triples: Iterable[tuple[Value, ...]]) -> None:
        """Take note of some triples."""
        for s, p, o in triples:
            self.properties.add(p)
            if p == TYPE:
                self.classes.add(o)
                if o == DATATYPE:
                    self.pairs[SUB_CLASS].add((s, LITERAL))
            elif p in self.pairs:
                self.pairs[p].add((s, o))

    def add_table(self, table: FactTable) -> None:
        """Take note of the triples of a table."""
        values = table.values
        self.properties.update(table.used(1))
        wanted = {p for p in set(table.columns[1]) if values[p] in _PAIRS}
        types = {p for p in set(table.columns[1]) if values[p] == TYPE}
        _, predicates, objects = table.columns
        if types:
            used = {o for p, o in zip(predicates, objects, strict=True) if p in types}
            self.classes.update(map(values.__getitem__, used))
            if any(values[o] == DATATYPE for o in used):
                wanted |= types
        if wanted:
            rows = ((s, p, o) for s, p, o in zip(*table.columns, strict=True) if p in wanted)
            self.add((values[s], values[p], values[o]) for s, p, o in rows)

    def relations(self) -> dict[str, list[tuple[Value, ...]]]:
        """The relations, by name. See rules/rdfs-compiled.lars."""
        domains, ranges = self.pairs[DOMAIN], self.pairs[RANGE]
        self.classes.update(c for pairs in (domains, ranges) for _, c in pairs)
        self.classes.update(c for pair in self.pairs[SUB_CLASS] for c in pair)
        self.classes |= {CLASS, RESOURCE}
        self.properties.update(p for p, _ in domains | ranges)
        self.properties.update(p for pair in self.pairs[SUB_PROPERTY] for p in pair)
        sub_class = closed({*self.pairs[SUB_CLASS], *((c, RESOURCE) for c in self.classes)})
        sub_property = closed(self.pairs[SUB_PROPERTY])
        return {
            "sub_class": list(direct(sub_class)),
            "known_sub_class": [(c, d) for c, above in sub_class.items() for d in above],
            "sub_property": list(direct(sub_property)),
            "known_sub_property": [(p, q) for p, above in sub_property.items() for q in above],
            "domain": list(_placed(self.properties, domains)),
            "known_domain": list(domains),
            "range": list(_placed(self.properties, ranges - {(TYPE, CLASS)})),
            "known_range": list(ranges),
            "known_class": [(c,) for c in self.classes],
            "known_property": [(p,) for p in self.properties],
        }


def _placed(properties: set[Value], pairs: set[Pair]) -> Iterator[Pair]:
    """The pairs that matter, and at least one for each property. For rdf:type, there are rules about classes."""
    found = {(p, c) for p, c in pairs if c != RESOURCE}
    has_one = {p for p, _ in found}
    yield from found
    yield from ((p, RESOURCE) for p in properties if p != TYPE and p not in has_one)


def closed(pairs: Iterable[Pair]) -> dict[Value, set[Value]]:
    """All that each value leads to, apart from itself.

    >>> sorted(closed([("a", "b"), ("b", "c")])["a"])
    ['b', 'c']
    """
    above: dict[Value, set[Value]] = {}
    for low, high in pairs:
        above.setdefault(low, set()).add(high)
    found: dict[Value, set[Value]] = {}
    for start in above:
        seen, waiting = {start}, [start]
        while waiting:
            one = waiting.pop()
            ready = found.get(one)
            if ready is not None:
                seen |= ready
                continue
            new = above.get(one, set()) - seen
            seen |= new
            waiting.extend(new)
        found[start] = seen - {start}
    return found


def direct(above: Steps) -> Iterator[Pair]:
    """Steps that lead to the same as all pairs of a closed relation, and are as few as possible where it has no cycle.

    >>> sorted(direct({"a": {"b", "c"}, "b": {"c"}}))
    [('a', 'b'), ('b', 'c')]
    """
    for low, all_above in above.items():
        beyond: set[Value] = set()
        for middle in all_above:
            further = above.get(middle, ())
            if low not in further:  # the two are not in a cycle
                beyond.update(high for high in further if middle not in above.get(high, ()))
        yield from ((low, high) for high in all_above if high not in beyond)
