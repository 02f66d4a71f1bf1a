"""Questions about streams: does a formula hold, and is there a stream of these atoms?"""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.formulas import Atom
from lasing.logic.program import Program, Rule


@dataclass(frozen=True, slots=True)
class Question:
    """A formula, as the body of a constraint, and atoms, if given; the program has whatever comes with them."""

    program: Program
    formula: Rule | None
    atoms: tuple[Atom, ...] | None
