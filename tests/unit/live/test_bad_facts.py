"""Bad facts that are pushed: the push is refused as a whole, or goes on without them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lasing import Engine, LasingError, LasingWarning
from lasing.connectors.bad_rows import BadRow

PROGRAM = "q(X) :- p(X)."
FACTS: list[Any] = [("p", "a"), ("p", 2**70), ("P", "b"), 7, ("p", "c"), (), ("p", object())]
KINDS = ["local", "reference"]
OPTIONS: list[dict[str, Any]] = [{}, {"delay": 0}, {"delay": 3, "corrections": True}]


def names(engine: Engine) -> list[str]:
    return sorted(map(str, engine.answer().atoms))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_bad_facts_are_left_out_and_handed_over(kind: Any, options: dict[str, Any]) -> None:
    found: list[BadRow] = []
    engine = Engine(PROGRAM, start=0, engine=kind, bad_rows=found.append, **options)
    engine.push(1, FACTS)
    engine.flush()
    assert names(engine) == ["q(a)", "q(c)"]
    assert sorted(row.code for row in found) == ["E506", "E506", "E509", "E510", "E510"]
    assert all(row.reason and row.row for row in found)
    assert [d.code for d in engine.diagnostics()].count("W209") == 3


@pytest.mark.parametrize("kind", KINDS)
def test_without_being_asked_a_push_is_refused(kind: Any) -> None:
    engine = Engine(PROGRAM, start=0, engine=kind)
    with pytest.raises(LasingError):
        engine.push(1, FACTS)
    with pytest.raises(LasingError, match="E506"):
        engine.push(1, FACTS[:2])
    assert engine.push(1, FACTS[:1]).added


def test_there_is_a_warning_for_each_kind_of_mistake() -> None:
    engine = Engine(PROGRAM, start=0, bad_rows="skip")
    with pytest.warns(LasingWarning, match="W209") as warned:
        engine.push(1, FACTS[:2])
    assert len(warned) == 1
    engine.push(2, FACTS[:2])
    assert "2 bad rows" in engine.diagnostics()[0].message


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_tables_that_are_pushed(kind: Any) -> None:
    found: list[BadRow] = []
    engine = Engine(PROGRAM, start=0, engine=kind, bad_rows=found.append)
    engine.push(1, {"p": pa.table({"x": [1.5, float("nan"), 2.5]})})
    assert names(engine) == ["q(1.5)", "q(2.5)"]
    engine.push_batch({"p": pa.table({"time": [2, 3, 3], "x": [float("inf"), 1.0, 2.0]})})
    assert names(engine) == ["q(1)", "q(2)"]
    assert [(row.line, row.code) for row in found] == [(2, "E506"), (1, "E506")]


def test_too_large_a_share_fails() -> None:
    engine = Engine(PROGRAM, start=0, bad_rows=lambda _: None, max_bad_rows=0.5)
    with pytest.raises(LasingError, match="E517"):
        engine.push(1, [("p", 2**70)] * 200)
    assert engine.push(1, [("p", "a")]).added


def test_a_late_push_is_no_bad_row() -> None:
    engine = Engine(PROGRAM, start=0, bad_rows="skip")
    engine.push(5, [("p", "a")])
    with pytest.raises(LasingError, match="E308"):
        engine.push(4, [("p", "a")])
