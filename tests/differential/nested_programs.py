"""Random programs with nested formulas of the shapes that can be rewritten into plain literals, and some that cannot.

A seed makes a program; a failing seed is a case to keep. Layers are as in `strategies`: streams and background below,
then derived predicates, some of them derived `at T`; formulas take from layers below, so every program is stratified.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.differential.strategies import Example

Signature = tuple[str, int]

STREAMED: list[Signature] = [("s0", 0), ("r0", 0), ("s1", 1), ("r1", 1), ("s2", 2)]
LAYERS: list[list[Signature]] = [[("d0", 0), ("d1", 1)], [("e0", 0), ("e1", 1)], [("f0", 0), ("f1", 1), ("f2", 2)]]
CONSTANTS = ["a", "b", "1", "2"]
LENGTH = 9


@dataclass
class _Maker:
    chance: random.Random
    background: bool
    depth: int
    pool: list[Signature] = field(default_factory=list)
    own: list[Signature] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)

    def rule(self, layer: int) -> str:
        chance = self.chance
        self.pool = STREAMED + [p for lower in LAYERS[:layer] for p in lower]
        self.own = LAYERS[layer] if chance.random() < 0.15 else []
        self.bound, self.times = [], []
        if chance.random() < 0.2:
            (self.times if chance.random() < 0.7 else self.bound).append("#now")
        head = chance.choice(LAYERS[layer])
        body = [self._plain() for _ in range(chance.choice([0, 1, 1, 2]))]
        body += [self._formula(self.depth, top=True) for _ in range(chance.choice([1, 1, 1, 2]))]
        if self.bound and chance.random() < 0.15:
            body.append(f"{chance.choice(self.bound)} {chance.choice(['<', '!=', '='])} {self._term()}")
        if chance.random() < 0.1:
            body.append(self._aggregate())
        args = [chance.choice([*self.bound, *CONSTANTS]) for _ in range(head[1])]
        if self.times and head[1] and chance.random() < 0.3:
            args[0] = chance.choice(self.times)
        text = _atom(head, args)
        if self.times and chance.random() < 0.5:
            text += f" at {chance.choice(self.times)}"
        chance.shuffle(body)
        return f"{text} :- {', '.join(body)}."

    def _plain(self) -> str:
        """A plain literal that binds: variables, and often a time."""
        chance = self.chance
        predicate = chance.choice([*self.pool, *self.own])
        args = [chance.choice(["X", "Y", *CONSTANTS[:2]]) for _ in range(predicate[1])]
        self.bound += [a for a in args if a in "XY"]
        atom, time = _atom(predicate, args), f"T{len(self.times)}"
        form = chance.choice(["{a}", "{a} in [{w}]", "{a} at {t} in [{w}]", "{a} at {t} in [{w}]", "{a} at {t}"])
        if "{t}" in form:
            self.times.append(time)
        return form.format(a=atom, t=time, w=self._window())

    def _term(self, wild: bool = False) -> str:
        chance = self.chance
        if wild and chance.random() < 0.15:
            return "_"
        if self.bound and chance.random() < 0.04:
            return f"{chance.choice(self.bound)} + 1"
        return chance.choice([*self.bound, *self.bound, *CONSTANTS])

    def _leaf(self, top: bool) -> str:
        chance = self.chance
        predicate = chance.choice([*self.pool, *self.own])
        args = [self._term(wild=True) for _ in range(predicate[1])]
        if top and chance.random() < 0.3:
            args = [chance.choice(["X", "Y"]) for _ in range(predicate[1])]
        return _atom(predicate, args)

    def _window(self) -> str:
        chance = self.chance
        back, ahead, step = chance.randint(0, 4), chance.randint(0, 3), chance.randint(2, 3)
        forms = [f"{back}"] * 6 + [f"+{ahead}", f"{back},+{ahead}", f"{back} step {step}", "*"]
        if chance.random() < 0.1:
            forms.append(f"{back},+{ahead} step {step}")
        if chance.random() < 0.4:
            ago = chance.randint(0, back)
            forms += [f"{back},-{ago}"] * 4 + [f"{back},-{ago} step {step}", f"*,-{ago}"]
        return chance.choice(forms)

    def _time(self) -> str:
        chance = self.chance
        if self.times and chance.random() < 0.9:
            time = chance.choice(self.times)
            return f"({time} {chance.choice('+-')} 1)" if chance.random() < 0.15 else time
        return str(chance.randint(0, LENGTH)) if chance.random() < 0.6 else "T9"

    def _formula(self, depth: int, top: bool = False) -> str:
        chance = self.chance
        if depth == 0 or (not top and chance.random() < 0.2):
            return self._leaf(top=False)
        kinds = [
            "not",
            "and",
            "and",
            "or",
            "->",
            "in",
            "in",
            "in",
            "always",
            "always",
            "full",
            "at",
            "at",
            "at in",
            "between",
        ]
        kind = chance.choice(kinds)
        inner = self._formula(depth - 1)
        window = self._window()
        match kind:
            case "not":
                return f"not ({inner})"
            case "in":
                return f"({inner}) in [{window}]"
            case "always":
                return f"({inner}) always in [{window}]"
            case "full":
                return f"({inner}) {chance.choice(['', 'always '])}in [full {window}]"
            case "at":
                return f"({inner}) at {self._time()}"
            case "at in":
                return f"({inner}) at {self._time()} in [{window}]"
            case "between" if len(self.times) > 1 or chance.random() < 0.2:
                return f"({inner}) {chance.choice(['', 'always '])}in [{self._time()}..{self._time()}]"
            case "between":
                return f"({inner}) in [{window}]"
            case _:
                return f"(({inner}) {kind} ({self._formula(depth - 1)}))"

    def _aggregate(self) -> str:
        chance = self.chance
        predicate = chance.choice([p for p in self.pool if p[1] == 1])
        other = chance.choice([p for p in self.pool if p[1] < 2])
        atom, second = _atom(predicate, ["V"]), _atom(other, ["V"] * other[1])
        joint = chance.choice(["and", "or", "and not"]) if other[1] else chance.choice(["and", "and not"])
        return f"#count{{V : ({atom} {joint} {second}) in [{self._window()}]}} {chance.choice(['>=', '<'])} 1"


def nested_example(seed: int, depth: int = 2, make: type[_Maker] = _Maker) -> Example:
    """The example of a seed."""
    chance = random.Random(seed)
    maker = make(chance, chance.random() < 0.4, depth)
    start = chance.randint(0, 3)
    rules = []
    if maker.background:
        for _ in range(chance.randint(1, 2)):
            predicate = chance.choice(STREAMED)
            rules.append(f"{_atom(predicate, [chance.choice(CONSTANTS) for _ in range(predicate[1])])}.")
    if chance.random() < 0.6:
        shift = chance.choice(["", " + 1", " + 2", " - 1"])
        rules.append(f"d1(X) at U :- s1(X) at T in [{chance.randint(0, 4)}], U = T{shift or ' + 0'}.")
    rules += [maker.rule(layer) for layer in range(len(LAYERS)) for _ in range(chance.randint(0, 1))]
    rules += [maker.rule(chance.randrange(len(LAYERS)))]
    facts = []
    for _ in range(chance.randint(3, 16)):
        predicate = chance.choice([*STREAMED, *STREAMED, LAYERS[0][1]])
        atom = _atom(predicate, [chance.choice(CONSTANTS) for _ in range(predicate[1])])
        facts.append((chance.randint(start, start + LENGTH - 2), atom))
    program = "".join(f"{rule}\n" for rule in rules)
    return Example(program, tuple(sorted(facts, key=lambda fact: fact[0])), start, start + LENGTH)


def _atom(predicate: Signature, args: list[str]) -> str:
    return f"{predicate[0]}({','.join(args)})" if args else predicate[0]
