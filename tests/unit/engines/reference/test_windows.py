"""Window functions on a stream.

time points   0 1 2 3 4 5 6 7 8 9
facts             a   c     d   e        p(k1,…) for a, c, e; q for d; b is p(k2,…) at 4, after c
                      b
"""

from __future__ import annotations

import pytest

from lasing.engines.reference.stream import Derived, Facts, Stream
from lasing.engines.reference.structure import Structure
from lasing.engines.reference.windows import window
from lasing.logic.formulas import Atom, IntervalWindow, PartitionWindow, TimeWindow, TupleWindow, WindowFunction
from lasing.logic.program import Fact
from lasing.logic.terms import Variable
from lasing.timeline.intervals import Interval

FACTS = (
    Fact(2, Atom("p", ("k1", "a"))),
    Fact(4, Atom("p", ("k1", "c"))),
    Fact(4, Atom("p", ("k2", "b"))),
    Fact(7, Atom("q", ("k1", "d"))),
    Fact(9, Atom("p", ("k1", "e"))),
)
WHOLE = Interval(0, None)
BY_KEY = ((0,),)


def seen(function: WindowFunction, t: int, timeline: Interval = WHOLE) -> tuple[str, Interval]:
    """The facts in the window, and its timeline."""
    stream = Stream(timeline, Facts(FACTS), Derived())
    stream.derived.add(t, "derived", ("k1", "x"))
    m = Structure(stream, {}, 9)
    view = window(function, m, stream, t, {Variable("T"): 4, Variable("N"): "name"})
    found = [str(f.atom.args[1]) for f in view.data.within(view.timeline)]
    return "".join(found), view.timeline


@pytest.mark.parametrize(
    ("function", "t", "facts", "lo", "hi"),
    [
        (TimeWindow(3), 7, "cbd", 4, 7),
        (TimeWindow(2), 7, "d", 5, 7),
        (TimeWindow(3, -1), 7, "cb", 4, 6),
        (TimeWindow(0, 2), 7, "de", 7, 9),
        (TimeWindow(3, 0, 5), 7, "acb", 2, 5),
        (TimeWindow(None), 4, "acb", 0, 4),
        (IntervalWindow(Variable("T"), 7), 0, "cbd", 4, 7),
        (TupleWindow(1), 4, "b", 4, 4),
        (TupleWindow(2), 5, "cb", 4, 5),
        (TupleWindow(3), 8, "cbd", 4, 8),
        (TupleWindow(3), 4, "acb", 2, 4),
        (TupleWindow(4), 4, "acb", 0, 4),
        (TupleWindow(1, 1), 4, "bd", 4, 7),
        (TupleWindow(1, 5), 4, "bde", 4, 9),
        (PartitionWindow(1, 0, "p", BY_KEY), 8, "cb", 0, 8),
        (PartitionWindow(1, 0, "p", BY_KEY), 9, "be", 0, 9),
        (PartitionWindow(2, 0, "p", BY_KEY), 9, "cbe", 0, 9),
        (PartitionWindow(1, 1, "p", BY_KEY), 3, "acb", 0, 9),
    ],
)
def test_which_facts_a_window_has(function: WindowFunction, t: int, facts: str, lo: int, hi: int) -> None:
    assert seen(function, t) == (facts, Interval(lo, hi))


def test_an_interval_window_between_names_is_empty() -> None:
    facts, timeline = seen(IntervalWindow(Variable("N"), 9), 5)
    assert (facts, bool(timeline)) == ("", False)


def test_a_window_in_a_window_sees_only_what_that_one_has() -> None:
    assert seen(TupleWindow(3), 7, Interval(4, 7)) == ("cbd", Interval(4, 7))
    assert seen(TupleWindow(9), 7, Interval(5, 7)) == ("d", Interval(5, 7))


def test_a_tuple_window_has_nothing_that_is_derived() -> None:
    stream = Stream(Interval(0, None), Facts(FACTS), Derived())
    stream.derived.add(9, "p", ("k3", "x"))
    m = Structure(stream, {}, 9)
    assert not window(TupleWindow(9), m, stream, 9, {}).holds(9, "p", ("k3", "x"))
    assert window(TimeWindow(9), m, stream, 9, {}).holds(9, "p", ("k3", "x"))
