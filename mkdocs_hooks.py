"""The site of the documentation, from the files as they are: pages, navigation and links.

The README is the first page, and the table of its section "Documentation" is the navigation. The README and the other
pages outside docs/ that it links become pages of the site. Links to other files of the repository become text.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "examples/fire/README.md": "examples/fire.md",
    "examples/city-rdf/README.md": "examples/city-rdf.md",
}
"""Files of the repository outside docs/, and the pages of the site that they become."""
DECISIONS = "decisions/index.md"

_ROW = re.compile(r"^\| ([^|]+) \| (.+) \|$", re.MULTILINE)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^(```+)[^\n]*\n.*?^\1\s*$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"(<!-- file \S+\.(\w+) -->\n```)\n")
_LANGUAGES = {"lars": "lars", "facts": "lars", "sql": "sql", "rq": "sparql", "sparql": "sparql", "toml": "toml"}
"""The language of a file, by its ending."""
_BARE = re.compile(r"^```\n((?:(?!```).)*?)^```$", re.DOTALL | re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the navigation."""
    config.nav = navigation()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for path, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text(encoding="utf-8")))
    files.append(File.generated(config, DECISIONS, content=_decisions()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links between files into links between pages, and name the language of programs."""
    source = next((path for path, made in OUTSIDE.items() if made == page.file.src_uri), f"docs/{page.file.src_uri}")
    text = _NAMED.sub(lambda named: f"{named[1]}{_LANGUAGES.get(named[2], '')}\n", markdown)
    text = _BARE.sub(lambda block: f"```lars\n{block[1]}```" if _is_program(block[1]) else block[0], text)
    return _outside_fences(text, lambda part: linked(part, source, page.file.src_uri))


def navigation() -> list[Any]:
    """The rows of the README's table, each with its pages; pages of the reference stand only there."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Documentation")[2].partition("\n## ")[0]
    sections: dict[str, dict[str, str]] = {}
    seen: set[str] = set()
    for title, links in _ROW.findall(table):
        for _, words, target in _LINK.findall(links):
            page = page_of(target)
            if page is None or (page.startswith("reference/") and title != "Reference") or page in seen:
                continue
            seen.add(page)
            sections.setdefault(title, {})[page] = words[:1].upper() + words[1:]
    for path in sorted((ROOT / "docs").rglob("*.md")):
        page = path.relative_to(ROOT / "docs").as_posix()
        if page not in seen and not page.startswith("decisions/"):
            sections["Reference" if page.startswith("reference/") else "Programs"][page] = _title(path)
    decisions = [{_title(path): f"decisions/{path.name}"} for path in sorted((ROOT / "docs/decisions").glob("*.md"))]
    found: list[Any] = [{"Home": "index.md"}]
    for title, pages in sections.items():
        entries: list[Any] = [{words: page} for page, words in pages.items() if page != DECISIONS]
        if DECISIONS in pages:
            entries.append({pages[DECISIONS]: [DECISIONS, *decisions]})
        found.append({title: entries})
    examples = [{_title(ROOT / path): page} for path, page in OUTSIDE.items() if page not in (*seen, "index.md")]
    if examples:
        found.append({"Examples": examples})
    return found


def page_of(path: str) -> str | None:
    """The page of the site for a path of the repository; None if there is none."""
    if path in OUTSIDE:
        return OUTSIDE[path]
    if path.rstrip("/") == "docs/decisions":
        return DECISIONS
    if path.startswith("docs/") and (ROOT / path).is_file():
        return path.removeprefix("docs/")
    return None


def linked(text: str, source: str, page: str) -> str:
    """Text with its links rewritten: from a file of the repository to one, as from a page of the site to one."""

    def change(link: re.Match[str]) -> str:
        image, words, target = link.groups()
        path, hash_, anchor = target.partition("#")
        if ":" in path or not path:
            return link[0]
        wanted = page_of(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)))
        if wanted is None:
            if not (ROOT / posixpath.dirname(source) / path).exists():
                return link[0]  # a broken link, which MkDocs reports
            return words
        return f"{image}[{words}]({posixpath.relpath(wanted, posixpath.dirname(page) or '.')}{hash_}{anchor})"

    return _LINK.sub(change, text)


def _outside_fences(text: str, change: Any) -> str:
    """A text with its parts outside code blocks changed."""
    parts, at = [], 0
    for fence in _FENCE.finditer(text):
        parts += [change(text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, change(text[at:])])


def _is_program(block: str) -> bool:
    """Whether a code block without a language is in LARS: it has rules, and nothing that a command prints."""
    return ":- " in block and not re.search(r"^(\$|error|warning| *[│├└]|.*<-)", block, re.MULTILINE)


def _decisions() -> str:
    lines = ["# Decisions", "", "Decisions that a reader might question, and the reasons for them.", ""]
    return "\n".join(lines + [f"- [{_title(p)}]({p.name})" for p in sorted((ROOT / "docs/decisions").glob("*.md"))])


def _title(path: Path) -> str:
    return re.sub(r"[`*]", "", path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# "))
