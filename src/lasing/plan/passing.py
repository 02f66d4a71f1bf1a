"""Passing relations: facts that rules turn into heads as they arrive, and that nothing looks at afterwards.

    q(lower(X)) :- p(X) in [5].

The head holds as long as the fact is in its window, and is guaranteed for that long at once. So the rows of `p in [5]`
need no index, and can be dropped at the next time point. The same fact may then be there twice, which makes no
difference to the head.
"""

from __future__ import annotations

from lasing.plan.nodes import Plan, PlanRule
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import Relation, Span
from lasing.plan.rewrite import reads, rules_of, writes


def passing(plan: Plan) -> dict[Relation, tuple[PlanRule, ...]]:
    """The passing relations, each with the rules that read it."""
    kept = {output.relation for output in plan.outputs} | plan.tracked
    kept |= {relation for stage in plan.stages for relation in (*reads(stage), *writes(stage))}
    kept |= {rule.head for rule in rules_of(plan)} | {clock.relation for clock in plan.clocks}
    kept |= {relation for relation, _, _ in plan.background} | {load.relation for load in plan.loads}
    spans: dict[Relation, set[Span | None]] = {}
    for feed in plan.feeds:
        spans.setdefault(feed.relation, set()).add(feed.span)
    readers: dict[Relation, list[PlanRule]] = {}
    for rule in plan.guaranteed:
        for lookup in rule.lookups:
            readers.setdefault(lookup.relation, []).append(rule)
    return {
        relation: tuple(rules)
        for relation, rules in readers.items()
        if relation not in kept
        and all(map(_takes_new_rows_only, rules))
        and _always_longer(spans.get(relation, set()))
        and (len(rules) == 1 or not any(map(computes, rules)))  # failures of one fact are counted for one rule
    }


def _takes_new_rows_only(rule: PlanRule) -> bool:
    """Whether a rule has one literal, and each row of it only matters when it is new."""
    return not (rule.stamps or rule.timed) and len(rule.lookups) == 1 and not rule.lookups[0].negated


def _always_longer(spans: set[Span | None]) -> bool:
    """Whether a fact that arrives again is new, because it stays longer than before.

    Otherwise instances of the rule that have no value would be counted more often.
    """
    if len(spans) != 1:
        return False
    (span,) = spans
    return span is not None and span.back is not None and not span.waits
