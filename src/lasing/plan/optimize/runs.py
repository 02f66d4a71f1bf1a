"""Runs: `a always in [w]` over facts keeps how long each fact has been coming, not the facts of the window.

    q(X) :- p(X) always in [20].

    p at 20(X,T) -> always in [20]     a row for each fact and time point, which enters the calendar, and is counted
    runs of p(X) -> always in [20]     a row for each fact and the current time point (see `Runs`)

A derived atom can be found out to hold at an earlier time point, so there the box has to count.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lasing.plan.idle import ticks
from lasing.plan.nodes import Feed, Plan
from lasing.plan.operators import Box, Runs
from lasing.plan.relations import Relation, Span
from lasing.plan.rewrite import reads, rules_of, writes
from lasing.plan.sources import written_otherwise

NEXT = Span(1)
"""A fact is still there at the next time point, so that it is found if it comes again."""


def follow_runs(plan: Plan) -> Plan:
    """The plan with runs in place of boxes over facts."""
    boxes = [stage for stage in plan.stages if isinstance(stage, Box)]
    if not boxes or ticks(plan):  # skipping idle time knows nothing of runs
        return plan
    fed = Counter(feed.relation for feed in plan.feeds)
    used = Counter(relation for stage in plan.stages for relation in (*reads(stage), *writes(stage)))
    used.update(lookup.relation for rule in plan.guaranteed for lookup in rule.lookups)
    used.update(rule.head for rule in rules_of(plan))
    used.update((*written_otherwise(plan), *(output.relation for output in plan.outputs)))
    of = {feed.relation: feed for feed in plan.feeds if fed[feed.relation] == 1 and used[feed.relation] == 1}
    for box in boxes:
        feed = of.get(box.source)
        if feed is not None and _has_runs(box, feed):
            plan = _replaced(plan, box, feed)
    return plan


def _has_runs(box: Box, feed: Feed) -> bool:
    """Whether the window has each time point from some earlier one up to now, and its rows are just facts and times."""
    span = box.window
    plain = feed.timed and feed.tag is None and not feed.newest and feed.span == span
    return plain and isinstance(span, Span) and span.ahead == 0 and span.step == 1


def _replaced(plan: Plan, box: Box, feed: Feed) -> Plan:
    assert isinstance(box.window, Span)
    source = Relation(f"runs of {box.source.name}", box.target.arity)
    runs, fed = Runs(source, box.target, box.window), replace(feed, relation=source, span=NEXT, timed=False)
    return replace(
        plan,
        relations=tuple(source if relation == box.source else relation for relation in plan.relations),
        tracked=plan.tracked - {box.source},
        feeds=tuple(fed if one is feed else one for one in plan.feeds),
        stages=tuple(runs if stage is box else stage for stage in plan.stages),
    )
