"""CityBench's first two queries as event patterns, on a generated city; and the same by hand.

A graph has two readings of congestion and one of the weather, five triples each. The first query pairs the readings of
two roads of a journey, in either order (`each`); the second one adds the latest weather to the reading of a road
(`last`). Both look back three seconds, for one journey, as CityBench asks, or for every journey of the city.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any, Literal

from lasing.bench.dotr.workloads import Fact, Triple
from lasing.errors import SourceText
from lasing.languages import DOTR, read_program
from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri
from lasing.reading import program_of

Query = Literal["Q1", "Q2"]
Journeys = Literal["one journey", "every journey"]

CITY = "http://city.example/"
SSN, SAO, CT = "http://purl.oclc.org/NET/ssnx/ssn#", "http://purl.oclc.org/NET/sao/sao#", f"{CITY}ontology#"
PREFIXES = f"PREFIX ssn: <{SSN}> PREFIX sao: <{SAO}> PREFIX ct: <{CT}> PREFIX : <{CITY}>"
SENSORS, BACKGROUND = 500, 100_000

SECONDS = 3
FIRST, SECOND = 10, 11
"""The sensors of the roads of the one journey."""
TYPE = Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
OBSERVATION, OBSERVED_BY, OBSERVED = (Iri(SSN + n) for n in ("Observation", "observedBy", "observedProperty"))
VALUE, LEVEL = Iri(f"{SAO}hasValue"), Iri(f"{CT}CongestionLevel")
WEATHER = tuple(Iri(CT + n) for n in ("temperature", "humidity", "windSpeed"))
SAMPLED = Iri(f"{CT}sampled")
RESULT = {name: Iri(CITY + name) for name in ("first", "second", "congestion", "temperature", "humidity", "windSpeed")}


def term(name: str) -> Iri:
    return Iri(CITY + name)


def _road(event: str, place: str, journeys: Journeys) -> str:
    """The congestion of the first or the second road of a journey, as an event."""
    sensor = FIRST if place == "first" else SECOND
    where, by = (
        ("", f":s{sensor}") if journeys == "one journey" else (f"?j{event} ct:{place} ?s{event} .", f"?s{event}")
    )
    shown = "" if journeys == "one journey" else f"?j{event} "
    return (
        f"SELECT ?o{event} ?v{event} {shown}WHERE {{ ?o{event} a ssn:Observation ; ssn:observedBy {by} ; "
        f"ssn:observedProperty ?p{event} ; sao:hasValue ?v{event} . {where} ?p{event} a ct:CongestionLevel . "
    )


@dataclass(frozen=True)
class CitySetting:
    """One of the queries, for one journey or all of them, at a rate in graphs per second."""

    query: Query
    journeys: Journeys
    rate: int

    @property
    def window(self) -> int:
        """The time points of a window: a graph comes at each."""
        return SECONDS * self.rate

    @property
    def text(self) -> str:
        """The rules, in DOTR."""
        rules = self._pairs() if self.query == "Q1" else self._with_weather()
        return f"{PREFIXES}\ntick {1000 // self.rate} ms\n{rules}"

    def _pairs(self) -> str:
        rules = []
        for (one, place), (other, behind) in ((("X", "first"), ("Y", "second")), (("Y", "second"), ("X", "first"))):
            same = "" if self.journeys == "one journey" else f"FILTER(?j{other} = {one}.?j{one})"
            rules.append(
                f"define Pair = [dotr_id1 :first ?v ; :second ?w]\n"
                f"from {one} = [{_road(one, place, self.journeys)}}}]\n"
                f"and each {other} = [{_road(other, behind, self.journeys)}{same} }}] within {SECONDS}s from {one}\n"
                f"with Pair.?v = X.?vX, Pair.?w = Y.?vY\n"
            )
        return "".join(rules)

    def _with_weather(self) -> str:
        return (
            "define Report = [dotr_id1 :congestion ?v ; :temperature ?t ; :humidity ?h ; :windSpeed ?w]\n"
            f"from X = [{_road('X', 'first', self.journeys)}}}]\n"
            "and last W = [SELECT ?o ?t ?h ?w WHERE { ?o ct:temperature ?t ; ct:humidity ?h ; ct:windSpeed ?w }] "
            f"within {SECONDS}s from X\n"
            "with Report.?v = X.?vX, Report.?t = W.?t, Report.?h = W.?h, Report.?w = W.?w\n"
        )

    @cached_property
    def program(self) -> Program:
        """The rules with the background."""
        rules = read_program([SourceText("rules", self.text)], language=DOTR.name)
        return program_of(rules, None, None, [known()])

    def graphs(self, number: int) -> list[list[Fact]]:
        """The first graphs of the stream, as facts."""
        return list(_graphs(Random(1), number))


@cache
def known() -> FactTable:
    """What is known: properties and their classes, journeys, and other things."""
    found: list[Triple] = []
    for kind in ("CongestionLevel", "AverageSpeed", "VehicleCount"):
        found += [(term(f"{kind}{i}"), TYPE, Iri(CT + kind)) for i in range(SENSORS)]
    for i in range(0, SENSORS, 2):
        found.append((term(f"j{i}"), Iri(f"{CT}first"), term(f"s{i}")))
        found.append((term(f"j{i}"), Iri(f"{CT}second"), term(f"s{i + 1}")))
    for i in range(BACKGROUND - len(found)):
        found.append((term(f"thing{i // 4}"), Iri(f"{CT}about{i % 40}"), term(f"thing{i * 7 % 999}")))
    return FactTable.of("triple", found, 3)


def _graphs(random: Random, number: int) -> Iterator[list[Fact]]:
    for t in range(number):
        graph: list[Fact] = []
        for which in range(2):
            one, sensor = term(f"o{t}_{which}"), random.randrange(SENSORS)
            graph += [
                ("triple", one, TYPE, OBSERVATION),
                ("triple", one, OBSERVED_BY, term(f"s{sensor}")),
                ("triple", one, OBSERVED, term(f"CongestionLevel{sensor}")),
                ("triple", one, VALUE, random.randrange(100)),
                ("triple", one, SAMPLED, t),
            ]
        one = term(f"w{t}")
        graph += [("triple", one, name, random.randrange(100)) for name in WEATHER]
        yield [*graph, ("triple", one, TYPE, OBSERVATION), ("triple", one, SAMPLED, t)]


class CityByHand:
    """The queries in plain Python: congestion by journey and road, and the last weather."""

    def __init__(self, setting: CitySetting) -> None:
        self._setting = setting
        numbers = range(0, SENSORS, 2) if setting.journeys == "every journey" else [FIRST]
        self._places = {term(f"s{i + k}"): (i, k) for i in numbers for k in (0, 1)}
        self._levels = {term(f"CongestionLevel{i}") for i in range(SENSORS)}
        self._kept: tuple[dict[int, deque[tuple[int, int]]], ...] = defaultdict(deque), defaultdict(deque)
        self._weather: tuple[int, list[Any]] | None = None
        self._results = 0

    def step(self, t: int, graph: list[Fact]) -> list[Triple]:
        """The triples of the results at a time point."""
        about: dict[Any, dict[Any, Any]] = {}
        for _, subject, name, value in graph:
            about.setdefault(subject, {})[name] = value
        found: list[Triple] = []
        arrived, weather = [], None
        for one in about.values():
            place = self._places.get(one[OBSERVED_BY]) if OBSERVED_BY in one else None
            if place is not None and one.get(OBSERVED) in self._levels:
                arrived.append((place, one[VALUE]))
            elif WEATHER[0] in one:
                weather = [one[name] for name in WEATHER]
        for (journey, which), value in arrived:
            if self._setting.query == "Q1":
                self._pair(t, journey, which, value, found)
            elif which == 0 and self._weather is not None and self._weather[0] > t - self._setting.window:
                self._results += 1
                names = ("congestion", "temperature", "humidity", "windSpeed")
                values = (value, *self._weather[1])
                found += [(f"id{self._results}", RESULT[n], v) for n, v in zip(names, values, strict=True)]
        for (journey, which), value in arrived:
            self._kept[which][journey].append((t, value))
        if weather is not None:
            self._weather = t, weather
        return found

    def _pair(self, t: int, journey: int, which: int, value: int, found: list[Triple]) -> None:
        others = self._kept[1 - which][journey]
        while others and others[0][0] <= t - self._setting.window:
            others.popleft()
        for _, other in others:
            self._results += 1
            pair = (value, other) if which == 0 else (other, value)
            found += [(f"id{self._results}", RESULT[n], v) for n, v in zip(("first", "second"), pair, strict=True)]
