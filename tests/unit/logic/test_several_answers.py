"""Why a program may have several answers."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.checks import ONE_ANSWER, findings


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("a :- b. b :- a, not c. c :- p.", []),
        ("a ; b :- p.", [("E302", "the head is a disjunction")]),
        ("{a} :- p.", [("E302", "the head is a choice")]),
        (":- p.", [("E303", "this is a constraint")]),
        (":~ p. [1]", [("E303", "this is a weak constraint")]),
        ("a :- not b. b :- not a.", [("E301", "a depends on itself through not")]),
        ("a(X) :- X = #count{Y : a(Y)}.", [("E301", "a depends on itself through an aggregate")]),
        ("{a : not a}.", [("E302", "the head is a choice"), ("E301", "a depends on itself through not")]),
    ],
)
def test_why_there_may_be_several_answers(program: str, expected: list[tuple[str, str]]) -> None:
    found = findings(lasing.parse(program), ONE_ANSWER)
    assert [(d.code, d.message) for d in found] == expected
    for finding in found:
        assert finding.note.endswith("such a program may have none, one or several answers at a time point")
