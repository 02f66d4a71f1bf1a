"""Whether a formula names the time point at which it holds."""

from __future__ import annotations

from lasing.logic.formulas import And, Atom, Formula, Implies, Not, Or


def anchors(formula: Formula, holds: bool = True) -> bool:
    """Whether, wherever the formula holds (or does not), an atom of it holds at that time point.

    If none does, all time points have to be enumerated.

    >>> a, b = Atom("a"), Atom("b")
    >>> anchors(And((a, Not(b)))), anchors(Or((a, Not(b)))), anchors(Implies(a, b), holds=False)
    (True, False, True)
    """
    match formula:
        case Atom():
            return holds
        case Not(body):
            return anchors(body, not holds)
        case And(parts):
            found = [anchors(part, holds) for part in parts]
            return any(found) if holds else all(found)
        case Or(parts):
            found = [anchors(part, holds) for part in parts]
            return all(found) if holds else any(found)
        case Implies(left, right):
            found = [anchors(left, not holds), anchors(right, holds)]
            return all(found) if holds else any(found)
        case _:
            return False
