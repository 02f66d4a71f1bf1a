"""CityBench's first query, and a generated city for it: sensors, what is known about them, and their observations.

A graph is one observation: its class, its sensor, its property and its value, as four triples. The query joins the
observations of two roads of a journey: for one journey, as CityBench asks, or for every journey of the city.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, Literal

from pyoxigraph import Literal as LiteralTerm
from pyoxigraph import NamedNode, Quad, Triple

from lasing.connectors.rdf.terms import value_of_term
from lasing.errors import SourceText
from lasing.languages import SPARQL, read_program
from lasing.logic.program import Program
from lasing.rdf import Graph, graph

Journeys = Literal["one journey", "every journey"]

CITY = "http://city.example/"
SSN, SAO, CT = "http://purl.oclc.org/NET/ssnx/ssn#", "http://purl.oclc.org/NET/sao/sao#", f"{CITY}ontology#"
TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
PREFIXES = f"PREFIX ssn: <{SSN}> PREFIX sao: <{SAO}> PREFIX ct: <{CT}> PREFIX : <{CITY}>"
RATE, RANGE = 1_000, 3_000
"""Graphs per second, and the length of the window in milliseconds."""
SENSORS, BACKGROUND = 500, 100_000

ROADS: dict[Journeys, tuple[str, str, str]] = {
    "one journey": ("", ":s10", ":s11"),
    "every journey": ("?journey ct:first ?s ; ct:second ?t .", "?s", "?t"),
}


def query_text(journeys: Journeys, step: int) -> str:
    """The query, with windows that move every `step` milliseconds."""
    window = f":traffic [RANGE {RANGE}ms STEP {step}ms]"
    static, first, second = ROADS[journeys]
    return f"""{PREFIXES}
REGISTER RSTREAM :pairs AS SELECT ?x ?y ?v ?w
FROM NAMED WINDOW :a ON {window} FROM NAMED WINDOW :b ON {window}
WHERE {{
  {static} ?p a ct:CongestionLevel . ?q a ct:CongestionLevel .
  WINDOW :a {{ ?x a ssn:Observation ; ssn:observedBy {first} ; ssn:observedProperty ?p ; sao:hasValue ?v }}
  WINDOW :b {{ ?y a ssn:Observation ; ssn:observedBy {second} ; ssn:observedProperty ?q ; sao:hasValue ?w }}
}}"""


def window_query(journeys: Journeys) -> str:
    """The same in SPARQL, where the content of the window is one graph."""
    static, first, second = ROADS[journeys]
    return f"""{PREFIXES}
SELECT ?x ?y ?v ?w WHERE {{
  {static} ?p a ct:CongestionLevel . ?q a ct:CongestionLevel .
  GRAPH :window {{
    ?x a ssn:Observation ; ssn:observedBy {first} ; ssn:observedProperty ?p ; sao:hasValue ?v .
    ?y a ssn:Observation ; ssn:observedBy {second} ; ssn:observedProperty ?q ; sao:hasValue ?w .
  }}
}}"""


def _city(name: str) -> NamedNode:
    return NamedNode(CITY + name)


@dataclass(frozen=True)
class City:
    """A city whose sensors send `graphs` graphs, one each millisecond."""

    graphs: int

    @cached_property
    def background(self) -> list[Triple]:
        """What is known: sensors, their properties and journeys, and other things."""
        found = [Triple(_city(f"s{i}"), TYPE, NamedNode(f"{CT}TrafficSensor")) for i in range(SENSORS)]
        for kind in ("CongestionLevel", "AverageSpeed", "VehicleCount"):
            found += [Triple(_city(f"{kind}{i}"), TYPE, NamedNode(CT + kind)) for i in range(SENSORS)]
        for i in range(0, SENSORS, 2):
            found.append(Triple(_city(f"j{i}"), NamedNode(f"{CT}first"), _city(f"s{i}")))
            found.append(Triple(_city(f"j{i}"), NamedNode(f"{CT}second"), _city(f"s{i + 1}")))
        for i in range(BACKGROUND - len(found)):
            if i % 4:
                predicate, value = NamedNode(f"{CT}about{i % 40}"), _city(f"thing{i * 7 % 999}")
            else:
                predicate, value = TYPE, NamedNode(f"{CT}Class{i % 50}")
            found.append(Triple(_city(f"thing{i // 4}"), predicate, value))
        return found

    @cached_property
    def known(self) -> Graph:
        """The background, as our engine takes it."""
        return graph(self.background)

    @cached_property
    def triples(self) -> list[list[Triple]]:
        """The triples of each graph."""
        return list(self._observations(Random(1)))

    def _observations(self, random: Random) -> Iterator[list[Triple]]:
        for number in range(self.graphs):
            one, sensor = _city(f"o{number}"), random.randrange(SENSORS)
            yield [
                Triple(one, TYPE, NamedNode(f"{SSN}Observation")),
                Triple(one, NamedNode(f"{SSN}observedBy"), _city(f"s{sensor}")),
                Triple(one, NamedNode(f"{SSN}observedProperty"), _city(f"CongestionLevel{sensor}")),
                Triple(one, NamedNode(f"{SAO}hasValue"), LiteralTerm(random.randrange(100))),
            ]

    @cached_property
    def facts(self) -> list[list[tuple[Any, ...]]]:
        """The triples of each graph, as facts."""
        return [
            [("traffic", *(value_of_term(term) for term in (t.subject, t.predicate, t.object))) for t in triples]
            for triples in self.triples
        ]

    @cached_property
    def quads(self) -> list[list[Quad]]:
        """The triples of each graph, in the graph of the window."""
        window = _city("window")
        return [[Quad(t.subject, t.predicate, t.object, window) for t in triples] for triples in self.triples]

    def lines(self, step: int, graphs: int) -> Iterator[str]:
        """The first graphs of the stream as N-Triples with times, in time points of `step` milliseconds."""
        for number, triples in enumerate(self.triples[:graphs]):
            for t in triples:
                yield f"{t.subject} {t.predicate} {t.object} {number // step} .\n"


def program(journeys: Journeys, step: int) -> Program:
    """The program of the query."""
    return read_program([SourceText("query", query_text(journeys, step))], language=SPARQL.name)
