"""Workloads in which one measure grows while the others stay: how long atoms last, how many rules, how deep."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lasing.bench.measuring.course import WINDOW
from lasing.bench.measuring.workloads import ARGS, PREDICATE, TIME, Stream, Workload


def _as_long_as_windows(chance: np.random.Generator, rate: int, window: int, points: int) -> Stream:
    """Atoms that last about two windows each, so that at any time about 60 % have been present for a whole window."""
    replaced = chance.random((points, rate)) < 1 / (2 * (window + 1))
    replaced[0] = True
    born = np.cumsum(replaced.ravel()).reshape(points, rate)
    keys = np.maximum.accumulate(np.where(replaced, born, 0), axis=0).ravel()
    times = np.repeat(np.arange(points), rate)
    return Stream({"p": 2}, np.column_stack([times, np.zeros_like(times), keys, keys * 7 % 1000]), points)


LASTING_BOX = Workload("box", lambda n: f"q(A,B) :- p(A,B) always in [{n}].", _as_long_as_windows)
"""B, except that the number of atoms present for a whole window does not depend on its length."""


def inertia(standing: int) -> Workload:
    """Keys that stay on until they are stopped, and are started again at the next time point.

    All keys are started within the first time points; at any later one, half of the facts stop keys.
    """
    return Workload("inertia", lambda _: _KEPT, _stopped_and_started(standing))


def _stopped_and_started(keys: int) -> Callable[[np.random.Generator, int, int, int], Stream]:
    def draw(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
        first = np.zeros((keys, ARGS + 2), np.int64)
        first[:, TIME], first[:, ARGS] = np.arange(keys) * WINDOW // keys, np.arange(keys)
        half = max(1, rate // 2)
        stopped = chance.integers(0, keys, (points - WINDOW - 1, half))
        times = np.repeat(np.arange(WINDOW, points - 1), half)
        off, on = np.zeros((len(times), ARGS + 2), np.int64), np.zeros((len(times), ARGS + 2), np.int64)
        off[:, TIME], off[:, PREDICATE], off[:, ARGS] = times, 1, stopped.ravel()
        on[:, TIME], on[:, ARGS] = times + 1, stopped.ravel()
        rows = np.concatenate([first, off, on])
        return Stream({"start": 1, "stop": 1}, rows[np.argsort(rows[:, TIME], kind="stable")], points)

    return draw


_KEPT = "#stream on/1.\non(X) :- start(X).\non(X) :- on(X) in [1,-1], not stop(X)."
LONG_HELD = Workload("remembered", lambda n: f"{_KEPT}\nseen(X) :- on(X) in [{n}].", _stopped_and_started(1_000))
"""A window over a derived stream of a thousand atoms that hold for a long time."""


def rules_by_predicate(rules: int) -> Workload:
    """Independent rules over different predicates, alike except for these: each atom fires one of them."""
    return _by_predicate("predicates", rules, lambda i, window: f"h{i}(X) :- p{i}(X,V) in [{window}].")


def rules_by_threshold(rules: int) -> Workload:
    """The same with a threshold of its own in each rule, so that no two are alike. Each atom exceeds its threshold."""
    return _by_predicate("thresholds", rules, lambda i, window: f"h{i}(X) :- p{i}(X,V) in [{window}], V > {-1 - i}.")


def _by_predicate(name: str, rules: int, rule: Callable[[int, int], str]) -> Workload:
    def program(window: int) -> str:
        return "\n".join(rule(i, window) for i in range(rules))

    def draw(chance: np.random.Generator, rate: int, _window: int, points: int) -> Stream:
        number = rate * points
        times = np.repeat(np.arange(points), rate)
        rows = np.column_stack(
            [times, chance.integers(0, rules, number), np.arange(number), chance.integers(0, 1000, number)]
        )
        return Stream({f"p{i}": 2 for i in range(rules)}, rows, points)

    return Workload(name, program, draw)


def renewed_chain(length: int) -> Workload:
    """A chain of edges that are renewed in order, one at each time point: the reached nodes stay the same."""

    def draw(_chance: np.random.Generator, _rate: int, window: int, points: int) -> Stream:
        if window <= length:
            raise ValueError(f"in a window of {window} a chain of {length} edges falls apart")
        renewed = np.arange(points - 1) % length
        sources = np.concatenate([np.arange(length), renewed])
        rows = np.zeros((len(sources), ARGS + 2), np.int64)
        rows[length:, TIME] = np.arange(1, points)
        rows[:, ARGS], rows[:, ARGS + 1] = sources, sources + 1
        return Stream({"edge": 2}, rows, points)

    return Workload("renewed edge", _reached, draw)


def switched_chain(length: int) -> Workload:
    """A chain of edges whose first is present only at every other time point: all reached nodes come and go.

    The first edge leads to the node from which all others are reached, and lasts only for its time point.
    """

    def program(window: int) -> str:
        return f"reached(Y) :- first(Y) in [0].\nreached(Y) :- reached(X), edge(X,Y) in [{window}]."

    def draw(_chance: np.random.Generator, _rate: int, window: int, points: int) -> Stream:
        if window <= points:
            raise ValueError(f"a window of {window} is over within {points} time points")
        on = np.arange(0, points, 2)
        rows = np.zeros((length - 1 + len(on), ARGS + 2), np.int64)
        rows[: length - 1, ARGS] = np.arange(1, length)
        rows[: length - 1, ARGS + 1] = np.arange(2, length + 1)
        rows[length - 1 :, TIME], rows[length - 1 :, ARGS] = on, 1
        rows[length - 1 :, PREDICATE] = 1
        return Stream({"edge": 2, "first": 1}, rows, points)

    return Workload("switched edge", program, draw)


def cut_tree(length: int) -> Workload:
    """A tree of edges of which one is cut at each time point, and is back at the next: what lies beyond it is lost.

    Cuts are under a negation, so the recursion is in the counted plane.
    """

    def program(window: int) -> str:
        return (
            f"link(X,Y) :- edge(X,Y) in [{window}], not cut(X,Y) in [0].\n"
            "reached(Y) :- link(0,Y).\nreached(Y) :- reached(X), link(X,Y).\n"
            f"lost(X) :- edge(_,X) in [{window}], not reached(X)."
        )

    def draw(chance: np.random.Generator, _rate: int, window: int, points: int) -> Stream:
        if window <= points:
            raise ValueError(f"a window of {window} is over within {points} time points")
        tree = np.column_stack([chance.integers(0, np.arange(1, length + 1)), np.arange(1, length + 1)])
        rows = np.zeros((length + points - 1, ARGS + 2), np.int64)
        rows[:length, ARGS:] = tree
        rows[length:, TIME], rows[length:, PREDICATE] = np.arange(1, points), 1
        rows[length:, ARGS:] = tree[chance.integers(0, length, points - 1)]
        return Stream({"edge": 2, "cut": 2}, rows, points)

    return Workload("cut edge", program, draw)


def _reached(window: int) -> str:
    return f"reached(Y) :- edge(0,Y) in [{window}].\nreached(Y) :- reached(X), edge(X,Y) in [{window}]."
