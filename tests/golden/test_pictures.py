"""The pictures in the documentation are those that its commands draw."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command import lasing
from tests.golden.golden import check_golden
from tests.golden.test_docs import DOCS, FILE, SESSION

PAGES = ("tutorial.md", "how-to/draw-pictures.md")
IMAGE = re.compile(r"!\[[^\]]+\]\(([^)]*pictures/[^)]+)\)")


@pytest.mark.parametrize("page", PAGES)
def test_pictures_of_a_page(page: str, tmp_path: Path, rewrite: bool) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content, encoding="utf-8")
    drawn: list[Path] = []
    for command, _ in SESSION.findall(text):
        arguments = shlex.split(command)
        if not arguments[-1].endswith(".svg"):
            continue
        *rest, how, name = arguments
        done = lasing(*rest, *(("-o", name) if how == "-o" else ()), folder=tmp_path)
        assert not done.stderr
        assert how == "-o" or done.stdout
        svg = done.stdout if how == ">" else (tmp_path / name).read_text(encoding="utf-8")
        kept = DOCS / "pictures" / name
        check_golden(kept, svg, rewrite)
        drawn.append(kept)
    shown = [((DOCS / page).parent / link).resolve() for link in IMAGE.findall(text)]
    assert shown == drawn


def test_every_picture_is_on_some_page() -> None:
    texts = {page: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    shown = {(page.parent / link).resolve() for page, text in texts.items() for link in IMAGE.findall(text)}
    assert shown == set((DOCS / "pictures").iterdir())
