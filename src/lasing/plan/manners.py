"""How the rules of a program run: on which engine, and in which plane of the plan."""

from __future__ import annotations

from lasing.logic.analysis import Analysis
from lasing.logic.formulas import atoms_of
from lasing.logic.fragments import ENGINE_NEEDED
from lasing.logic.idle import settling
from lasing.logic.program import Program
from lasing.plan.compile import Unplanned, compile_plan
from lasing.plan.idle import steady, ticks
from lasing.plan.optimize import optimized
from lasing.plan.planes import planes

_GOES_ON = "times that are used as data, or windows that nothing bounds"


class Manners:
    """How the rules of a program run: what the plan says, or why there is no plan."""

    def __init__(self, program: Program, analysis: Analysis, has_mistakes: bool) -> None:
        parts = analysis.split
        decided = program if parts is None else parts.below
        places = range(len(program.rules)) if parts is None else parts.below_origin
        self.unplanned = ""
        self.busy = ""
        """Why the engine evaluates time points without facts too; empty if it skips them."""
        self._planes: dict[int, str] = {}
        self._analysis = analysis
        if decided is None or has_mistakes:
            return
        try:
            found = compile_plan(decided)
        except Unplanned as reason:
            self.unplanned = str(reason)
            self.busy = _GOES_ON if settling(decided) is None else ""
        else:
            self._planes = {places[place]: plane for place, plane in planes(found).items()}
            self.busy = idle if ticks(found) and isinstance(idle := steady(optimized(found)), str) else ""
        if parts is not None and settling(parts.above) is None:
            self.busy = _GOES_ON

    def engine(self, index: int) -> tuple[str, str]:
        """The engine that runs a rule, and why."""
        reason = self._analysis.rules[index].reason
        needed = ENGINE_NEEDED[reason.fragment]
        if needed == "local" and self.unplanned:
            return "reference", "the whole program runs there"
        return needed, reason.why

    def plane(self, index: int) -> str | None:
        """The plan's plane for a rule, guaranteed or counted; None if no plan contains the rule."""
        return self._planes.get(index) if self.engine(index)[0] == "local" else None

    def manner(self, index: int) -> str:
        """The plane as text, with the reason; for a rule without a plan, whether the rule is monotone."""
        rule = self._analysis.rules[index]
        why = rule.non_monotone
        match self.plane(index):
            case "guaranteed":
                return "guaranteed"
            case "counted":
                return f"counted ({self._why_counted(index)})"
            case _:
                return f"not monotone ({why})" if why else "monotone"

    def _why_counted(self, index: int) -> str:
        rule = self._analysis.rules[index]
        if rule.non_monotone:
            return rule.non_monotone
        counted = {
            atom.predicate
            for other, plane in self._planes.items()
            if plane == "counted"
            for atom in self._analysis.rules[other].rule.head_atoms()
        }
        (head,) = rule.rule.head_atoms()
        below = (atom.predicate for literal in rule.rule.body for atom in atoms_of(literal))
        rests = next((p for p in below if p in counted and p != head.predicate), None)
        return f"it rests on {rests}" if rests else f"other rules of {head.predicate} are"
