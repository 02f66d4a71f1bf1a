"""The RDFS closure that is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.bench.costs import closures


def test_every_instance_becomes_one_of_every_higher_class(tmp_path: Path) -> None:
    closures.write(tmp_path / "levels.nt", 3, 5)
    assert closures._ours(tmp_path / "levels.nt") == 10


def test_the_table_has_a_row_for_each_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures, "INSTANCES", 10)
    monkeypatch.setattr(closures, "TURNS", 1)
    monkeypatch.setattr(closures, "find_spec", lambda _: None)
    ours, other = closures.closures()
    assert ours[0].endswith("lasing, all rules of RDFS")
    assert "not installed" in other[2]
