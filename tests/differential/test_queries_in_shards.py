"""Queries over streams of triples, in micro-batches and shards, and in slices of history, give the reference's rows.

What Spark does is done by hand, as in `test_streamed_shards` and `test_sliced`.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import lasing
from lasing.background import with_background
from lasing.connectors.sinks import VIEWS
from lasing.errors import SourceText
from lasing.languages import read_program
from lasing.logic.partition import NoKey, Partition, not_streamed, partition
from lasing.logic.program import Program
from lasing.logic.types import Type, argument_types
from lasing.logic.values import Iri, Value, datatypes, literal
from lasing.spark.outputs import output_tables
from lasing.spark.task import Task
from tests.differential.sizes import programs
from tests.differential.test_sliced import sliced
from tests.differential.test_streamed_shards import Case, Row, in_batches, too_late

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")

WINDOW = "FROM NAMED WINDOW :w ON :s [RANGE PT6S STEP PT2S]"
QUERIES = {
    "join": f"REGISTER RSTREAM <out> AS SELECT ?x ?v ?w {WINDOW} WHERE {{ WINDOW :w {{ ?x :temp ?v . ?x :near ?w }} }}",
    "static": f"""REGISTER RSTREAM <out> AS SELECT ?x ?v ?floor {WINDOW}
        WHERE {{ ?x :room ?r . ?r :floor ?floor . WINDOW :w {{ ?x :temp ?v }} }}""",
    "optional": f"""REGISTER ISTREAM <out> AS SELECT ?x ?v ?w {WINDOW}
        WHERE {{ WINDOW :w {{ ?x :temp ?v OPTIONAL {{ ?x :near ?w }} }} }}""",
    "groups": f"""REGISTER DSTREAM <out> AS SELECT ?x (COUNT(*) AS ?n) (MAX(?v) AS ?most) {WINDOW}
        WHERE {{ WINDOW :w {{ ?x :temp ?v }} }} GROUP BY ?x""",
    "bag": f"REGISTER RSTREAM <out> AS SELECT ?x {WINDOW} WHERE {{ WINDOW :w {{ ?x ?p ?v }} }}",
    "order": f"REGISTER ISTREAM <out> AS SELECT ?x {WINDOW} WHERE {{ WINDOW :w {{ ?x :temp ?v }} }} ORDER BY DESC(?v)",
    "graph": f"REGISTER RSTREAM <out> AS CONSTRUCT {{ ?x :hot ?v }} {WINDOW} WHERE {{ WINDOW :w {{ ?x :temp ?v }} }}",
    "ask": f"REGISTER RSTREAM <out> AS ASK {WINDOW} WHERE {{ WINDOW :w {{ ?x :temp ?v . ?x :near ?y }} }}",
    "C-SPARQL": """REGISTER QUERY out AS SELECT ?x ?v FROM STREAM <http://ex.org/s> [RANGE 6s STEP 2s]
        WHERE { ?x :temp ?v FILTER NOT EXISTS { ?x :near ?y } }""",
    "C-SPARQL static": """REGISTER QUERY out AS SELECT ?x ?v ?r FROM STREAM <http://ex.org/s> [RANGE 6s STEP 2s]
        WHERE { ?x :temp ?v . ?x :room ?r }""",
    "C-SPARQL groups": """REGISTER QUERY out AS SELECT ?x (COUNT(*) AS ?n)
        FROM STREAM <http://ex.org/s> [RANGE 6s STEP 2s]
        WHERE { { ?x :temp ?v } UNION { ?x :near ?v OPTIONAL { ?x :room ?r } } } GROUP BY ?x""",
    "C-SPARQL named": """REGISTER QUERY out AS SELECT ?x ?v ?r FROM NAMED STREAM <http://ex.org/s> [RANGE 6s STEP 2s]
        WHERE { GRAPH <http://ex.org/s> { ?x ?p ?v } OPTIONAL { ?x :room ?r } }""",
    "C-SPARQL optional": """REGISTER QUERY out AS SELECT ?x ?v ?r FROM STREAM <http://ex.org/s> [RANGE 6s STEP 2s]
        WHERE { ?x :room ?r OPTIONAL { ?x :temp ?v } }""",
    "C-SPARQL graphs": """REGISTER QUERY out AS SELECT ?g ?x ?v FROM NAMED STREAM <http://ex.org/s> [RANGE 6s STEP 2s]
        WHERE { GRAPH ?g { ?x :temp ?v } }""",
    "C-SPARQL any": """REGISTER QUERY out AS SELECT ?x ?v FROM STREAM <http://ex.org/s> [RANGE 6s STEP 2s]
        WHERE { ?x ?p ?v }""",
    "CQELS": "SELECT ?x ?v ?r WHERE { STREAM <http://ex.org/s> [RANGE 3s] { ?x :temp ?v } ?x :room ?r }",
    "last": "SELECT ?x ?v WHERE { STREAM <http://ex.org/s> [TRIPLES 3] { ?x :temp ?v } }",
}
STATIC = """@prefix : <http://ex.org/> . :a :room :r1 . :b :room :r1 . :c :room :r2 . :r1 :floor 1 . :r2 :floor "2" ."""


def program_of(name: str) -> Program:
    text = f"PREFIX : <http://ex.org/>\n{QUERIES[name]}"
    return with_background(read_program([SourceText(name, text)], {}, "sparql"), lasing.rdf.graph(STATIC, format="ttl"))


def case_of(name: str, chance: random.Random) -> Case:
    """A query, and a stream of triples about few things."""
    program = program_of(name)
    types: dict[str, tuple[Type, ...]] = {"s": ("mixed", "mixed", "mixed")}
    things = [Iri(f"http://ex.org/{letter}") for letter in "abcd"]
    values: list[Value] = [1, 2, 2.5, "1", "x", literal("2.0", datatypes.DECIMAL), *things[:2]]
    rows: list[Row] = []
    for _ in range(chance.randint(1, 25)):
        predicate = Iri(f"http://ex.org/{chance.choice(['temp', 'temp', 'near'])}")
        rows.append((chance.randint(0, 20), "s", (chance.choice(things), predicate, chance.choice(values))))
    found = partition(program, background=not_streamed(program, ["s"]))
    shards = chance.choice([1, 2, 3]) if isinstance(found, Partition) else 1
    split = found if isinstance(found, Partition) and shards > 1 else None
    task = Task(
        program=program,
        inputs=("s",),
        outputs=output_tables(program, argument_types(program, types)),
        view=chance.choice(VIEWS),
        keys=split.keys if split else {},
        foreign=split.foreign if split else frozenset(),
        shards=shards,
        start=chance.choice([None, 0, 3]),
        terms={"s": frozenset({1, 2, 3})},
    )
    return Case(task, types, tuple(sorted(rows, key=lambda row: row[0])))


SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=programs(50, 2000))
@given(name=st.sampled_from(sorted(QUERIES)), seed=SEEDS)
def test_queries_in_micro_batches(name: str, seed: int) -> None:
    chance = random.Random(seed)
    case = case_of(name, chance)
    event(f"{name}, {case.task.shards} shards")
    chance.choice([in_batches, too_late])(case, chance)


@settings(max_examples=programs(50, 2000))
@given(name=st.sampled_from(sorted(QUERIES)), seed=SEEDS)
def test_queries_in_slices(name: str, seed: int) -> None:
    chance = random.Random(seed)
    event(f"{name}, {sliced(case_of(name, chance), chance)} slices")


ABOUT_ONE_THING = ("join", "static", "optional", "groups", "bag", "order", "graph", "CQELS")
WITH_CONTENT = ("C-SPARQL", "C-SPARQL static", "C-SPARQL groups", "C-SPARQL named", "C-SPARQL graphs")
"""Queries that report if windows have content, and whose rows need content anyway."""


@pytest.mark.parametrize("name", [*ABOUT_ONE_THING, *WITH_CONTENT])
def test_queries_about_one_thing_have_a_key(name: str) -> None:
    program = program_of(name)
    found = partition(program, background=not_streamed(program, ["s"]))
    assert isinstance(found, Partition), found
    assert found.keys["s"] == 0


@pytest.mark.parametrize("name", ["C-SPARQL optional", "C-SPARQL any"])
def test_rows_of_static_triples_need_content_of_all_shards(name: str) -> None:
    program = program_of(name)
    assert isinstance(partition(program, background=not_streamed(program, ["s"])), NoKey)
    alone = replace(program, tables=(), background=())
    found = partition(alone, background=not_streamed(alone, ["s"]))
    assert isinstance(found, Partition), "without static triples, there are no such rows"


def test_static_triples_that_may_be_streamed_count() -> None:
    program = program_of("C-SPARQL")
    assert isinstance(partition(program), NoKey)


@pytest.mark.parametrize("name", [name for name in QUERIES if name != "last"])
def test_queries_look_back_a_bounded_time(name: str) -> None:
    program = program_of(name)
    task = Task(program, ("s",), {}, "answers", {}, frozenset())
    assert task.history.points is not None
    assert task.history.points <= 12
