"""Recursive relations of the guaranteed plane: those from which a rule derives, over any number of rules, themselves.

    reached(Y) :- reached(X), edge(X,Y) in [9].

If an edge is renewed, all nodes beyond it are guaranteed for longer, however many these are, although none comes or
goes. So the engine keeps longer guarantees of such relations back until the old ones end (`memory.keep_back`).
"""

from __future__ import annotations

from lasing.plan.nodes import Plan
from lasing.plan.relations import Relation


def recursive(plan: Plan) -> frozenset[Relation]:
    """The relations of the guaranteed plane on cycles of rules, and those between two cycles."""
    derives = {(lookup.relation, rule.head) for rule in plan.guaranteed for lookup in rule.lookups}
    while True:
        begun, ended = {source for source, _ in derives}, {head for _, head in derives}
        left = {(source, head) for source, head in derives if source in ended and head in begun}
        if left == derives:
            return frozenset(begun & ended)
        derives = left
