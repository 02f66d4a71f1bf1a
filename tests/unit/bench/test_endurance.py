"""The streams of the long run: every fact of the join finds about one partner, and every other one fires one rule."""

from __future__ import annotations

import numpy as np
import pytest

from lasing.bench.costs import endurance
from lasing.bench.costs.endurance import Sizes
from lasing.bench.measuring.workloads import Array
from lasing.engines.local.execute import OUT_SIGN


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endurance, "BATCH", 50)
    monkeypatch.setattr(endurance, "FEW_LIVE", 1000)


def results(feed: endurance._Feed, batches: int) -> int:
    """How many atoms a feed has derived, counting those that are gone again."""
    seen = 0
    evaluate = feed.engine.evaluate

    def counting(rows: Array, end: int) -> list[Array]:
        nonlocal seen
        blocks = [np.array(block) for block in evaluate(rows, end)]
        seen += sum(int((block[:, OUT_SIGN] > 0).sum()) for block in blocks)
        return blocks

    feed.engine.evaluate = counting  # type: ignore[method-assign, assignment]
    for _ in range(batches):
        feed.batch()
    return seen


def test_each_pair_of_facts_joins_about_once() -> None:
    facts = 4 * endurance.BATCH * endurance.RATE
    found = results(endurance._Feed(endurance._join(20), endurance._pairs(20)), 4)
    assert 0.8 * facts < found < 1.2 * facts


@pytest.mark.parametrize("inputs", [["p"], [f"p{i}" for i in range(30)]])
def test_each_fact_fires_one_rule(inputs: list[str]) -> None:
    rules = [f"h{i}(X) :- p(X,{i}) in [2]." if len(inputs) == 1 else f"h{i}(X) :- p{i}(X,V) in [2]." for i in range(30)]
    declared = [f"#input {name}/2." for name in inputs]
    feed = endurance._Feed("\n".join([*declared, *rules]), endurance._fired(30, inputs))
    assert results(feed, 2) == 2 * endurance.BATCH * endurance.RATE


def test_all_cases_are_reported() -> None:
    rows = endurance.endurance(Sizes(facts=1, live=4000, rules=40))
    assert [what for what, _, _ in rows] == [
        "200,000 facts, joined over 20 time points",
        "4,000 live facts, joined",
        "40 rules that differ in a constant",
        "40 rules that differ in predicates",
        "40 rules that have thresholds of their own",
    ]
    assert all("µs a fact" in cost and compared.count("x") >= 1 for _, cost, compared in rows)
