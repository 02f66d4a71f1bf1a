"""When the graphs of a stream are: from what is written to time points, in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from lasing.connectors.rows import late, time_of
from lasing.errors import LasingError, Place, fault
from lasing.logic.values import Instant, TypedLiteral, Value
from lasing.timeline.ticks import Tick

Numbers = np.ndarray[Any, np.dtype[np.int64]]

PROV = "http://www.w3.org/ns/prov#generatedAtTime"
"""The property of a graph that has its time, unless another one is named."""
_MOST_KNOWN = 1 << 16
_SMALL = re.compile(r"[0-9]{1,17}")
"""A time that is a number well below the limit."""


class Clock:
    """Turns the time stamps of one source into time points, as the program's tick says, and watches their order."""

    def __init__(self, name: str, tick: Tick | None, ordered: bool) -> None:
        self.name = name
        self._tick = tick
        self._ordered = ordered
        self._newest: int | None = None
        self._known: dict[object, int] = {}

    def point(self, stamp: Value, place: Place | None = None, what: str = "") -> int:
        """The time point of a time stamp; `what` says what it belongs to, if there is no place."""
        found = self._known.get(stamp)
        if found is None:
            found = self._read(stamp, place, what)
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known[stamp] = found
        if self._newest is not None and found < self._newest:
            if self._ordered:
                error = late(found, self._newest, place or Place(self.name, 0, 0), self._tick)
                assert isinstance(error, LasingError)
                raise error if place is not None else self._about(what, error)
        else:
            self._newest = found
        return found

    def quickly(self, stamps: Sequence[str], order: Numbers) -> Numbers | None:
        """The time points of time stamps, in the order in which they come; None if `point` would refuse one."""
        try:
            known = np.array(
                [int(stamp) if _SMALL.fullmatch(stamp) else self._read(stamp, None, "") for stamp in stamps], np.int64
            )
        except LasingError:
            return None
        times: Numbers = known[order]
        newest = times[0] if self._newest is None else max(times[0], self._newest)
        if self._ordered and (times[0] < newest or (times[1:] < times[:-1]).any()):
            return None
        self._newest = max(int(newest), int(times.max()))
        return times

    def _read(self, stamp: Value, place: Place | None, what: str) -> int:
        written = stamp.lexical if isinstance(stamp, Instant | TypedLiteral) else stamp
        if not isinstance(written, int | str):
            raise self.wrong(f"{stamp} is not a time", place, what)
        try:
            return time_of(written, self._tick, place)
        except LasingError as error:
            raise error if place is not None else self._about(what, error) from None

    def wrong(self, message: str, place: Place | None, what: str, note: str = "") -> LasingError:
        """The error for a time that is wrong or missing."""
        return fault("E502", message if place is not None else f"{self.name}, {what}: {message}", place, note)

    def _about(self, what: str, error: LasingError) -> LasingError:
        d = error.diagnostics[0]
        return fault(d.code, f"{self.name}, {what}: {d.message}", note=d.note)


def property_of(time: str) -> str:
    """The property that `--time` names; another text than an IRI is about tables, and leaves the default.

    >>> property_of("time") == PROV, property_of("<http://ex.org/at>")
    (True, 'http://ex.org/at')
    """
    named = time.removeprefix("<").removesuffix(">")
    return named if ":" in named else PROV
