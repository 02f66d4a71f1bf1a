"""Relations that grow while a rule reads them: recursive rules find every match, however far the relation has moved."""

from __future__ import annotations

import random

import pytest

from lasing import run

RECURSIVE = {
    "two literals": "isIn(X,Z) :- edge(X,Y), isIn(Y,Z).",
    "a comparison": "isIn(X,Z) :- edge(X,Y), isIn(Y,Z), X != Z.",
    "both recursive": "isIn(X,Z) :- isIn(X,Y), isIn(Y,Z).",
    "three columns": "in3(X,Z,K) :- edge(X,Y), in3(Y,Z,K).  in3(X,Y,1) :- edge(X,Y).  isIn(X,Y) :- in3(X,Y,1).",
}


@pytest.mark.parametrize("rules", RECURSIVE.values(), ids=RECURSIVE)
@pytest.mark.parametrize("seed", [9, 13, 20, 21])
def test_a_closure_that_grows_is_complete(rules: str, seed: int) -> None:
    chance = random.Random(seed)
    edges = [(node, chance.randrange(max(0, node - 25), node)) for node in range(1, 80)]
    chance.shuffle(edges)
    rows = [(i // 4, "pos", x, y) for i, (x, y) in enumerate(edges)]
    program = f"edge(X,Y) :- pos(X,Y) in [*].  isIn(X,Y) :- edge(X,Y).  {rules}  #show isIn/2."
    for answer in run(program, rows, engine="local"):
        above = {x: y for time, _, x, y in rows if time <= answer.time}
        wanted = set()
        for x in above:
            y = x
            while y in above:
                y = above[y]
                wanted.add((x, y))
        assert {atom.values for atom in answer.atoms} == wanted, f"at {answer.time}"
