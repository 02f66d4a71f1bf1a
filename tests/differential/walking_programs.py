"""Random programs whose selections are compared with variables from outside: rules that walk (see `plan.walks`).

A seed makes a program; a failing seed is a case to keep. Times and values that one selection finds are the bounds of
the next one, in the body or inside other braces. What is asked for stays for a while or for a time point; several
tuples come and go at once.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.differential.strategies import Example

LENGTH = 10
VALUES = ("1", "2", "3", "4", "2.5", "a", '"a b"')
COMPARISONS = (">", "<", ">=", "<=", "!=")


@dataclass
class _Rule:
    """A rule: the variables that are bound so far, by what they hold."""

    chance: random.Random
    groups: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    fresh: int = 0

    def text(self, head: str, events: tuple[str, ...]) -> str:
        chance = self.chance
        body = [self._asked()]
        body += [self._selection(chance.choice(events)) for _ in range(chance.choice([1, 1, 2, 3]))]
        if chance.random() < 0.25:
            body.append(self._aggregate())
        if chance.random() < 0.2:
            body.append(f"not r({chance.choice(self.values)}) in [2]")
        bound = [*self.groups, *self.values, *self.times]
        return f"{head}({chance.choice(bound)},{chance.choice(bound)}) :- {', '.join(body)}."

    def _new(self, letter: str) -> str:
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def _asked(self) -> str:
        """What is asked for: the group and a bound."""
        group, value = self._new("G"), self._new("V")
        self.groups.append(group)
        self.values.append(value)
        window = self.chance.choice(["", "", " in [3]", " in [6]"])
        if self.chance.random() < 0.3:
            time = self._new("T")
            self.times.append(time)
            return f"q({group},{value}) at {time} in [{self.chance.choice([0, 3])}]"
        return self.chance.choice([f"q({group},{value}){window}", f"c({value}), q({group},_){window}"])

    def _selection(self, event: str) -> str:
        """A selection with at least one bound from outside."""
        chance, time, value = self.chance, self._new("U"), self._new("W")
        group = chance.choice([chance.choice(self.groups), chance.choice(self.groups), "_"])
        window = chance.choice(["[3]", "[6]", "[5,-1]", "[4,-1]"])
        condition = [f"{event}({group},{value}) at {time} in {window}", self._test(value, self.values)]
        if self.times and chance.random() < 0.6:
            condition.append(self._test(time, self.times))
        if chance.random() < 0.2:
            condition.append(f"{'not ' * chance.randrange(2)}r({value})")
        if chance.random() < 0.15:
            condition.append(self._inner(value))
        chance.shuffle(condition)
        terms = chance.choice([(time, value), (value, time), (time,), (value,)])
        found = []
        for term in terms:
            found.append(self._new("X"))
            (self.times if term == time else self.values).append(found[-1])
        left = found[0] if len(found) == 1 else f"({', '.join(found)})"
        return f"{left} = {chance.choice(['#last', '#first'])}{{{','.join(terms)} : {', '.join(condition)}}}"

    def _inner(self, value: str) -> str:
        """A selection inside braces, whose bound is a variable of these braces."""
        time, other, found = self._new("U"), self._new("W"), self._new("Y")
        return f"{found} = #last{{{time} : s(_,{other}) at {time} in [3], {self._test(other, [value])}}}"

    def _aggregate(self) -> str:
        """An aggregate over tuples, for each of which something is selected."""
        value, inner = self._new("W"), self._selection("s")
        return f"#count{{{value} : t(_,{value}) in [4], {inner}}} >= {self.chance.randrange(2)}"

    def _test(self, inner: str, bounds: list[str]) -> str:
        sides = [inner, self.chance.choice(bounds)]
        self.chance.shuffle(sides)
        negated = "not " if self.chance.random() < 0.1 else ""
        return f"{negated}{sides[0]} {self.chance.choice(COMPARISONS)} {sides[1]}"


def walking_example(seed: int) -> Example:
    """The program and the stream of a seed."""
    chance = random.Random(seed)
    values = chance.choice([VALUES[:4], VALUES[:4], VALUES])
    lines = [_Rule(chance).text("d", ("s", "t")) for _ in range(chance.choice([1, 1, 2]))]
    if chance.random() < 0.3:
        lines.append(_Rule(chance).text("e", ("s", "d")))
    lines += [f"c({value})." for value in chance.sample(values, chance.randrange(3))]
    if chance.random() < 0.3:
        lines.append("#stream d/2.")
    lines += ["#input q/2.", "#input s/2.", "#input t/2.", "#input r/1.", "#input c/1."]
    facts = []
    for t in range(LENGTH - 1):
        for _ in range(chance.choice([0, 0, 1, 2, 4])):
            name = chance.choice(["q", "s", "s", "s", "t", "r"])
            args = [chance.choice(values)] if name == "r" else [chance.choice("gh"), chance.choice(values)]
            facts.append((t, f"{name}({','.join(args)})"))
    return Example("".join(f"{line}\n" for line in lines), tuple(facts), 0, LENGTH)
