"""Reading programs: texts in, a checked `Program` out, or an error that names every mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lasing.errors import Diagnostic, LasingError, Source, in_order
from lasing.languages.lars.lower import lower
from lasing.logic.checks import MISTAKES, findings
from lasing.logic.program import Program
from lasing.logic.terms import Value


def read_program(sources: Sequence[Source], constants: Mapping[str, Value] | None = None) -> Program:
    """The program of one or more texts; `LasingError` with all mistakes where it has any."""
    program, found = examine(sources, constants)
    if found:
        raise LasingError(found)
    return program


def examine(
    sources: Sequence[Source], constants: Mapping[str, Value] | None = None
) -> tuple[Program, list[Diagnostic]]:
    """What could be read, and every mistake: of the text, and of the rules that could be read."""
    program, found = lower(sources, constants or {})
    return program, in_order([*found, *findings(program, MISTAKES)])
