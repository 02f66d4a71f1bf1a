"""The picture of a plan has what the text of the plan has."""

from __future__ import annotations

from html import unescape

import pytest

import lasing
from lasing.engine_choice import plan_for
from lasing.plan.nodes import Plan
from lasing.plan.picture import picture
from lasing.plan.rewrite import rules_of
from lasing.plan.show import rule_text


def plan(text: str) -> Plan:
    found = plan_for(lasing.parse(text), "auto")
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text",
    [
        "hot(S) :- temp(S, V) in [5], V > 30.  fire(R) :- hot(S), smoke(R) always in [2], not wet(R) in [10].",
        "path(X,Y) :- edge(X,Y) in [5].  path(X,Z) :- path(X,Y), edge(Y,Z) in [5].  q(X) :- path(X,X), not p(X).",
        "q(S,N) :- N = #count{T : p(S) at T in [5]}, p(S).  r(X) :- p(X) in [#2 by X].",
        "on(X) :- start(X).  on(X) :- on(X) in [1,-1], not stop(X).  #stream on/1.",
        'q(X) :- p(X, "<&>"), X != "</text>".',
    ],
)
def test_each_relation_and_rule_is_drawn(text: str) -> None:
    made = plan(text)
    source = unescape(picture(made))
    for rule in rules_of(made):
        if rule.tests or len(rule.lookups) > 1:
            assert rule_text(rule) in source
        assert f"<{rule.head.name}>/{rule.head.arity}" in source
    for output in made.outputs:
        assert f"→ {output.predicate}" in source


def test_a_long_plan_counts_what_it_leaves_out() -> None:
    made = plan("".join(f"q{i}(X) :- p{i}(X, Y), Y > {i}, r{i}(Y).\n" for i in range(150)))
    assert "more rules and operators" in picture(made)


def test_a_notebook_shows_a_plan() -> None:
    made = plan("q :- p.")
    assert made._repr_html_() == picture(made)
