"""Formulas: whether they hold in a stream, and whether a stream exists in which they hold."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lasing import Atom, LasingError, LasingWarning, models


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("p", False),
        ("p in [3]", True),
        ("p in [1]", False),
        ("p in [+2]", True),  # what comes after the time point is in the stream, too
        ("p at 3, q(X) at 3, X > 1", True),
        ("q(X) at T, X > 2", False),
        ("q(X) at T, q(Y) at U, T < U, X != Y", True),
        ("(q(_) in [1]) at 4", True),
        ("◇ p", True),
        ("□ p", False),
        ("□ (p or not p)", True),
        ("p in [3] -> q(7) in [3]", False),
        ("#count{X : q(X) in [9]} = 1", True),
        ("q(2) in [#2]", True),
        ("q(2) in [#1]", False),
        ("q(X) at 3 in [#1 by X]", True),
        ("q(X), X / 0 > 1", False),
        ("p in [3].", True),  # a full stop does no harm
    ],
)
def test_whether_a_formula_holds(formula: str, expected: bool) -> None:
    assert models.holds(formula, "q(2) at 3.  p at 3.  q(1) at 7.  p at 7.", time=5) == expected


def test_the_timeline_is_that_of_the_facts_and_the_time_point() -> None:
    stream = "p at 3. p at 4."
    assert models.holds("p always in [9]", stream, time=4)
    assert not models.holds("p always in [9]", stream, time=5)
    assert not models.holds("p always in [9]", stream, time=4, start=2)
    assert not models.holds("p in [9]", stream, time=5, start=5)
    assert models.holds("not p in [+9]", stream, time=2, start=0, end=2)
    assert models.holds("□ not p", time=5)


def test_a_formula_may_have_background_a_tick_and_constants(tmp_path: Path) -> None:
    beside = tmp_path / "beside.lars"
    beside.write_text("#tick 1 min.  #const n = 2.  old(a).  p(b) at 1.", encoding="utf-8")
    when = datetime(1970, 1, 1, 0, 3, tzinfo=UTC)
    assert models.holds("p(X) in [2 min], not old(X)", time=when, background=beside)
    assert not models.holds("p(X) in [n], not old(X)", time=when, background=beside, constants={"n": 1})
    assert models.holds("p(m)", "p(4) at 5.", time=5, constants={"m": 4})
    assert models.holds("old(X) always in [*], p(X) in [9]", "p(a) at 1.", time=5, background="old(a).")


@pytest.mark.parametrize(
    ("formula", "witness"),
    [
        ("p", "p at 3."),
        ("not p", ""),
        ("p and not p", None),
        ("p always in [1], not p at 1", "p at 2.\np at 3."),
        ("p in [0] -> q", ""),
        ("p at 9", None),
        ("p in [#1], not p", "p at 0."),
        ("q in [#1], p", "p at 3.\nq at 3."),
        ("p in [#1], p, q", None),  # facts of one time point come in the order of their text
        ("#count{T : p at T in [*]} = 4", "p at 0.\np at 1.\np at 2.\np at 3."),
    ],
)
def test_whether_there_is_a_stream(formula: str, witness: str | None) -> None:
    found = models.satisfiable(formula, time=3, start=0, end=3)
    assert (None if found is None else str(found)) == witness


def test_atoms_are_named_or_are_those_of_the_formula() -> None:
    assert str(models.satisfiable("p(X), X > 1", "p(1), p(2)", time=3)) == "p(2) at 3."
    assert str(models.satisfiable("p(X), X > 1", [Atom("p", (2,))], time=3)) == "p(2) at 3."
    assert models.satisfiable("p(X), X > 2", "p(1), p(2)", time=3) is None
    assert models.satisfiable("p", "", time=3) is None
    assert str(models.satisfiable("p", "", time=3, background="p.")) == ""


@pytest.mark.parametrize(
    ("formula", "options", "expected"),
    [
        ("p(X)", {}, "E314"),
        ("p(X)", {"atoms": "p(Y)"}, "E314"),
        ("p(X)", {"atoms": "p(1/0)"}, "E113"),
        ("p(X)", {"atoms": "p(1) q"}, "E105"),
        ("p(X)", {"atoms": "p(1,2)"}, "E508"),
        ("p(X)", {"atoms": [Atom("p")]}, "E508"),
        ("p(X), Y > 1", {}, "E201"),
        ("p in [3", {}, "E105"),
        ("p q", {}, "E105"),
        ("p | q", {}, "E103"),
        ("", {}, "E105"),
        ("p(1), p(1,2)", {}, "E202"),
        ("p", {"background": "q :- p."}, "E314"),
        ("p", {"background": "p at 3."}, "E314"),
        ("p", {"background": "p(1)."}, "E202"),
        ("p", {"constants": {"n": 1}}, "E114"),
        ("p", {"start": 4}, "E306"),
        ("p", {"start": 0, "end": 2}, "E306"),
        ("p in [#1]", {"start": -20}, "E313"),
    ],
)
def test_mistakes(formula: str, options: dict[str, object], expected: str) -> None:
    with pytest.raises(LasingError) as error:
        models.satisfiable(formula, time=3, **options)  # type: ignore[arg-type]  # any options
    assert error.value.diagnostics[0].code == expected


def test_mistakes_have_their_place() -> None:
    with pytest.raises(LasingError) as error:
        models.satisfiable("p(X)", "p(1), p(1,2)", time=3)
    assert str(error.value.diagnostics[0].place) == "atoms:1:7"
    with pytest.raises(LasingError) as error:
        models.holds("p, q(X), Y > 1", time=3)
    assert str(error.value.diagnostics[0].place) == "formula:1:10"


def test_a_missing_value_means_what_it_means_in_a_run() -> None:
    stream = [(1, "p", 1), (2, "p", None)]
    with pytest.warns(LasingWarning, match="W206"):
        assert not models.holds("p(X), X < 1", stream, time=2)
    assert models.holds("p(X), X < 1", stream, time=2, missing=0)
    with pytest.raises(LasingError, match="E506"):
        models.holds("p(X)", stream, time=2, missing="error")
