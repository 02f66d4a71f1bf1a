"""Windows over a derived stream, by their laws: some, all or each time point of the window is in a run."""

from __future__ import annotations

from typing import Literal

import pytest

from lasing.logic.terms import Variable
from lasing.plan.nodes import Derive, Feed, Lookup, PlanRule
from lasing.plan.operators import Recall, Remember
from lasing.plan.relations import Relation, Span
from tests.unit.engines.local.operators.laws import END, Facts, Row, present, random_facts, window

SPANS = [
    Span(0),
    Span(3),
    Span(3, -1),
    Span(4, -4),
    Span(None),
    Span(None, -2),
    Span(2, 0, 3),
    Span(4, -1, 3),
    Span(3, 2),
]
PAST = [Span(3), Span(2, 0, 3), Span(None)]


def _recalled(facts: Facts, span: Span, how: Literal["in", "always", "at"], past: bool) -> dict[int, set[Row]]:
    """What a window over q has, where q holds at the times of the facts."""
    x = Variable("X")
    p, q, runs = Relation("p", 1), Relation("q", 1, counted=True), Relation("runs", 3)
    target = Relation("recalled", 2 if how == "at" else 1, counted=True)
    derive = Derive((PlanRule(q, (x,), (Lookup(p, (x,)),)),), (q,))
    remember, recall = Remember("q", q, runs, how == "at"), Recall(runs, target, span, how, past)
    return present(
        target,
        facts,
        relations=[p, q, runs],
        feeds=[Feed("p", p, Span(0), timed=False)],
        stages=[recall, derive, remember] if past else [derive, remember, recall],
    )


def _seen(span: Span, t: int, past: bool) -> list[int]:
    """The time points of the window that are known: those up to now, or before now."""
    return [u for u in window(span, t) if u < t or (u == t and not past)]


@pytest.mark.parametrize("span", SPANS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_in(span: Span, seed: int) -> None:
    facts = random_facts(seed)
    found = _recalled(facts, span, "in", span.ahead < 0)
    assert any(found.values())
    for t in range(END):
        assert found[t] == {row for u in _seen(span, t, span.ahead < 0) for row in facts.get(u, ())}, t


@pytest.mark.parametrize("span", PAST, ids=str)
def test_in_without_now(span: Span) -> None:
    facts = random_facts(5)
    found = _recalled(facts, span, "in", True)
    for t in range(END):
        assert found[t] == {row for u in _seen(span, t, True) for row in facts.get(u, ())}, t


@pytest.mark.parametrize("span", [span for span in SPANS if span.ahead <= 0], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_always(span: Span, seed: int) -> None:
    facts: Facts = {u: [row for row in ((1,), (2,)) if (u * 7 + seed + row[0]) % 5] for u in range(END)}
    found = _recalled(facts, span, "always", span.ahead < 0)
    for t in range(END):
        points = _seen(span, t, span.ahead < 0)
        everywhere = set.intersection(*(set(facts.get(u, ())) for u in points)) if points else set[Row]()
        assert found[t] == everywhere, t


@pytest.mark.parametrize("span", SPANS, ids=str)
def test_at(span: Span) -> None:
    facts = random_facts(7)
    found = _recalled(facts, span, "at", span.ahead < 0)
    for t in range(END):
        assert found[t] == {(*row, u) for u in _seen(span, t, span.ahead < 0) for row in facts.get(u, ())}, t
