"""Random programs with variables, times, `_` and windows of facts anywhere: most are refused, none may fail."""

from __future__ import annotations

import random

from tests.differential import nested_programs
from tests.differential.strategies import Example


class _Wild(nested_programs._Maker):
    def _window(self) -> str:
        chance = self.chance
        return chance.choice(["#1", "#2", "#1,+1"]) if chance.random() < 0.25 else super()._window()

    def _term(self, wild: bool = False) -> str:
        chance = self.chance
        share = chance.random()
        if share < 0.08:
            return chance.choice("XYZ") + chance.choice(["", " + 1", " - 1"])
        return "_" if share < 0.12 else super()._term(wild)

    def _time(self) -> str:
        chance = self.chance
        if chance.random() < 0.35:
            return chance.choice(["T0", "T1", "T8", "T9", "X", "(T9 + 1)", "(T8 - 1)", "_"])
        return super()._time()

    def _leaf(self, top: bool) -> str:
        chance = self.chance
        if chance.random() < 0.2:
            terms = ["T0", "T1", "T8", "T9", "X", "Y", "Z", "_"]
            shift = chance.choice([" + 1", " - 1", "", ""])
            return f"{chance.choice(terms)} {chance.choice(['<', '=', '=', '!='])} {chance.choice(terms)}{shift}"
        return super()._leaf(top)


def wild_example(seed: int) -> Example:
    """The example of a seed."""
    return nested_programs.nested_example(seed, random.Random(seed).choice([2, 3]), _Wild)
