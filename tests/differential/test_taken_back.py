"""Recursions of the counted plane follow what comes and goes, and have the answers of the reference."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing.engines.local import memory
from lasing.engines.local.engine import LocalEngine
from lasing.logic.formulas import Atom

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

LINK = "link(X,Y) :- edge(X,Y) in [6], not cut(X,Y) in [1]."
PROGRAMS = {
    "reached": f"{LINK} reached(Y) :- link(0,Y). reached(Y) :- reached(X), link(X,Y)."
    " lost(X) :- node(X), not reached(X).",
    "closure": f"{LINK} path(X,Y) :- link(X,Y). path(X,Z) :- path(X,Y), path(Y,Z).",
    "under a negation": f"{LINK} reached(0). reached(Y) :- reached(X), link(X,Y), not closed(Y) in [2].",
    "mutual": f"{LINK} even(0). odd(Y) :- even(X), link(X,Y). even(Y) :- odd(X), link(X,Y)."
    " both(X) :- even(X), odd(X).",
    "constants": f"{LINK} on(0,1). on(1,K) :- on(X,K), link(X,Y), Y > 2. on(Y,2) :- on(X,1), link(X,Y), X != Y.",
    "three literals": f"{LINK} t(X,Y) :- link(X,Y). t(X,Z) :- t(X,Y), link(Y,Z), not cut(X,Z) in [0], t(Y,X).",
    "facts too": f"{LINK} seen(X) :- start(X) in [2]. seen(Y) :- seen(X), link(X,Y)."
    " far(X) :- seen(X), not near(X) in [3].",
    "the same twice": f"{LINK} loop(X,X) :- link(X,X). loop(X,Y) :- link(X,Y), loop(Y,X). loop(Y,X) :- loop(X,Y).",
    "arithmetic": f"{LINK} steps(0,0). steps(Y,N + 1) :- steps(X,N), link(X,Y), N < 5.",
    "times": f"{LINK} late(X) :- start(X) at T in [4], not cut(X,X) in [1]. late(Y) :- late(X) in [1], link(X,Y).",
    "counts": f"{LINK} many(X) :- start(X) in [3]. many(Y) :- many(X), link(X,Y), 2 <= #count{{Z : edge(Y,Z) in [5]}}.",
}
NODES = "node(0). node(1). node(2). node(3). node(4). node(5)."

Row = tuple[object, ...]


def stream(seed: int, nodes: int = 6, last: int = 40) -> list[Row]:
    """Edges that come, are cut, and end."""
    chance = random.Random(seed)
    rows: list[Row] = []
    for time in range(last):
        if chance.random() < 0.2:
            continue
        rows += [(time, "edge", chance.randrange(nodes), chance.randrange(nodes)) for _ in range(chance.randrange(4))]
        if chance.random() < 0.5:
            rows.append((time, "cut", chance.randrange(nodes), chance.randrange(nodes)))
        for name, share in (("closed", 0.2), ("start", 0.4), ("near", 0.2), ("seen", 0.1)):
            if chance.random() < share:
                rows.append((time, name, chance.randrange(nodes)))
    return [*rows, (last + 9, "start", 1)]


@pytest.mark.parametrize("rules", PROGRAMS.values(), ids=PROGRAMS)
def test_answers_are_those_of_the_reference(rules: str) -> None:
    program = f"{rules} {NODES}"
    for seed in range(10):
        rows = stream(seed)
        local = [(answer.time, answer.atoms) for answer in lasing.run(program, rows, engine="local")]
        assert local == [(answer.time, answer.atoms) for answer in lasing.run(program, rows, engine="reference")], seed


@pytest.mark.parametrize("rules", PROGRAMS.values(), ids=PROGRAMS)
def test_pushes_have_the_answers_of_the_reference(rules: str) -> None:
    program = f"{rules} {NODES}"
    for seed in range(20, 24):
        rows = stream(seed)
        expected = {a.time: a.atoms for a in lasing.run(program, rows, engine="reference", start=0)}
        local = lasing.Engine(program, start=0, engine="local")
        for time in sorted({int(str(row[0])) for row in rows}):
            if time % 9 == 8:
                local = lasing.Engine.restore(program, local.snapshot())
            facts = [row[1:] for row in rows if row[0] == time]
            local.push(time, facts[:1])
            local.push(time, facts[1:])  # more facts at the same time point
            assert local.answer().atoms == expected[time], (seed, time)


def test_only_what_is_affected_is_derived_again() -> None:
    length = 200
    rules = "link(X,Y) :- edge(X,Y) in [*], not cut(X,Y) in [0]. r(0). r(Y) :- r(X), link(X,Y)."
    engine = LocalEngine(lasing.parse(rules), 0)
    list(engine.advance(0, [Atom("edge", (i, i + 1)) for i in range(length)]))
    (number,) = (i for i, relation in enumerate(engine.relations) if relation.name == "scratch of r: r")
    at = memory.HEADER + number * memory.DESCRIPTOR
    before = int(engine.arena[at + memory.HI])
    (cut,) = (change for change in engine.advance(1, [Atom("cut", (length - 3, length - 2))]) if change)
    assert len([atom for atom in cut.removed if atom.predicate == "r"]) == 3
    (back,) = (change for change in engine.advance(2, []) if change)
    assert len([atom for atom in back.added if atom.predicate == "r"]) == 3
    assert int(engine.arena[at + memory.HI]) - before == 6  # three taken back, three derived again
