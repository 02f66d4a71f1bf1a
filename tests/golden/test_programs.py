"""Programs with mistakes, and what is said about them: each `.lars` file beside its `.txt`.

Every code that a check or the reader can give must occur in one of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lasing.errors import SourceText, in_order, render
from lasing.languages import examine
from lasing.logic.checks import CAUTIONS, ONE_ANSWER, findings
from tests.golden.golden import check_golden

FOLDER = Path(__file__).parent / "programs"
SOURCE = Path(__file__).parents[2] / "src" / "lasing"
PROGRAMS = sorted(FOLDER.glob("*.lars"))
NOT_HERE = dict.fromkeys(("E705", "E727"), "a library is missing: tests/unit/languages/test_front_ends.py hides it")


def findings_text(path: Path) -> str:
    program, found = examine([SourceText(path.name, path.read_text(encoding="utf-8"))])
    if not found:
        found = in_order(findings(program, (*ONE_ANSWER, *CAUTIONS)))
    return render(found) + "\n"


@pytest.mark.parametrize("path", PROGRAMS, ids=[p.stem for p in PROGRAMS])
def test_findings(path: Path, rewrite: bool) -> None:
    check_golden(path.with_suffix(".txt"), findings_text(path), rewrite)


def test_every_code_has_a_program() -> None:
    folders = ("languages", "logic/checks")
    texts = [p.read_text(encoding="utf-8") for folder in folders for p in (SOURCE / folder).rglob("*.py")]
    codes = set(re.findall(r'"([EW][0-9]{3})"', "\n".join(texts)))
    golden = "\n".join(p.read_text(encoding="utf-8") for p in FOLDER.glob("*.txt"))
    assert codes
    golden += "\n".join(p.read_text(encoding="utf-8") for p in (FOLDER.parent / "sessions").glob("*.session"))
    assert {code for code in codes if f"[{code}]" not in golden} <= NOT_HERE.keys()
