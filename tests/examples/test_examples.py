"""Every example runs, is formatted, and has no findings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages import format_program
from lasing.languages.lars.formatter import format_text
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.results import rows_of

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.lars"))  # the city's program needs its map, and has a test of its own
QUERIES = sorted(EXAMPLES.glob("sql/*.sql"))
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[p.name for p in PROGRAMS])
def test_program_is_formatted_and_without_findings(path: Path) -> None:
    assert findings(lasing.parse(path), CAUTIONS) == []
    text = path.read_text(encoding="utf-8")
    assert format_text(SourceText(path.name, text)) == text


@pytest.mark.parametrize("path", [p for p in PROGRAMS if p.with_suffix(".facts").exists()], ids=lambda p: p.stem)
def test_program_derives_something_on_its_stream(path: Path) -> None:
    assert any(answer.atoms for answer in lasing.run(path, path.with_suffix(".facts")))


@pytest.mark.parametrize("path", QUERIES, ids=lambda p: p.stem)
def test_query_is_formatted_and_without_findings(path: Path) -> None:
    assert findings(lasing.parse(path), CAUTIONS) == []
    text = path.read_text(encoding="utf-8")
    assert format_program(SourceText(path.name, text, path)) == text


def rows_at(query: str, stream: str) -> dict[int, set[tuple[object, ...]]]:
    """The rows of an example in SQL at each time point."""
    program = lasing.parse(EXAMPLES / "sql" / query)
    assert program.outputs is not None
    output = program.outputs[0]
    return {a.time: set(rows_of(output, a.atoms)) for a in lasing.run(program, EXAMPLES / "sql" / stream)}


def test_the_tram_query_gives_what_the_paper_says() -> None:
    found = rows_at("tram.sql", "tram.facts")
    assert found[40] == {("a1", "m", 44), ("a2", "m", 45), ("a3", "m", 43)}
    assert found[41] == {("a2", "m", 45), ("a3", "m", 43)}  # a jam where a1 was last seen


def test_the_query_about_rooms_reports_the_hottest() -> None:
    found = rows_at("hot_rooms.sql", "readings.csv")
    assert found[max(found)] == set()
    assert {("kitchen", 3, 31.5), ("hall", 2, 33)} in found.values()


@pytest.mark.parametrize("path", SCRIPTS, ids=[p.name for p in SCRIPTS])
def test_script_runs(path: Path) -> None:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
