"""Random rules over the times of facts, whose rows may be derived only once (see `plan.once`, `plan.optimize.newest`).

A rule joins two to four windows of facts, most of them with their times, and compares times and values. Its head has
some of the variables: if it leaves out a time, the same facts give a head at several times. Facts come again, also at
the same time point. A seed makes a program; a failing seed is a case to keep.
"""

from __future__ import annotations

import random

from tests.differential.strategies import Example

LENGTH = 14
VALUES = ("1", "2", "3", "a")
INPUTS = {"a": 1, "b": 2, "c": 1, "d": 2}
WINDOWS = ("[0]", "[4]", "[4,-1]", "[6,-1]", "[5,-2]", "[3]", "[9,-1]")


def sequence_example(seed: int) -> Example:
    """A program of one or two rules, and its stream."""
    chance = random.Random(seed)
    rules = [_rule(chance, head) for head in ("m", "n")[: chance.choice([1, 1, 2])]]
    shown = ", ".join(signature for signature, _ in rules)
    declared = ", ".join(f"{name}/{arity}" for name, arity in INPUTS.items())
    known = "".join(f"known({value},{chance.choice(VALUES)}). " for value in chance.sample(VALUES, 2))
    facts = tuple(
        (time, f"{name}({','.join(chance.choices(VALUES, k=INPUTS[name]))})")
        for time in range(LENGTH + 1)
        for name in chance.choices(list(INPUTS), k=chance.choice([0, 1, 3, 5]))
    )
    text = "".join(rule for _, rule in rules)
    program = f"#input {declared}.\n#show {shown}.\n{known}known(X,Y) :- known(Y,X).\n{text}"
    return Example(program, facts, 0, LENGTH)


def _rule(chance: random.Random, head: str) -> tuple[str, str]:
    """What the rule derives, such as `m/2`, and its text."""
    body: list[str] = []
    values: list[str] = []
    times: list[str] = []
    size = chance.choice([2, 2, 3, 3, 4])
    names = chance.sample(list(INPUTS), size) if chance.random() < 0.7 else chance.choices(list(INPUTS), k=size)
    for i, name in enumerate(names):
        args = [_argument(chance, values, f"X{i}{j}") for j in range(INPUTS[name])]
        window = chance.choice(WINDOWS)
        if chance.random() < 0.8:
            body.append(f"{name}({','.join(args)}) at T{i} in {'[0]' if i == 0 and chance.random() < 0.7 else window}")
            times.append(f"T{i}")
        else:
            body.append(f"{name}({','.join(args)}) in {window}")
    if chance.random() < 0.3:
        body.append(f"known({chance.choice(values)},{chance.choice(values)})")
    if chance.random() < 0.15:
        body.append(f"not known({chance.choice(values)},1)")
    middle = ""
    if len(times) > 2 and chance.random() < 0.7:  # a sequence, which ends with the first of them
        body.append(f"{times[1]} < {times[2]}")
        middle = times[2]
    for _ in range(chance.choice([0, 0, 0, 1, 2])):
        some = times if times and chance.random() < 0.8 else values
        body.append(f"{chance.choice(some)} {chance.choice(['<', '<', '<=', '>', '>=', '!='])} {chance.choice(some)}")
    if chance.random() < 0.2:
        body.append(f"{chance.choice([*times, *values])} < {chance.choice(['3', '8'])}")
    chance.shuffle(body)
    shown = dict.fromkeys((*values, *times))
    kept = [variable for variable in shown if chance.random() < (0.2 if variable == middle else 0.9)]
    if len(times) > 1 and chance.random() < 0.1:
        kept.append(f"max({times[0]},{times[1]})")
    written = f"({','.join(kept)})" if kept else ""
    return f"{head}/{len(kept)}", f"{head}{written} :- {', '.join(body)}.\n"


def _argument(chance: random.Random, values: list[str], fresh: str) -> str:
    """An argument: a variable that is known, a new one, or a constant."""
    if values and chance.random() < 0.5:
        return chance.choice(values)
    if values and chance.random() < 0.15:
        return chance.choice(VALUES)
    values.append(fresh)
    return fresh
