"""Recursions over facts that are renewed: longer guarantees are passed on late, and answers do not show it."""

from __future__ import annotations

import random

import pytest

import lasing
from lasing import Atom
from lasing.engines.local import memory
from lasing.engines.local.engine import LocalEngine

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

REACHED = "reached(Y) :- start(Y) in [3]. reached(Y) :- reached(X), edge(X,Y) in [6]."
PROGRAMS = {
    "reached": REACHED,
    "read by a rule": f"{REACHED} far(Y,Z) :- reached(Y), goal(Y,Z) in [9], Y != Z.",
    "read by a negation": f"{REACHED} alone(X) :- start(X) in [8], not reached(X).",
    "read by always": f"{REACHED} long(X) :- reached(X) always in [2].",
    "counted": f"{REACHED} many(N) :- N = #count{{X : reached(X)}}.",
    "pairs": "to(X,Y) :- edge(X,Y) in [5]. to(X,Z) :- to(X,Y), to(Y,Z).",
    "three columns": "to(X,Y,1) :- edge(X,Y) in [5]. to(X,Z,K) :- to(X,Y,K), edge(Y,Z) in [7]. end(Y) :- to(0,Y,K).",
    "two recursions": f"{REACHED} both(X,Y) :- reached(X), goal(X,Y) in [4]. both(X,Z) :- both(X,Y), edge(Y,Z) in [3].",
    "mutual": "even(X) :- start(X) in [9]. odd(Y) :- even(X), edge(X,Y) in [4]. even(Y) :- odd(X), edge(X,Y) in [8].",
    "facts too": "reached(Y) :- reached(X) in [2], edge(X,Y) in [6]. reached(Y) :- start(Y) in [1].",
    "without a window": f"{REACHED} kept(X) :- reached(X), goal(X,_) in [*].",
}

Row = tuple[object, ...]


def stream(seed: int, nodes: int = 7, last: int = 45) -> list[Row]:
    """Edges that are renewed again and again, and pauses in which what was guaranteed ends."""
    chance = random.Random(seed)
    edges = [(chance.randrange(nodes), chance.randrange(nodes)) for _ in range(nodes + chance.randrange(nodes))]
    rows: list[Row] = []
    for time in range(last):
        if chance.random() < 0.25:
            continue
        rows += [(time, "edge", *chance.choice(edges)) for _ in range(chance.randrange(4))]
        if chance.random() < 0.4:
            rows.append((time, "start", chance.randrange(2)))
        if chance.random() < 0.2:
            rows.append((time, "goal", chance.randrange(nodes), chance.randrange(nodes)))
        if chance.random() < 0.1:
            rows.append((time, "reached", chance.randrange(nodes)))
    return [*rows, (last + 15, "start", 1)]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_answers_are_those_of_the_reference(program: str) -> None:
    for seed in range(12):
        rows = stream(seed)
        local = [(answer.time, answer.atoms) for answer in lasing.run(program, rows, engine="local")]
        assert local == [(answer.time, answer.atoms) for answer in lasing.run(program, rows, engine="reference")], seed


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_pushes_and_guarantees_are_those_of_the_reference(program: str) -> None:
    for seed in range(20, 26):
        rows = stream(seed)
        expected = {a.time: a.atoms for a in lasing.run(program, rows, engine="reference", start=0)}
        local = lasing.Engine(program, start=0, engine="local")
        promised: dict[Atom, float] = {}
        for time in sorted({int(str(row[0])) for row in rows}):
            if time % 7 == 6:
                local = lasing.Engine.restore(program, local.snapshot())
            facts = [row[1:] for row in rows if row[0] == time]
            local.push(time, facts[:1])
            local.push(time, facts[1:])  # more facts at the same time point
            answer = local.answer()
            assert answer.atoms == expected[time], (seed, time)
            for atom, last in promised.items():
                assert last < time or atom in answer.atoms, (seed, time, atom)
            for atom in answer.atoms:
                until = answer.expires_at(atom)
                assert until is None or until >= time
                promised[atom] = -1 if until is None else until


def test_a_renewed_edge_does_not_move_what_is_beyond_it() -> None:
    length = 50
    engine = LocalEngine(lasing.parse("r(Y) :- edge(0,Y) in [200]. r(Y) :- r(X), edge(X,Y) in [200]."), 0)
    list(engine.advance(0, [Atom("edge", (i, i + 1)) for i in range(length)]))
    at = memory.HEADER + [relation.name for relation in engine.relations].index("r") * memory.DESCRIPTOR
    rows = int(engine.arena[at + memory.HI])
    for time in range(1, length):
        assert not [change for change in engine.advance(time, [Atom("edge", (time - 1, time))]) if change]
    assert int(engine.arena[at + memory.HI]) <= rows + length  # two for each edge if their guarantees had moved
    assert len(engine.recall(time, ()).added) == length
    gone = [(change.time, len(change.removed)) for change in engine.advance(201 + length, []) if change]
    assert gone == [(201, 1), (202, length - 1)]  # the last edge was not renewed, and the first one was at time 1
