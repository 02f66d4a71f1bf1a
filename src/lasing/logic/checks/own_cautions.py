"""What the language of a program warns about."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.program import Program


def own_cautions(program: Program) -> Iterator[Diagnostic]:
    """The warnings that came with the program, in the words of its language."""
    yield from program.cautions
