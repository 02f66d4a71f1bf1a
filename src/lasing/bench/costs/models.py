"""Programs with several answers: what splitting saves, and what a long stream costs."""

from __future__ import annotations

from collections import deque
from random import Random
from statistics import median
from time import perf_counter

import lasing
from lasing.engine_choice import EngineName

ROOMS = 100
SENSORS = 500
WINDOW = 19
"""Every sensor reads at every time point, so the window holds 20 x 500 = 10,000 readings."""
POINTS = 6

PROGRAM = """
in_room(R, S, V) :- reading(S, V) in [19], inside(S, R).
hot(R) :- room(R), #count{S,V : in_room(R, S, V), V >= 9900} >= 4.
{vent(R)} :- hot(R).
:- #count{R : vent(R)} > 2.
:~ hot(R), not vent(R). [1, R]
#show vent/1.
"""
BY_HAND = """
in_room(R, S, V) :- reading(S, V), inside(S, R).
hot(R) :- room(R), #count{S,V : in_room(R, S, V), V >= 9900} >= 4.
{vent(R)} :- hot(R).
:- #count{R : vent(R)} > 2.
:~ hot(R), not vent(R). [1, R]
#project vent/1.
#show vent/1.
"""
BACKGROUND = "".join(f"inside(s{i}, r{i % ROOMS}).\n" for i in range(SENSORS))
BACKGROUND += "".join(f"room(r{i}).\n" for i in range(ROOMS))

LONG = """
hot(X) :- temp(X, V) in [10], V > 90.
{pick(X)} :- hot(X).
:- #count{X : pick(X)} > 1.
:- hot(X), not some.
some :- pick(X).
#show pick/1.
"""


def models() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, its cost, and how that compares."""
    return [*_splitting(), *_long_stream(10_000)]


def _readings(time: int) -> list[tuple[str, int]]:
    draw = Random(time)
    return [(f"s{i}", draw.randrange(10_000)) for i in range(SENSORS)]


def _splitting() -> list[tuple[str, str, str]]:
    """10,000 stratified derivations at each time point, and a choice about a few of them."""
    split, ours, by_hand = _Live("auto"), _Live("clingo"), _ByHand()
    seconds: dict[str, list[float]] = {"split": [], "ours": [], "by hand": []}
    for time in range(WINDOW + 1 + POINTS):
        facts = _readings(time)
        answers = []
        for name, contender in (("split", split), ("ours", ours), ("by hand", by_hand)):
            begun = perf_counter()
            answers.append(contender.step(time, facts))
            if time > WINDOW:
                seconds[name].append(perf_counter() - begun)
        if len({frozenset(models) for models in answers}) != 1:
            raise AssertionError(f"the contenders differ at {time}")
    base = median(seconds["split"])
    names = {
        "split": "10,000 derivations below, a choice above (auto)",
        "ours": "the same, everything in clingo (engine clingo)",
        "by hand": "the same in clingo's own language, grounded again at each time point",
    }
    return [
        (names[n], f"{median(s) * 1e3:,.1f} ms a time point", f"{median(s) / base:.1f}x") for n, s in seconds.items()
    ]


class _Live:
    """The program in one of our engines."""

    def __init__(self, engine: EngineName) -> None:
        self._engine = lasing.Engine(PROGRAM + BACKGROUND, start=0, engine=engine)

    def step(self, time: int, facts: list[tuple[str, int]]) -> set[frozenset[str]]:
        self._engine.push(time, [("reading", *fact) for fact in facts])
        return {frozenset(map(str, model)) for model in self._engine.answer().models}


class _ByHand:
    """clingo as one would use it without us: all facts of the window, a new control at each time point."""

    def __init__(self) -> None:
        self._window: deque[list[tuple[str, int]]] = deque(maxlen=WINDOW + 1)

    def step(self, _time: int, facts: list[tuple[str, int]]) -> set[frozenset[str]]:
        import clingo  # here, because it is optional

        self._window.append(facts)
        control = clingo.Control(["0", "--opt-mode=optN", "--project=project", "--warn=none"])
        control.add("base", [], BY_HAND + BACKGROUND)
        with control.backend() as backend:
            for sensor, value in {fact for point in self._window for fact in point}:
                symbol = clingo.Function("reading", [clingo.Function(sensor), clingo.Number(value)])
                backend.add_rule([backend.add_atom(symbol)])
        control.ground([("base", [])])
        with control.solve(yield_=True) as found:
            return {frozenset(map(str, m.symbols(shown=True))) for m in found if m.optimality_proven or not m.cost}


def _long_stream(points: int) -> list[tuple[str, str, str]]:
    engine = lasing.Engine(LONG, start=0)
    tenths: list[float] = []
    begun = perf_counter()
    for time in range(points):
        engine.push(
            time, [("temp", f"s{(time * 5 + i) * 7919 % 31}", (time * 5 + i) * 104_729 % 101) for i in range(5)]
        )
        engine.answer()
        if (time + 1) % (points // 10) == 0:
            tenths.append(perf_counter() - begun)
            begun = perf_counter()
    row = f"a choice over {points:,} time points, the last tenth compared with the second"
    return [(row, f"{tenths[-1] / points * 1e4:.2f} ms a time point", f"{tenths[-1] / tenths[1]:.2f}x")]
