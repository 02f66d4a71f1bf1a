"""Ask evidence why something holds, and why something else does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lasing.errors import fault
from lasing.explain.evidence import Evidence
from lasing.explain.explanation import Explanation, explanations
from lasing.explain.goals import Goal
from lasing.explain.premises import Found
from lasing.explain.search import Search
from lasing.explain.why_not import WhyNot, why_not
from lasing.limits import Watch
from lasing.logic.dependencies import stratify
from lasing.logic.formulas import Atom
from lasing.logic.program import Program


def check_explainable(program: Program) -> None:
    """Fail if the program can have several answers: then an atom has no single reason."""
    if stratify(program).cycles or any(not rule.definite for rule in program.rules if rule.heads):
        note = "a rule leaves a choice, or depends on its own absence; see lasing models check"
        raise fault("E334", "explanations need a program with exactly one answer at each time point", note=note)


def explain(evidence: Evidence, goal: Goal, limit: int = 1, watch: Watch | None = None) -> list[Explanation]:
    """The explanations of a goal, the shortest first: of one that has variables, one for each atom that it matches.

    Raises E335 if nothing matches it.
    """
    check_explainable(evidence.program)
    search = Search(evidence, watch)
    found: list[Explanation] = []
    atoms = list(dict.fromkeys(_matching(search, goal)))
    for atom in atoms[:limit]:
        found += islice(explanations(search, atom, evidence.now), limit if len(atoms) == 1 else 1)
    if not found:
        time = evidence.program.time_text(evidence.now)
        note = "--why-not on the command line, and why_not in Python, say why" if goal.is_ground else ""
        raise fault("E335", f"{goal.atom} does not hold at {time}", note=note)
    return found


def explain_absence(evidence: Evidence, goal: Goal, watch: Watch | None = None) -> WhyNot:
    """Why a ground atom does not hold. Raises E335 if it does."""
    check_explainable(evidence.program)
    if not goal.is_ground:
        raise fault("E333", f"{goal.atom} has variables", note="ask about one atom, such as alarm(s4)")
    search = Search(evidence, watch)
    if next(_matching(search, goal), None) is not None:
        note = "leave out --why-not; in Python, call explain"
        raise fault("E335", f"{goal.atom} holds at {evidence.program.time_text(evidence.now)}", note=note)
    return why_not(search, goal.atom, evidence.now)


def _matching(search: Search, goal: Goal) -> Iterator[Atom]:
    """The atoms that match a goal and hold now."""
    for _, found in search.solve(search.whole, search.evidence.now, goal.atom, {}):
        assert isinstance(found, Found)
        yield found.atom
