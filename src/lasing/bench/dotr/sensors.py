"""Rules in TESLA that differ only in constants: each watches a sensor of its own, and a reading concerns one rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

from lasing.bench.dotr.workloads import Fact
from lasing.errors import SourceText
from lasing.languages import TESLA, read_program
from lasing.logic.program import Program

SENSORS = 1_000
WINDOW = 30
EVENTS = "event A(sensor: int, value: int);\nevent B(sensor: int, value: int);\n"
RULE = (
    "define CE(sensor: int, value: int)\n"
    "from A(sensor = {0}, value > {0}) and last B(sensor = {0}, value > {0}) within {1} from A\n"
    "with sensor = A.sensor, value = A.value;\n"
)


@dataclass(frozen=True)
class BySensor:
    """This number of rules over a thousand sensors."""

    rules: int

    @cached_property
    def program(self) -> Program:
        """The rules, in TESLA."""
        text = EVENTS + "".join(RULE.format(sensor, WINDOW) for sensor in range(1, self.rules + 1))
        return read_program([SourceText("rules", text)], language=TESLA.name)

    def events(self, number: int) -> list[list[Fact]]:
        """The first events of the stream. All of them are of the first sensor: as few results as rules can have."""
        random = Random(1)
        return [
            [("a" if random.random() < 0.2 else "b", 1, random.randint(SENSORS + 1, 2 * SENSORS))]
            for _ in range(number)
        ]
