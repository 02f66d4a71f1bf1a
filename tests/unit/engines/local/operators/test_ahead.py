"""Fetching ahead changes nothing: rules over relations that are too large for the cache derive the same."""

from __future__ import annotations

import numpy as np
import pytest

import lasing
from lasing.engines.local.operators.ahead import GROUP

KEYS = 20_000
"""The relations of this many keys are too large for the cache."""

PROGRAM = "#stream on/1.\non(X) :- start(X).\non(X) :- on(X) in [1,-1], not stop(X).\nidle(X) :- key(X), not on(X)."


@pytest.mark.parametrize("changes", [1, 3, GROUP, GROUP + 1, 5 * GROUP])
def test_keys_that_stay_on_until_they_are_stopped(changes: int) -> None:
    chance = np.random.default_rng(changes)
    engine = lasing.Engine(PROGRAM + "".join(f"\nkey({x})." for x in (3, 5, 8)), start=0)
    engine.push(0, [("start", x) for x in range(KEYS)])
    on = set(range(KEYS))
    for t in range(1, 12):
        stopped = {int(x) for x in chance.integers(0, KEYS, changes)} | ({3, 5} if t == 4 else set())
        started = {int(x) for x in chance.integers(0, 2 * KEYS, changes)}
        before, on = on, (on - stopped) | started
        update = engine.push(t, [("stop", x) for x in stopped] + [("start", x) for x in started])
        assert {atom.args[0] for atom in update.added if atom.predicate == "on"} == on - before
        assert {atom.args[0] for atom in update.removed if atom.predicate == "on"} == before - on
        idle = {atom.args[0] for atom in engine.answer().atoms if atom.predicate == "idle"}
        assert idle == {3, 5, 8} - on
