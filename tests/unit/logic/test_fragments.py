"""Which engine a rule needs, and whether more data can take its conclusion away."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.analysis import analyse
from lasing.logic.fragments import ENGINE_NEEDED, non_monotone


@pytest.mark.parametrize(
    ("rule", "engine"),
    [
        ("h :- p.", "local"),
        ("h :- p at T, not q in [5], T > 3.", "local"),
        ("h :- not p always in [#2].", "local"),
        ("h at T :- p at T in [5].", "local"),
        ("h :- N = #sum{V : r(V) in [3]}, N > 2.", "local"),
        ("h :- (p in [5]) at T.", "reference"),
        ("h :- p or q.", "local"),
        ("h :- not (not p).", "local"),
        ("h :- #count{1 : p or q} > 0.", "local"),
        ("h :- (p in [#5]) in [3].", "reference"),
        ("h :- not h.", "clingo"),
        ("h ; g :- p.", "clingo"),
        (":- p.", "clingo"),
        ("{h} :- p.", "clingo"),
        (":~ p. [1]", "clingo"),
    ],
)
def test_the_engine_that_a_rule_needs(rule: str, engine: str) -> None:
    (analysed,) = analyse(lasing.parse(rule)).rules
    assert ENGINE_NEEDED[analysed.reason.fragment] == engine


def test_only_a_negative_cycle_and_what_rests_on_it_need_several_answers() -> None:
    analysis = analyse(lasing.parse("a :- not b. b :- c. c :- a. d :- a. e :- p, not q."))
    assert [rule.reason.fragment for rule in analysis.rules] == ["several answers"] * 4 + ["plain"]
    assert analysis.rules[3].reason.why == "it depends on a, which is undecided"


def test_nested_formulas_below_a_choice_are_rewritten() -> None:
    analysis = analyse(lasing.parse("{a} :- q. q :- (p or r) always in [2]. s :- (p in [#2]) in [3]."))
    assert [rule.reason.fragment for rule in analysis.rules] == ["several answers", "rewritten", "nested"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("p in [5], r(X), X < 3", ""),
        ("p at T in [2..5]", ""),
        ("p, not q", "not"),
        ("p always in [5]", "always"),
        ("p in [#3]", "a tuple window"),
        ("r(X) in [#1 by X]", "a tuple window"),
        ("#max{X : r(X)} > 3", "#max"),
    ],
)
def test_what_makes_a_rule_non_monotone(body: str, why: str) -> None:
    (rule,) = lasing.parse(f"h :- {body}.").rules
    assert non_monotone(rule) == why


def test_why_a_rule_with_a_nested_formula_goes_its_way() -> None:
    analysis = analyse(lasing.parse("a :- p or q. b :- p and q. c :- not (p and q) in [2]. d :- (p in [#5]) in [3]."))
    assert [(rule.reason.fragment, rule.reason.why, rule.helpers) for rule in analysis.rules] == [
        ("rewritten", "its nested formula is rewritten, with 1 helper rule", 1),
        ("rewritten", "its nested formula is rewritten", 0),
        ("rewritten", "its nested formula is rewritten, with 1 helper rule", 1),
        ("nested", "it has a window of facts inside another formula", 0),
    ]
