"""Queries over streams against pyoxigraph: a report is what SPARQL answers on the content of the windows.

The judge cuts the windows by the definitions of each dialect: [c - range, c) in RSP-QL, (c - range, c] in the others,
where c is the last multiple of the step. It shares nothing with the lowering.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import pyoxigraph
import pytest
from pyoxigraph import DefaultGraph, NamedNode, Quad, QueryBoolean, QuerySolutions

import lasing
from lasing.connectors.rdf.terms import term_of_value
from lasing.errors import SourceText
from lasing.languages.rspql.lower import lower
from lasing.logic.answers import Answer
from lasing.logic.program import Output, Program
from lasing.logic.results import rows_of, shown_columns
from lasing.logic.tables import FactTable
from lasing.logic.values import Value
from tests.differential.rspql_queries import EX, LAST, StreamCase, Triple, WindowAsked, rspql_example
from tests.differential.sizes import programs

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # a stream may have no facts at all
CHUNK = 20
Bag = Counter[tuple[str | None, ...]]


@pytest.mark.parametrize("first", range(0, programs(60, 5000), CHUNK))
def test_a_query_reports_what_sparql_answers_on_its_windows(first: int) -> None:
    for seed in range(first, first + CHUNK):
        agrees_with_pyoxigraph(rspql_example(seed), "auto")


def test_the_reference_engine_gives_the_same() -> None:
    for seed in range(3):
        agrees_with_pyoxigraph(rspql_example(seed), "reference")


def agrees_with_pyoxigraph(case: StreamCase, engine: lasing.EngineName) -> None:
    program, mistakes = lower([SourceText("q", case.text, None)], {})
    assert not mistakes, case.text
    assert program.tick is not None
    assert program.outputs is not None
    tick = program.tick.milliseconds
    known = replace(program, tables=(FactTable.of("triple", case.static, 3),))
    facts = [(second * 1000 // tick, stream, *triple) for second, stream, triple in case.streamed]
    last = LAST * 1000 // tick
    judge = Judge(case, tick)
    for answer in lasing.run(known, facts, start=0, end=last, engine=engine):
        found, expected = bag_of(program.outputs[0], answer), judge.report(answer.time)
        difference = f"{found - expected} too many, {expected - found} missing"
        assert found == expected, f"{case.text}\nat {answer.time}: {difference}"


def bag_of(output: Output, answer: Answer) -> Bag:
    """The rows of an answer, by column."""
    if output.form == "truth":
        return Counter([("true",)] if answer.atoms else [])
    order = sorted(range(len(shown_columns(output))), key=lambda i: shown_columns(output)[i])
    rows = rows_of(output, answer.atoms)
    return Counter(tuple(text(row[i]) for i in order) for row in rows)


def text(value: Value | None) -> str | None:
    return None if value is None else str(term_of_value(value))


def quad(triple: Triple, graph: NamedNode | DefaultGraph) -> Quad:
    subject, predicate, value = cast("tuple[Any, Any, Any]", tuple(map(term_of_value, triple)))
    return Quad(subject, predicate, value, graph)


class Judge:
    """What the dialects say, with pyoxigraph on the content of the windows."""

    def __init__(self, case: StreamCase, tick: int) -> None:
        self._case, self._tick = case, tick
        self._before: Bag = Counter()

    def report(self, point: int) -> Bag:
        """The report at a time point; nothing if there is none."""
        case = self._case
        store, content = self._store(point)
        if point % self._points(case.period) or (case.needs_content and not content):
            return Counter()
        now, before = answered(store, case.plain), self._before
        self._before = now
        return now if case.operator == "RSTREAM" else now - before if case.operator == "ISTREAM" else before - now

    def _points(self, seconds: int) -> int:
        return max(seconds * 1000 // self._tick, 1)

    def _store(self, point: int) -> tuple[pyoxigraph.Store, int]:
        store, content = pyoxigraph.Store(), 0
        for triple in self._case.static:
            store.add(quad(triple, DefaultGraph()))
        for window in self._case.windows:
            graph = DefaultGraph() if window.graph is None else NamedNode(EX + window.graph)
            lo, hi = self._edges(window, point)
            for second, stream, triple in self._case.streamed:
                if stream == window.stream and lo <= second * 1000 // self._tick <= hi:
                    content += 1
                    store.add(quad(triple, graph))
        return store, content

    def _edges(self, window: WindowAsked, point: int) -> tuple[int, int]:
        """The first and last time point of a window."""
        length, step = self._points(window.range), self._points(window.step)
        closes = point // step * step
        return (closes - length, closes - 1) if self._case.dialect == "RSP-QL" else (closes - length + 1, closes)


def answered(store: pyoxigraph.Store, query: str) -> Bag:
    """What pyoxigraph answers."""
    found = store.query(query)
    if isinstance(found, QueryBoolean):
        return Counter([("true",)] if found else [])
    assert isinstance(found, QuerySolutions)
    names = sorted(variable.value for variable in found.variables)
    return Counter(tuple(None if row[n] is None else str(row[n]) for n in names) for row in found)


def test_the_programs_of_these_queries_run_on_the_local_engine() -> None:
    from lasing.engine_choice import unplanned

    programs_of: list[Program] = [lower([SourceText("q", rspql_example(s).text, None)], {})[0] for s in range(40)]
    assert not [program for program in programs_of if unplanned(program)]
