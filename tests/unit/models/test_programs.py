"""Answer streams: which streams are answers, which are not and why, and whether one exists."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import lasing
from lasing import LasingError, models

TRAM = """
exp(Id, Y) at T :- tram(Id, X) at U in [#1 by Id], line(Id, L), plan(L, X, Y, Z), not jam(X) in [20], T = U + Z.
gc(I, J, X)     :- exp(I, X) at T, (exp(J, X) in [+5]) at T, I != J, not old(J).
change(I, J, X) :- on(I), gc(I, J, X), not skip(I, J, X).
skip(I, J, X)   :- gc(I, J, X), change(I, K, X), J != K.
plan(l1, b, m, 8).  plan(l2, g, m, 7).  plan(l3, h, m, 3).  line(a1, l1).  line(a2, l2).  line(a3, l3).
"""
TRAMS = "tram(a1,b) at 36.  tram(a2,g) at 38.  tram(a3,h) at 40.  on(a3) at 42.\n"
I0 = TRAMS + (
    "gc(a3,a1,m) at 42.  gc(a1,a2,m) at 42.  gc(a3,a2,m) at 42.  exp(a3,m) at 43.  exp(a1,m) at 44.  exp(a2,m) at 45."
)
I1 = I0 + "change(a3,a1,m) at 42.  skip(a3,a2,m) at 42."
I2 = I0 + "change(a3,a2,m) at 42.  skip(a3,a1,m) at 42."


def reasons(program: str, interpretation: str, stream: str = "", time: int = 5, start: int | None = None) -> list[str]:
    verdict = models.check(program, interpretation, stream, time=time, start=start)
    assert verdict.holds == bool(verdict) == (not verdict.reasons)
    return [reason.replace("(program:1:1)", "(1)") for reason in verdict.reasons]


# -- LARS, Example 6 ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interpretation", [I1, I2])
def test_example_6_has_two_answer_streams(interpretation: str) -> None:
    assert str(models.check(TRAM, interpretation, TRAMS, time=42)) == "yes"


def test_example_6_explains_why_there_is_no_third() -> None:
    verdict = models.check(TRAM, I0, TRAMS, time=42)
    assert not verdict
    assert verdict.reasons == (
        "rule 3 (program:4:1), for I = a3, J = a1, X = m: the body holds, but change(a3,a1,m) at 42 is missing",
        "rule 3 (program:4:1), for I = a3, J = a2, X = m: the body holds, but change(a3,a2,m) at 42 is missing",
    )
    both = models.check(TRAM, I1 + I2, TRAMS, time=42)
    assert both.reasons == (
        "without change(a3,a1,m) at 42, change(a3,a2,m) at 42, skip(a3,a1,m) at 42 and skip(a3,a2,m) at 42 "
        "it is still a model of the rules whose bodies hold",
    )


def test_example_6_has_an_answer_stream_that_is_one() -> None:
    found = models.answer_stream(TRAM, TRAMS, time=42)
    assert found is not None
    assert models.check(TRAM, found, TRAMS, time=42)
    assert str(found) in {_sorted(I1), _sorted(I2)}


def _sorted(stream: str) -> str:
    facts = [fact.strip() + "." for fact in stream.split(".") if fact.strip()]
    return "\n".join(sorted(facts, key=lambda fact: (int(fact[:-1].split(" at ")[1]), fact)))


# -- reasons -----------------------------------------------------------------------------------------------------------


def test_data_may_not_be_missing() -> None:
    assert reasons("q :- p.", "q at 5.", "p at 5.") == ["p at 5 is missing, but is in the data"]
    assert reasons("q :- p.", "", "p at 6.") == []  # data after the time point does not count


def test_what_is_not_data_is_derived() -> None:
    assert reasons("q :- p.", "p at 5.") == ["p at 5 is not in the data, and no rule derives p"]
    assert reasons("q :- p.", "p at 3.") == ["p at 3 is not in the data, and no rule derives p"]  # no data was given
    assert reasons("q :- p.", "p at 6.", "p at 6.") == ["p at 6 is not in the data up to 5, and no rule derives p"]


def test_nothing_is_before_the_start() -> None:
    assert reasons("q at 3 :- p.", "q at 3.", start=4) == ["q at 3 is before the start of the timeline, 4"]
    assert reasons("q :- p in [9].", "p at 3.", "p at 3.", start=4) == []  # ignored in both


def test_a_head_may_not_be_missing() -> None:
    assert reasons("q(X) :- p(X).", "p(a) at 5.", "p(a) at 5.") == [
        "rule 1 (1), for X = a: the body holds, but q(a) at 5 is missing"
    ]
    assert reasons("q :- p(_).", "p(a) at 5. p(b) at 5.", "p(a) at 5. p(b) at 5.") == [
        "rule 1 (1): the body holds, but q at 5 is missing"
    ]
    assert reasons("a ; b at 6 :- p.", "p at 5.", "p at 5.") == [
        "rule 1 (1): the body holds, but none of a at 5, b at 6 is there"
    ]


def test_a_constraint_may_not_be_violated() -> None:
    assert reasons(":- p(X), X > 1.", "p(1) at 5. p(2) at 5.", "p(1) at 5. p(2) at 5.") == [
        "rule 1 (1), for X = 2: this constraint is violated"
    ]


def test_a_model_is_minimal() -> None:
    assert reasons("a ; b.", "a at 5. b at 5.")[0].endswith("it is still a model of the rules whose bodies hold")
    assert reasons("q(X) :- p(X).", "q(a) at 5.") == [
        "without q(a) at 5 it is still a model of the rules whose bodies hold"
    ]
    assert reasons("a :- b. b :- a.", "a at 5. b at 5.") == [
        "without a at 5 and b at 5 it is still a model of the rules whose bodies hold"
    ]


def test_many_reasons_are_cut_short() -> None:
    stream = "".join(f"p({i}) at 5.\n" for i in range(30))
    found = reasons("q(X) :- p(X).", stream, stream)
    assert len(found) == 21
    assert found[-1] == "and 10 more"


# -- choices, and heads that are already present -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "stream", "accepted", "rejected"),
    [
        ("{a ; b} :- p.", "p at 5.", ["", "a at 5.", "a at 5. b at 5."], ["a at 6."]),
        ("1 {a ; b} 1 :- p.", "p at 5.", ["a at 5.", "b at 5."], ["", "a at 5. b at 5."]),
        ("a ; b :- p.", "p at 5. a at 5.", [""], ["b at 5."]),
        ("a ; b :- p.  a.", "p at 5.", [""], ["a at 5.", "b at 5."]),
        ("a :- p.  a.", "p at 5.", ["a at 5."], [""]),
        ("a at 3 :- p.", "p at 5.", [""], ["a at 5."]),
        ("a at 3 ; b :- p.", "p at 5.", ["b at 5."], ["", "a at 5."]),
        ("a at 7 :- p.", "p at 5.", ["a at 7."], ["", "a at 7. a at 8."]),
        ("a(X/0) :- p, X = 1.", "p at 5.", [""], []),
        ("{a}.  :~ a. [1]", "", ["", "a at 5."], []),
        ("{a(1) ; a(2)}.  b :- #sum{X : a(X)} >= 2.", "", ["", "a(2) at 5. b at 5."], ["b at 5."]),
        ("a :- not not a.", "", [""], ["a at 5."]),
    ],
)
def test_interpretations(program: str, stream: str, accepted: list[str], rejected: list[str]) -> None:
    for more in accepted:
        assert not reasons(program, stream + more, stream, start=5), more
    for more in rejected:
        assert reasons(program, stream + more, stream, start=5), more


def test_programs_and_streams_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "i.facts"
    path.write_text("q at 8.  p at 1.", encoding="utf-8")
    program = lasing.parse("#const n = 7. q at n + T :- p at T in [n]. p at 1.")
    assert models.check(program, path, time=1)
    assert models.check("#const n = 7. q at n + T :- p at T in [n].", [(1, "p"), (5, "q")], [(1, "p")], time=1,
                        constants={"n": 4})  # fmt: skip
    assert models.check("q :- p in [9].", "p at 1. p at 3. q at 5.", "p at 3. p at 1.", time=5, sort=True)


# -- satisfiability ----------------------------------------------------------------------------------------------------


def test_a_witness_has_the_data_and_all_that_is_derived() -> None:
    found = models.answer_stream("r at 7 :- q(X).  q(X) :- p(X) in [9].  #show r/0.", "p(a) at 1.  p(b) at 6.", time=5)
    assert str(found) == "p(a) at 1.\nq(a) at 5.\nr at 7."
    assert found is not None
    assert [str(fact.atom) for fact in found.facts] == ["p(a)", "q(a)", "r"]


def test_there_may_be_no_answer_stream() -> None:
    assert models.answer_stream("a :- not a.", time=5) is None
    assert models.answer_stream("{a}.  :- not a.", time=5) is not None


def test_atoms_confine_what_is_derived() -> None:
    program = "#const n = 1.  a(1) ; a(2).  b :- p."
    assert str(models.answer_stream(program, atoms="a(n)", time=5)) == "a(1) at 5."
    assert str(models.answer_stream(lasing.parse(program), atoms="a(2)", time=5)) == "a(2) at 5."
    assert models.answer_stream(program, atoms="", time=5) is None
    assert models.answer_stream(program, "p at 5.", [lasing.Atom("a", (1,))], time=5) is None  # b is derived


def test_costs_do_not_matter() -> None:
    assert models.answer_stream("a ; b.  :~ a. [1]  :~ b. [99999999999]", time=5) is not None


# -- mistakes ----------------------------------------------------------------------------------------------------------


def code(error: pytest.ExceptionInfo[LasingError]) -> str:
    return error.value.diagnostics[0].code


def test_times_are_in_the_timeline() -> None:
    with pytest.raises(LasingError) as error:
        models.check("q :- p.", "", time=5, start=6)
    assert code(error) == "E306"


def test_atoms_are_ground() -> None:
    with pytest.raises(LasingError) as error:
        models.answer_stream("a(X) :- p(X).", atoms="a(X)", time=5)
    assert code(error) == "E314"


def test_clingo_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clingo", None)
    for ask in (
        lambda: models.check("q :- p.", "", time=5),
        lambda: models.answer_stream("q :- p.", time=5),
        lambda: models.satisfiable("p", time=5),
    ):
        with pytest.raises(LasingError) as error:
            ask()
        assert code(error) == "E312"
    assert not models.holds("p", time=5)
    assert models.satisfiable("p in [#1]", time=5) is not None


# -- missing values ----------------------------------------------------------------------------------------------------


def test_a_missing_value_means_what_it_means_in_a_run() -> None:
    stream = [(1, "p", 1), (2, "p", None)]
    program = "q(X) :- p(X) in [2]."
    with pytest.warns(lasing.LasingWarning, match=r"W206.*1 row of .*: no value in the column argument 1"):
        found = models.answer_stream(program, stream, time=2)
    assert str(found) == "p(1) at 1.\nq(1) at 2."
    with pytest.warns(lasing.LasingWarning, match="W206"):
        assert models.check(program, [(1, "p", 1), (2, "q", 1), (2, "q", None)], [(1, "p", 1)], time=2)
    filled = models.answer_stream(program, stream, time=2, missing=0)
    assert str(filled) == "p(1) at 1.\np(0) at 2.\nq(0) at 2.\nq(1) at 2."
    with pytest.raises(LasingError, match="E506"):
        models.check(program, stream, stream, time=2, missing="error")
