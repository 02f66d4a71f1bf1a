"""Random patterns over windows: each report is what pyoxigraph answers about the content of the windows.

Unlike `test_rspql.py`, the queries are those of `test_sparql.py`: all of SPARQL. There they meet one graph, here
graphs that change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import gcd
from typing import Any

import pytest

import lasing
from lasing.background import with_background
from lasing.connectors.rdf.terms import term_of_value, value_of_term
from lasing.logic.answers import Answer as Reported
from lasing.logic.program import Output
from lasing.logic.results import rows_of, shown_columns
from tests.differential.sizes import programs
from tests.differential.test_sparql import assert_same, bag
from tests.differential.windowed_queries import LAST, Windowed, WindowedExample, windowed_examples
from tests.queries import Answer, Data, Graph, Solutions, Triple, lowered, oracle

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # a stream may have no facts at all
CHUNK = 20
Bag = Counter[tuple[object, ...]]


@pytest.mark.parametrize("first", range(0, programs(100, 5_000), CHUNK))
def test_a_report_is_what_sparql_answers(first: int) -> None:
    for seed, case in windowed_examples(first, CHUNK):
        agrees(seed, case, "auto")


@pytest.mark.parametrize("first", [1_000_000])
def test_the_reference_engine_gives_the_same(first: int) -> None:
    for seed, case in windowed_examples(first, 5):
        agrees(seed, case, "reference")


def agrees(seed: int, case: WindowedExample, engine: lasing.EngineName) -> None:
    program = lowered(case.text)
    assert program.outputs is not None, "a query has an output"
    assert program.tick is not None
    assert program.tick.milliseconds == 1000, case.text
    known = with_background(program, case.example.data.tables())
    facts = [(second, stream, *map(value_of_term, triple)) for second, stream, triple in case.streamed]
    judge = Judge(case)
    for report in lasing.run(known, facts, start=0, end=LAST, engine=engine):
        found = _answer(program.outputs[0], report)
        judge.check(report.time, found, f"seed {seed} at {report.time}: {case.text}")


def _answer(output: Output, report: Reported) -> Answer:
    if output.form == "truth":
        return bool(report.atoms)
    if output.form == "graph":
        return Graph(tuple(_triple(*map(term_of_value, atom.values)) for atom in report.atoms))
    rows = (tuple(None if v is None else term_of_value(v) for v in row) for row in rows_of(output, report.atoms))
    return Solutions(shown_columns(output), tuple(rows))


def _triple(subject: Any, predicate: Any, value: Any) -> Triple:
    return subject, predicate, value


@dataclass
class Judge:
    """What the dialects say, with pyoxigraph on the content of the windows."""

    case: WindowedExample
    _before: Bag = field(default_factory=Counter)

    def check(self, now: int, found: Answer, what: str) -> None:
        """Check what is reported at a time point."""
        case = self.case
        contents = {window: self._content(window, now) for window in case.windows}
        period = 1 if case.dialect == "CQELS" else gcd(*(window.step for window in case.windows))
        if now % period or (case.dialect == "C-SPARQL" and not any(contents.values())):
            assert _is_nothing(found), what
            return
        data = _data(case.example.data, contents)
        expected = oracle(case.example.other, data)
        if case.operator == "RSTREAM":
            assert_same(replace(case.example, data=data), found, expected, what)
            return
        before, self._before = self._before, self._bag(expected)
        difference = self._before - before if case.operator == "ISTREAM" else before - self._before
        assert self._bag(found) == difference, what

    def _bag(self, answer: Answer) -> Bag:
        if isinstance(answer, Solutions):
            return bag(self.case.example, answer)
        assert isinstance(answer, bool), "graphs are reported whole"
        return Counter([()] if answer else [])

    def _content(self, window: Windowed, now: int) -> tuple[Triple, ...]:
        closes = now // window.step * window.step
        first, last = closes - window.range, closes - 1
        if self.case.dialect != "RSP-QL":
            first, last = first + 1, closes
        return tuple(
            dict.fromkeys(
                t for second, name, t in self.case.streamed if name == window.stream and first <= second <= last
            )
        )


def _is_nothing(answer: Answer) -> bool:
    match answer:
        case Solutions(_, rows):
            return not rows
        case Graph(triples):
            return not triples
    return not answer


def _data(static: Data, contents: Mapping[Windowed, tuple[Triple, ...]]) -> Data:
    """The graphs that a query sees."""
    default = [*static.default, *(t for window, triples in contents.items() if window.name is None for t in triples)]
    named = {f"http://e/{window.name}": triples for window, triples in contents.items() if window.name is not None}
    return Data(tuple(dict.fromkeys(default)), named)
