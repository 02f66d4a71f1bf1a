"""A program that must remember its stream for ever."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.formulas import offset_of
from lasing.logic.lookback import formula_lookback, only_derived
from lasing.logic.printer import formula_text
from lasing.logic.program import Program


def unbounded_state(program: Program) -> Iterator[Diagnostic]:
    """W103 for each literal that may need data of any age: `[*]`, `[T..U]`, and `a at T` without a window."""
    derived = only_derived(program)
    for rule in program.rules:
        for literal in rule.body:
            if formula_lookback(literal, derived).points is None:
                yield Diagnostic(
                    "W103",
                    f"unbounded state: {formula_text(literal)} may need data of any age",
                    rule.place(offset_of(literal)),
                    "memory grows with the stream; a window such as [60] bounds it",
                )
