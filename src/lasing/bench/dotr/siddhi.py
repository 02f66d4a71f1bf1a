"""The default scenario in Siddhi, an event engine in Java, through PySiddhi.

Siddhi knows neither RDF nor rules, so it gets each reading as an event with its room. `last` is a table with the last
reading of each room for each rule; `each` is a join with a window.

PySiddhi needs Java, and the jars of Siddhi in `$SIDDHISDK_HOME/lib`: those of its own package, in `__PySiddhiProxy`.
"""

from __future__ import annotations

import atexit
import os
from importlib.util import find_spec
from typing import Any

from lasing.bench.dotr.by_hand import Results, rooms_of
from lasing.bench.dotr.workloads import HAS_VAL, READS, Fact, Setting

MOST_RULES = 100
"""Each rule takes two queries, which Siddhi compiles one by one."""

STREAMS = """
define stream A (room string, value long, ts long);
define stream B (room string, value long, ts long);
define stream CE (value long);
"""
TABLE = "@PrimaryKey('room') define table Last{0} (room string, ts long);\n"
LAST = """
from B[value > {0}] select room, ts update or insert into Last{0} set Last{0}.ts = ts on Last{0}.room == room;
from A[value > {0}]#window.length(1) as a join Last{0} on a.room == Last{0}.room and a.ts - Last{0}.ts < {1}
select a.value as value insert into CE;
"""
EACH = """
from A[value > {0}]#window.length(1) as a unidirectional join B[value > {0}]#window.externalTime(ts, {1} millisec) as b
on a.room == b.room and a.ts - b.ts < {1} select a.value as value insert into CE;
"""


def missing() -> str:
    """Why Siddhi cannot be used here; nothing if it can."""
    if find_spec("PySiddhi") is None:
        return "PySiddhi is not installed"
    return "" if "SIDDHISDK_HOME" in os.environ else "SIDDHISDK_HOME does not say where its jars are"


def takes(setting: Setting) -> bool:
    """Whether the rules of a setting can be written as here."""
    return setting.length == 2 and setting.rules <= MOST_RULES


class Siddhi:
    """Siddhi with the rules of a setting."""

    def __init__(self, setting: Setting) -> None:
        from PySiddhi.core.SiddhiManager import SiddhiManager
        from PySiddhi.core.stream.output.StreamCallback import StreamCallback
        from PySiddhi.DataTypes.LongType import LongType

        values: list[Any] = []

        class Collect(StreamCallback):  # type: ignore[misc]  # PySiddhi has no types
            def receive(self, events: list[Any]) -> None:
                values.extend(event.getData()[0] for event in events)

        self._long, self._values = LongType, values
        self._rooms = {sensor: str(room) for sensor, room in rooms_of(setting).items()}
        self._step = 1000 // setting.rate
        parts = (STREAMS, TABLE, LAST) if setting.policy == "last" else (STREAMS, EACH)
        text = "".join(
            part.format(least, 1000 * setting.seconds)
            for part in parts  # what is defined comes before all queries
            for least in range(1 if part is STREAMS else setting.rules)
        )
        self._runtime = SiddhiManager().createSiddhiAppRuntime(text)
        self._callback = Collect()
        self._runtime.addCallback("CE", self._callback)
        self._inputs = {READS[name]: self._runtime.getInputHandler(name) for name in setting.events}
        self._runtime.start()
        atexit.register(self._runtime.shutdown)  # its threads would keep the process alive
        self._results = 0

    def step(self, t: int, graph: list[Fact]) -> Results:
        """The triples of the results at a time point."""
        self._values.clear()
        for _, sensor, name, value in graph:
            self._inputs[name].send([self._rooms[sensor], self._long(value), self._long(t * self._step)])
        found: Results = []
        for value in self._values:
            self._results += 1
            found.append((f"id{self._results}", HAS_VAL, int(value)))
        return found
