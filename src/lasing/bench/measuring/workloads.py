"""The workloads: for each, a program over a window of n time points, and a stream that keeps its rules busy.

Streams are drawn from a seed, so every contender in every run sees the same facts. Constants are integers from the
start: a benchmark measures reasoning, unless it says that it measures strings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, np.dtype[np.int64]]
TIME, PREDICATE, ARGS = range(3)


@dataclass(frozen=True)
class Stream:
    """Facts in the order of time: a row has its time, its predicate's place in `predicates`, and its arguments.

    `predicates` has the arity of each; the remaining columns of its rows are 0.
    """

    predicates: dict[str, int]
    rows: Array
    points: int

    @cached_property
    def bounds(self) -> list[int]:
        """The rows of time point t are those from bounds[t] to bounds[t + 1]."""
        return [int(bound) for bound in np.searchsorted(self.rows[:, TIME], np.arange(self.points + 1))]

    def facts(self, t: int) -> list[tuple[Any, ...]]:
        """The facts of a time point as tuples such as ("p", 3, 4), in the order of arrival."""
        rows = self.rows[self.bounds[t] : self.bounds[t + 1]].tolist()
        signatures = list(self.predicates.items())
        found = []
        for row in rows:
            name, arity = signatures[row[PREDICATE]]
            found.append((name, *row[ARGS : ARGS + arity]))
        return found


Draw = Callable[[np.random.Generator, int, int, int], Stream]
"""From a random generator, atoms per time point, a window, and a number of time points."""


@dataclass(frozen=True)
class Workload:
    """A program as a function of its window, and how to draw its stream."""

    name: str
    program: Callable[[int], str]
    draw: Draw

    def stream(self, rate: int, window: int, points: int, seed: int = 1) -> Stream:
        """A stream of `points` time points, with `rate` atoms at each."""
        return self.draw(np.random.default_rng(seed), rate, window, points)


def steady(args: Array, rate: int, predicate: str = "p") -> Stream:
    """Facts of one predicate, `rate` at each time point."""
    times = np.repeat(np.arange(len(args) // rate), rate)
    return Stream({predicate: args.shape[1]}, np.column_stack([times, np.zeros_like(times), args]), len(args) // rate)


def _ever_new(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
    """No atom comes twice: each is a new row, which comes and goes."""
    number = rate * points
    return steady(np.column_stack([chance.permutation(number), chance.integers(0, 1000, number)]), rate)


def _lasting(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
    """The same atoms at every time point, except that each is replaced with a probability of 1 %: long runs."""
    replaced = chance.random((points, rate)) < 0.01
    replaced[0] = True
    born = np.cumsum(replaced.ravel()).reshape(points, rate)  # a number for each atom, at its first time point
    keys = np.maximum.accumulate(np.where(replaced, born, 0), axis=0).ravel()
    return steady(np.column_stack([keys, keys * 7 % 1000]), rate)


def _pairs(chance: np.random.Generator, rate: int, window: int, points: int) -> Stream:
    """Pairs over enough constants that a new one joins two in the window at either end, so about four."""
    constants = max(4, rate * (window + 1) // 2)
    return steady(chance.integers(0, constants, (rate * points, 2)), rate)


TREE, FAN_OUT = 341, 4
"""The nodes of a tree of five levels: 1 + 4 + 16 + 64 + 256."""


def _trees(chance: np.random.Generator, rate: int, window: int, points: int) -> Stream:
    """Child-to-parent edges of a shallow forest with about as many edges as a window holds, so most are present."""
    node = np.arange(max(8, rate * (window + 1)) + 1)
    place = node % TREE
    parent = node - place + (place - 1) // FAN_OUT
    child = node[place > 0]
    drawn = child[chance.integers(0, len(child), rate * points)]
    return steady(np.column_stack([drawn, parent[drawn]]), rate)


def _temperatures(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
    """Different temperatures in a band that wanders from ice to steam and back within 100 time points."""
    middle = 50 + (100 + 2 * rate) * np.sin(np.arange(points) * (2 * np.pi / 100))
    offsets = chance.permuted(np.tile(np.arange(2 * rate), (points, 1)), axis=1)[:, :rate]
    degrees = middle.astype(np.int64)[:, None] - rate + offsets
    return steady(degrees.reshape(-1, 1), rate, "temp")


def _cooling(window: int) -> str:
    return f"""\
#tick 1 sec.
#const n = {window}.
steam(V)  at T :- temp(V) at T in [n], V >= 100.
liquid(V) at T :- temp(V) at T in [n], 1 <= V, V < 100.
isSteam   at T :- steam(V) at T in [n].
isLiquid  at T :- liquid(V) at T in [n].
alarm          :- isSteam always in [n].
normal         :- isLiquid always in [n].
freeze         :- not alarm, not normal.
veryHot(T)     :- steam(V) at T in [n], V >= 150.
#show alarm/0, freeze/0, veryHot/1.
"""


D = Workload("D", lambda n: f"q(A,B) :- p(A,B) in [{n}].", _ever_new)
B = Workload("B", lambda n: f"q(A,B) :- p(A,B) always in [{n}].", _lasting)
J = Workload("J", lambda n: f"q(A,C) :- p(A,B) in [{n}], p(B,C) in [{n}].", _pairs)
R = Workload("R", lambda n: f"q(A,B) :- p(A,B) in [{n}].\nq(A,C) :- p(A,B) in [{n}], q(B,C).", _trees)
C = Workload("C", _cooling, _temperatures)


def negation(standing: int) -> Workload:
    """N: sensors that are ok unless an alarm is in the window.

    A plain `sensor(S)` holds for ever only as background, so the sensors are in the program; alarms come at random.
    """

    def program(window: int) -> str:
        sensors = "\n".join(f"sensor({i})." for i in range(standing))
        return f"ok(S) :- sensor(S), not alarm(S) in [{window}].\n{sensors}\n"

    def draw(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
        return steady(chance.integers(0, standing, (rate * points, 1)), rate, "alarm")

    return Workload("N", program, draw)


def latest(standing: int) -> Workload:
    """M: the last value of each key, unless the key is silenced within the window.

    All keys have a value at the first time point; of the facts of any later one, half bring new values and half
    silence keys.
    """

    def draw(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
        first = np.zeros((standing, ARGS + 2), np.int64)
        first[:, ARGS] = np.arange(standing)
        changes = np.zeros((points - 1, rate, ARGS + 2), np.int64)
        changes[:, :, TIME] = np.arange(1, points)[:, None]
        changes[:, :, ARGS] = chance.integers(0, standing, (points - 1, rate))
        changes[:, : rate // 2, ARGS + 1] = chance.integers(1, 1000, (points - 1, rate // 2))
        changes[:, rate // 2 :, PREDICATE] = 1
        return Stream({"r": 2, "s": 1}, np.concatenate([first, changes.reshape(-1, ARGS + 2)]), points)

    return Workload("M", lambda n: f"m(X,V) :- r(X,V) in [#1 by X], not s(X) in [{n}].", draw)


Operator = Literal["=", ">"]


def rules_by_constant(operator: Operator, rules: int = 1000, only: int | None = None) -> Workload:
    """Rules that differ in a constant and the head; each new atom fires about two. `only` keeps just one of them.

    With `=`, two rules test each value. With `>`, the thresholds rise by one, and values are low enough to pass one,
    two or three of them. The stream does not depend on `only`.
    """
    values = rules // 2

    def program(window: int) -> str:
        constants = [i % values if operator == "=" else i for i in range(rules)]
        kept = range(rules) if only is None else (only,)
        return "\n".join(f"h{i}(X) :- p(X,V) in [{window}], V {operator} {constants[i]}." for i in kept)

    def draw(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
        number = rate * points
        drawn = chance.integers(0, values, number) if operator == "=" else chance.integers(1, 4, number)
        return steady(np.column_stack([np.arange(number), drawn]), rate)

    return Workload(f"V {operator} c", program, draw)


JOINS = (
    "(A,C) :- p(A,B) in [{n}], p(B,C) in [{k}]",
    "(A,C) :- p(A,B) in [{n}], p(C,B) in [{k}]",
    "(B,C) :- p(A,B) in [{n}], p(A,C) in [{k}]",
    "(A,B,C) :- p(A,B) in [{n}], p(B,C) in [{k}]",
)
"""Joins of p with itself, in which an atom joins about as many others as in J."""


def _many_joins(window: int) -> str:
    windows = range(window, window - 5, -1)
    bodies = [join.format(n=window, k=k) for join in JOINS for k in windows]
    return "\n".join(f"q{i}{body}." for i, body in enumerate(bodies))


TWENTY_JOINS = Workload("twenty joins", _many_joins, _pairs)
"""Four joins, each over five pairs of windows: no two rules share their results, and each atom fires all of them."""
