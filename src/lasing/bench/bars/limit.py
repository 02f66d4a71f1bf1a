"""The physical limit of J: a join loop in C++ for this one rule, called tick by tick as the engine is.

It needs g++. Without it there is no such contender, and the tables say so.
"""

from __future__ import annotations

import ctypes
import subprocess
import weakref
from collections import Counter
from functools import cache
from importlib.resources import as_file, files
from math import ceil, log2
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import numpy as np

from lasing.bench.measuring.turns import ChangedRows, Contender
from lasing.bench.measuring.workloads import ARGS, Array, Stream

RESULTS_PER_ATOM = 6
"""How many results of the join the ring has room for: in J an atom meets about four others."""


def compiled(package: str, name: str) -> ctypes.CDLL | None:
    """A C++ file of a package, compiled and loaded; None if g++ cannot compile it."""
    if which("g++") is None:
        return None
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, as_file(files(package) / name) as source:
        target = Path(folder) / "loop.so"
        command = ["g++", "-std=c++17", "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(target)]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            return None
        return ctypes.CDLL(str(target))


@cache
def library() -> ctypes.CDLL | None:
    """The compiled loop, or None if g++ cannot compile it."""
    loaded = compiled("lasing.bench.bars", "limit.cpp")
    if loaded is None:
        return None
    loaded.join_new.restype = ctypes.c_void_p
    loaded.join_new.argtypes = [ctypes.c_int64, ctypes.c_int, ctypes.c_int]
    loaded.join_free.restype = None
    loaded.join_free.argtypes = [ctypes.c_void_p]
    loaded.join_tick.restype = ctypes.c_int64
    loaded.join_tick.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_void_p,
    ]
    return loaded


class JoinLoop:
    """The loop over a stream: `tick` gives the rows (A, C, until) that are new, or newly guaranteed for longer.

    Addresses are taken beforehand, so that a tick costs little more than the call.
    """

    def __init__(self, loaded: ctypes.CDLL, window: int, stream: Stream) -> None:
        self._first, self._second = (np.ascontiguousarray(stream.rows[:, ARGS + i]) for i in (0, 1))
        self._addresses = self._first.ctypes.data, self._second.ctypes.data
        self._bounds = stream.bounds
        live = max(np.diff(self._bounds)) * (window + 2)
        p_bits, q_bits = max(8, ceil(log2(live)) + 1), max(10, ceil(log2(live * RESULTS_PER_ATOM)) + 1)
        self._out = np.empty((2**q_bits, 3), np.int64)
        self._out_address = self._out.ctypes.data
        self._join = ctypes.c_void_p(loaded.join_new(window, p_bits, q_bits))
        self._tick = loaded.join_tick
        weakref.finalize(self, loaded.join_free, self._join)

    def tick(self, t: int) -> Array:
        """The new rows of a time point, in a buffer that the next tick overwrites."""
        begin, end = self._bounds[t], self._bounds[t + 1]
        first, second = self._addresses
        count = self._tick(self._join, t, first + 8 * begin, second + 8 * begin, end - begin, self._out_address)
        if count < 0:
            raise OverflowError(f"the rings have no room at time point {t}")
        return self._out[:count]


def limit(window: int, stream: Stream) -> Contender | None:
    """The loop as a contender on J; None if g++ cannot compile it."""
    loaded = library()
    if loaded is None:
        return None
    return Contender("C++ loop", lambda: JoinLoop(loaded, window, stream).tick, _changed_rows)


def _changed_rows(rows: Array) -> ChangedRows:
    """Rows (until, A, C), as the annotated engine returns them."""
    return Counter((until, first, second) for first, second, until in rows.tolist())
