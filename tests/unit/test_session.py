"""Programs on streams, from end to end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing.engine_choice import EngineName
from lasing.errors import LasingError, LasingWarning


def answers(program: Any, stream: Any = None, **more: Any) -> list[str]:
    return [str(answer) for answer in lasing.run(program, stream, **more)]


def test_the_timeline_reaches_from_the_first_fact_to_the_last_through_all_between() -> None:
    assert answers("q :- not p.", "p at 3. p at 6.") == ["3:", "4: q", "5: q", "6:"]


@pytest.mark.parametrize(
    ("start", "end", "times"),
    [(2, None, [2, 3, 4, 5]), (None, 7, [4, 5, 6, 7]), (4, 4, [4]), (8, None, [8]), (None, 3, [])],
)
@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
def test_the_timeline_may_be_given(start: int | None, end: int | None, times: list[int]) -> None:
    assert [a.time for a in lasing.run("q :- p.", "p at 4. p at 5.", start, end)] == times


def test_an_empty_stream_has_no_time_unless_it_is_given() -> None:
    assert answers("q :- not p.") == []
    assert answers("q :- not p.", "", start=1, end=2) == ["1: q", "2: q"]


def test_what_was_derived_before_is_not_remembered() -> None:
    assert answers("q :- p. r :- q in [9].", "p at 5.", end=7) == ["5: q r", "6:", "7:"]
    assert answers("q at T :- p at T in [9]. r :- q in [9].", "p at 5.", end=6) == ["5: q r", "6: r"]


def test_an_answer_does_not_wait_for_later_data() -> None:
    read: list[int] = []

    def live() -> Any:
        for time in range(1, 9):
            read.append(time)
            yield time, "p"

    run = lasing.run("q :- p.", live())
    assert str(next(run)) == "1: q"
    assert read == [1, 2]


def test_data_in_the_program_and_in_the_stream_is_one_stream() -> None:
    assert answers("p(a) at 2. q(X) :- p(X) in [#1].", "p(b) at 1. p(c) at 3.") == ["1: q(b)", "2: q(a)", "3: q(c)"]


def test_a_predicate_may_be_streamed_and_derived() -> None:
    assert answers("p(X) :- r(X).", "p(a) at 1. r(b) at 1.") == ["1: p(a) p(b)"]


def test_only_what_is_shown_is_output() -> None:
    assert answers("q :- p. r :- p. #show r/0.", "p at 1.") == ["1: r"]


def test_a_program_may_be_text_a_file_or_parsed(tmp_path: Path) -> None:
    text = "#const n = 0. q :- p in [n]."
    (tmp_path / "a.lars").write_text(text, encoding="utf-8")
    for program in (text, tmp_path / "a.lars", lasing.parse(text)):
        assert answers(program, "p at 1.", end=2) == ["1: q", "2:"]
    assert answers(text, "p at 1.", end=2, constants={"n": 1}) == ["1: q", "2: q"]


def test_a_stream_may_be_tables() -> None:
    stream = {"p": pa.table({"time": [1, 3], "x": ["a", "b"]}), "r": pa.table({"time": [2]})}
    assert answers("q(X) :- p(X) in [1], not r.", stream) == ["1: q(a)", "2:", "3: q(b)"]


@pytest.mark.parametrize(
    ("program", "stream", "warning", "expected"),
    [
        ("q :- p.", "p at 1. p at 2. p at 3.", "2 facts before the start", ["3: q"]),
        ("q at T :- p, T = 2. q at T :- p, T = 3.", "p at 3.", "1 derived atom before the start", ["3: q"]),
        ("q(1/X) :- p(X).", "p(0) at 3. p(1) at 3.", "division by zero", ["3: q(1)"]),
        ("q at X :- p(X).", "p(a) at 3. p(3) at 3.", "not an integer", ["3: q"]),
        ("q(X + 1) :- p(X).", "p(9223372036854775807) at 3.", "beyond 64 bits", ["3:"]),
    ],
)
def test_what_is_left_out_is_counted_in_a_warning(program: str, stream: str, warning: str, expected: list[str]) -> None:
    with pytest.warns(LasingWarning, match=warning):
        assert answers(program, stream, start=3) == expected


def test_the_report_counts() -> None:
    run = lasing.run("q :- p, not r in [0].", "p at 1. r at 2. p at 3.")
    list(run)
    report = run.report
    assert (report.time_points, report.facts, report.atoms, report.early_facts) == (3, 3, 2, 0)


def test_the_report_counts_answers_at_every_time_point() -> None:
    run = lasing.run("{q} :- p. :- r, not q.", "p at 1. r at 2. p at 3. r at 3.", end=5)
    assert [len(answer.models) for answer in run] == [2, 0, 1, 1, 1]
    report = run.report
    assert (report.time_points, report.facts, report.answers, report.atoms) == (5, 4, 5, 2)
    run = lasing.run("q :- p.", "p at 1. p at 4.")
    list(run)
    assert (run.report.answers, run.report.atoms) == (4, 2)


@pytest.mark.parametrize("engine", ["auto", "reference", "clingo"])
def test_whether_there_may_be_several_answers_is_a_matter_of_the_program(engine: EngineName) -> None:
    assert lasing.run("{q} :- p.", engine=engine).several
    assert not lasing.run("q :- p.", engine=engine).several


@pytest.mark.parametrize(("program", "engine"), [("{q} :- p.", "auto"), ("q :- p.", "clingo")])
def test_a_missing_clingo_is_reported_before_anything_runs(
    program: str, engine: EngineName, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "clingo", None)
    with pytest.raises(LasingError, match="E312"):
        lasing.run(program, "p at 1.", engine=engine)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("q(X) :- p.", "E201"),
        ("q :- p in [#1]. p :- r.", "E203"),
        ("q :- □ p.", "E206"),
    ],
)
def test_a_program_without_a_meaning_is_refused(program: str, code: str) -> None:
    with pytest.raises(LasingError, match=code):
        lasing.run(program, "p at 1.")


def test_programs_may_have_any_number_of_answers() -> None:
    assert answers("a :- not b. b :- not a, p.", "p at 1.", end=2) == ["1: {a} {b}", "2: a"]
    assert answers(":- p.", "p at 1.", end=2) == ["1: no answer stream", "2:"]


def test_the_one_answer_is_defined_if_there_is_one() -> None:
    several, one, none = lasing.run("{a} :- p. :- r.", "p at 1. r at 3.")
    assert one.atoms == frozenset()
    for answer in (several, none):
        with pytest.raises(LasingError, match="E309"):
            _ = answer.atoms
    assert [len(answer.models) for answer in (several, one, none)] == [2, 1, 0]
    assert several.possible == {lasing.Atom("a")}
    assert several.certain == none.certain == none.possible == frozenset()


def test_changes_are_defined_if_there_is_one_answer() -> None:
    changes = lasing.run("a :- p. :- not p, not r.", "p at 1. r at 2.").changes()
    assert [(change.time, len(change.added), len(change.removed)) for change in changes] == [(1, 1, 0), (2, 0, 1)]
    with pytest.raises(LasingError, match="E309"):
        list(lasing.run("{a} :- p.", "p at 1.").changes())


def test_at_most_a_number_of_answers() -> None:
    (answer,) = lasing.run("{a ; b ; c} :- p.", "p at 1.", models=3)
    assert len(answer.models) == 3
    with pytest.raises(LasingError, match="E306"):
        lasing.run("{a}.", "p at 1.", models=0)


def test_the_local_engine_has_one_answer() -> None:
    with pytest.raises(LasingError, match="E307"):
        lasing.run("{a}.", "p at 1.", engine="local")


@pytest.mark.parametrize(
    ("stream", "more", "code"),
    [
        ("p(a) at 1.", {}, "E508"),
        ("p at 2. p at 1.", {}, "E504"),
        ("p at 1.", {"engine": "none"}, "E305"),
        ("p at 1.", {"start": 5, "end": 4}, "E306"),
        (5, {}, "E510"),
    ],
)
def test_a_stream_or_timeline_that_does_not_fit_is_refused(stream: Any, more: dict[str, Any], code: str) -> None:
    with pytest.raises(LasingError, match=code):
        answers("q :- p.", stream, **more)


def test_a_stream_out_of_order_may_be_sorted() -> None:
    assert answers("q :- p.", "p at 3. p at 1.", sort=True) == ["1: q", "2:", "3: q"]


def test_a_run_that_ends_earlier_than_its_stream_explains_its_own_end() -> None:
    run = lasing.run("q(X) :- p(X) in [2].", "p(a) at 1. p(b) at 9.", end=3)
    assert [str(atom) for atom in list(run)[-1].atoms] == ["q(a)"]
    assert run.explain("q(a)").now == 3
    assert run.why_not("q(b)").now == 3
    assert run.explain("q(b)", 9).now == 9


def test_all_derivations_differ_in_any_step_not_only_in_the_last() -> None:
    rules = "alarm(R) :- hot(R). hot(R) :- temp(R, V) in [5], V > 30. hot(R) :- smoke(R) in [5]."
    run = lasing.run(rules, "temp(k, 35) at 1. temp(k, 36) at 2. smoke(k) at 3.")
    found = run.explain_all("alarm(k)", 3)
    assert [explanation.size for explanation in found] == [2, 2, 2]
    assert len(set(map(str, found))) == 3
    assert len(run.explain_all("alarm(k)", 3, limit=2)) == 2


def test_some_of_very_many_derivations_are_found_at_once() -> None:
    """2^30 ways to derive p30(a), of which a few are asked for."""
    layers = "".join(f"p{i + 1}(X) :- p{i}(X), l(X). p{i + 1}(X) :- p{i}(X), r(X). " for i in range(30))
    run = lasing.run("p0(X) :- e(X). " + layers, "e(a) at 1. l(a) at 1. r(a) at 1.")
    found = run.explain_all("p30(a)", 1, limit=40)
    assert len(set(map(str, found))) == 40
    assert {explanation.size for explanation in found} == {31}


def test_no_derivation_rests_on_itself() -> None:
    """Besides a-c and a-b-c, there is a-b-a-c, which does not need what it derives; all others do."""
    rules = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), edge(Y,Z)."
    run = lasing.run(rules, "edge(a,b) at 1. edge(b,a) at 1. edge(b,c) at 1. edge(a,c) at 1.")
    found = run.explain_all("reach(a,c)", 1)
    assert [explanation.size for explanation in found] == [1, 2, 3]


def test_a_comparison_that_fails_is_shown_with_its_variables() -> None:
    run = lasing.run("hot(S) :- temp(S, V) in [5], V > 30.", "temp(a, 24) at 1.")
    assert "✗ V > 30: 24 > 30 is false" in str(run.why_not("hot(a)", 1))
