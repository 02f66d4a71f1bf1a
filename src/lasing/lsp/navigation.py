"""Where something is defined, and everywhere that it is used."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from lasing.logic.program import Program
from lasing.lsp.occurrences import DEFINES, occurrences
from lasing.lsp.positions import Span
from lasing.lsp.things import (
    Constant,
    IncludedFile,
    Predicate,
    Prefix,
    RuleVariable,
    Word,
    constants_of,
    prefixes_of,
    spans_of,
    thing_at,
)

Found = tuple[int, Span]
"""The number of a text of the program, and a part of it."""


def definition(program: Program, source: int, offset: int) -> list[Found] | Path:
    """Where the thing at an offset is defined: the rules and declarations of a predicate or else its facts, the first
    place of a variable, a directive, or the file that is included."""
    match thing_at(program, source, offset):
        case Predicate(occurrence):
            places = [o for o in occurrences(program) if o.predicate == occurrence.predicate]
            first = [o for o in places if o.role in DEFINES] or [o for o in places if o.role in ("fact", "unread")]
            return [(o.source, o.span) for o in first]
        case RuleVariable(_, _, spans):
            return [(source, spans[0])]
        case Constant(name):
            return [constants_of(program)[name]]
        case Prefix(name):
            return [prefixes_of(program)[name]] if name in prefixes_of(program) else []
        case IncludedFile(path):
            return path
        case Word() | None:
            return []
        case never:
            assert_never(never)


def references(program: Program, source: int, offset: int, with_definition: bool = True) -> list[Found]:
    """Every place of the thing at an offset: of a predicate, a constant or a prefix in the whole program, and of a
    variable in its rule."""
    match thing_at(program, source, offset):
        case Predicate(occurrence):
            found = [(o.source, o.span) for o in occurrences(program) if o.predicate == occurrence.predicate]
        case RuleVariable(_, _, spans):
            found = [(source, span) for span in spans]
        case Constant() | Prefix() as thing:
            found = spans_of(program, thing)
        case IncludedFile() | Word() | None:
            found = []
        case never:
            assert_never(never)
    if with_definition:
        return found
    defined = definition(program, source, offset)
    return found if isinstance(defined, Path) else [place for place in found if place not in defined]
