"""Rooms with sensors whose readings trigger rules: the default scenario of the paper, and what its sweeps change.

A graph is one reading, `:sensor3 :read_valB 25`. A rule waits for a reading A in a room, after readings B, C and so on
in the same room. The background says which sensor equips which object and where the objects are; a Datalog rule derives
the room of a sensor from that. More rules of this shape, and more triples about sensors, are there to be in the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal

from lasing.errors import SourceText
from lasing.languages import DOTR, read_program
from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from lasing.logic.values import Iri
from lasing.reading import program_of

Policy = Literal["last", "each"]
Triple = tuple[Any, Any, Any]
Fact = tuple[Any, ...]

BUILDING = "http://building.example/"
PREFIX = f"PREFIX : <{BUILDING}>"
EVENTS = tuple("ABCDEFGHIJ")
HAS_VAL, EQUIPS, PLACED_IN, NUMBER = (Iri(BUILDING + n) for n in ("has_val", "equips", "placed_in", "number"))
READS = {event: Iri(f"{BUILDING}read_val{event}") for event in EVENTS}
VALUES = 1_000
"""How many different values there are. All of them satisfy all filters."""


def term(name: str) -> Iri:
    return Iri(BUILDING + name)


@dataclass(frozen=True)
class Setting:
    """The default scenario, unless it says otherwise."""

    rules: int = 10
    datalog: int = 11
    """The Datalog rules; the first of them says in which room a sensor is."""
    triples: int = 10_000
    """The triples about sensors that no rule needs."""
    length: int = 2
    """The events in a pattern."""
    policy: Policy = "last"
    seconds: int = 30
    """The length of the windows, in seconds."""
    rate: int = 1
    """The graphs per second."""
    rooms: int = 5
    """The rooms; each has two objects, with a sensor each."""
    terminators: float = 0.2
    """The share of readings that can complete a pattern."""

    @property
    def events(self) -> tuple[str, ...]:
        """The names of the events of a pattern; the first completes it."""
        return EVENTS[: self.length]

    @property
    def window(self) -> int:
        """The time points of a window: a graph comes at each."""
        return self.seconds * self.rate

    # -- what is written ----------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The rules, in DOTR."""
        tick = "" if self.rate == 1 else f"tick {1000 // self.rate} ms\n"
        return f"{PREFIX}\n{tick}" + "".join(map(self._rule, range(self.rules)))

    def _rule(self, least: int) -> str:
        first, *others = self.events
        patterns = [f"define CE = [dotr_id1 :has_val ?num.]\nfrom {self._event(first, f'?val{first} > {least}')}"]
        for event in others:
            test = f"?val{event} > {least} && ?room{event} = {first}.?room{first}"
            patterns.append(f"and {self.policy} {self._event(event, test)} within {self.seconds}s from {first}")
        return "\n".join((*patterns, f"with CE.?num = {first}.?val{first}\n"))

    @staticmethod
    def _event(name: str, test: str) -> str:
        return (
            f"{name} = [SELECT ?sensor{name} ?val{name} ?room{name} WHERE {{ ?sensor{name} :read_val{name} ?val{name}. "
            f"?sensor{name} :is_in_room ?room{name}. FILTER({test}) }}]"
        )

    @property
    def datalog_text(self) -> str:
        """The Datalog rules, in LARS."""
        lines = [f"#prefix b: <{BUILDING}>.", "b:is_in_room(S,R) :- b:equips(S,O), b:placed_in(O,R)."]
        lines += [f"b:derived{i}(S,R) :- b:equips(S,O), b:about{i}(O,R)." for i in range(1, self.datalog)]
        return "\n".join(lines)

    @cached_property
    def program(self) -> Program:
        """The rules with the background and the Datalog rules."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "datalog.lars"
            path.write_text(self.datalog_text, encoding="utf-8")
            events = read_program([SourceText("rules", self.text)], language=DOTR.name)
            return program_of(events, None, None, [FactTable.of("triple", list(self.background()), 3)], path)

    # -- what is known ------------------------------------------------------------------------------------------------

    @property
    def sensors(self) -> int:
        return 2 * self.rooms

    def background(self) -> Iterator[Triple]:
        """Where sensors are, one triple for each Datalog rule to use, and others."""
        for number in range(1, self.sensors + 1):
            yield term(f"sensor{number}"), EQUIPS, term(f"object{number}")
            yield term(f"object{number}"), PLACED_IN, term(f"room{(number + 1) // 2}")
        for number in range(1, self.rooms + 1):
            yield term(f"room{number}"), NUMBER, number
        for number in range(1, self.datalog):
            yield term(f"object{number % self.sensors + 1}"), term(f"about{number}"), term(f"thing{number}")
        for number in range(self.triples):
            yield term(f"sensor{number % self.sensors + 1}"), term(f"attribute{number % 20}"), number

    # -- what arrives -------------------------------------------------------------------------------------------------

    def graphs(self, number: int) -> list[list[Fact]]:
        """The first graphs of the stream, as facts."""
        return list(self._readings(Random(1), number))

    def _readings(self, random: Random, number: int) -> Iterator[list[Fact]]:
        first, *others = self.events
        sensors = [term(f"sensor{i}") for i in range(1, self.sensors + 1)]
        for _ in range(number):
            event = first if random.random() < self.terminators else random.choice(others)
            yield [("triple", random.choice(sensors), READS[event], random.randint(self.rules, self.rules + VALUES))]
