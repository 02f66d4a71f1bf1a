"""Random programs; most can be split by a key.

A seed makes a program; a failing seed is a case to keep. Each predicate has a key position of its own, and the atoms of
a rule have the same term there, nearly always. Predicates live in layers, as in `strategies`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.differential.strategies import Example

Signature = tuple[str, int]

STREAMED: list[Signature] = [("s1", 1), ("s2", 2), ("t2", 2), ("t3", 3)]
TABLES: list[Signature] = [("b1", 1), ("b2", 2)]
STATIC: list[Signature] = [("g1", 1), ("g2", 2)]
LAYERS: list[list[Signature]] = [[("d1", 1), ("d2", 2)], [("e1", 1), ("e2", 2), ("e3", 3)], [("f1", 1), ("f2", 2)]]
CONSTANTS = ["a", "1", "2", "2.5"]
OTHERS = ["X", "Y"]
LENGTH = 9
SLIPS = 0.03  # how often an atom has any term at its key


@dataclass(frozen=True)
class KeyedExample(Example):
    """An example, and the streams to give to every shard."""

    replicated: frozenset[str] = frozenset()


@dataclass
class _Maker:
    chance: random.Random
    keys: dict[str, int]
    replicated: frozenset[str]
    body: list[str] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)
    times: list[str] = field(default_factory=list)
    key: tuple[str, ...] = ("K",)

    def rule(self, layer: int) -> str:
        chance = self.chance
        head = chance.choice(LAYERS[layer])
        below = STREAMED + [p for lower in LAYERS[:layer] for p in lower]
        beside = TABLES + STATIC
        self.body, self.bound, self.times = [], set(), []
        self.key = chance.choice([("K",)] * 8 + [("K", "L"), (chance.choice(CONSTANTS),)])
        if chance.random() < 0.1:
            self.bound.add("#now")
        if len(self.key) > 1:
            self.body.append(chance.choice(["K = L", "L = K"]))
        recursive = chance.random() < 0.25
        for number in range(chance.choice([1, 1, 2, 2, 3])):
            pool = below + LAYERS[layer] if recursive else below
            self._positive(chance.choice(beside if chance.random() < 0.25 else pool), f"T{number}")
        for key in self.key:
            if key not in self.bound and key not in CONSTANTS:
                self._positive(chance.choice([*below, *beside]), "T9", key)
        if chance.random() < 0.4:
            self.body.append(f"not {self._test(chance.choice(below + beside))}")
        if chance.random() < 0.2:
            self.body.append(self._nested(below + beside, 2))
        if chance.random() < 0.2:
            self._aggregate(chance.choice([p for p in below + beside if p[1] > 1]))
        variables = sorted(self.bound)
        if len(variables) > 1 and chance.random() < 0.2:
            self.body.append(f"{chance.choice(variables)} {chance.choice(['<', '!=', '<=', '='])} {variables[0]}")
        computed = [] if recursive else [f"{v} {chance.choice('+*')} 1" for v in variables]
        text = _text(head, self._args(head, [*variables, *computed, *CONSTANTS[:2]]))
        if self.times and chance.random() < 0.4:
            self.body += [f"U = {chance.choice(self.times)} + {chance.randint(-1, 2)}", "U < 14"]
            text += " at U"
        chance.shuffle(self.body)
        return f"{text} :- {', '.join(self.body)}."

    def static(self, head: Signature) -> str:
        """A rule that uses no partitioned stream."""
        chance = self.chance
        first, second = chance.choice(TABLES), chance.choice(TABLES + [p for p in STREAMED if p[0] in self.replicated])
        args = ["X", "Y", "Z"]
        body = [_text(first, args[: first[1]])]
        if chance.random() < 0.4:
            body.append(f"not {_text(second, ['X', '_', '_'][: second[1]])} in [{chance.randint(0, 3)}]")
        return f"{_text(head, [chance.choice(args[: first[1]]) for _ in range(head[1])])} :- {', '.join(body)}."

    def _args(self, predicate: Signature, others: list[str], key: str = "") -> list[str]:
        chance = self.chance
        args = [chance.choice(others) for _ in range(predicate[1])]
        name = predicate[0]
        if name in self.keys and chance.random() > SLIPS:
            args[self.keys[name]] = key or chance.choice(self.key)
        elif key:
            args[0] = key
        return args

    def _positive(self, predicate: Signature, time: str, key: str = "") -> None:
        chance = self.chance
        args = self._args(predicate, [*OTHERS * 3, "_", "a"], key)
        atom, size = _text(predicate, args), chance.randint(0, 4)
        forms = [atom, f"{atom} in [{size}]", f"{atom} in [*]", f"{atom} always in [{size}]", f"{atom} at {time}"]
        forms += [f"{atom} in [{size},+{chance.randint(0, 3)}]", f"{atom} at {time} in [{size} step 2]"]
        forms += [f"{atom} {form} [{size},-{chance.randint(0, size)}]" for form in ("in", "always in", f"at {time} in")]
        variables = [arg for arg in args if arg not in CONSTANTS and arg != "_"]
        if predicate in STREAMED and variables:
            by = self.key[0] if self.key[0] in variables and chance.random() < 0.9 else chance.choice(variables)
            forms += [
                f"{atom} in [#{chance.randint(1, 2)} by {by}]",
                f"{atom} at {time} in [#{chance.randint(1, 2)} by {by}]",
            ]
        form = chance.choice(forms)
        if f" at {time}" in form:
            self.times.append(time)
        self.bound.update(variables)
        self.body.append(form)

    def _test(self, predicate: Signature) -> str:
        """A literal that binds nothing."""
        chance = self.chance
        atom = _text(predicate, self._args(predicate, [*sorted(self.bound), "_", "a", "1"]))
        size = chance.randint(0, 4)
        past = f"{size},-{chance.randint(0, size)}"
        forms = [atom, f"{atom} in [{size}]", f"{atom} always in [{size}]", f"{atom} in [2..6]", f"{atom} in [{past}]"]
        return chance.choice(forms)

    def _nested(self, pool: list[Signature], depth: int) -> str:
        chance = self.chance
        kind = chance.choice(["atom", "not", "and", "or", "->", "in", "always in", "in full"])
        if kind == "atom" or depth == 0:
            predicate = chance.choice(pool)
            return _text(predicate, self._args(predicate, [*sorted(self.bound), "a", "1"]))
        inner, size = self._nested(pool, depth - 1), chance.randint(0, 4)
        match kind:
            case "not":
                return f"not ({inner})"
            case "in" | "always in":
                return f"({inner}) {kind} [{size}]"
            case "in full":
                return f"({inner}) in [full {size}]"
            case _:
                return f"(({inner}) {kind} ({self._nested(pool, depth - 1)}))"

    def _aggregate(self, predicate: Signature) -> None:
        chance = self.chance
        args = self._args(predicate, ["V", "W"])
        inside = sorted({arg for arg in args if arg in ("V", "W")}) or ["1"]
        function = chance.choice(["count", "count", "sum", "min", "max", "avg"])
        window = "" if chance.random() < 0.3 else f" in [{chance.randint(0, 4)}]"
        if chance.random() < 0.3:
            targets = [f"L{i}" for i in range(len(inside))]
            word = chance.choice(["#first", "#last", "#last 2 "])
            braces = f"{{{','.join(inside)} : {_text(predicate, args)}{window}}}"
            self.body.append(f"{_targets(targets)} = {word}{braces}")
            self.bound.update(targets)
            return
        aggregate = f"#{function}{{{','.join(inside)} : {_text(predicate, args)}{window}}}"
        if chance.random() < 0.5:
            self.body.append(f"{aggregate} {chance.choice(['<', '>=', '!='])} {chance.randint(0, 2)}")
        else:
            self.body.append(f"N = {aggregate}")
            self.bound.add("N")


def _targets(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def keyed_example(seed: int) -> KeyedExample:
    """The example of a seed."""
    chance = random.Random(seed)
    replicated = frozenset(chance.sample(["s1", "t2", "t3"], chance.choice([0, 0, 0, 1, 2])))
    partitioned = [*STREAMED, *TABLES, *(p for layer in LAYERS for p in layer)]
    keys = {name: chance.randrange(arity) for name, arity in partitioned if name not in replicated}
    for name, _ in TABLES:
        if chance.random() < 0.5:  # such tables are probably not partitioned
            del keys[name]
    maker = _Maker(chance, keys, replicated)
    start = chance.randint(0, 3)
    rules = [maker.rule(layer) for layer in range(len(LAYERS)) for _ in range(chance.randint(1, 2))]
    rules += [maker.static(head) for head in STATIC]
    chance.shuffle(rules)
    rules += ["#input d1/1."] * (chance.random() < 0.2)
    background = [*TABLES, *(chance.choice([*TABLES, STREAMED[1], LAYERS[0][1]]) for _ in range(chance.randint(0, 5)))]
    rules += [f"{_fact(chance, [predicate])}." for predicate in background]
    # What is derived, or a table, may come from the stream as well: it then goes where its key says.
    streamed = [*STREAMED * 4, LAYERS[0][0], LAYERS[1][0], STATIC[0], TABLES[0]]
    facts = [(chance.randint(start, start + LENGTH), _fact(chance, streamed)) for _ in range(chance.randint(5, 40))]
    facts.sort(key=lambda fact: fact[0])
    own = [fact for fact in facts if chance.random() < 0.1 and fact[1][:2] in keys]
    rules += [f"{atom} at {time}." for time, atom in own]
    program = "".join(f"{rule}\n" for rule in rules)
    rest = tuple(fact for fact in facts if fact not in own)
    return KeyedExample(program, rest, start, start + LENGTH + 2, replicated)


def _fact(chance: random.Random, pool: list[Signature]) -> str:
    predicate = chance.choice(pool)
    return _text(predicate, [chance.choice(CONSTANTS) for _ in range(predicate[1])])


def _text(predicate: Signature, args: list[str]) -> str:
    return f"{predicate[0]}({','.join(args)})" if args else predicate[0]
