"""Many arguments, literals, variables or indices: the answers equal the reference's, or come from it."""

from __future__ import annotations

import random

import pytest

from tests.differential.harness import answers


def wide(arity: int) -> str:
    args = ",".join(f"X{i}" for i in range(arity))
    return f"q({args}) :- p({args}) in [3], r(X{arity - 1}) in [3]."


def ways(count: int) -> str:
    """A relation that is looked up by ever different columns."""
    rules = []
    for i in range(count):
        columns = [bit for bit in range(4) if (i + 1) >> bit & 1]
        args = ",".join(f"X{c}" for c in columns)
        rules.append(f"q{i}({args}) :- k{len(columns)}({args}), p(X0,X1,X2,X3) in [2].")
    return " ".join(rules)


PROGRAMS = {
    "twelve arguments": wide(12),
    "twenty arguments": wide(20),
    "thirty arguments": wide(30),
    "seventy literals": "q(X0,X70) :- " + ", ".join(f"e(X{i},X{i + 1}) in [2]" for i in range(70)) + ".",
    "three hundred operators": "q(Z) :- e(X,Y), Z = " + " + ".join(["min(X,Y,1)"] * 90) + ".",
    "fifteen ways to ask": ways(15),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_auto_equals_the_reference(program: str) -> None:
    chance = random.Random(3)
    rows = []
    for time in range(6):
        for _ in range(6):
            arity = next((n for n in (12, 20, 30) if f"X{n - 1}) in" in program and f"X{n})" not in program), 4)
            rows.append(f"p({','.join(str(chance.randrange(2)) for _ in range(arity))}) at {time}.")
        rows.append(f"r({chance.randrange(2)}) at {time}.")
        rows += [f"e({i},{i}) at {time}." for i in (1, 2)]
        rows += [f"k{n}({','.join(str(chance.randrange(2)) for _ in range(n))}) at {time}." for n in (1, 2, 3, 4)]
    stream = "\n".join(rows)
    assert answers(program, stream, 0, 7, "auto") == answers(program, stream, 0, 7, "reference")
