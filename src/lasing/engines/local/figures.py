"""How much each rule adds and how long it takes, from the time someone asks for it. `measuring` has the kernels."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lasing.engines.local.measuring import CLOCK, FIGURES, FIRST_OPERATION, FIRST_RULE, RULE, rows_alive
from lasing.plan.nodes import Plan
from lasing.plan.relations import Relation
from lasing.plan.rewrite import rules_of

_Clock = ctypes.CFUNCTYPE(ctypes.c_int64)


@dataclass(frozen=True, slots=True)
class RuleFigures:
    """How many rows a rule added, and how much processor time it took, in seconds; by its index in the program.

    `others` are rules that differ from it only in constants: the engine has one rule for all of them.
    """

    rule: int
    rows: int
    seconds: float
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationFigures:
    """How many rows a relation has now, and how long the operation that maintains it took, without rules."""

    name: str
    rows: int
    seconds: float


class Measured(Protocol):
    """The engine that is measured."""

    @property
    def arena(self) -> np.ndarray[Any, np.dtype[np.int64]]: ...
    @property
    def relations(self) -> Sequence[Relation]: ...


class Measuring:
    """The figures of an engine, from now on. It keeps the engine alive, because it reads the engine's memory."""

    def __init__(self, engine: Measured, rules: int, nodes: Sequence[object], plan: Plan) -> None:
        self._engine, self._rules, self._nodes = engine, rules, nodes
        self._others = {rule.origin: rule.others for rule in rules_of(plan) if rule.others}
        self._arena, self._relations = engine.arena, engine.relations
        self._clock = _Clock(time.thread_time_ns)  # kept for as long as kernels call it: the engine keeps this
        self._arena[CLOCK] = ctypes.cast(self._clock, ctypes.c_void_p).value or 0

    def rules(self) -> list[RuleFigures]:
        """The figures of each rule of the program, in order; without those for which another one stands."""
        first = int(self._arena[FIGURES]) + FIRST_RULE
        words = self._arena[first : first + self._rules * RULE].reshape(-1, RULE).tolist()
        others = {number for several in self._others.values() for number in several}
        return [
            RuleFigures(number, rows, spent / 1e9, self._others.get(number, ()))
            for number, (rows, spent) in enumerate(words)
            if number not in others or rows or spent
        ]

    def relations(self) -> list[RelationFigures]:
        """The figures of each relation of the plan, in order."""
        first = int(self._arena[int(self._arena[FIGURES]) + FIRST_OPERATION])
        spent: dict[Relation, int] = {}
        for node, time_spent in zip(self._nodes, self._arena[first : first + len(self._nodes)].tolist(), strict=True):
            target = getattr(node, "target", None)
            if isinstance(target, Relation):
                spent[target] = spent.get(target, 0) + time_spent
        rows = rows_alive(self._arena).tolist()
        return [
            RelationFigures(relation.name, alive, spent.get(relation, 0) / 1e9)
            for relation, alive in zip(self._relations, rows, strict=True)
        ][1:]  # the first one holds wide values
