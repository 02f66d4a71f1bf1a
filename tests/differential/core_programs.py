"""Random programs that the local engine can plan: windows that look back, negation, always, tuple windows, recursion.

A seed makes a program; a failing seed is a case to keep. Predicates live in layers, as in `strategies`; each derived
one is derived either now or `at T`, and rules that are not monotone take only from layers below.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.differential.strategies import Example

Signature = tuple[str, int]

STREAMED: list[Signature] = [("s0", 0), ("s1", 1), ("s2", 2), ("r1", 1), ("r2", 2)]
LAYERS: list[list[Signature]] = [
    [("d0", 0), ("d1", 1), ("d2", 2)],
    [("e0", 0), ("e1", 1), ("e2", 2)],
    [("f1", 1), ("f2", 2)],
]
CONSTANTS = ["a", "b", "1", "2", "2.5"]
LENGTH = 12


@dataclass
class _Maker:
    chance: random.Random
    timed: set[Signature] = field(default_factory=set)
    not_monotone: set[Signature] = field(default_factory=set)

    def rule(self, layer: int) -> str:
        chance = self.chance
        head = chance.choice(LAYERS[layer])
        monotone = head in self.timed or chance.random() < 0.5
        below = STREAMED + [p for lower in LAYERS[:layer] for p in lower]
        pool = [p for p in below if not (monotone and p in self.not_monotone)]
        recursive = monotone and chance.random() < 0.35
        if recursive:
            pool += [p for p in LAYERS[layer] if p not in self.not_monotone]
        body: list[str] = []
        bound: list[str] = []
        times: list[str] = []
        if chance.random() < 0.15:
            (times if chance.random() < 0.5 else bound).append("#now")
        for number in range(chance.randint(1, 3)):
            body.append(self._positive(chance.choice(pool), f"T{number}", monotone, bound, times))
        if not monotone and chance.random() < 0.7:
            body.append(self._negative(chance.choice(below), bound, times))
        if bound and chance.random() < 0.3:
            operator = chance.choice(["<", "<=", "!=", "=", ">"])
            body.append(f"{chance.choice(bound)} {operator} {chance.choice([*bound, *CONSTANTS])}")
        if bound and chance.random() < 0.25:
            operator = chance.choice(["+", "*", "/", "-", "mod", "div"])
            body.append(f"W = {chance.choice(bound)} {operator} {chance.choice([*bound, '2', '1.5'])}")
        if head in self.timed and not times:
            return ""
        computed = [] if recursive else [f"{term} {chance.choice('+-*')} 1" for term in (*bound, *times)]
        text = _atom(head, [chance.choice([*bound, *computed, *CONSTANTS[:4]]) for _ in range(head[1])])
        if head in self.timed:
            text += f" at {chance.choice(times)}"
        if not monotone:
            self.not_monotone.add(head)
        chance.shuffle(body)
        return f"{text} :- {', '.join(body)}."

    def _has_times(self, predicate: Signature) -> bool:
        return predicate in STREAMED or predicate in self.timed

    def _positive(self, predicate: Signature, time: str, monotone: bool, bound: list[str], times: list[str]) -> str:
        chance = self.chance
        args = [chance.choice(["X", "Y", "Z", *CONSTANTS[:4]]) for _ in range(predicate[1])]
        variables = [arg for arg in args if arg in "XYZ"]
        bound += variables
        atom, size = _atom(predicate, args), chance.randint(0, 4)
        window = self._window(size)
        forms = [atom, f"{atom} in [{window}]", f"{atom} in [*]"]
        if self._has_times(predicate):
            forms += [f"{atom} at {time}", f"{atom} at {time} in [{window}]"]
            if not monotone:
                forms += [f"{atom} always in [{window}]"] * 2
        if predicate in STREAMED and not monotone:
            forms += [f"{atom} in [#{size or 1}]", f"{atom} at {time} in [#{size or 2}]"]
            if variables:
                forms.append(f"{atom} in [#{chance.randint(1, 2)} by {chance.choice(variables)}]")
        form = chance.choice(forms)
        if f" at {time}" in form:
            times.append(time)
        return form

    def _window(self, size: int) -> str:
        """A time window, which may end before now."""
        chance = self.chance
        if chance.random() < 0.7:
            return f"{size}"
        return chance.choice([f"{size},-{chance.randint(0, size)}", f"{size},-{min(size, 1)} step 2", "*,-2"])

    def _negative(self, predicate: Signature, bound: list[str], times: list[str]) -> str:
        chance = self.chance
        computed = [f"{term} {chance.choice('+-*')} 1" for term in (*bound, *times)]
        args = [chance.choice([*bound, *computed, *CONSTANTS[:4], "_"]) for _ in range(predicate[1])]
        atom, size = _atom(predicate, args), chance.randint(0, 4)
        window = self._window(size)
        forms = [atom, f"{atom} in [{window}]"]
        if self._has_times(predicate):
            forms.append(f"{atom} always in [{window}]")
            forms += [f"{atom} at {time} in [{window}]" for time in times] + [f"{atom} at {time}" for time in times]
        if predicate in STREAMED:
            forms.append(f"{atom} in [#{size or 1}]")
        return f"not {chance.choice(forms)}"


def core_example(seed: int) -> Example:
    """The example of a seed."""
    chance = random.Random(seed)
    maker = _Maker(chance, {p for layer in LAYERS for p in layer if chance.random() < 0.3})
    start = chance.randint(0, 4)
    rules = [maker.rule(layer) for layer in range(len(LAYERS)) for _ in range(chance.randint(1, 3))]
    if chance.random() < 0.3:
        rules += [f"b({chance.choice(CONSTANTS)}).", f"g(X) :- b(X), not s1(X) in [{chance.randint(0, 3)}]."]
    facts = []
    for _ in range(chance.randint(1, 25)):
        predicate = chance.choice([*STREAMED, LAYERS[0][1]])
        atom = _atom(predicate, [chance.choice(CONSTANTS) for _ in range(predicate[1])])
        facts.append((chance.randint(start, start + LENGTH), atom))
    program = "".join(f"{rule}\n" for rule in rules if rule)
    return Example(program, tuple(sorted(facts, key=lambda fact: fact[0])), start, start + LENGTH + 2)


def _atom(predicate: Signature, args: list[str]) -> str:
    return f"{predicate[0]}({','.join(args)})" if args else predicate[0]
