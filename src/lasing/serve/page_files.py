"""The files of the page and its examples: read once from the package, and served from memory by name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page."""

    content: bytes
    type: str


@cache
def page_files() -> dict[str, PageFile]:
    """All files of the page, by name. A name that is not here does not exist, whatever it looks like."""
    return {
        one.name: PageFile(one.read_bytes(), _TYPES[_ending(one)])
        for one in (files("lasing.serve") / "page").iterdir()
        if _ending(one) in _TYPES
    }


@cache
def examples() -> list[dict[str, Any]]:
    """The examples, in order: `title`, `about`, `language`, `program`, `stream`, and perhaps `from` and `to`."""
    folder = files("lasing.serve") / "examples"
    found: list[dict[str, Any]] = json.loads((folder / "examples.json").read_text("utf-8"))
    return [
        {
            **one,
            "program": (folder / one["program"]).read_text("utf-8"),
            "stream": (folder / one["stream"]).read_text("utf-8"),
        }
        for one in found
    ]


def _ending(file: Traversable) -> str:
    return f".{file.name.rpartition('.')[2]}"
