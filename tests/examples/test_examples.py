"""Every example runs, is formatted, and has no findings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages.lars.formatter import format_text
from lasing.logic.checks import CAUTIONS, findings

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.lars"))  # the city's program needs its map, and has a test of its own
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[p.name for p in PROGRAMS])
def test_program_is_formatted_and_without_findings(path: Path) -> None:
    assert findings(lasing.parse(path), CAUTIONS) == []
    text = path.read_text(encoding="utf-8")
    assert format_text(SourceText(path.name, text)) == text


@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.with_suffix(".facts").exists()], ids=lambda p: p.stem)
def test_program_derives_something_on_its_stream(path: Path) -> None:
    assert any(answer.atoms for answer in lasing.run(path, path.with_suffix(".facts")))


@pytest.mark.parametrize("path", SCRIPTS, ids=[p.name for p in SCRIPTS])
def test_script_runs(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
