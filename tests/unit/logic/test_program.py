"""Programs as values and as text."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.facts import facts_of
from lasing.logic.formulas import At, Atom
from lasing.logic.program import Fact, Output, Penalty, Program, Rule, Signature
from lasing.timeline.ticks import Tick


def test_output_is_what_is_derived_unless_something_is_shown() -> None:
    assert lasing.parse("a :- p. b at 3 :- p.").output() == {"a", "b"}
    assert lasing.parse("a :- p. b :- p. #show b/0, p/0.").output() == {"b", "p"}
    assert lasing.parse("a :- p. #show.").output() == set()


def test_every_atom_of_a_disjunction_is_derived() -> None:
    assert facts_of(lasing.parse("a ; b at 3 :- p.")).derived == {"a", "b"}


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule((Atom("a"),), (Atom("p"), Atom("q"))), "a :- p, q."),
        (Rule((Atom("a"), At(3, Atom("b"))), ()), "a ; b at 3."),
        (Rule((), (Atom("p"),)), ":- p."),
        (Rule((Atom("a"),), (), choice=True), "{a}."),
        (Rule((Atom("a"), At(3, Atom("b"))), (Atom("p"),), choice=True), "{a ; b at 3} :- p."),
        (Rule((), (Atom("p"),), penalty=Penalty(1)), ":~ p. [1]"),
        (Rule((), (Atom("p"), Atom("q")), penalty=Penalty(-1, -2, ("x y", 3))), ':~ p, q. [-1@(-2), "x y", 3]'),
    ],
)
def test_the_text_of_a_rule(rule: Rule, text: str) -> None:
    assert str(rule) == text
    assert lasing.parse(text).rules == (rule,)


def test_the_text_of_a_program_reads_back() -> None:
    program = Program(
        (Rule((Atom("a"),), (Atom("p", (1,)),)),),
        (Atom("b", ("x y",)),),
        (Fact(-3, Atom("p", (0.5,))),),
        (Output("a", ()),),
        (Signature("p", 1),),
        Tick(60_000),
    )
    assert str(program) == '#tick 1 min.\n#input p/1.\n#show a/0.\nb("x y").\np(0.5) at -3.\na :- p(1).\n'
    assert lasing.parse(str(program)) == program


def test_showing_nothing_reads_back() -> None:
    assert lasing.parse(str(Program(outputs=()))).outputs == ()


def test_a_rule_knows_its_place() -> None:
    rule = lasing.parse("a :- p.\n  b :- p,\n  q.").rules[1]
    assert str(rule.place()) == "program:2:3"


def test_a_rule_made_by_hand_has_no_place() -> None:
    assert Rule((Atom("a"),), ()).place() is None
