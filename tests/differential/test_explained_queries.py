"""Every result of a query has a proof, and its explanation speaks of rows, triples and events, not of helpers."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings

import lasing
from lasing.errors import SourceText
from lasing.events.declarations import predicate_of
from lasing.explain.as_json import explanation_json, why_not_json
from lasing.explain.asking import explain_absence
from lasing.explain.evidence import evidence_of
from lasing.explain.explanation import explanations
from lasing.explain.goals import Goal
from lasing.explain.search import Search
from lasing.explain.tree import tree
from lasing.languages.rspql.lower import lower
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.tables import FactTable
from lasing.logic.terms import Variable
from lasing.logic.values import Truth
from lasing.worlds import worlds
from tests.differential import etalis_patterns, tesla_patterns
from tests.differential.cql_queries import LAST as LAST_ROW
from tests.differential.cql_queries import cql_example
from tests.differential.dotr_programs import LAST as LAST_GRAPH
from tests.differential.dotr_programs import dotr_example
from tests.differential.models import models
from tests.differential.proofs import check_proof
from tests.differential.rspql_queries import LAST as LAST_TRIPLE
from tests.differential.rspql_queries import rspql_example
from tests.differential.sizes import programs
from tests.differential.test_cql import given as cell
from tests.differential.test_dotr import program_with
from tests.differential.test_etalis import parsed as parsed_intervals
from tests.differential.test_tesla import parsed as parsed_events

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
Row = tuple[Any, ...]
_QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]$')
MOST_ATOMS = 4


@pytest.mark.parametrize("seed", sorted({*range(programs(4, 500)), 199}))  # 199: how often rows come, after DSTREAM
def test_rows_of_sql(seed: int) -> None:
    case = cql_example(seed)
    program = lasing.parse(case.setup + case.query, language="cql")
    explained(program, [(t, stream, *map(value, row)) for t, stream, row in case.streamed], 0, LAST_ROW)


@pytest.mark.parametrize("seed", range(programs(4, 500)))
def test_rows_of_queries_over_rdf_streams(seed: int) -> None:
    case = rspql_example(seed)
    program, mistakes = lower([SourceText("q", case.text, None)], {})
    assert not mistakes
    assert program.tick is not None
    tick = program.tick.milliseconds
    rows = [(second * 1000 // tick, stream, *triple) for second, stream, triple in case.streamed]
    known = replace(program, tables=(FactTable.of("triple", case.static, 3),))
    explained(known, rows, 0, LAST_TRIPLE * 1000 // tick)


@pytest.mark.parametrize("seed", range(programs(4, 300)))
def test_graphs_of_dotr(seed: int) -> None:
    case = dotr_example(seed)
    program = program_with(lasing.parse(case.text, language="dotr"), case)
    explained(program, [(time, "triple", *triple) for time, triple in case.stream], 0, LAST_GRAPH)


@settings(max_examples=programs(8, 500))
@given(tesla_patterns.examples())
def test_events_of_tesla(example: tesla_patterns.Example) -> None:
    assume(example.stream)
    rows: list[Row] = [(fact.time, predicate_of(fact.type), *fact.values) for fact in example.stream]
    explained(parsed_events(example), rows, rows[0][0], max(row[0] for row in rows))


@settings(max_examples=programs(8, 500))
@given(etalis_patterns.examples())
def test_events_of_etalis(example: etalis_patterns.Example) -> None:
    assume(example.stream)
    rows: list[Row] = [(fact.end, fact.name, *fact.values) for fact in example.stream]
    rows.sort(key=lambda row: row[0])
    explained(parsed_intervals(example), rows, rows[0][0], rows[-1][0])


def value(given: Any) -> Any:
    """A cell of a row as a value of the logic."""
    return Truth(given) if isinstance(given, bool) else cell(given)


def explained(program: lasing.Program, rows: list[Row], start: int, end: int) -> None:
    """Check the explanations of the results at each time point, and why another row is none of them."""
    assert program.provenance is not None
    rows = sorted((row for row in rows if program.takes(row[1])), key=lambda row: row[0])
    facts = [Fact(time, Atom(predicate, tuple(args))) for time, predicate, *args in rows]
    derived = facts_of(program).derived
    helpers = derived - program.provenance.said.keys() - program.output()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        for now, m, runs in models(program, facts, start, end):
            evidence = evidence_of(program, start, now, facts, runs)
            for output in program.outputs or ():
                atoms = [a for t, p, a in m.stream.derived.all() if p == output.predicate and t == now]
                for args in sorted(atoms, key=str)[:MOST_ATOMS]:
                    found = next(explanations(Search(evidence), Atom(output.predicate, args), now), None)
                    assert found is not None, f"nothing explains {output.predicate}{args} at {now}"
                    check_proof(found, m)
                    speaks_its_language(tree(found), helpers)
                    assert explanation_json(found)["told"]["line"] == tree(found).split("\n")[0]
                if not atoms and output.predicate in derived:
                    goal = Goal(Atom(output.predicate, tuple(Variable(f"A{i}") for i in range(output.arity))))
                    absence = explain_absence(evidence, goal, worlds=worlds)
                    speaks_its_language(str(absence), helpers)
                    assert why_not_json(absence)["holds"] is False


def speaks_its_language(text: str, helpers: frozenset[str] | set[str]) -> None:
    """Fail if an explanation names a predicate that only the translation knows; its statements may name anything."""
    lines = [line for line in text.split("\n") if " by the " not in line]
    for line in lines:
        plain = _QUOTED.sub("", line)
        for helper in helpers:
            assert re.search(rf"(?<![\w#.:/]){re.escape(helper)}\(", plain) is None, f"{helper} is in\n{text}"
