"""A pipeline says which predicates of its program no source brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.pipeline.config import read_pipeline
from lasing.pipeline.run import cautions
from lasing.pipeline.unsourced import unsourced

FILE = """
program = "p.lars"
engine = "local"
checkpoint = "state"
[sources.temp]
format = "csv"
path = "in"
schema = "time bigint, s string"
[sinks.q]
format = "json"
path = "out"
"""


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("q(X) :- temp(X), not hot(X), not old(X). hot(X) :- temp(X) in [3]. old(a).", []),
        ("q(X) :- temp(X), not door(X) in [3], door(X). door(X) at 5 :- tmep(X).", [("tmep", "did you mean temp?")]),
        ("q(X) :- temp(X), not door(X) in [3]. q(X) :- door(X).", [("door", "sources bring temp; add [sources.door]")]),
        ("#input temp/1, door/1. q(X) :- temp(X), not door(X).", [("door", "sources bring temp; add [sources.door]")]),
        ("#input temp/1. q(X) :- temp(X), not door(X).", [("door", "sources bring temp; add [sources.door]")]),
    ],
)
def test_what_no_source_brings(tmp_path: Path, program: str, found: list[tuple[str, str]]) -> None:
    (tmp_path / "p.lars").write_text(program)
    (tmp_path / "p.toml").write_text(FILE)
    pipeline = read_pipeline(tmp_path / "p.toml")
    wanted = [("W101", f"{name} is neither derived nor background, and no source brings it", n) for name, n in found]
    assert [(d.code, d.message, d.note) for d in unsourced(pipeline)] == wanted
    assert [(d.code, d.message, d.note) for d in cautions(pipeline) if d.code == "W101"] == wanted
    assert all(d.place is not None for d in unsourced(pipeline))
