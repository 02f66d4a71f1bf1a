"""The example in W203 really is an instance without a value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing import Engine
from lasing.engines.local import dictionary
from lasing.engines.local.engine import LocalEngine
from lasing.engines.reference.engine import ReferenceEngine
from lasing.logic.examples import Example
from lasing.logic.formulas import At, head_atom, terms_of, walk
from lasing.logic.program import Rule
from lasing.logic.terms import evaluate, variables_of
from lasing.logic.values import Undefined, Value

ENGINES = ["local", "reference", "clingo"]

CASES = {
    "twice(S,Y) :- temp(S,V), Y = V * 2.": (
        ("s1", "n/a"),
        'arithmetic on something that is not a number; for example with S = s1, V = "n/a" at time point 36',
    ),
    "share(S,Y) :- temp(S,V), Y = 10 / V.": (
        ("s1", 0),
        "division by zero; for example with S = s1, V = 0 at time point 36",
    ),
    "far(S,V * V) :- temp(S,V).": (
        ("s1", 2**62),
        f"a result beyond 64 bits; for example with S = s1, V = {2**62} at time point 36",
    ),
    "later(S) at V :- temp(S,V).": (
        ("s1", 36.5),
        "a head time that is not an integer; for example with S = s1, V = 36.5 at time point 36",
    ),
    "mean(S,A) :- temp(S,_), A = #avg{V : temp(S,V) in [60]}.": (
        ("s1", "n/a"),
        'arithmetic on something that is not a number; for example "n/a", with S = s1, at time point 36',
    ),
    "total(A) :- A = #sum{V,S : temp(S,V) in [60]}.": (
        ("s1", "n/a"),
        'arithmetic on something that is not a number; for example "n/a" at time point 36',
    ),
    "most(A) :- A = #max{V : temp(_,V) in [60]}.": (
        ("s1", "n/a"),
        'least or greatest of values that do not compare; for example "n/a" at time point 36',
    ),
    "all(A) :- A = #sum{V : temp(_,V) in [60]}.": (
        ("s1", 2**63 - 1),
        "a result beyond 64 bits; for example at time point 36",
    ),
    "twice(Y) :- temp(_,V), Y = V * 2.": (
        ("s1", "x" * 99),
        f"arithmetic on something that is not a number; for example with V = {'x' * 60}… at time point 36",
    ),
    "sum(S,A) :- temp(S,_), A = #sum{V / W,T : temp(S,V) at T in [60], weight(S,W)}. weight(s1,0).": (
        ("s1", 1),
        "division by zero; for example with S = s1, V = 1, W = 0, T = 36 at time point 36",
    ),
    "late(S,T) :- (temp(S,V) at T and T > V + 1) in [60].": (
        ("s1", "n/a"),
        'arithmetic on something that is not a number; for example with S = s1, V = "n/a", T = 36 at time point 36',
    ),
}


def shown(engine: Engine) -> list[str]:
    return [found.message.partition("no value: ")[2] for found in engine.diagnostics()]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("program", CASES)
def test_an_example_names_the_value_and_its_origin(program: str, name: Any) -> None:
    dirty, message = CASES[program]
    engine = Engine(program, engine=name)
    engine.push(35, [("temp", "s0", 7)])
    engine.push(36, [("temp", "s2", 8), ("temp", *dirty)])
    engine.push(37, [("temp", "s3", 9), ("temp", "s4", dirty[1])])
    assert message in shown(engine)


@pytest.mark.parametrize("name", ENGINES)
def test_a_time_that_came_as_a_date_is_shown_as_one(name: Any) -> None:
    engine = Engine("#tick 1 min. twice(Y) :- temp(V), Y = V * 2.", engine=name)
    engine.push("2026-01-01T00:36:00Z", [("temp", "x")])
    assert shown(engine) == [
        "arithmetic on something that is not a number; for example with V = x at 2026-01-01T00:36:00Z"
    ]


def test_an_example_of_what_is_decided_below() -> None:
    engine = Engine("{a(X)} :- p(X). q(X,Y) :- p(X), Y = 1 / X. b :- a(X), q(X,Y), X / 0 > Y.")
    engine.push(4, [("p", 0), ("p", 2)])
    assert shown(engine) == [
        "division by zero; for example with X = 0 at time point 4",
        "division by zero; for example with X = 2, Y = 0.5 at time point 4",
    ]


@pytest.mark.parametrize("asked_before", [False, True])
def test_an_example_outlives_the_values_that_are_forgotten(asked_before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 4)
    program = "q(S,W,Y) :- p(S,V,W) in [1], Y = V + 1. a(S,A) :- p(S,_,_), A = #avg{V : p(S,V,_) in [1]}."
    engine = LocalEngine(lasing.parse(program), 0)
    for time in range(80):
        value = f"n/a {time}" if time in (20, 40) else time + 0.5
        list(engine.advance(time, [lasing.Atom("p", (f"s{time}", value, time + 0.25))]))
        if asked_before and time == 20:
            assert len(engine.examples) == 2
    assert engine.dictionary.collections > 3
    rules = lasing.parse(program).rules
    assert [
        engine.examples[i, "arithmetic on something that is not a number"].text(rules[i], None) for i in (0, 1)
    ] == [
        'for example with S = s20, V = "n/a 20", W = 20.25 at time point 20',
        'for example "n/a 20", with S = s20, at time point 20',
    ]


def test_of_many_rules_alike_the_one_without_a_value_is_named() -> None:
    program = " ".join(f"h{i}(X + 1) :- p(X,{i})." for i in range(6))
    for name in ("local", "reference"):
        run = lasing.run(program, [(1, "p", "x", 4), (2, "p", 1, 3)], engine=name)
        with pytest.warns(lasing.LasingWarning, match="W203"):
            list(run)
        assert run.report.failures == {(4, "arithmetic on something that is not a number"): 1}
        assert "for example with X = x at time point 1" in run.diagnostics()[0].message


def test_a_row_that_leaves_is_no_instance_of_a_rule_that_negates_it() -> None:
    program = lasing.parse("e(X,Y) :- p(X,Y). g(X) :- r(X,Y), X + 1 > Y, not e(X,Y).")
    engine = LocalEngine(program, 0)
    list(engine.advance(0, [lasing.Atom("p", ("a", 0))]))
    list(engine.advance(2, []))
    assert not engine.failures
    list(engine.advance(3, [lasing.Atom("p", ("a", 0)), lasing.Atom("r", ("a", 0))]))
    assert engine.failures == {(1, "arithmetic on something that is not a number"): 1}


# -- any example -------------------------------------------------------------------------------------------------------

RULES = lasing.parse("""
    a(X,Z) :- p(X,Y), Z = X / Y.
    b(X,Z) :- p(X,Y) in [2], r(Y,Z) in [3], X * Z > Y - 1.
    c(X + Y) :- p(X,Y) at T in [3], not r(X,T).
    d(X) at Y :- p(X,Y), not r(Y,X) in [1].
    e(X,S) :- p(X,_), S = #sum{Y div Z,T : p(X,Y) at T in [2], r(Y,Z) in [2]}.
    f(Z) :- f(Y), r(Y,X), Z = Y * X, not g(Z).
    f(X) :- p(X,_).
    g(X) :- r(X,Y), p(Y,_), X + 1 > Y, not e(X,Y).
    i(X) :- (p(X,Y) at T and not r(Y,T - X)) in [3].
""")
values = st.sampled_from([0, 1, 2, 3, "a", "b", 1.5, 2**62, -(2**61)])
facts = st.lists(st.tuples(st.sampled_from(["p", "r"]), values, values), max_size=3)


def has_no_value(rule: Rule, reason: str, example: Example) -> bool:
    """Whether some term of the rule, or the time of its head, has no value for this reason."""
    formulas = [node for formula in (*rule.body, *rule.heads) for node in walk(formula)]
    for term in (t for formula in formulas for t in terms_of(formula)):
        if example.binding.keys() >= set(variables_of(term)):
            try:
                evaluate(term, example.binding)
            except Undefined as found:
                if str(found) == reason:
                    return True
    head = rule.heads[0]
    return (
        reason == "a head time that is not an integer"
        and isinstance(head, At)
        and not isinstance(evaluate(head.time, example.binding), int)
    )


def holding(rule: Rule, example: Example, known: set[tuple[Value, ...]]) -> bool:
    """Whether all values of variables come from facts, or are computed from facts."""
    atoms = [a for f in rule.body for a in walk(f) if isinstance(a, lasing.Atom) and a.predicate in ("p", "r")]
    instances = [(a.predicate, *(example.binding.get(t) for t in a.args)) for a in atoms]  # type: ignore[arg-type]
    return any(row in known for row in instances) or any(head_atom(h).predicate == "f" for h in rule.heads)


@settings(max_examples=150)
@given(st.lists(facts, min_size=1, max_size=6))
def test_every_example_is_an_instance_without_a_value(stream: list[list[tuple[str, Value, Value]]]) -> None:
    known: set[tuple[Value, ...]] = {row for rows in stream for row in rows}
    for engine in (LocalEngine(RULES, 0), ReferenceEngine(RULES, 0)):
        for time, rows in enumerate(stream):
            list(engine.advance(time, [lasing.Atom(name, tuple(args)) for name, *args in rows]))
        assert engine.failures.keys() <= engine.examples.keys()
        for (index, reason), example in engine.examples.items():
            rule = RULES.rules[index]
            assert 0 <= example.time < len(stream)
            if example.value is not None or reason.endswith("bits"):
                continue  # an aggregate: the cases above have them
            assert has_no_value(rule, reason, example), (str(rule), reason, example)
            assert holding(rule, example, known), (str(rule), reason, example)
