"""Answers as RDF streams."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.connectors.sources import file_source, stream_rows
from lasing.timeline.ticks import Tick
from tests.command import lasing
from tests.values import ONE_OF_EACH

PROGRAM = "#tick 1 sec. triple(S,P,O) :- given(S,P,O)."
STREAM = (
    'given(<http://ex.org/s>,<http://ex.org/p>,"a \\"b\\"\\n"@en) at "2026-01-31T08:00:00Z". '
    'given(<http://ex.org/s>,<http://ex.org/p>,5) at "2026-01-31T08:00:00Z". '
    'given(_:b,<http://ex.org/q>,<http://ex.org/s>) at "2026-01-31T08:00:02Z".'
)


@pytest.mark.parametrize("ending", ["nt", "nq", "trig", "jsonld", "nq.gz"])
def test_what_is_written_reads_back(tmp_path: Path, ending: str) -> None:
    (tmp_path / "p.lars").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "s.facts").write_text(STREAM, encoding="utf-8")
    done = lasing("run", "p.lars", "s.facts", "-o", f"out.{ending}", "-q", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    back = list(stream_rows(file_source(str(tmp_path / f"out.{ending}")), Tick(1000)))
    original = list(stream_rows(file_source(str(tmp_path / "s.facts")), Tick(1000)))
    assert {(time, str(atom.args[2])) for time, atom in back} == {(time, str(atom.args[2])) for time, atom in original}


def test_every_kind_of_value_can_be_an_object(tmp_path: Path) -> None:
    facts = "".join(
        f"given(<http://ex.org/s>,<http://ex.org/p>,{value}) at 1. " for value in map(_written, ONE_OF_EACH)
    )
    (tmp_path / "p.lars").write_text("triple(S,P,O) :- given(S,P,O).", encoding="utf-8")
    (tmp_path / "s.facts").write_text(facts, encoding="utf-8")
    done = lasing("run", "p.lars", "s.facts", "--format", "nquads", "-q", folder=tmp_path)
    assert done.stdout.count("\n") == len(ONE_OF_EACH) + 1, done.stderr


def _written(value: object) -> str:
    from lasing.logic.values import value_text

    return value_text(value)  # type: ignore[arg-type]  # it is one


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("q(S,P)", "it has 2 arguments"),
        ('q("x",P,O)', "its subject is a literal"),
        ("q(S,5,O)", "its predicate is not an IRI"),
    ],
)
def test_what_is_no_triple_cannot_be_written(tmp_path: Path, head: str, message: str) -> None:
    (tmp_path / "p.lars").write_text(f"{head} :- given(S,P,O).", encoding="utf-8")
    (tmp_path / "s.facts").write_text("given(<http://ex.org/s>,<http://ex.org/p>,5) at 1.", encoding="utf-8")
    done = lasing("run", "p.lars", "s.facts", "--format", "trig", "-q", folder=tmp_path)
    assert done.returncode == 1
    assert f"error[E516]: {head[0]}" in done.stderr
    assert message in done.stderr


def test_only_answers_are_graphs(tmp_path: Path) -> None:
    (tmp_path / "p.lars").write_text(PROGRAM, encoding="utf-8")
    done = lasing("run", "p.lars", "--format", "trig", "--as", "changes", folder=tmp_path)
    assert done.returncode == 2
    assert "trig has a graph for each time point" in done.stderr
