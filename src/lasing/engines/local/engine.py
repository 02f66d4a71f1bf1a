"""The incremental engine as a session sees it: facts in at a time point, what changes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from lasing.engines.local import memory
from lasing.engines.local.calendar import WAKE_UP, new_calendar, schedule
from lasing.engines.local.execute import IN_ARGS, OUT_ARGS, OUT_PREDICATE, OUT_SIGN, run_batch
from lasing.engines.local.layout import lay_out
from lasing.engines.local.operators.rules import MOST_ROWS
from lasing.engines.local.values import DOUBLE, INTEGER, NAMES, NO_ROOM, REASONS, SMALL, WIDES, wide
from lasing.errors import fault
from lasing.logic.answers import Answer
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.terms import Value
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan

Array = np.ndarray[Any, np.dtype[np.int64]]


class LocalEngine:
    """Evaluates a program incrementally. `Unplanned` is raised at once where it cannot."""

    def __init__(self, program: Program, start: int, plan: Plan | None = None, annotated: bool = False) -> None:
        self._arena = lay_out(compile_plan(program) if plan is None else plan, annotated)
        self._memory = self._arena.memory
        self._memory[memory.START] = start
        self._calendar = new_calendar()
        schedule(self._calendar, start, WAKE_UP, 0)
        self._time = start - 1
        self._codes: dict[Value, int] = {}
        self._names: list[str] = []
        self._ranks = np.zeros(1, np.int64)
        self._width = IN_ARGS + max(1, self._arena.width)
        self._out = np.empty((1024, OUT_ARGS + max(1, self._arena.width)), np.int64)
        self._current: set[Atom] = set()
        for register, value in self._arena.constants:
            self._memory[register] = 0
            code = self._code(value)
            self._memory[register] = code
        self._waiting = [[start, number, *(self._code(arg) for arg in args)] for number, args in self._arena.background]

    @property
    def predicates(self) -> dict[str, int]:
        """The numbers under which facts are fed in as encoded columns."""
        return self._arena.predicates

    def state(self) -> tuple[Array, Array, Array]:
        """The arena, the calendar, and room for output: what `execute.run_batch` takes and gives back."""
        return self._memory, self._calendar, self._out

    @property
    def memory_bytes(self) -> int:
        """How large the arena and the calendar are."""
        return self._memory.nbytes + self._calendar.nbytes

    @property
    def dropped_heads(self) -> int:
        """How many atoms were derived for times before the start."""
        return int(self._memory[memory.DROPPED])

    @property
    def failures(self) -> Counter[tuple[int, str]]:
        """Instances that had no value, by rule and reason."""
        first = int(self._memory[memory.COUNTERS])
        found: Counter[tuple[int, str]] = Counter()
        for rule in range(self._arena.rules):
            for i, reason in enumerate(REASONS):
                if number := int(self._memory[first + rule * len(REASONS) + i]):
                    found[rule, reason] = number
        return found

    def step(self, time: int, atoms: Iterable[Atom]) -> Answer:
        """The answer at a time point, given the facts that are new at it."""
        if not -SMALL < time < SMALL:
            raise fault("E506", f"the time {time} is beyond 60 bits", note="count time from another origin")
        rows = self._waiting
        self._waiting = []
        seen: set[Atom] = set()
        for atom in atoms:
            if atom not in seen:
                seen.add(atom)
                rows.append(self._row(time, atom))
        block = np.zeros((len(rows), self._width), np.int64)
        for i, row in enumerate(rows):
            block[i, : len(row)] = row
        self._rank()
        self._memory, self._calendar, self._out, written, _, _ = run_batch(
            self._memory, self._calendar, block, 0, self._time, time, self._ranks, self._out
        )
        self._time = time
        if self._memory[memory.ENDLESS]:
            raise fault(
                "E304",
                f"more than {MOST_ROWS:,} atoms are derived at time point {time}",
                note="a recursion that makes new values, such as p(X+1) :- p(X), has no end: bound it by a comparison",
            )
        for row in self._out[:written].tolist():
            predicate, arity = self._arena.outputs[row[OUT_PREDICATE]]
            atom = Atom(predicate, tuple(self._value(code) for code in row[OUT_ARGS : OUT_ARGS + arity]))
            if row[OUT_SIGN] > 0:
                self._current.add(atom)
            else:
                self._current.discard(atom)
        return Answer(time, frozenset(self._current))

    def _row(self, time: int, atom: Atom) -> list[int]:
        number = self._arena.predicates.get(atom.predicate)
        if number is None:
            return [time, self._arena.predicates[""]]
        return [time, number, *(self._code(arg) for arg in atom.args if isinstance(arg, int | float | str))]

    def _code(self, value: Value) -> int:
        if isinstance(value, int) and -SMALL < value < SMALL:
            return value
        code = self._codes.get(value)
        if code is None:
            if isinstance(value, str):
                code = NAMES + len(self._names)
                self._names.append(value)
            else:
                kind = INTEGER if isinstance(value, int) else DOUBLE
                bits = value if isinstance(value, int) else int(np.float64(value).view(np.int64))
                code = wide(self._memory, kind, bits)
                while code == NO_ROOM:
                    self._memory = memory.room(self._memory, self._memory[memory.WIDE])
                    code = wide(self._memory, kind, bits)
            self._codes[value] = code
        return code

    def _value(self, code: int) -> Value:
        if code < NAMES:
            return code
        if code < WIDES:
            return self._names[code - NAMES]
        at = memory.record(self._memory, int(self._memory[memory.WIDE]), code - WIDES)
        bits = self._memory[at + 1]
        return int(bits) if self._memory[at] == INTEGER else float(bits.view(np.float64))

    def _rank(self) -> None:
        """The order of names by code point; ranks are made anew when there are new names."""
        if len(self._names) > self._ranks.shape[0] - 1:
            self._ranks = np.zeros(len(self._names) + 1, np.int64)
            order = sorted(range(len(self._names)), key=self._names.__getitem__)
            self._ranks[order] = np.arange(len(order))
