"""What a reader sees of a query's atoms."""

from __future__ import annotations

from lasing.logic.answers import Changes
from lasing.logic.formulas import Atom
from lasing.logic.program import Output
from lasing.logic.results import by_copy, formed, labels, rows_of
from lasing.logic.values import UNBOUND

OUTPUT = Output("r", ("time", "x", "", ""), form="rows", order=(False,), counted=True)


def r(*args: object) -> Atom:
    return Atom("r", args)  # type: ignore[arg-type]


def change(time: int, added: list[Atom], removed: list[Atom] | None = None) -> Changes:
    return Changes(time, frozenset(added), frozenset(removed or ()), dict.fromkeys(added, 9))


def test_rows_have_an_order_copies_and_no_helpers() -> None:
    assert rows_of(OUTPUT, [r("a", UNBOUND, 2, 2), r("b", 1, 1, 1)]) == [("b", 1), ("a", None), ("a", None)]


def test_names_that_tables_need_are_changed() -> None:
    assert labels(OUTPUT, ("time", "change")) == ("time_", "x")


def test_only_outputs_with_a_form_are_more_than_atoms() -> None:
    assert formed((OUTPUT, Output("p", ("",)))) == {"r": OUTPUT}
    assert formed(None) == {}


def test_a_changed_count_adds_or_removes_copies() -> None:
    other = Atom("p", (1,))
    moments = [
        change(1, [r("a", 1, 0, 2), other]),
        change(2, [r("a", 1, 0, 3)], [r("a", 1, 0, 2)]),
        change(3, [r("a", 1, 0, 1)], [r("a", 1, 0, 3), other]),
        change(4, [], [r("a", 1, 0, 1)]),
    ]
    shown = list(by_copy(moments, {"r": OUTPUT}))
    assert [c.added for c in shown] == [{r("a", 1, 0), r("a", 1, 1), other}, {r("a", 1, 2)}, set(), set()]
    assert [c.removed for c in shown] == [set(), set(), {r("a", 1, 1), r("a", 1, 2), other}, {r("a", 1, 0)}]
    assert shown[1].expires_at(r("a", 1, 2)) == 9


def test_nothing_changes_if_only_an_order_key_does() -> None:
    moments = [change(1, [r("a", 1, 5, 1)]), change(2, [r("a", 1, 6, 1)], [r("a", 1, 5, 1)])]
    assert not list(by_copy(moments, {"r": OUTPUT}))[1]
