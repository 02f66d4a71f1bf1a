"""The workloads of the Laser paper's five experiments (Section 4): programs, and streams drawn from a seed.

`n` atoms come at each time point, in windows of `w`, so `[w]` looks at w + 1 time points. Atoms are numbered through
the stream: k = t·n + i, for i = 0, …, n - 1. Constants are integers.

- diamond: `p(s_k, o_k)`, which never comes again. At a steady time point (w + 1)·n atoms are derived.
- box: n draws of `p(x)`, x uniform in 0, …, ⌊n/3⌋ + 1; some come twice, and both count as input.
- join: `p(c_k, c_k+1)` and `p(c_k+1, c_k+2)` for each i. The second is the first of the next i, so the input is a chain
  of n + 1 different atoms, and its last atom comes again as the first of the next time point. Each comes in once per
  time point, so a time point has n + 1 atoms of input, and derives (w + 1)·n atoms.
- rules: the join in many rules, at rate 200. Copies are identical. Different ones have predicates p1, p2, … and heads
  q1, q2, …: each of the m predicates has its own chain, which grows by n/m edges at each time point, so n in all, and
  (w + 1)·n - m atoms are derived.
- cooling: the program of Figure 4, with n draws of `temp(v)`, v uniform in 0, …, 200.

The full answer of the cooling program has atoms such as `steam(v) at t` at all times of the window, as Laser's does.
Our language outputs what holds now, so four more rules add the others. About 2,727 (n = 200) and 4,207 (n = 800) hold
at w = 20: steam, liquid, isSteam and isLiquid at each time of the window, veryHot(t) and veryCold(t), alarm, normal and
freeze, each atom once. The changes are those of what holds now, under the paper's own program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from lasing.bench.measuring.records import OutputKind
from lasing.bench.measuring.workloads import Array, Stream, steady

Shape = Literal["diamond", "box", "join", "rules", "cooling"]

SEED = 1

Same = TypeVar("Same")


@dataclass(frozen=True)
class Task:
    """An experiment at one setting: the input of all its contenders.

    `heads` are the predicates of the output, in the order of the numbers that stand for them in rows.
    """

    shape: Shape
    window: int
    rate: int
    rules: int
    kind: str
    settings: Mapping[str, int | str]
    programs: Mapping[OutputKind, str]
    heads: Mapping[OutputKind, tuple[str, ...]]

    def stream(self, points: int, seed: int = SEED) -> Stream:
        """The input at `points` time points."""
        chance = np.random.default_rng(seed)
        match self.shape:
            case "diamond":
                numbers = np.arange(self.rate * points)
                return steady(np.column_stack([2 * numbers, 2 * numbers + 1]), self.rate)
            case "box":
                return steady(chance.integers(0, self.rate // 3 + 2, (self.rate * points, 1)), self.rate)
            case "cooling":
                return steady(chance.integers(0, 201, (self.rate * points, 1)), self.rate, "temp")
        return _chain(self.rate, points) if self.kind != DIFFERENT else _chains(self.rate, self.rules, points)


COPIES, DIFFERENT = "copies", "different"
"""The kinds of rules."""


def _chain(rate: int, points: int) -> Stream:
    """The edges from the first of a time point to the first of the next, both included."""
    links = np.arange(rate + 1) + rate * np.arange(points)[:, None]
    return steady(np.column_stack([links.ravel(), links.ravel() + 1]), rate + 1)


def _chains(rate: int, rules: int, points: int) -> Stream:
    """A chain for each predicate, with constants of its own; the edges of a time point are sorted by predicate."""
    each = rate // rules
    if each * rules != rate:
        raise ValueError(f"{rate} atoms do not divide evenly among {rules} rules")
    time, predicate, place = (axis.ravel() for axis in np.indices((points, rules, each)))
    links = time * each + place
    rows: Array = np.column_stack([time, predicate, links * rules + predicate, (links + 1) * rules + predicate])
    return Stream({f"p{i + 1}": 2 for i in range(rules)}, rows, points)


def diamond(window: int, rate: int) -> Task:
    """What was there within the window."""
    return _task("diamond", window, rate, f"q(A,B) :- p(A,B) in [{window}].\n")


def box(window: int, rate: int) -> Task:
    """What was there at each time point of the window."""
    return _task("box", window, rate, f"q(X) :- p(X) always in [{window}].\n")


def join(window: int, rate: int) -> Task:
    """Chains of two links within the window."""
    return _task("join", window, rate, _join_rule("p", "q", window))


def rules(window: int, number: int, kind: str, rate: int = 200) -> Task:
    """`number` rules, identical or different."""
    settings: dict[str, int | str] = {"window": window, "rules": number, "kind": kind}
    names = [""] * number if kind == COPIES else [str(i + 1) for i in range(number)]
    text = "".join(_join_rule(f"p{name}", f"q{name}", window) for name in names)
    heads = tuple(dict.fromkeys(f"q{name}" for name in names))
    return Task("rules", window, rate, number, kind, settings, _both(text), _both(heads))


def cooling(window: int, rate: int) -> Task:
    """The cooling system of Figure 4."""
    text = COOLING.replace("[n]", f"[{window}]")
    more = AT_ALL_TIMES.replace("[n]", f"[{window}]")
    heads: dict[OutputKind, tuple[str, ...]] = {"changes": (*NOW, *LATER), "answers": (*AT_TIMES, *LATER)}
    programs: dict[OutputKind, str] = {
        "changes": text + _show(NOW | LATER),
        "answers": text + more + _show(AT_TIMES | LATER),
    }
    return Task("cooling", window, rate, 1, "", {"window": window, "rate": rate}, programs, heads)


COOLING = """\
steam(V)  at T :- temp(V) at T in [n], V >= 100.
liquid(V) at T :- temp(V) at T in [n], V >= 1, V < 100.
isSteam   at T :- steam(V) at T in [n].
isLiquid  at T :- liquid(V) at T in [n].
alarm          :- isSteam always in [n].
normal         :- isLiquid always in [n].
freeze         :- not alarm, not normal.
veryHot(T)     :- steam(V) at T in [n], V >= 150.
veryCold(T)    :- liquid(V) at T in [n], V = 1.
"""
AT_ALL_TIMES = """\
steamAt(V,T)  :- steam(V) at T in [n].
liquidAt(V,T) :- liquid(V) at T in [n].
isSteamAt(T)  :- isSteam at T in [n].
isLiquidAt(T) :- isLiquid at T in [n].
"""
NOW = {"steam": 1, "liquid": 1, "isSteam": 0, "isLiquid": 0}
AT_TIMES = {"steamAt": 2, "liquidAt": 2, "isSteamAt": 1, "isLiquidAt": 1}
LATER = {"alarm": 0, "normal": 0, "freeze": 0, "veryHot": 1, "veryCold": 1}
"""Predicates of the cooling program, with their arities."""


def _join_rule(source: str, head: str, window: int) -> str:
    return f"{head}(A,C) :- {source}(A,B) in [{window}], {source}(B,C) in [{window}].\n"


def _show(predicates: Mapping[str, int]) -> str:
    return f"#show {', '.join(f'{name}/{arity}' for name, arity in predicates.items())}.\n"


def _task(shape: Shape, window: int, rate: int, text: str) -> Task:
    return Task(shape, window, rate, 1, "", {"window": window, "rate": rate}, _both(text), _both(("q",)))


def _both(same: Same) -> dict[OutputKind, Same]:
    """The same for either output."""
    return {"changes": same, "answers": same}
