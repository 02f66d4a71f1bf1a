"""The documentation as a site: it builds without a warning, has every page, and loads nothing from elsewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("material", reason="mkdocs-material builds the site: pip install mkdocs-material")

import mkdocs_hooks
from mkdocs_hooks import linked, navigation

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_of_the_docs_is_there(site: Path) -> None:
    docs = [path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")]
    assert len(docs) > 50
    assert not [page for page in docs if not (site / page).exists()]
    assert "stream reasoner" in (site / "index.html").read_text(encoding="utf-8")


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="((?:https?:)?//[^"]*)"')
    pages = list(site.rglob("*.html"))
    assert not {found for page in pages for found in loaded.findall(page.read_text(encoding="utf-8"))}


def test_the_search_knows_the_pages(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert {"tutorial.html", "reference/language.html"} <= {page["location"] for page in index["docs"]}


def test_programs_are_highlighted(site: Path) -> None:
    page = (site / "how-to" / "draw-pictures.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="k">always</span>', page)
    assert re.search(r'<span class="k">at</span>[^\n]*<span class="m">9</span>', page), "facts are, too"


def test_tables_show_no_backslashes(site: Path) -> None:
    shown = {
        path.relative_to(site).as_posix(): cell
        for path in site.rglob("*.html")
        for cell in re.findall(r"<td>.*?</td>", path.read_text(encoding="utf-8"), re.DOTALL)
        if "\\|" in cell
    }
    assert shown == {}


def _pages(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for value in entry.values():
                yield from _pages(value) if isinstance(value, list) else [value]


def test_the_navigation_is_the_table_of_the_readme() -> None:
    found = navigation()
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Documentation")[2].partition("\n## ")[0]
    titles = list(re.findall(r"^\| ([A-Z][^|]*) \|", table, re.MULTILINE))
    assert [next(iter(entry)) for entry in found][1 : len(titles) + 1] == titles
    pages = list(_pages(found))
    assert len(pages) == len(set(pages))


def test_links_lead_to_pages_or_become_text() -> None:
    assert linked("[a](docs/tutorial.md#time)", "README.md", "index.md") == "[a](tutorial.md#time)"
    assert linked("[a](../../CHANGELOG.md)", "docs/how-to/explain.md", "how-to/explain.md") == "[a](../changes.md)"
    assert linked("[a](../mkdocs.yml)", "docs/tutorial.md", "tutorial.md") == "a"
    assert linked("[a](nowhere.md)", "docs/tutorial.md", "tutorial.md") == "[a](nowhere.md)"
    assert linked("[a](https://example.org)", "README.md", "index.md") == "[a](https://example.org)"
    assert mkdocs_hooks.page_of("docs/decisions/") == "decisions/index.md"
