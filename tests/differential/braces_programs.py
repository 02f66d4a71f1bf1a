"""Random programs with braces: `#first`, `#last`, and aggregates that rest on one another.

A seed makes a program; a failing seed is a case to keep. Layers are as in `strategies`: streams and background below,
then derived predicates. Conditions take from the layers below, so every program is stratified. They have comparisons
with variables from outside, `not`, windows between two times from outside, and other braces. Values are of many kinds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from lasing.logic.values.datatypes import DECIMAL, INTEGER
from tests.differential.strategies import Example

Signature = tuple[str, int]

STREAMED: list[Signature] = [("s1", 1), ("r1", 1), ("s2", 2), ("r2", 2)]
LAYERS: list[list[Signature]] = [[("d1", 1), ("d2", 2)], [("e1", 1), ("e2", 2)], [("f1", 1), ("f2", 2)]]
VALUES = ["1", "2", "3", "2.5", "a", "b", '"a b"', "<http://ex.org/a>", f'"1.5"^^<{DECIMAL}>', f'"02"^^<{INTEGER}>']
LENGTH = 9


@dataclass
class _Scope:
    """The variables that are bound, and the times among them."""

    bound: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)

    def inner(self) -> _Scope:
        return _Scope(list(self.bound), list(self.times))


@dataclass
class _Maker:
    chance: random.Random
    values: list[str]
    pool: list[Signature] = field(default_factory=list)
    fresh: int = 0

    def rule(self, layer: int) -> str:
        chance = self.chance
        self.pool, self.fresh = STREAMED + [p for lower in LAYERS[:layer] for p in lower], 0
        recursive = LAYERS[layer] if chance.random() < 0.15 else []
        scope = _Scope()
        body = [self._binding(scope, [*self.pool, *recursive]) for _ in range(chance.choice([0, 1, 1, 2]))]
        for _ in range(chance.choice([1, 1, 2, 2])):
            body.append(self._braces(scope, 2))
        body += [self._test(scope) for _ in range(chance.choice([0, 0, 0, 1]))]
        name, arity = chance.choice(LAYERS[layer])
        args = [self._term(scope) for _ in range(arity)]
        at = f" at {chance.choice(scope.times)}" if scope.times and chance.random() < 0.2 else ""
        chance.shuffle(body)
        return f"{_atom(name, args)}{at} :- {', '.join(body)}."

    def _variable(self, letter: str = "V") -> str:
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def _term(self, scope: _Scope) -> str:
        other = "#now" if self.chance.random() < 0.1 else self.chance.choice(self.values)
        return self.chance.choice([*scope.bound, *scope.bound, other])

    def _binding(self, scope: _Scope, pool: list[Signature]) -> str:
        """A positive literal with some new variables, and perhaps a time."""
        chance = self.chance
        name, arity = chance.choice(pool)
        args = []
        for _ in range(arity):
            if scope.bound and chance.random() < 0.35:
                args.append(self._term(scope))
            else:
                args.append(self._variable())
        form = chance.choice(["now", "in", "in", "at", "at", "always", "between"])
        atom = _atom(name, args)
        scope.bound += [arg for arg in args if arg[0] == "V"]
        if form == "between" and scope.times:
            return f"{atom} in [{self._between(scope)}]"
        if form == "at":
            time = self._variable("T")
            scope.times.append(time)
            scope.bound.append(time)
            return f"{atom} at {time} in [{self._window(5)}]"
        if form == "always":
            return f"{atom} always in [{self._window(1)}]"
        return atom if form == "now" else f"{atom} in [{self._window(5)}]"

    def _window(self, longest: int) -> str:
        """A window that ends now, or sometimes before now."""
        back = self.chance.randint(0, longest)
        return f"{back},-{self.chance.randint(0, back)}" if self.chance.random() < 0.2 else f"{back}"

    def _between(self, scope: _Scope) -> str:
        chance = self.chance
        ends = [chance.choice([*scope.times, *scope.times, "#now", str(chance.randint(0, 6))]) for _ in range(2)]
        return f"{ends[0]}..{ends[1]}"

    def _test(self, scope: _Scope) -> str:
        """A literal that binds nothing."""
        chance = self.chance
        name, arity = chance.choice(self.pool)
        atom = _atom(name, [chance.choice([self._term(scope), "_"]) for _ in range(arity)])
        forms = [f"not {atom}", f"not {atom} in [{chance.randint(0, 4)}]", f"not {atom} always in [1]"]
        if scope.times:
            forms += [f"not {atom} in [{self._between(scope)}]", f"not {atom} at {chance.choice(scope.times)} in [3]"]
        if scope.bound:
            forms += [f"{chance.choice(scope.bound)} {chance.choice(['<', '!=', '>='])} {self._term(scope)}"] * 3
        return chance.choice(forms)

    def _braces(self, scope: _Scope, depth: int) -> str:
        chance = self.chance
        inner = scope.inner()
        condition = [self._binding(inner, self.pool) for _ in range(chance.choice([1, 1, 1, 2]))]
        if depth > 1 and chance.random() < 0.3:
            condition.append(self._braces(inner, depth - 1))
        if chance.random() < 0.4:
            condition.append(self._test(inner))
        chance.shuffle(condition)
        own = [v for v in inner.bound if v not in scope.bound]
        terms = [chance.choice([*own, *own, self._term(inner)]) for _ in range(chance.choice([1, 1, 2]))]
        inside = f"{{{', '.join(terms)} : {', '.join(condition)}}}"
        if chance.random() < 0.6:
            return self._selection(scope, terms, inside)
        function = chance.choice(["count", "count", "sum", "min", "max", "avg", "concat"])
        if function == "concat" and chance.random() < 0.8:  # otherwise it has no value, unless all terms are texts
            inside = f"{{{', '.join([*terms[:-1], f'lexical({terms[-1]})'])} : {', '.join(condition)}}}"
        if chance.random() < 0.5:
            result = self._variable()
            scope.bound.append(result)
            return f"{result} = #{function}{inside}"
        negation = "not " if chance.random() < 0.3 else ""
        return f"{negation}#{function}{inside} {chance.choice(['<', '>=', '!=', '='])} {self._term(scope)}"

    def _selection(self, scope: _Scope, terms: list[str], inside: str) -> str:
        chance = self.chance
        word = chance.choice(["#first", "#last", "#last", "#last 2 ", "#first 3 "])
        if chance.random() < 0.25:
            targets = [chance.choice([self._term(scope), "_"]) for _ in terms]
            negation = chance.choice(["not ", "not ", ""])
        else:
            targets, negation = [self._variable() for _ in terms], ""
            scope.bound += targets
        text = targets[0] if len(targets) == 1 else f"({', '.join(targets)})"
        return f"{negation}{text} = {word}{inside}"


def _atom(name: str, args: list[str]) -> str:
    return f"{name}({','.join(args)})"


def braces_example(seed: int, values: Sequence[str] = VALUES) -> Example:
    """The program and the stream of a seed: with a few numbers, or with all of the values."""
    chance = random.Random(seed)
    maker = _Maker(chance, list(chance.choice([values[:3], values])))
    layers = chance.choice([1, 2, 3])
    lines = [maker.rule(layer) for layer in range(layers) for _ in range(chance.choice([1, 1, 2]))]
    lines += [f"{_fact(maker, chance)}." for _ in range(chance.choice([0, 0, 2]))]
    start = chance.choice([0, 0, 2])
    facts = sorted(
        ((start + chance.randrange(LENGTH - 1), _fact(maker, chance)) for _ in range(chance.randint(3, 14))),
        key=lambda fact: fact[0],
    )
    return Example("".join(f"{line}\n" for line in lines), tuple(facts), start, start + LENGTH)


def _fact(maker: _Maker, chance: random.Random) -> str:
    name, arity = chance.choice(STREAMED)
    return _atom(name, [chance.choice(maker.values) for _ in range(arity)])
