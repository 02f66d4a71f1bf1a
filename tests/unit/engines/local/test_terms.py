"""Values that kernels do not know: how they compare, and that each is computed once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

import lasing
from lasing.engines.local import dictionary, questions
from lasing.engines.local.engine import LocalEngine
from lasing.logic.functions import reasons
from lasing.logic.functions.entry import call
from lasing.logic.functions.terms import FUNCTIONS
from lasing.logic.functions.texts import PLAIN
from lasing.logic.values import (
    Duration,
    ExactDecimal,
    Instant,
    Iri,
    Truth,
    Value,
    literal,
    value_text,
)
from lasing.logic.values.datatypes import INTEGER

A, B = Iri("http://ex.org/a"), Iri("http://ex.org/b")
ONE, HALF = ExactDecimal(Decimal(1)), ExactDecimal(Decimal("0.5"))


def run(program: str, facts: list[tuple[Any, ...]], engine: str) -> set[str]:
    """What holds at time 0, as text."""
    found = lasing.run(program, [(0, *fact) for fact in facts], 0, 0, engine)  # type: ignore[arg-type]  # any engine
    return {str(atom) for answer in found for atom in answer.atoms}


@pytest.mark.parametrize("engine", ["reference", "local", "clingo"])
def test_an_iri_is_not_the_text_that_looks_like_it(engine: str) -> None:
    program = "q(X) :- p(X, <http://ex.org/a>). r(X) :- p(X, Y), s(Y)."
    facts = [("p", 1, A), ("p", 2, "<http://ex.org/a>"), ("p", 3, B), ("s", A)]
    assert run(program, facts, engine) == {"q(1)", "r(1)"}


@pytest.mark.parametrize("engine", ["reference", "local", "clingo"])
def test_values_compare_within_their_class(engine: str) -> None:
    values = [
        HALF,
        ONE,
        1,
        2.5,
        "a",
        "b",
        A,
        B,
        Truth(True),
        Instant(0),
        Instant(1),
        Duration(5),
        literal("01", INTEGER),
    ]
    found = run("less(X,Y) :- p(X), p(Y), X < Y. small(X) :- p(X), X <= 1.", [("p", v) for v in values], engine)
    ones: list[Value] = [ONE, 1, literal("01", INTEGER)]
    pairs = [*((HALF, one) for one in ones), *((one, 2.5) for one in ones), (HALF, 2.5)]
    less = [*pairs, ("a", "b"), (Instant(0), Instant(1))]
    expected = {f"less({value_text(x)},{value_text(y)})" for x, y in less}
    assert found == expected | {f"small({value_text(x)})" for x in (HALF, *ones)}


@pytest.mark.parametrize("engine", ["reference", "local", "clingo"])
@pytest.mark.parametrize(
    ("values", "least", "greatest"),
    [
        ([2, ONE, HALF], HALF, 2),
        ([1, ONE], 1, ONE),
        ([ONE, 1], 1, ONE),
        ([Instant(5), Instant(3)], Instant(3), Instant(5)),
        ([Truth(True), Truth(False)], Truth(False), Truth(True)),
        (["b", "a"], "a", "b"),
    ],
)
def test_the_least_and_the_greatest(values: list[Value], least: Value, greatest: Value, engine: str) -> None:
    program = "least(X) :- X = #min{Y : p(Y)}. greatest(X) :- X = #max{Y : p(Y)}."
    expected = {f"least({value_text(least)})", f"greatest({value_text(greatest)})"}
    assert run(program, [("p", value) for value in values], engine) == expected


@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
@pytest.mark.parametrize("engine", ["reference", "local", "clingo"])
@pytest.mark.parametrize("values", [[A, B], [A], [ONE, "a"], [1, Truth(True)], [Instant(0), Duration(0)], [1, A]])
def test_values_that_do_not_compare_have_no_least(values: list[Value], engine: str) -> None:
    assert run("least(X) :- X = #min{Y : p(Y)}.", [("p", value) for value in values], engine) == set()


def test_the_least_follows_terms_that_come_and_go() -> None:
    program = "least(X) :- X = #min{Y : p(Y) in [1]}."
    rows = [(0, "p", 3), (1, "p", ONE), (3, "p", A), (4, "p", 2), (6, "p", 2)]
    with pytest.warns(lasing.LasingWarning, match="do not compare"):
        answers = {answer.time: sorted(map(str, answer.atoms)) for answer in lasing.run(program, rows, 0, 6, "local")}
    one = f"least({value_text(ONE)})"
    assert answers == {0: ["least(3)"], 1: [one], 2: [one], 3: [], 4: [], 5: ["least(2)"], 6: ["least(2)"]}


# -- functions without a kernel ------------------------------------------------------------------------------------


def _length(text: str) -> Value:
    if text == "broken":
        raise RuntimeError("this function is broken")
    return len(text)


def _concat(*texts: str) -> Value:
    return "".join(texts)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Value, ...]]:
    """Two functions without a kernel, and the operands for which kernels asked for them."""
    calls: list[tuple[Value, ...]] = []

    def counted(compute: Any) -> Any:
        def called(*operands: Value) -> Value:
            calls.append(operands)
            found: Value = compute(*operands)
            return found

        return called

    length = call("length", (PLAIN,), "a number", "integer", counted(_length), "")
    concat = call("concat", (PLAIN,), "a text", "text", counted(_concat), "", most=None)
    monkeypatch.setitem(FUNCTIONS, "length", (length,))
    monkeypatch.setitem(FUNCTIONS, "concat", (concat,))
    monkeypatch.setattr("lasing.languages.lars.expressions._FUNCTIONS", frozenset(("length", "concat", "abs")))
    return calls


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_a_function_of_one_two_and_more_operands(engine: str) -> None:
    program = """
        long(X) :- p(X,Y), length(X) > 3.
        one(concat(X)) :- p(X,Y).
        two(concat(X,Y)) :- p(X,Y).
        four(concat(X,"-",Y,X)) :- p(X,Y).
        both(N) :- p(X,Y), N = length(concat(X,Y)) * 2.
    """
    expected = {"long(abcd)", "one(abcd)", "one(x)", "two(abcdy)", "two(xz)", "both(10)", "both(4)"}
    expected |= {'four("abcd-yabcd")', 'four("x-zx")'}
    assert run(program, [("p", "abcd", "y"), ("p", "x", "z")], engine) == expected


def test_a_function_is_computed_once_for_the_same_operands(asked: list[tuple[Value, ...]]) -> None:
    rows = [(time, "p", f"name{i % 10}", time) for time in range(20) for i in range(30)]
    answers = list(lasing.run("q(X,V,length(X)) :- p(X,V) in [2].", rows, engine="local"))
    assert len(answers[-1].atoms) == 30
    assert sorted(asked) == sorted((f"name{i}",) for i in range(10))


def test_what_a_function_makes_can_be_compared_at_once() -> None:
    rows = [(0, "p", f"text number {i}" * 5) for i in range(300)]
    program = 'q(X) :- p(X), Y = concat(X,"!"), X < Y, Y < concat(Y,"?"). top(M) :- M = #max{concat(X,"~") : p(X)}.'
    (answer,) = lasing.run(program, rows, engine="local")
    assert len(answer.atoms) == 301
    assert lasing.Atom("top", (max(f"{text}~" for _, _, text in rows),)) in answer.atoms


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_an_instance_without_a_value_is_counted(engine: str) -> None:
    with pytest.warns(lasing.LasingWarning, match=reasons.WRONG_KIND):
        assert run("q(length(X)) :- p(X).", [("p", 5), ("p", A), ("p", "ab")], engine) == {"q(2)"}


def test_what_a_function_raises_stops_the_engine() -> None:
    engine = lasing.Engine("q(length(X)) :- p(X).", engine="local")
    assert engine.push(0, [("p", "ab")]).added == {lasing.Atom("q", (2,))}
    with pytest.raises(RuntimeError, match="broken"):
        engine.push(1, [("p", "broken")])


def test_answers_live_as_long_as_their_operands(
    monkeypatch: pytest.MonkeyPatch, asked: list[tuple[Value, ...]]
) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 100)
    program = lasing.parse('q(concat(X,"-",X)) :- p(X) in [2]. r(N) :- keep(X) in [*], N = length(X), p(Y).')
    engine = LocalEngine(program, 0)
    list(engine.advance(0, [lasing.Atom("keep", ("kept",))]))
    for time in range(1, 200):
        names = [f"n{time}_{i}" for i in range(3)]
        (changes,) = engine.advance(time, [lasing.Atom("p", (name,)) for name in names])
        assert {lasing.Atom("q", (f"{name}-{name}",)) for name in names} <= changes.added
        known = engine.dictionary
        assert len(known.names) + len(known.terms) < 300
    assert engine.dictionary.collections > 1
    assert asked.count(("kept",)) == 1


def test_terms_are_forgotten_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 50)
    engine = LocalEngine(lasing.parse("q(X,Y) :- p(X,Y) in [2], X < Y."), 0)
    for time in range(300):
        small, large = ExactDecimal(Decimal(time)), ExactDecimal(Decimal(time) + Decimal("0.5"))
        (changes,) = engine.advance(time, [lasing.Atom("p", (small, large)), lasing.Atom("p", (large, small))])
        assert changes.added == {lasing.Atom("q", (small, large))}
        assert len(engine.dictionary.terms) < 110
    assert engine.dictionary.collections > 3


def test_operands_are_not_a_value() -> None:
    assert not lasing.values.is_value(questions.Operands(("a", "b")))
