"""The raw window, against its definition: a fact matters while it is recent, or among the last that are counted."""

from __future__ import annotations

import random

import numpy as np
import pytest

import lasing
from lasing.logic.formulas import PartitionWindow
from lasing.raw_window import Numbers, RawWindow

Fact = tuple[int, str, str]
"""A time, a predicate and a key."""


def needed(program: str, facts: list[Fact], now: int, whole_points: bool = False) -> list[Fact]:
    def groups(window: PartitionWindow) -> Numbers:
        return np.array([ord(key) if p == window.predicate else -1 for _, p, key in facts], np.int64)

    times = np.array([time for time, _, _ in facts], np.int64)
    mask = RawWindow(lasing.parse(program)).needed(times, groups, now, whole_points)
    return [fact for fact, is_needed in zip(facts, mask, strict=True) if is_needed]


FACTS = [(1, "p", "a"), (2, "p", "b"), (2, "r", "a"), (2, "p", "a"), (5, "p", "b"), (7, "p", "a")]


@pytest.mark.parametrize(
    ("literal", "places"),
    [
        ("p(X)", [4, 5]),
        ("p(X) in [2]", [4, 5]),
        ("p(X) in [3]", [1, 2, 3, 4, 5]),
        ("p(X) in [*]", [0, 1, 2, 3, 4, 5]),
        ("p(X) in [#1]", [4, 5]),
        ("p(X) in [#2]", [3, 4, 5]),
        ("p(X) in [#3]", [2, 3, 4, 5]),
        ("p(X) in [#9]", [0, 1, 2, 3, 4, 5]),
        ("p(X) in [#1 by X]", [3, 4, 5]),
        ("p(X) in [#2 by X]", [0, 1, 3, 4, 5]),
    ],
)
def test_what_matters_at_5(literal: str, places: list[int]) -> None:
    """
    time   1   2      5   7
    fact   pa  pb ra pa  pb  pa
    place  0   1  2  3   4   5
                         ^ now
    """
    assert needed(f"q(X) :- {literal}.", FACTS, 5) == [FACTS[i] for i in places]


def test_where_the_order_within_a_time_point_means_nothing_the_whole_point_matters() -> None:
    assert needed("q(X) :- p(X) in [#2].", FACTS, 5, whole_points=True) == FACTS[1:]
    assert needed("q(X) :- p(X) in [#1 by X].", FACTS, 5, whole_points=True) == FACTS[3:]


def test_no_facts() -> None:
    assert needed("q(X) :- p(X) in [#1 by X], r(X) in [#2].", [], 5) == []


def test_a_derived_predicate_is_looked_back_on_once_it_is_in_the_stream() -> None:
    window = RawWindow(lasing.parse("q(X) :- p(X). r(X) :- q(X) in [5]."))
    assert window.lookback.points == 0
    window.expect("p", 1)
    assert window.lookback.points == 0
    window.expect("q", 1)
    assert window.lookback.points == 5
    assert "q" not in window.only_derived


@pytest.mark.parametrize("seed", range(20))
def test_facts_count_one_by_one_and_keys_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    times = sorted(chance.randrange(12) for _ in range(chance.randrange(1, 40)))
    facts = [(time, chance.choice("pr"), chance.choice("abc")) for time in times]
    now, size = chance.randrange(12), chance.randrange(1, 5)
    past = [i for i, (time, _, _) in enumerate(facts) if time <= now]
    ahead = {i for i, (time, _, _) in enumerate(facts) if time >= now}
    last = set(past[-size:])
    of_keys = {i for key in "abc" for i in [j for j in past if facts[j][1:] == ("p", key)][-size:]}
    assert needed(f"q(X) :- p(X) in [#{size}].", facts, now) == [facts[i] for i in sorted(ahead | last)]
    assert needed(f"q(X) :- p(X) in [#{size} by X].", facts, now) == [facts[i] for i in sorted(ahead | of_keys)]
    whole = needed(f"q(X) :- p(X) in [#{size}].", facts, now, whole_points=True)
    oldest = min([facts[i][0] for i in ahead | last], default=now)
    assert whole == [fact for fact in facts if fact[0] >= oldest]
