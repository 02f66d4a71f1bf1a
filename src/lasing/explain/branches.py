"""The lines of a tree: what explanations are before they become text, a picture or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["", "derived", "data", "background", "absent"]
"""What a line is about, for pictures: an atom and where it comes from, or the absence of something."""


@dataclass(slots=True)
class Branch:
    """A line, the details that belong to it, and the branches below it."""

    line: str
    details: list[str] = field(default_factory=list)
    below: list[Branch] = field(default_factory=list)
    kind: Kind = ""


def lines_of(branch: Branch, first: str = "", rest: str = "") -> Iterator[str]:
    """A branch as lines, with the lines of a tree in front."""
    yield first + branch.line
    for detail in branch.details:
        yield f"{rest}{'│  ' if branch.below else '   '}{detail}"
    for i, below in enumerate(branch.below):
        last = i == len(branch.below) - 1
        yield from lines_of(below, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))
