"""Sections are measured when asked for, and printed as tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.console import Console

from lasing.bench import report
from lasing.bench.bars import Line
from lasing.bench.course import QUICK, Effort, course
from lasing.bench.ratios import COLUMNS, ratios
from lasing.bench.workloads import J


def _measure(effort: Effort) -> Iterator[Line]:
    yield Line("speed", "fast" if effort is QUICK else "slow", "fast", effort is QUICK)
    yield Line("colour", "there is no lamp", "red", None)


def test_a_section_says_what_holds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(report, "BLOCKS", {"lights": ("Lights", _measure)})
    monkeypatch.setattr(report, "NAMES", ("lights", "ratios"))
    for quick, holds in ((True, "yes"), (False, "NO")):
        (section,) = report.run_all(quick, only=["lights"])
        assert [row[-1] for row in section.rows] == [holds, "not measured"]
        console = Console(width=100, record=True, quiet=True)
        report.show([section], console)
    printed = capsys.readouterr()
    assert "measuring lights" in printed.err
    assert printed.out == ""


def test_an_unknown_section_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no sped among limit, tick"):
        report.run_all(quick=True, only=["sped"])


def test_memory_is_measured() -> None:
    (section,) = report.run_all(quick=True, only=["memory"])
    assert "bytes" in section.rows[0][1]


def test_ratios_have_a_cell_for_each_contender() -> None:
    first = next(ratios(Effort(turns=1, length=1)))
    assert len(first) == len(COLUMNS)
    assert first[0] == "D"


def test_what_counts_begins_when_windows_are_full() -> None:
    c = course(J, rate=3, points=10)
    assert c.warm == 40
    assert c.stream.points == 50
