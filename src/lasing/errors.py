"""What went wrong, where, and what to do about it.

A `Diagnostic` is one finding: a code, a sentence, a place in a text and a note. A `LasingError` carries all the
findings of one pass, so that all of them can be fixed at once. `render` shows them with a caret under the place:

    error[E201]: Y is unsafe: nothing in the body binds it
      --> prog.lars:1:6
      |
    1 | q(X, Y) :- p(X).
      |      ^
      = bind Y with a positive literal, such as p(Y), or with Y = ...
"""

from __future__ import annotations

import re
import sys
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Literal

from lasing.codes import CODES

Severity = Literal["error", "warning"]

_LONGEST_LINE_SHOWN = 160
_LONGEST_LINE_KEPT = 1000
_MOST_SHOWN = 25
_FEW_NAMES = 100
_MOST_NEAR = 20
_LONGEST_SLIP = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which text: a source's name, a line and column from 1, the line itself, and how much to underline.

    For a very long line, `text` is only the part from the character `begin` on. `cell` is the column of a table, by its
    name, if the place is a row of one.
    """

    source: str
    line: int
    column: int
    text: str = ""
    length: int = 1
    begin: int = 0
    cell: str = ""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text, its name, and its file if it has one; it turns an offset into a `Place` when one is needed."""

    name: str
    text: str
    path: Path | None = None
    allowed: tuple[Path, ...] = ()
    """Folders whose files it may name, in addition to its own folder, and single files."""

    @property
    def folder(self) -> Path:
        """The folder of its file; for a text without a file, the current folder."""
        return Path() if self.path is None else self.path.parent

    def may_read(self, path: Path) -> bool:
        """Whether it may name a file: one in its own folder, in an allowed folder, or below them.

        >>> SourceText("main.lars", "", Path("rules/main.lars")).may_read(Path("rules/rooms/kitchen.lars"))
        True
        >>> SourceText("main.lars", "", Path("rules/main.lars")).may_read(Path("rules/../secrets.lars"))
        False
        """
        return any(path.resolve().is_relative_to(folder.resolve()) for folder in (self.folder, *self.allowed))

    def place(self, offset: int, length: int = 1) -> Place:
        """The place of an offset.

        >>> str(SourceText("prog.lars", "a.\\nb :- c.").place(8))
        'prog.lars:2:6'
        """
        starts = _line_starts(self.text)
        number = bisect_right(starts, offset)
        begin = starts[number - 1]
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        column = offset - begin
        cut = max(0, column - _LONGEST_LINE_SHOWN) if end - begin > _LONGEST_LINE_KEPT else 0
        line = self.text[begin + cut : min(end, begin + cut + _LONGEST_LINE_KEPT)].rstrip("\r")
        return Place(self.name, number, column + 1, line, length, cut)


@lru_cache(maxsize=4)
def _line_starts(text: str) -> list[int]:
    """Where the lines of a text begin. Cached, because a text with one mistake may have thousands."""
    return [0, *(match.end() for match in re.finditer("\n", text))]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. Its code is one of `lasing.codes`, and stable: documentation and tests refer to it."""

    code: str
    message: str
    place: Place | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"there is no code {self.code}: add it to lasing/codes.py")

    @property
    def severity(self) -> Severity:
        return "warning" if self.code.startswith("W") else "error"

    def __str__(self) -> str:
        return render([self])


class LasingError(Exception):
    """Mistakes in the program or the data: all findings, in the order of the text."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        if not self.diagnostics:
            raise ValueError("a LasingError needs at least one diagnostic")
        super().__init__(render(self.diagnostics))

    def __reduce__(self) -> tuple[type[LasingError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


class LasingWarning(UserWarning):
    """The program may not do what its author meant, or a run skipped something and counted it."""


def fault(code: str, message: str, place: Place | None = None, note: str = "") -> LasingError:
    """An error with a single finding."""
    return LasingError([Diagnostic(code, message, place, note)])


def warn(diagnostics: Iterable[Diagnostic]) -> None:
    """Issue findings as Python warnings that point to the line outside this package that led to them."""
    found = list(diagnostics)
    if not found:
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "lasing":
        level, frame = level + 1, frame.f_back
    for diagnostic in found:
        warnings.warn(render([diagnostic]), LasingWarning, stacklevel=level)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Errors before warnings, each by its place in the text; findings without a place come last."""

    def key(d: Diagnostic) -> tuple[bool, bool, str, int, int, str]:
        if d.place is None:
            return d.severity == "warning", True, "", 0, 0, d.code
        return d.severity == "warning", False, d.place.source, d.place.line, d.place.column, d.code

    return sorted(dict.fromkeys(diagnostics), key=key)


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """All findings as text, separated by blank lines; only the first ones if there are very many."""
    shown = [_render_one(d) for d in diagnostics[:_MOST_SHOWN]]
    if len(diagnostics) > _MOST_SHOWN:
        shown.append(f"and {len(diagnostics) - _MOST_SHOWN:,} more")
    return "\n\n".join(shown)


def similar(name: str, names: Iterable[str]) -> str:
    """A hint that names the nearest existing name, or nothing.

    >>> similar("temprature", ["temperature", "door"])
    'did you mean temperature?'
    """
    near = nearest(name, names)
    return "" if near is None else f"did you mean {near}?"


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The existing name that a misspelt name probably means, if there is one."""
    among = sorted(names)
    near = get_close_matches(name, among, n=1, cutoff=0.75) if among and len(name) <= _LONGEST_SLIP else []
    return near[0] if near else None


class Nearby:
    """Names to look up many misspelt names in. In a large set, only names that differ by a letter or two are near.

    >>> names = Nearby(["temperature", *(f"p{i}" for i in range(1000))])
    >>> similar("temprature", names.near("temprature"))
    'did you mean temperature?'
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = dict.fromkeys(names)
        self._to_index = list(self._names)  # few names need no index, so it is made when there are many
        self._without_a_letter: dict[str, list[str]] = {}

    def add(self, name: str) -> None:
        if name not in self._names:
            self._names[name] = None
            self._to_index.append(name)

    def near(self, name: str) -> Iterable[str]:
        """The names that may be meant."""
        if len(self._names) <= _FEW_NAMES:
            return self._names
        for added in self._to_index:
            for key in _without_a_letter(added):
                self._without_a_letter.setdefault(key, []).append(added)
        self._to_index.clear()
        found: dict[str, None] = {}
        for key in _without_a_letter(name):
            found.update(dict.fromkeys(self._without_a_letter.get(key, ())[:_MOST_NEAR]))
            if len(found) >= _MOST_NEAR:
                break
        return found


def _without_a_letter(name: str) -> dict[str, None]:
    """A name, and every name that remains when one of its letters is dropped."""
    if len(name) > _LONGEST_SLIP:
        return {}
    return dict.fromkeys([name, *(name[:i] + name[i + 1 :] for i in range(len(name)))])


def _render_one(d: Diagnostic) -> str:
    lines = [f"{d.severity}[{d.code}]: {d.message}"]
    gutter = "  "
    if d.place is not None:
        gutter = " " * (len(str(d.place.line)) + 1)
        lines.append(f"{gutter[:-1]} --> {d.place}")
        if d.place.text.strip():
            text, caret = _excerpt(d.place)
            lines.append(f"{gutter}|")
            lines.append(f"{d.place.line} | {text}")
            lines.append(f"{gutter}| {caret}")
    lines.extend(f"{gutter}= {note}" for note in d.note.splitlines())
    return "\n".join(lines)


def _excerpt(place: Place) -> tuple[str, str]:
    """The line and the carets below it; for a very long line, only the part around the place."""
    text, column = place.text.partition("\n")[0].expandtabs(1), place.column - 1 - place.begin
    if len(text) > _LONGEST_LINE_SHOWN:
        begin = max(0, column - _LONGEST_LINE_SHOWN // 2)
        cut = text[begin : begin + _LONGEST_LINE_SHOWN]
        left = "…" if begin or place.begin else ""
        right = "…" if begin + _LONGEST_LINE_SHOWN < len(text) else ""
        text, column = f"{left}{cut}{right}", column - begin + len(left)
    length = max(1, min(place.length, len(text) - column))
    return text, " " * column + "^" * length
