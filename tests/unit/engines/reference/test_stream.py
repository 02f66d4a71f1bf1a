"""Streams: a timeline, and what is true at each of its time points."""

from __future__ import annotations

from lasing.engines.reference.stream import Derived, Facts, Stream
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.timeline.intervals import Interval


def facts(*pairs: tuple[int, str]) -> Facts:
    """Facts of one-letter predicates, in order of arrival."""
    return Facts(Fact(time, Atom(predicate)) for time, predicate in pairs)


def word(found: list[Fact]) -> str:
    return "".join(fact.atom.predicate for fact in found)


def test_the_same_fact_twice_at_one_time_point_counts_once() -> None:
    data = facts((1, "a"), (1, "b"), (1, "a"), (2, "a"))
    assert word(data.within(Interval(0, None))) == "aba"


# time points   1 2 3 4
# facts         a b c d
# [2,3]           [-]
def test_within_has_both_ends_in_order_of_arrival() -> None:
    data = facts((1, "a"), (2, "c"), (2, "b"), (3, "e"), (4, "d"))
    assert word(data.within(Interval(2, 3))) == "cbe"
    assert word(data.within(Interval(3, None))) == "ed"
    assert word(data.within(Interval(3, 2))) == ""


def test_what_is_derived_again_is_not_new() -> None:
    derived = Derived()
    assert [derived.add(5, "p", ("x",)), derived.add(5, "p", ("x",)), derived.add(6, "p", ("x",))] == [
        True,
        False,
        True,
    ]
    assert (derived.size, derived.last) == (2, 6)


def test_a_stream_has_its_data_and_what_is_derived_on_its_timeline_only() -> None:
    derived = Derived()
    derived.add(4, "p", ("d",))
    derived.add(9, "p", ("far",))
    stream = Stream(Interval(1, None), Facts([Fact(4, Atom("p", ("a",))), Fact(5, Atom("q"))]), derived)
    assert set(stream.at(4, "p")) == {("a",), ("d",)}
    assert stream.occupied() == [4, 5, 9]
    narrow = stream.narrowed(Interval(5, 8), False)
    assert narrow.occupied() == [5]
    assert not narrow.holds(4, "p", ("a",))
    assert stream.holds(4, "p", ("a",))
