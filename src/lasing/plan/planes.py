"""In which plane a plan has the rules of its program. `lasing check` reports it from here."""

from __future__ import annotations

from typing import Literal

from lasing.plan.nodes import Derive, Plan, Recompute

Plane = Literal["guaranteed", "counted"]


def planes(plan: Plan) -> dict[int, Plane]:
    """The plane of each rule, by its number: counted if any of its rules in the plan is.

    A guaranteed rule is evaluated once for what is new, and its conclusions are never taken back. A counted rule
    processes additions and removals.
    """
    found: dict[int, Plane] = {rule.origin: "guaranteed" for rule in plan.guaranteed if rule.origin >= 0}
    for stage in plan.stages:
        if isinstance(stage, Derive | Recompute):
            found.update({rule.origin: "counted" for rule in stage.rules if rule.origin >= 0})
    return found
