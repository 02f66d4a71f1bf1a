"""A program as an editor has it: a text that may not be saved, and the texts that it includes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lasing.connectors.files import read_text
from lasing.errors import Diagnostic, LasingError, SourceText, in_order
from lasing.languages import LARS, examine, front_end
from lasing.languages.lars.cursor import Cursor, Environment, Mistake
from lasing.languages.lars.lower import DEEPEST_INCLUDE
from lasing.languages.lars.statements import read_include
from lasing.languages.lars.tokens import tokenize
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.program import Program
from lasing.lsp.positions import Span

Opened = Mapping[Path, str]
"""The texts that are open in the editor, by their resolved paths."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """An `#include` of the root: where it stands, and the names of all texts that it leads to."""

    span: Span
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A program, what `lasing check` finds in it, and where its root includes other texts."""

    root: SourceText
    program: Program
    found: tuple[Diagnostic, ...]
    is_rules: bool
    """Whether it is in the language of rules, which all features know."""
    inclusions: tuple[Inclusion, ...] = field(default=())

    @property
    def complete(self) -> bool:
        """Whether the program has no mistakes, so that all of it is known."""
        return all(diagnostic.severity == "warning" for diagnostic in self.found)

    def source_number(self, source: SourceText) -> int:
        """The place of a text among the program's sources."""
        return next(number for number, known in enumerate(self.program.sources) if known.name == source.name)


def read(root: SourceText, opened: Opened, language: str | None = None) -> Reading:
    """The program of a text. Files that it includes are taken from the editor if they are open there."""
    is_rules = False
    inclusions: tuple[Inclusion, ...] = ()
    sources: list[SourceText] = [root]
    try:
        is_rules = front_end([root], language) is LARS
        if is_rules:
            including = _Including(opened)
            sources = list(including.texts(root, 0))
            inclusions = tuple(including.found)
        program, found = examine(sources, None, language)
    except LasingError as error:
        return Reading(root, Program(sources=(root,)), tuple(in_order(error.diagnostics)), is_rules)
    if not found:
        found = in_order(findings(program, CAUTIONS))
    return Reading(root, program, tuple(found), is_rules, inclusions)


class _Including:
    """Follows includes as the reader of programs does, and leaves those that it refuses or cannot read to it."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._seen: set[Path] = set()
        self.found: list[Inclusion] = []

    def texts(self, source: SourceText, depth: int) -> Iterator[SourceText]:
        """The texts that a text includes, and the text itself after them."""
        if source.path is not None:
            self._seen.add(source.path.resolve())
        for span, path in included_by(source):
            included = self._included(source, path) if depth < DEEPEST_INCLUDE else None
            below = [] if included is None else list(self.texts(included, depth + 1))
            if depth == 0:
                self.found.append(Inclusion(span, frozenset(text.name for text in below)))
            yield from below
        yield source

    def _included(self, source: SourceText, path: Path) -> SourceText | None:
        try:
            place = path.resolve()
            if place in self._seen or not source.may_read(path):
                return None
            text = self._opened[place] if place in self._opened else read_text(path)
        except (OSError, ValueError, LasingError):
            return None  # the reader of programs says why
        return SourceText(str(path), text, path, (source.folder, *source.allowed))


def included_by(source: SourceText) -> Iterator[tuple[Span, Path]]:
    """The includes of a text: where each names its file, and the file.

    >>> [(span.begin, str(path)) for span, path in included_by(SourceText("", 'p. #include "a.lars".'))]
    [(12, 'a.lars')]
    """
    if "#include" not in source.text:
        return
    cursor = Cursor(tokenize(source)[0], Environment())
    for start in cursor.directives:
        cursor.i = start
        if cursor.text != "#include":
            continue
        try:
            include = read_include(cursor)
        except Mistake:
            continue  # the reader of programs reports it
        length = len(cursor.texts[start + 1])
        yield Span(include.offset, include.offset + length), source.folder / include.path
