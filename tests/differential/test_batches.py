"""Windows of batches of triples against a literal evaluation: a list of all triples, cut by their numbers.

The judge appends triples to a list and asks pyoxigraph about slices of it. It shares nothing with the rules but the
order of the triples of one time point.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pyoxigraph
import pytest
from pyoxigraph import DefaultGraph, NamedNode

import lasing
from lasing.errors import SourceText
from lasing.languages.rspql.lower import lower
from lasing.logic.answers import Answer
from lasing.logic.functions.chance import digest
from lasing.logic.functions.sorting import sort_text
from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from tests.differential.rspql_queries import EX, FIRST, HEADS, SECOND, STATIC, Triple, iri, streamed_fact
from tests.differential.sizes import programs
from tests.differential.test_rspql import Bag, answered, bag_of, quad

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # a stream may have no facts at all
CHUNK = 10
LAST = 20


@dataclass(frozen=True)
class Asked:
    """A window as the judge makes it: of `size` triples with a `step`, or of `seconds` if it has no size."""

    graph: str | None
    stream: str
    size: int = 0
    step: int = 0
    seconds: int = 0


@dataclass(frozen=True)
class Case:
    """A query, its plain form, and the data."""

    text: str
    plain: str
    dialect: str
    operator: str
    policy: str
    windows: tuple[Asked, ...]
    every: int | None
    static: tuple[Triple, ...]
    streamed: tuple[tuple[int, str, Triple], ...]


def place(triple: Triple) -> tuple[int, int, int, str]:
    """What decides the order of the triples of one time point."""
    number = digest(*triple)
    return number % 16, number // 16 % 16, number // 256 % 16, sort_text(*triple)


def example(seed: int) -> Case:
    r = random.Random(seed)
    static = tuple((iri(f"s{i}"), iri("in"), iri(f"room{r.randrange(3)}")) for i in range(5))
    facts = [streamed_fact(r) for _ in range(r.randrange(5, 60))]
    streamed = tuple(sorted({(second * LAST // 30, stream, triple) for second, stream, triple in facts}, key=str))
    dialect = r.choice(("RSP-QL", "C-SPARQL", "CQELS"))
    graphs = [None, None] if dialect == "C-SPARQL" else ["w0", "w1"]
    windows = [_batch(r, graphs[0], "a", dialect)]
    if r.random() < 0.5:
        other = _batch(r, graphs[1], r.choice("ab") if dialect != "C-SPARQL" else "b", dialect)
        windows.append(other if r.random() < 0.5 else Asked(graphs[1], "b", seconds=r.choice((1, 3))))
    head, before, inside, second = r.choice(HEADS), r.choice(STATIC), r.choice(FIRST), r.choice(SECOND)
    tail = " GROUP BY ?s" if "?s (COUNT" in head else ""
    operator = {"RSP-QL": r.choice(("RSTREAM", "ISTREAM", "DSTREAM")), "C-SPARQL": "RSTREAM", "CQELS": "ISTREAM"}[
        dialect
    ]
    policy = r.choice(("", "", "NON_EMPTY_CONTENT", "ON_CONTENT_CHANGE")) if dialect == "RSP-QL" else ""
    every = r.choice((None, None, 3)) if dialect == "C-SPARQL" else None
    parts = [inside, second][: 1 if dialect == "C-SPARQL" else len(windows)]
    prefix = f"PREFIX ex: <{EX}>\n"
    opened = [f"GRAPH ex:{w.graph} {{ {p} }}" if w.graph else p for w, p in zip(windows, parts, strict=False)]
    plain = f"{prefix}{head} WHERE {{ {before} {' '.join(opened)} }}{tail}"
    match dialect:
        case "RSP-QL":
            clauses = " ".join(f"FROM NAMED WINDOW ex:{w.graph} ON ex:{w.stream} {_written(w)}" for w in windows)
            pattern = " ".join(f"WINDOW ex:{w.graph} {{ {part} }}" for w, part in zip(windows, parts, strict=True))
            report = f"REPORT {policy} TICK 1s" if policy else "TICK 1s"
            text = f"REGISTER {operator} ex:out AS {head} {clauses} {report} WHERE {{ {before} {pattern} }}{tail}"
        case "C-SPARQL":
            clauses = " ".join(f"FROM STREAM ex:{w.stream} {_written(w)}" for w in windows)
            compute = f"COMPUTE EVERY {every}s " if every else ""
            text = f"REGISTER QUERY out {compute}AS {head} {clauses} TICK 1s WHERE {{ {before} {inside} }}{tail}"
        case _:
            streams = [f"STREAM ex:{w.stream} {_written(w)} {{ {p} }}" for w, p in zip(windows, parts, strict=True)]
            text = f"{head} WHERE {{ {before} {' '.join(streams)} }}{tail}"
    return Case(prefix + text, plain, dialect, operator, policy, tuple(windows), every, static, streamed)


def _batch(r: random.Random, graph: str | None, stream: str, dialect: str) -> Asked:
    size = r.choice((1, 2, 3, 5)) if dialect == "C-SPARQL" else r.choice((1, 3, 4, 8))
    step = size if dialect == "C-SPARQL" else r.choice((2, 3, 5))
    return Asked(graph, stream, size, step)


def _written(window: Asked) -> str:
    if not window.size:
        return f"[RANGE {window.seconds}s STEP 1s]"
    return f"[TRIPLES {window.size}{'' if window.size == window.step == 1 else f' STEP {window.step}'}]"


@dataclass
class Judge:
    """Numbers triples by keeping all of them."""

    case: Case
    arrived: dict[str, list[Triple]] = field(default_factory=lambda: {"a": [], "b": []})
    before: Bag = field(default_factory=Counter)
    seen: tuple[int, ...] = ()

    def report(self, now: int) -> Bag:
        """All reports of a time point together."""
        case = self.case
        batches = [window for window in case.windows if window.size]
        was = [len(self.arrived[window.stream]) // window.step for window in batches]
        for stream, known in self.arrived.items():
            known += sorted((f for t, s, f in case.streamed if (t, s) == (now, stream)), key=place)
        closed = [len(self.arrived[window.stream]) // window.step for window in batches]
        together: Bag = Counter()
        for number in self._evaluations(now, was, closed):
            latest = closed if case.every else [min(w + number, c) for w, c in zip(was, closed, strict=True)]
            together += self._evaluated(now, latest, number, was, closed)
        return Counter(set(together)) if "\nASK" in case.plain else together

    def _evaluations(self, now: int, was: list[int], closed: list[int]) -> Iterator[int]:
        case = self.case
        if case.every:
            return iter([1] if now % case.every == 0 else [])
        most = max(c - w for w, c in zip(was, closed, strict=True))
        steady = any(not window.size for window in case.windows)
        return iter(range(1, max(most, int(steady)) + 1))

    def _evaluated(self, now: int, latest: list[int], number: int, was: list[int], closed: list[int]) -> Bag:
        case, store, content = self.case, pyoxigraph.Store(), 0
        for triple in case.static:
            store.add(quad(triple, DefaultGraph()))
        shown = iter(latest)
        for window in case.windows:
            graph = DefaultGraph() if window.graph is None else NamedNode(EX + window.graph)
            if window.size:
                last = next(shown) * window.step
                triples = self.arrived[window.stream][max(last - window.size, 0) : last]
            else:
                lo, hi = self._edges(window, now)
                triples = [f for t, s, f in case.streamed if s == window.stream and lo <= t <= hi]
            content += len(triples)
            for triple in triples:
                store.add(quad(triple, graph))
        if (case.dialect == "C-SPARQL" or case.policy == "NON_EMPTY_CONTENT") and not content:
            return Counter()
        if case.policy == "ON_CONTENT_CHANGE" and not self._changed(now, number, was, closed):
            return Counter()
        found, before = answered(store, case.plain), self.before
        self.before = found
        return {"RSTREAM": found, "ISTREAM": found - before, "DSTREAM": before - found}[case.operator]

    def _edges(self, window: Asked, now: int) -> tuple[int, int]:
        closed_at_end = self.case.dialect != "RSP-QL"
        return now - window.seconds + closed_at_end, now - 1 + closed_at_end

    def _changed(self, now: int, number: int, was: list[int], closed: list[int]) -> bool:
        if any(w + number <= c for w, c in zip(was, closed, strict=True)):
            return True
        times = [(window, *self._edges(window, now)) for window in self.case.windows if not window.size]
        return any(
            s == window.stream and t in (hi, lo - 1) for window, lo, hi in times for t, s, _ in self.case.streamed
        )


def program_of(case: Case) -> Program:
    program, mistakes = lower([SourceText("q", case.text, None)], {})
    assert not mistakes, case.text
    return replace(program, tables=(FactTable.of("triple", case.static, 3),))


def facts_of(case: Case) -> list[tuple[object, ...]]:
    return [(time, stream, *triple) for time, stream, triple in sorted(case.streamed, key=lambda fact: fact[0])]


def agrees(case: Case, answers: Iterator[Answer] | list[Answer]) -> None:
    output, judge = program_of(case).outputs, Judge(case)
    assert output is not None
    for answer in answers:
        found, expected = bag_of(output[0], answer), judge.report(answer.time)
        difference = f"{found - expected} too many, {expected - found} missing"
        assert found == expected, f"{case.text}\nat {answer.time}: {difference}\n{case.streamed}"


@pytest.mark.parametrize("first", range(0, programs(60, 3000), CHUNK))
def test_a_query_reports_what_sparql_answers_on_its_batches(first: int) -> None:
    for seed in range(first, first + CHUNK):
        case = example(seed)
        agrees(case, lasing.run(program_of(case), facts_of(case), start=0, end=LAST))


@pytest.mark.parametrize("seed", range(programs(8, 100)))
def test_the_reference_engine_gives_the_same(seed: int) -> None:
    case = example(1000 + seed)
    agrees(case, lasing.run(program_of(case), facts_of(case), start=0, end=LAST, engine="reference"))


@pytest.mark.parametrize("seed", range(programs(10, 200)))
def test_an_engine_that_continues_from_a_snapshot_gives_the_same(seed: int) -> None:
    case = example(2000 + seed)
    program, facts = program_of(case), facts_of(case)
    break_at = random.Random(seed).randrange(1, LAST)
    engine = lasing.Engine(program, start=0)
    answers: list[Answer] = []
    for time in range(LAST + 1):
        if time == break_at:
            engine = lasing.Engine.restore(program, engine.snapshot())
        engine.push(time, [fact[1:] for fact in facts if fact[0] == time])
        answers.append(engine.answer())
    agrees(case, answers)
