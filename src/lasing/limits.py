"""Limits on an evaluation: atoms at a time point, memory, and time.

`Limits` has the limits; a `Watch` applies them to one evaluation. An engine consults its watch while it works, and gets
an error that names the running rule, how many rows it made, and what to do.
"""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path

from lasing.errors import LasingError, Place, fault
from lasing.timeline.ticks import MILLISECONDS

_BYTES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12} | {
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")
_PULSES = 1024
"""How many pulses of a Python engine pass between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an evaluation may use. For atoms and memory, None means the default; for time, no limit."""

    atoms: int | None = None
    memory: int | None = None
    seconds: float | None = None

    @property
    def bytes(self) -> int:
        """The memory limit in bytes."""
        return memory_of_machine() // 2 if self.memory is None else self.memory


def limits_of(
    max_atoms: int | None = None, max_memory: int | str | None = None, max_time: float | str | timedelta | None = None
) -> Limits:
    """Limits as users write them.

    >>> limits_of(1000, "2 GB", "5 min")
    Limits(atoms=1000, memory=2000000000, seconds=300.0)
    """
    if max_atoms is not None and not (type(max_atoms) is int and 1 <= max_atoms < 2**62):
        raise fault("E306", f"max_atoms is {max_atoms!r}", note="give a whole number of at least 1")
    return Limits(
        max_atoms,
        None if max_memory is None else _memory(max_memory),
        None if max_time is None else _seconds(max_time),
    )


def _memory(given: int | str) -> int:
    amount = given if type(given) is int else _scaled(given, _BYTES)
    if amount is None or not 1 <= amount < 2**62:
        note = "give a number of bytes, or a text such as '500 MB' or '2 GB'"
        raise fault("E306", f"max_memory is {given!r}", note=note)
    return int(amount)


def _seconds(given: float | str | timedelta) -> float:
    seconds: float | None
    if isinstance(given, timedelta):
        seconds = given.total_seconds()
    elif isinstance(given, int | float) and not isinstance(given, bool):
        seconds = float(given) if given < 2**63 else math.inf
    else:
        seconds = _scaled(given, {"": 1.0, **{unit: length / 1000 for unit, length in MILLISECONDS.items()}})
    if seconds is None or not 0 < seconds < math.inf:
        note = "give a number of seconds, or a text such as '30 s' or '5 min'"
        raise fault("E306", f"max_time is {given!r}", note=note)
    return seconds


def _scaled(given: object, units: dict[str, int] | dict[str, float]) -> float | None:
    """An amount with a unit, as a number; None if it is not an amount."""
    found = _AMOUNT.fullmatch(given) if isinstance(given, str) else None
    scale = units.get(found[2].lower()) if found else None
    return None if found is None or scale is None else float(found[1]) * scale


class Watch:
    """Applies limits to one evaluation. Its clock starts at `restart`; `running` returns the place of the running rule,
    and `shown` returns a time point in the user's form."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.running: Callable[[], Place | None] = _nowhere
        self.shown: Callable[[int], str] = str
        self._pulses = 0
        self._resident = resident()
        self.restart()

    def restart(self) -> None:
        """Start the clock again."""
        limit = self.limits.seconds
        self._deadline = math.inf if limit is None else time.monotonic() + limit

    @property
    def late(self) -> bool:
        """Whether time is up."""
        return time.monotonic() > self._deadline

    def pulse(self, now: int, atoms: int) -> None:
        """Python engines call this again and again, at any rate. It raises an error if time or memory is used up."""
        self._pulses += 1
        if self._pulses < _PULSES:
            return
        self._pulses = 0
        self.look(now, f"{atoms:,} atoms are derived at this time point so far")

    def look(self, now: int, made: str) -> None:
        """Raise an error if time or memory is used up; `made` says how far the evaluation has got."""
        if self.late:
            raise self.out_of_time(now, self.running(), made)
        if resident() - self._resident > self.limits.bytes:
            raise self.out_of_memory(now, self.running(), made)

    def out_of_memory(self, now: int, place: Place | None, made: str) -> LasingError:
        message = f"the engine needs more than {_size(self.limits.bytes)} of memory at time point {self.shown(now)}"
        hints = ("shorter windows keep fewer facts, and a join with more shared variables derives less",)
        return _exceeded("E315", message, place, made, hints, "max_memory")

    def out_of_time(self, now: int, place: Place | None, made: str) -> LasingError:
        reached = self.shown(now)
        message = f"the evaluation takes longer than {self.limits.seconds:g} s; it has got to time point {reached}"
        hints = ("a join whose literals share few variables tries every combination",)
        return _exceeded("E316", message, place, made, hints, "max_time")


def too_many_atoms(most: int, now: int, place: Place | None, made: str, watch: Watch | None) -> LasingError:
    """The error for an evaluation that derives too many atoms."""
    message = f"more than {most:,} atoms are derived at time point {now if watch is None else watch.shown(now)}"
    hints = (
        "a recursion that makes new values or times, such as p(X+1) :- p(X), has no end: bound it by a comparison",
        "a join without a shared variable derives every combination",
    )
    return _exceeded("E304", message, place, made, hints, "max_atoms")


def _exceeded(
    code: str, message: str, place: Place | None, made: str, hints: tuple[str, ...], limit: str
) -> LasingError:
    where = [made] if place is None else [f"this rule was running; {made}"]
    option = "--" + limit.replace("_", "-")
    return fault(code, message, place, "\n".join([*where, *hints, f"to allow more: {option}, or {limit}= in Python"]))


def stopped() -> LasingError:
    """The error for using an engine again after it was stopped half way through a time point."""
    message = "this engine was stopped in the middle of an evaluation, and cannot continue"
    return fault("E317", message, note="restore one from a snapshot, or make a new one")


def _nowhere() -> Place | None:
    return None


def _size(number: int) -> str:
    for unit, scale in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= scale:
            return f"{number / scale:.3g} {unit}"
    return f"{number} bytes"


@cache
def memory_of_machine() -> int:
    """The memory of the machine in bytes, or that of the container if it is less."""
    found = [2**34]
    if hasattr(os, "sysconf"):
        found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = Path(limit).read_text().strip() if os.path.exists(limit) else ""
        if text.isdigit():
            found.append(int(text))
    return min(found)


def resident() -> int:
    """The memory of the process in bytes; 0 if the system does not report it."""
    if sys.platform == "linux":
        with open("/proc/self/statm", "rb", buffering=0) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
