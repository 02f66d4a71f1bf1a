"""(group, text) at t  ⇔  text = the last terms of {terms : (group, terms) present at t}, in order, if there are any."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule
from lasing.plan.operators import Concat
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, Row, present, random_facts, window


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("groups", [0, 1])
def test_the_text_of_a_group_has_its_rows_in_order(seed: int, groups: int) -> None:
    span = Span(2)
    facts: dict[int, list[Row]] = {
        time: [(g, n, f"<{n}{text}>") for g, n, text in rows]
        for time, rows in random_facts(seed, columns=3, values=4).items()
    }
    x, y, z = (Variable(name) for name in "XYZ")
    p, rows = Relation("p", 3), Relation("rows", 2 + groups, counted=True)
    target = Relation("texts", 1 + groups, counted=True)
    kept = (x, y, z)[1 - groups :]
    found = present(
        target,
        facts,
        relations=[p, rows],
        feeds=[Feed("p", p, span, timed=False)],
        stages=[
            Derive((PlanRule(rows, kept, (Lookup(p, (x, y, z)),)),), (rows,)),
            Concat("concat", rows, target, by=(x,) * groups, origin=0),
        ],
    )
    assert any(found.values())
    for t in range(END):
        held = {row[1 - groups :] for u in window(span, t) for row in facts.get(u, ())}
        texts = {key: sorted(row[groups:] for row in held if row[:groups] == key) for key in {r[:groups] for r in held}}
        assert found[t] == {(*key, "".join(text for _, text in rows)) for key, rows in texts.items()}, t  # type: ignore[misc]


def rows_of_a_group(size: int) -> int:
    """How many rows the engine has made and keeps for GROUP_CONCAT of a group of this size."""
    query = "PREFIX : <http://ex.org/> SELECT (GROUP_CONCAT(?n; separator=', ') AS ?all) { ?s :name ?n }"
    names = "".join(f':s{i} :name "n{i}" . ' for i in range(size))
    program = lasing.parse(
        query, language="sparql", data=lasing.rdf.graph(f"@prefix : <http://ex.org/> . {names}", format="ttl")
    )
    run = lasing.run(program, [], 0, 0)
    run.measure()
    (answer,) = run
    ((text, *_),) = (atom.values for atom in answer.atoms)
    assert sorted(str(text).split(", ")) == sorted(f"n{i}" for i in range(size))
    assert run.measured is not None
    made = sum(figures.rows for figures in run.measured.rules())
    return made + sum(figures.rows for figures in run.measured.relations())


def test_group_concat_takes_rows_in_proportion_to_its_group() -> None:
    few, many = rows_of_a_group(50), rows_of_a_group(400)
    assert many < 10 * few  # in proportion, it is 8 times as many; with a row for each pair of texts, it was 60 times
