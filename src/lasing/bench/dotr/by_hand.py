"""The patterns by hand, in plain Python: readings by room in dictionaries, and nested loops over all of a window.

Both know where each sensor is before the stream begins, and number their results for fresh identifiers.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from lasing.bench.dotr.workloads import EQUIPS, HAS_VAL, PLACED_IN, READS, Fact, Setting, Triple

Reading = tuple[int, Any, int]
"""A time, a room or a sensor, and a value."""
Results = list[Triple]


def rooms_of(setting: Setting) -> dict[Any, Any]:
    """The room of each sensor: what the Datalog rule derives."""
    known = list(setting.background())
    rooms = {thing: room for thing, name, room in known if name == PLACED_IN}
    return {sensor: rooms[thing] for sensor, name, thing in known if name == EQUIPS}


class Dictionaries:
    """Keeps the readings of a window by event and room, the newest last."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._rooms = rooms_of(setting)
        first, *others = setting.events
        self._first = READS[first]
        self._kept: dict[Any, dict[Any, deque[Reading]]] = {READS[e]: defaultdict(deque) for e in others}
        self._results = 0
        self._select = self._last if setting.policy == "last" else self._each

    def step(self, t: int, graph: list[Fact]) -> Results:
        """The triples of the results at a time point."""
        found: Results = []
        for _, sensor, name, value in graph:
            room = self._rooms[sensor]
            if name == self._first:
                for number in self._select(t, room, value):
                    found.append((f"id{number}", HAS_VAL, value))
            else:
                self._kept[name][room].append((t, sensor, value))
        return found

    def _last(self, t: int, room: Any, value: int) -> Iterator[int]:
        kept = self._in_window(t, room)
        for least in range(self._setting.rules):
            if value > least and all(any(one[2] > least for one in reversed(readings)) for readings in kept):
                self._results += 1
                yield self._results

    def _each(self, t: int, room: Any, value: int) -> Iterator[int]:
        kept = self._in_window(t, room)
        for least in range(self._setting.rules):
            if value > least:
                for _ in product(*([one for one in readings if one[2] > least] for readings in kept)):
                    self._results += 1
                    yield self._results

    def _in_window(self, t: int, room: Any) -> list[deque[Reading]]:
        """The readings of a room that are in the window, of each event."""
        first = t - self._setting.window
        found = []
        for by_room in self._kept.values():
            readings = by_room[room]
            while readings and readings[0][0] <= first:
                readings.popleft()
            found.append(readings)
        return found


class NestedLoops:
    """A reading that completes a pattern runs a loop for each other event, over all its readings in the window."""

    def __init__(self, setting: Setting) -> None:
        assert setting.policy == "each", "loops find all combinations"
        self._window, self._rules = setting.window, setting.rules
        self._rooms = rooms_of(setting)
        first, *others = setting.events
        self._first = READS[first]
        self._kept: dict[Any, deque[Reading]] = {READS[e]: deque() for e in others}
        self._loops = _loops(len(others))
        self._results = 0

    def step(self, t: int, graph: list[Fact]) -> Results:
        """The triples of the results at a time point."""
        for readings in self._kept.values():
            while readings and readings[0][0] <= t - self._window:
                readings.popleft()
        found: Results = []
        for _, sensor, name, value in graph:
            room = self._rooms[sensor]
            if name == self._first:
                for least in range(self._rules):
                    if value > least:
                        for _ in self._loops(room, least, *self._kept.values()):
                            self._results += 1
                            found.append((f"id{self._results}", HAS_VAL, value))
            else:
                self._kept[name].append((t, room, value))
        return found


def _loops(depth: int) -> Callable[..., Iterator[None]]:
    """Nested loops, written out as a person would write them.

    def loops(room, least, events0, events1):
        for _, room0, value0 in events0:
            if room0 == room and value0 > least:
                for _, room1, value1 in events1:
                    if room1 == room and value1 > least:
                        yield
    """
    lines = [f"def loops(room, least, {', '.join(f'events{i}' for i in range(depth))}):"]
    for i in range(depth):
        indent = "    " * (2 * i + 1)
        lines.append(f"{indent}for _, room{i}, value{i} in events{i}:")
        lines.append(f"{indent}    if room{i} == room and value{i} > least:")
    lines.append("    " * (2 * depth + 1) + "yield")
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)  # noqa: S102 -- code of this file, written out for a length
    loops: Callable[..., Iterator[None]] = space["loops"]
    return loops
