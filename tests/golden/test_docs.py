"""The documentation is true: its sessions are replayed, its Python runs, its tables are up to date."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lasing import codes, parse
from lasing.engine_choice import ENGINES
from lasing.events.declarations import predicate_of
from lasing.languages.tesla.definition import Event, results
from lasing.languages.tesla.reader import read
from lasing.languages.tesla.resolve import resolved
from lasing.logic.formulas import Atom
from lasing.logic.functions.page import page
from tests.command import lasing
from tests.conformance.cases import all_cases
from tests.golden.golden import check_golden

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FILE = re.compile(r"<!-- file (\S+) -->\n```\n(.*?)```", re.DOTALL)
SESSION = re.compile(r"```console\n\$ lasing ([^\n]*)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(
    ("page", "number"),
    [
        ("tutorial.md", 8),
        ("how-to/use-several-answers.md", 5),
        ("how-to/check-models.md", 4),
        ("how-to/explain.md", 2),
        ("how-to/write-answers.md", 2),
        ("how-to/keep-state.md", 5),
        ("how-to/read-rdf.md", 3),
        ("reference/queries.md", 1),
        ("reference/events.md", 12),
        ("how-to/find-patterns.md", 2),
        ("tutorial-rdf.md", 7),
        ("how-to/query-rdf.md", 5),
    ],
)
def test_sessions_of_a_page(page: str, number: int, tmp_path: Path) -> None:
    text_of_page = (DOCS / page).read_text(encoding="utf-8")
    for name, text in FILE.findall(text_of_page):
        (tmp_path / name).write_text(text, encoding="utf-8")
    sessions = SESSION.findall(text_of_page)
    assert len(sessions) >= number
    for command, expected in sessions:
        assert _printed_by_lasing(command, tmp_path) == expected, command


def test_session_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command, expected = re.findall(r"\$ \.venv/bin/lasing ([^\n]*)\n(.*?)```", readme, re.DOTALL)[0]
    assert _printed_by_lasing(command, ROOT) == expected


def test_python_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code, expected = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", readme, re.DOTALL)[0]
    assert _printed([sys.executable, "-c", code], ROOT) == expected


def test_python_of_several_answers() -> None:
    page = (DOCS / "how-to" / "use-several-answers.md").read_text(encoding="utf-8")
    code, expected = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", page, re.DOTALL)[0]
    assert _printed([sys.executable, "-c", code], ROOT) == expected


def test_python_of_the_tutorial() -> None:
    code = re.findall(r"```python\n(.*?)```", (DOCS / "tutorial.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    assert _printed([sys.executable, "-c", code], ROOT).splitlines()[-1] == "4 ['hot(s2)']"


def test_python_of_the_tutorial_on_rdf(tmp_path: Path) -> None:
    text = (DOCS / "tutorial-rdf.md").read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    code, expected = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)[0]
    assert _printed([sys.executable, "-c", code], tmp_path) == expected


def test_python_of_patterns_of_events(tmp_path: Path) -> None:
    text = (DOCS / "how-to" / "find-patterns.md").read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    code, expected = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL)[0]
    assert _printed([sys.executable, "-c", code], tmp_path) == expected


def test_the_patterns_of_the_page_are_the_decisions_of_the_definition() -> None:
    """Each example of a decision gives what the definition says, not only what the rules do."""
    text = (DOCS / "reference" / "events.md").read_text(encoding="utf-8")
    files = dict(FILE.findall(text))
    facts = [(fact.time, fact.atom) for fact in parse(files["day.facts"]).data]
    compared = 0
    for command, printed in SESSION.findall(text):
        name = command.split()[1]
        if "day.facts" not in command:
            continue
        program, mistakes = resolved([read(files[name])])
        assert not mistakes
        upper = {predicate_of(known): known for known in program.types()}
        stream = [Event(time, upper[atom.predicate], atom.values) for time, atom in facts if atom.predicate in upper]
        last = 6 if "--to 6" in command else 8
        expected = {
            f"{Atom(predicate_of(event.type), event.values)} at {time}."
            for time, events in results(program, stream).items()
            for event in events
            if time <= last
        }
        assert set(printed.splitlines()) == expected, name
        compared += 1
    assert compared == 9


def test_how_to_feed_an_engine_says_what_happens() -> None:
    """Where a line of the page ends in a comment that begins with a value, the line has that value."""
    page = (DOCS / "how-to" / "feed-an-engine.md").read_text(encoding="utf-8")
    space: dict[str, object] = {}
    compared = 0
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        for statement in ast.parse(block).body:
            code = ast.unparse(statement)
            line = block.splitlines()[statement.end_lineno - 1 if statement.end_lineno else 0]
            said = re.search(r"\s# ([\d\[].*?)(?::.*)?$", line)
            if isinstance(statement, ast.Expr) and said:
                assert str(eval(code, space)) == said[1], line
                compared += 1
            else:
                exec(code, space)  # the page is ours
    assert compared == 7


@pytest.mark.parametrize("page", sorted([ROOT / "README.md", *DOCS.rglob("*.md")]), ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert not [link for link in links if not (page.parent / link).exists()]


def test_the_page_of_errors_is_printed_from_the_table_of_codes(rewrite: bool) -> None:
    check_golden(DOCS / "reference" / "errors.md", codes.page(), rewrite)


def test_the_page_of_functions_is_printed_from_their_table(rewrite: bool) -> None:
    check_golden(DOCS / "reference" / "functions.md", page(), rewrite)


def test_every_code_is_used() -> None:
    sources = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "src").rglob("*.py") if p.name != "codes.py")
    assert set(codes.CODES) == set(re.findall(r'"([EW]\d{3})"', sources))


def test_table_of_conformance(rewrite: bool) -> None:
    lines = ["# Conformance", "", "Every case in `tests/conformance/cases`, and the engines that pass it.", ""]
    lines += [f"| case | {' | '.join(ENGINES)} |", f"|---|{'---|' * len(ENGINES)}"]
    for case in all_cases():
        marks = [f"no: {case.unsupported[e]}" if e in case.unsupported else "yes" for e in ENGINES]
        lines.append(f"| {case.title} | {' | '.join(marks)} |")
    check_golden(DOCS / "reference" / "conformance.md", "\n".join(lines) + "\n", rewrite)


def _printed_by_lasing(command: str, folder: Path) -> str:
    done = lasing(*shlex.split(command), folder=folder)
    return done.stdout + done.stderr


def _printed(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False
    )
    return done.stdout + done.stderr
