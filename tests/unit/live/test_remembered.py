"""What derived streams remember, in snapshots."""

from __future__ import annotations

import json

import pytest

import lasing
from lasing.live.snapshots import KEY, checksum

PROGRAM = "#stream on/1. on(X) :- start(X). on(X) :- on(X) in [1,-1], not stop(X). late(X) :- on(X) in [4,-3]."


def _engine(program: str = PROGRAM) -> lasing.Engine:
    engine = lasing.Engine(program, 0)
    engine.push(1, [("start", "a"), ("start", "b")])
    engine.push(5, [("stop", "b")])
    engine.advance_to(7)
    return engine


@pytest.mark.parametrize("name", ["auto", "reference", "clingo"])
def test_a_snapshot_has_what_no_fact_shows_any_more(name: str) -> None:
    engine = _engine()
    restored = lasing.Engine.restore(PROGRAM, engine.snapshot(), name)  # type: ignore[arg-type]
    assert set(map(str, restored.answer().atoms)) == {"on(a)", "late(a)", "late(b)"}
    for each in (engine, restored):
        each.advance_to(9)
    assert restored.answer().atoms == engine.answer().atoms
    assert set(map(str, restored.answer().atoms)) == {"on(a)", "late(a)"}


def test_an_atom_that_holds_for_long_is_one_row() -> None:
    engine = _engine()
    engine.advance_to(10_000)
    assert engine.remembered().to_pylist() == [{"from": 1, "length": -1, "predicate": "on", "args": ["a"]}]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (f"{PROGRAM} #stream other/0. other :- start(_). x :- other in [3].", "does not remember other"),
        (PROGRAM.replace("[4,-3]", "[9,-3]"), "remembers on for 4 time points, but the program looks back 9"),
    ],
)
def test_another_program_must_not_need_more(program: str, message: str) -> None:
    with pytest.raises(lasing.LasingError, match=f"E512.*{message}"):
        lasing.Engine.restore(program, _engine().snapshot())


@pytest.mark.parametrize(
    "rows",
    [None, [[1, 0]], [[1, -2, "on", ["a"]]], [[1, 0, "on", []]], [[9, 0, "on", ["a"]]], [[1, 0, "on", ['"']]]],
)
def test_damaged_runs_are_refused(rows: object) -> None:
    table = _engine().snapshot()
    state = json.loads(table.schema.metadata[KEY])
    state["remembered"] = rows
    state["checksum"] = checksum(table, state)
    with pytest.raises(lasing.LasingError, match=r"E512.*derived streams"):
        lasing.Engine.restore(PROGRAM, table.replace_schema_metadata({KEY: json.dumps(state)}))
