"""All contenders return the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lasing.bench.bars.dictionaries import dictionaries, generate
from lasing.bench.bars.firings import NotOfThisShape
from lasing.bench.bars.limit import library, limit
from lasing.bench.measuring.contenders import columns, from_scratch, parse, pushed, pushed_arrow, pushed_tuples
from lasing.bench.measuring.turns import Contender, DisagreementError, agree
from lasing.bench.measuring.workloads import B, C, D, J, R, Stream, Workload, latest, negation
from lasing.logic.program import Program

WINDOW, POINTS = 6, 40


def _engine(workload: Workload, stream: Stream, annotated: bool = False) -> Contender:
    return columns(parse(workload.program(WINDOW)), stream, annotated)


@pytest.mark.parametrize("workload", [D, B, J, R, negation(20), latest(20)], ids=lambda w: w.name)
def test_the_reference_agrees_with_the_engine(workload: Workload) -> None:
    stream = workload.stream(3, WINDOW, POINTS)
    agree(_engine(workload, stream), from_scratch(parse(workload.program(WINDOW)), stream), POINTS)


@pytest.mark.parametrize("workload", [D, J, R], ids=lambda w: w.name)
@pytest.mark.parametrize("rate", [1, 5, 40])
def test_dictionaries_agree_with_the_engine(workload: Workload, rate: int) -> None:
    stream = workload.stream(rate, WINDOW, POINTS)
    agree(_engine(workload, stream), dictionaries(parse(workload.program(WINDOW)), stream), POINTS)


@pytest.mark.parametrize(
    "rules",
    [
        "q(A,C) :- p(B,A) in [6], p(B,C) in [6].",
        "q(A,C) :- p(A,B) in [6], p(C,B) in [6].",
        "q(B,A) :- p(A,B) in [6].  q(A,C) :- q(A,B), p(B,C) in [6].",
        "q(A,B) :- p(A,B) in [6].  q(A,C) :- q(A,B), q(B,C).",
    ],
)
def test_dictionaries_are_generated_for_any_such_rules(rules: str) -> None:
    stream = J.stream(2, WINDOW, POINTS)
    program = parse(rules)
    agree(columns(program, stream), dictionaries(program, stream), POINTS)


@pytest.mark.parametrize(
    "rules",
    [
        B.program(WINDOW),
        C.program(WINDOW),
        negation(2).program(WINDOW),
        latest(2).program(WINDOW),
        "q(A,B) :- p(A,B) in [6].  r(A,B) :- q(A,B).",
        "q(A,B) :- p(A,B) in [6], p(B,A) in [6].",
        "q(A,B) :- p(A,C) in [6], p(C,B) in [5].",
        "q(A,B) :- p(A,B) in [6], A < B.",
        "q(A,A) :- p(A,A) in [6].",
        "q(A) :- p(A,B) in [6].",
        "q(A,B) at 3 :- p(A,B) in [6].",
        "q(A,B) ; q(B,A) :- p(A,B) in [6].",
        "q(A,B) :- p(A,B) in [6].  p(1,2).",
        "p(A,C) :- p(A,B) in [6], p(B,C) in [6].",
        "q(A,B) :- p(A,B) in [6].  q(A,B) :- r(A,B).",
    ],
)
def test_other_shapes_are_refused(rules: str) -> None:
    with pytest.raises(NotOfThisShape):
        generate(parse(rules))


@pytest.mark.skipif(library() is None, reason="no g++ compiles the loop")
@pytest.mark.parametrize("rate", [1, 5, 40])
def test_the_loop_in_cpp_agrees_with_the_engine(rate: int) -> None:
    stream = J.stream(rate, WINDOW, POINTS)
    loop = limit(WINDOW, stream)
    assert loop is not None
    agree(_engine(J, stream, annotated=True), loop, POINTS)


def test_without_a_compiler_there_is_no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.bench.bars.limit.library", lambda: None)
    assert limit(WINDOW, J.stream(1, WINDOW, POINTS)) is None


@pytest.mark.parametrize("make", [pushed, pushed_tuples, pushed_arrow])
@pytest.mark.parametrize("workload", [D, B, J, R, latest(20)], ids=lambda w: w.name)
def test_what_is_pushed_as_names_comes_back_as_names(
    make: Callable[[Program, Stream], Contender], workload: Workload
) -> None:
    stream = workload.stream(5, WINDOW, POINTS)
    agree(_engine(workload, stream), make(parse(workload.program(WINDOW)), stream), POINTS)


def test_different_programs_disagree() -> None:
    stream = J.stream(2, WINDOW, POINTS)
    with pytest.raises(DisagreementError, match="only our engine returns"):
        agree(_engine(J, stream), columns(parse(J.program(WINDOW + 1)), stream, name="another"), POINTS)
