"""The driver's side of a pause (see `pause`): it checks the clock and what was derived, and says why to stop."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from lasing.engines.local import memory, pause
from lasing.errors import Place
from lasing.limits import Watch, too_many_atoms
from lasing.logic.program import Program

MOST_ATOMS = 5_000_000
"""How many atoms one time point may derive, by default."""

_Function = ctypes.CFUNCTYPE(ctypes.c_int64)
_restore = ctypes.pythonapi.PyErr_Restore
_restore.argtypes = [ctypes.c_void_p] * 3
_restore.restype = None


class Supervisor:
    """Watches over the kernels of one engine."""

    def __init__(self, arena: np.ndarray[Any, np.dtype[np.int64]], program: Program, watch: Watch) -> None:
        self._arena = arena
        self._program = program
        self._watch = watch
        self._most = watch.limits.atoms or MOST_ATOMS
        self.raised: list[BaseException] = []
        """What Python raised when a kernel called it."""
        self._function = _Function(_look(arena, watch, self._most, self.raised))  # kept for as long as kernels call it
        arena[pause.DRIVER] = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        arena[pause.FUEL] = pause.PACE
        arena[pause.MOST_DERIVED] = self._most
        arena[pause.MOST_WORDS] = watch.limits.bytes // 8

    def reason(self, now: int) -> BaseException:
        """Why the kernels stopped, as an exception."""
        match int(self._arena[pause.STOPPED]):
            case pause.BY_SIGNAL:
                return self._raised_by_handler()
            case pause.BY_DRIVER:
                return self.raised.pop()
            case pause.OUT_OF_TIME:
                return self._watch.out_of_time(now, *self._running())
            case pause.TOO_MANY_ROWS:
                return too_many_atoms(self._most, now, *self._running(), self._watch)
            case _:
                return self._watch.out_of_memory(now, *self._running())

    def _raised_by_handler(self) -> BaseException:
        words = [int(word) or None for word in self._arena[pause.RAISED : pause.RAISED + 3]]
        try:
            _restore(*words)  # this raises it, because the call goes through Python's own interface
        except BaseException as raised:
            return raised
        raise AssertionError("a handler raised something")

    def _running(self) -> tuple[Place | None, str]:
        """The place of the rule that was running, and how far it had got."""
        rule, head = int(self._arena[pause.RUNNING]), int(self._arena[pause.RUNNING_HEAD])
        if not 0 <= rule < len(self._program.rules):
            return None, "no rule was running, but the engine was keeping its windows up to date"
        rows = int(self._arena[head + memory.HI] - self._arena[head + memory.FIRST])
        return self._program.rules[rule].place(), f"its head has {rows:,} rows that are new at this time point"


def _look(arena: Any, watch: Watch, most: int, raised: list[BaseException]) -> Any:
    """The function that kernels call. It must not raise: exceptions inside it are kept for `reason`."""

    def look() -> int:
        try:
            head = arena[pause.RUNNING_HEAD]
            running = arena[pause.RUNNING] != pause.NO_RULE
            new = arena[head + memory.HI] - arena[pause.RUNNING_FROM] if running else 0
            if arena[pause.DERIVED] + new > most:
                return pause.TOO_MANY_ROWS
            return pause.OUT_OF_TIME if watch.late else pause.GO_ON
        except BaseException as error:
            raised.append(error)
            return pause.BY_DRIVER

    return look
