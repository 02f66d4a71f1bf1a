"""The limit of the Laser paper's workloads: a loop in C++ for each, called tick by tick as the engine is.

It needs g++. Without it there is no such contender.
"""

from __future__ import annotations

import ctypes
import weakref
from collections import Counter
from functools import cache

import numpy as np

from lasing.bench.bars.limit import compiled
from lasing.bench.laser.workloads import Task
from lasing.bench.measuring.records import OutputKind
from lasing.bench.measuring.turns import ChangedRows, Contender, Step
from lasing.bench.measuring.workloads import PREDICATE, Array, Stream

LOOP = "C++ loop"
KINDS = {"diamond": 0, "box": 1, "join": 2, "rules": 2, "cooling": 3}
RESULTS_PER_ATOM = 6
"""The number of join results that fit in the ring."""
FACT, ROW = 3, 4
"""How many numbers a fact has, and a row."""


@cache
def library() -> ctypes.CDLL | None:
    """The compiled loops, or None if g++ cannot compile them."""
    loaded = compiled("lasing.bench.laser", "loops.cpp")
    if loaded is None:
        return None
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    loaded.loop_new.restype, loaded.loop_new.argtypes = pointer, [ctypes.c_int, number, number, number]
    loaded.loop_free.restype, loaded.loop_free.argtypes = None, [pointer]
    loaded.loop_tick.restype, loaded.loop_tick.argtypes = number, [pointer, number, pointer, number, pointer]
    loaded.loop_answer.restype, loaded.loop_answer.argtypes = number, [pointer, number, pointer]
    return loaded


class Loop:
    """A loop over a stream. Rows are in a buffer that the next call overwrites.

    Addresses are taken beforehand, so that a tick costs little more than the call.
    """

    def __init__(self, loaded: ctypes.CDLL, task: Task, stream: Stream) -> None:
        self._facts = np.zeros((len(stream.rows), FACT), np.int64)
        self._facts[:, : stream.rows.shape[1] - PREDICATE] = stream.rows[:, PREDICATE:]
        self._address = self._facts.ctypes.data
        self._bounds = stream.bounds
        most = int(max(np.diff(self._bounds)))
        room = most * (task.window + 2) * RESULTS_PER_ATOM
        self._out = np.empty((2 * room + 64, ROW), np.int64)
        self._out_address = self._out.ctypes.data
        self._loop = ctypes.c_void_p(loaded.loop_new(KINDS[task.shape], task.window, most, room))
        self._tick, self._answer = loaded.loop_tick, loaded.loop_answer
        weakref.finalize(self, loaded.loop_free, self._loop)

    def tick(self, t: int) -> Array:
        """The changes at a time point."""
        begin, end = self._bounds[t], self._bounds[t + 1]
        count = self._tick(self._loop, t, self._address + 8 * FACT * begin, end - begin, self._out_address)
        if count < 0:
            raise OverflowError(f"the rings have no room at time point {t}")
        return self._out[:count]

    def answer(self, t: int) -> Array:
        """What holds at a time point, after its changes."""
        self.tick(t)
        return self._out[: self._answer(self._loop, t, self._out_address)]


def loops(task: Task, output: OutputKind, stream: Stream) -> Contender | None:
    """The loop for a task as a contender; None if g++ cannot compile it. Copies of a rule are written once."""
    loaded = library()
    if loaded is None:
        return None

    def start() -> Step:
        loop = Loop(loaded, task, stream)
        return loop.answer if output == "answers" else loop.tick

    return Contender(LOOP, start, _changed_rows)


def _changed_rows(rows: Array) -> ChangedRows:
    return Counter(map(tuple, rows.tolist()))
