"""The law of the reorder buffer: what comes within the bound comes out sorted, however it arrives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasing.timeline.reorder import Closing, Late, Reorder, closed_by

Arrival = tuple[str, int, int]
"""A source, an instant and a number that tells facts apart."""


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[Arrival], dict[str, int], int | None]:
    """Facts of up to three sources, each within the bound of its source; their delays; the unit."""
    unit = draw(st.sampled_from([None, 1, 10]))
    delays = {name: draw(st.integers(0, 15)) for name in draw(st.sampled_from(["a", "ab", "abc"]))}
    rows: list[Arrival] = []
    newest: dict[str, int] = {}
    for number in range(draw(st.integers(0, 30))):
        source = draw(st.sampled_from(sorted(delays)))
        top = newest.get(source)
        instant = draw(st.integers(0, 20)) if top is None else top + draw(st.integers(-delays[source], 12))
        newest[source] = instant if top is None else max(top, instant)
        rows.append((source, instant, number))
    return rows, delays, unit


def point(instant: int, unit: int | None) -> int:
    return instant if unit is None else instant // unit


@given(arrivals(), st.booleans())
def test_what_comes_within_the_bound_comes_out_sorted(
    given_rows: tuple[list[Arrival], dict[str, int], int | None], expected: bool
) -> None:
    rows, delays, unit = given_rows
    buffer = Reorder[int](Closing(0, unit, delays))
    if expected or len(delays) > 1:
        buffer.closing.expect(sorted(delays))
    out: list[tuple[int, list[int]]] = []
    for source, instant, number in rows:
        assert buffer.add(source, point(instant, unit), instant, number) is None
        out += buffer.release()
        assert all(time <= (buffer.closing.over or 0) for time, _ in out)
    out += buffer.drain()
    in_order = sorted(rows, key=lambda row: (point(row[1], unit), row[0], row[2]))
    assert [number for _, items in out for number in items] == [number for _, _, number in in_order]
    assert [time for time, _ in out] == sorted({point(instant, unit) for _, instant, _ in rows})


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 40)), max_size=40),
    st.integers(0, 10),
    st.sampled_from([None, 1, 7]),
)
def test_a_fact_is_late_if_its_own_source_has_closed_its_time_point(
    rows: list[tuple[str, int]], delay: int, unit: int | None
) -> None:
    buffer = Reorder[int](Closing(delay, unit))
    buffer.closing.expect("ab")
    late, wanted = [], []
    newest: dict[str, int] = {}
    for number, (source, instant) in enumerate(rows):
        found = buffer.add(source, point(instant, unit), instant, number)
        buffer.release()
        closed = closed_by(newest[source], delay, unit) if source in newest else None
        newest[source] = max(instant, newest.get(source, instant))
        if found is not None:
            late.append((found.facts, found.closed_until, found.late_by))
        if closed is not None and point(instant, unit) <= closed:
            wanted.append((number, closed, closed + 1 - point(instant, unit)))
    assert late == wanted


def test_time_moves_with_the_slowest_source() -> None:
    buffer = Reorder[str](Closing(delay=1))
    buffer.closing.expect(["gate", "yard"])
    buffer.add("gate", 9, 9, "g9")
    assert (buffer.release(), buffer.closing.waits_for()) == ([], ["yard"])
    buffer.add("yard", 4, 4, "y4")
    assert (buffer.release(), buffer.closing.over) == ([], 2)
    buffer.add("yard", 12, 12, "y12")
    assert (buffer.release(), buffer.closing.over) == ([(4, ["y4"])], 7)
    assert buffer.closing.waits_for() == ["gate"]


def test_an_idle_source_does_not_hold_time_up_until_it_speaks_again() -> None:
    buffer = Reorder[str](Closing(delay=1))
    buffer.closing.expect(["gate", "yard"])
    buffer.add("gate", 9, 9, "g9")
    buffer.closing.idle("yard")
    assert (buffer.release(), buffer.closing.over) == ([], 7)
    late = buffer.add("yard", 6, 6, "y6")  # evaluated without it
    assert late == Late("yard", 6, 7, "y6")
    assert late.late_by == 2
    assert buffer.add("yard", 8, 8, "y8") is None  # and now time waits for it again
    buffer.add("gate", 20, 20, "g20")
    assert (buffer.release(), buffer.closing.over) == ([], 7)
    buffer.add("yard", 20, 20, "y20")
    assert buffer.release() == [(8, ["y8"]), (9, ["g9"])]


def test_when_all_sources_are_idle_time_rests() -> None:
    buffer = Reorder[str](Closing(delay=5))
    buffer.add("gate", 9, 9, "g9")
    buffer.closing.idle("gate")
    assert buffer.release() == []


def test_a_source_that_has_ended_holds_nothing_up() -> None:
    buffer = Reorder[str](Closing(delay=0))
    buffer.closing.expect(["file", "gate"])
    buffer.add("file", 1, 1, "f1")
    buffer.closing.ended("file")
    buffer.add("gate", 1, 1, "g1")
    buffer.add("gate", 3, 3, "g3")
    assert buffer.release() == [(1, ["f1", "g1"])]


@pytest.mark.parametrize(("instant", "unit", "closed"), [(119, 60, -1), (120, 60, 0), (130, None, 69)])
def test_what_a_fact_closes(instant: int, unit: int | None, closed: int) -> None:
    assert closed_by(instant, 60, unit) == closed
