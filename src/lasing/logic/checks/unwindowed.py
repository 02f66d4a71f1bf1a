"""◇ and □ range over a window: the whole timeline has no end."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.formulas import Aggregate, Always, Formula, Select, Sometime, Window, children, offset_of
from lasing.logic.program import Program


def unwindowed(program: Program) -> Iterator[Diagnostic]:
    """E206 for each ◇ or □ outside any window."""
    for rule in program.rules:
        for literal in rule.body:
            for formula in _outside(literal):
                symbol = "◇" if isinstance(formula, Sometime) else "□"
                yield Diagnostic(
                    "E206",
                    f"{symbol} needs a window around it, because the timeline has no end",
                    rule.place(offset_of(formula)),
                    f"for everything up to now, write ⊞[*] {symbol} …",
                )


def _outside(formula: Formula) -> Iterator[Formula]:
    match formula:
        case Window():
            return
        case Sometime() | Always():
            yield formula
        case Aggregate() | Select():
            for part in formula.condition:
                yield from _outside(part)
        case _:
            for part in children(formula):
                yield from _outside(part)
