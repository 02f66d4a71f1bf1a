"""Background in tables, and literals with constants: every engine, and every way to give them, agrees."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import lasing
from lasing.engine_choice import unplanned
from lasing.engines.local import dictionary
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from lasing.logic.values import Value
from tests.differential.sizes import programs

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # not every rule can fire

CHUNK = 20
SUBJECTS, PREDICATES, OBJECTS = ("a", "b", 1), ("p", "q", "r"), ("a", "c", 1, 2)
END = 8


def literal(chance: random.Random, variables: tuple[str, str]) -> str:
    """A literal over triples with some constants, in some window."""
    subject = chance.choice((variables[0], variables[0], "a", "1"))
    predicate = chance.choice(("p", "q", "r", "P"))
    value = chance.choice((variables[1], variables[1], variables[0], "c", "2", "_"))
    window = chance.choice(("", "", " in [2]", " in [3,-1]", " in [3 step 2]", " always in [1]", " at T in [2]"))
    return f"triple({subject},{predicate},{value}){window}"


def rule(number: int, chance: random.Random) -> str:
    body = [literal(chance, ("X", "Y")), "see(X)"]
    if chance.random() < 0.6:
        body.append(literal(chance, ("Y", "Z")).replace(" at T", ""))
    if chance.random() < 0.4:
        body.append(f"not triple(X,{chance.choice(PREDICATES)},{chance.choice(('c', 2, 'X'))})")
    if chance.random() < 0.2:
        body.append("N = #count{V : triple(X,p,V) in [2]}")
        return f"h{number}(X,N) :- {', '.join(body)}."
    return f"h{number % 3}(X) :- {', '.join(body)}."


def facts(chance: random.Random, size: int) -> list[tuple[Value, ...]]:
    return [(chance.choice(SUBJECTS), chance.choice(PREDICATES), chance.choice(OBJECTS)) for _ in range(size)]


def example(seed: int) -> tuple[Program, FactTable, list[tuple[object, ...]]]:
    chance = random.Random(seed)
    text = "#input see/1, triple/3.\n" + "\n".join(rule(i, chance) for i in range(3, 3 + chance.randint(2, 6)))
    stream: list[tuple[object, ...]] = []
    for time in range(1, END):
        stream += [(time, "see", chance.choice(SUBJECTS)) for _ in range(chance.randint(0, 2))]
        stream += [(time, "triple", *row) for row in facts(chance, chance.randint(0, 2))]
    return lasing.parse(text), FactTable.of("triple", facts(chance, chance.randint(0, 8)), 3), stream


def answers(program: Program, stream: list[tuple[object, ...]], engine: str) -> list[str]:
    return [str(answer) for answer in lasing.run(program, stream, 1, END, engine)]  # type: ignore[arg-type]


@pytest.mark.parametrize("first", range(0, programs(200, 3000), CHUNK))
def test_a_table_is_the_same_as_its_facts_on_every_engine(first: int) -> None:
    planned = 0
    for seed in range(first, first + CHUNK):
        program, table, stream = example(seed)
        plain = replace(program, background=tuple(dict.fromkeys(Atom("triple", row) for row in table.rows())))
        expected = answers(plain, stream, "reference")
        tabled = replace(program, tables=(table,))
        assert answers(tabled, stream, "reference") == expected, seed
        if not unplanned(plain):
            planned += 1
            assert answers(plain, stream, "local") == expected, seed
            assert answers(tabled, stream, "local") == expected, seed
    assert planned > CHUNK // 2


@pytest.mark.parametrize("first", range(5_000, 5_000 + programs(40, 400), CHUNK))
def test_clingo_takes_tables_too(first: int) -> None:
    for seed in range(first, first + CHUNK):
        program, table, stream = example(seed)
        tabled = replace(program, tables=(table,))
        assert answers(tabled, stream, "clingo") == answers(tabled, stream, "reference"), seed


@pytest.mark.parametrize("first", range(9_000, 9_000 + programs(40, 400), CHUNK))
def test_snapshots_and_forgotten_values_change_nothing(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for seed in range(first, first + CHUNK):
        program, table, stream = example(seed)
        tabled = replace(program, tables=(table,))
        expected = {answer.time: answer.atoms for answer in lasing.run(tabled, stream, 1, END, "reference")}
        live = lasing.Engine(program, 1, data=table)
        for time in range(1, END + 1):
            live.push(time, [row[1:] for row in stream if row[0] == time])
            assert live.answer().atoms == expected[time], (seed, time)
            if (seed + time) % 3 == 0:
                live = lasing.Engine.restore(program, live.snapshot(), data=table)
                assert live.answer().atoms == expected[time], (seed, time)
