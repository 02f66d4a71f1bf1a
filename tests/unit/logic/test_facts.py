"""What is gathered from a program, once."""

import pickle
from dataclasses import replace

import lasing
from lasing.logic.dependencies import stratify
from lasing.logic.facts import facts_of
from lasing.logic.formulas import PartitionWindow, TupleWindow
from lasing.logic.program import Signature

PROGRAM = """
#input door/1.
room(kitchen, 1).
light(on) at 3.
late(R) :- door(R) in [#2], room(R, _), not seen(R).
seen(R) at T :- door(R) at T in [#1 by R], T > 0.
"""


def test_predicates_have_their_roles() -> None:
    facts = facts_of(lasing.parse(PROGRAM))
    assert facts.arity == {"late": 1, "door": 1, "room": 2, "seen": 1}
    assert facts.arity_with_data == {**facts.arity, "light": 1}
    assert facts.derived == facts.only_derived == {"late", "seen"}
    assert facts.read == {"door", "room", "seen"}
    assert facts.background == {"room"}
    assert facts.streamed == {"door", "light"}


def test_what_is_declared_is_not_only_derived() -> None:
    program = lasing.parse("#input q/1. q(X) :- p(X).")
    assert facts_of(program).derived == {"q"}
    assert facts_of(program).only_derived == frozenset()


def test_windows_that_count_facts_are_found_wherever_they_are() -> None:
    facts = facts_of(lasing.parse(PROGRAM))
    assert [type(window) for window in facts.windows] == [TupleWindow, PartitionWindow]
    assert facts.counts_facts
    assert facts.counts_all_facts
    assert [window.predicate for window in facts.partitions] == ["door"]
    for_each_key = facts_of(lasing.parse("q(X) :- r(X), not p(X) in [#1 by X]."))
    assert for_each_key.counts_facts
    assert not for_each_key.counts_all_facts
    assert not facts_of(lasing.parse("q :- p in [5].")).counts_facts


def test_facts_are_gathered_once_for_a_program_and_again_for_another() -> None:
    program = lasing.parse(PROGRAM)
    assert facts_of(program) is facts_of(program)
    assert stratify(program) is stratify(program)
    other = replace(program, inputs=(Signature("late", 1),))
    assert facts_of(other).streamed == {"late", "light"}
    assert facts_of(program).streamed == {"door", "light"}


def test_what_was_gathered_does_not_travel_with_a_program() -> None:
    program = lasing.parse(PROGRAM)
    facts_of(program)
    copy = pickle.loads(pickle.dumps(program))
    assert copy == program
    assert not copy.derivations
    assert facts_of(copy) == facts_of(program)
