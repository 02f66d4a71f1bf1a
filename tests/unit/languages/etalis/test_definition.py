"""The table of operators: each one with intervals by hand, in the definition and in the rules that it becomes."""

from __future__ import annotations

import warnings

import pytest

import lasing
from lasing.languages.etalis.definition import Interval, results
from lasing.languages.etalis.reader import read
from lasing.languages.etalis.resolve import resolved

STATES = "a <- (a0 SEQ a1).9. b <- (b0 SEQ b1).9."
"""Two events with intervals: a from a0 to a1, and b from b0 to b1."""

CASES = [
    # a, b, pattern, its intervals
    ((1, 3), (4, 6), "a SEQ b", {(1, 6)}),
    ((1, 4), (4, 6), "a SEQ b", set()),
    ((1, 4), (4, 6), "a MEETS b", {(1, 6)}),
    ((1, 3), (4, 6), "a MEETS b", set()),
    ((4, 6), (1, 3), "a AND b", {(1, 6)}),
    ((1, 5), (3, 8), "a PAR b", {(1, 8)}),
    ((1, 4), (4, 6), "a PAR b", set()),
    ((1, 3), (4, 6), "a OR b", {(1, 3), (4, 6)}),
    ((1, 3), (1, 3), "a EQUALS b", {(1, 3)}),
    ((1, 3), (1, 4), "a EQUALS b", set()),
    ((1, 3), (1, 4), "a STARTS b", {(1, 4)}),
    ((1, 4), (1, 4), "a STARTS b", set()),
    ((3, 6), (1, 6), "a FINISHES b", {(1, 6)}),
    ((1, 6), (1, 6), "a FINISHES b", set()),
    ((3, 4), (1, 6), "a DURING b", {(1, 6)}),
    ((1, 4), (1, 6), "a DURING b", set()),
    ((3, 6), (1, 6), "a DURING b", set()),
    ((1, 3), (4, 8), "(a SEQ b).7", {(1, 8)}),
    ((1, 3), (4, 8), "(a SEQ b).6", set()),
    ((2, 3), (5, 8), "b0 DURING (a0 SEQ b1).9", {(2, 8)}),
    ((1, 3), (4, 6), "NOT(a1).[a0, b1]", set()),
    ((1, 3), (4, 6), "NOT(a1).[a1, b1]", {(3, 6)}),
    ((1, 3), (4, 6), "NOT(a).[a0, b1]", {(1, 6)}),
]


@pytest.mark.parametrize(("a", "b", "pattern", "expected"), CASES, ids=lambda case: str(case))
def test_an_operator(a: tuple[int, int], b: tuple[int, int], pattern: str, expected: set[tuple[int, int]]) -> None:
    text = f"{STATES} e <- ({pattern}).20."
    times = {"a0": a[0], "a1": a[1], "b0": b[0], "b1": b[1]}
    program, mistakes = resolved([read(text)])
    assert not mistakes
    stream = [Interval(name, (), time, time) for name, time in times.items()]
    defined = {(i.start, i.end) for found in results(program, stream).values() for i in found if i.name == "e"}
    assert defined == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        answers = list(lasing.run(lasing.parse(text, language="etalis"), sorted((t, n) for n, t in times.items())))
    assert {atom.values for answer in answers for atom in answer.atoms if atom.predicate == "e"} == expected


def test_intervals_that_overlap_stay_apart() -> None:
    program = lasing.parse("e <- (p SEQ q).9. f <- (e SEQ r).9.", language="etalis")
    found = list(lasing.run(program, [(1, "p"), (2, "p"), (4, "q"), (6, "r")]))
    assert {str(atom) for answer in found for atom in answer.atoms} == {"e(1,4)", "e(2,4)", "f(1,6)", "f(2,6)"}


def test_a_repetition_is_a_sequence_in_which_each_open_value_is_another() -> None:
    program = lasing.parse("e <- (p(_).3).9. f(X) <- (p(X).2).9.", language="etalis")
    found = list(lasing.run(program, [(1, "p", "a"), (2, "p", "b"), (3, "p", "a")]))
    assert {str(atom) for answer in found for atom in answer.atoms} == {"e(1,3)", "f(a,1,3)"}


def test_columns_have_the_names_of_variables_and_the_ends_of_the_interval() -> None:
    program = lasing.parse("e(Room, 1) <- (p(Room) SEQ q(Room)).9.", language="etalis")
    assert program.outputs is not None
    assert [output.columns for output in program.outputs] == [("room", "", "start", "end")]


def test_state_is_bounded_by_limits() -> None:
    program = lasing.parse("e <- (p SEQ q).9. f <- e STARTS e.", language="etalis")
    engine = lasing.Engine(program, 0)
    sizes = []
    for time in range(0, 400, 2):
        engine.push(time, [("p",)])
        engine.push(time + 1, [("q",)])
        sizes.append(len(engine.snapshot()))
    assert max(sizes[100:]) <= max(sizes[:100]) * 1.1
