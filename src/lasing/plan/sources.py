"""Where the rows of relations come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lasing.plan.nodes import Feed, Plan
from lasing.plan.relations import Relation
from lasing.plan.rewrite import reads, rules_of, writes


def facts_alone(plan: Plan) -> dict[Relation, Feed]:
    """The relations whose rows are the facts of one feed, and that only rules read."""
    fed = Counter(feed.relation for feed in plan.feeds)
    others = {*used_elsewhere(plan), *(rule.head for rule in rules_of(plan)), *written_otherwise(plan)}
    return {feed.relation: feed for feed in plan.feeds if fed[feed.relation] == 1 and feed.relation not in others}


def used_elsewhere(plan: Plan) -> Iterator[Relation]:
    """The relations that something other than a rule uses."""
    yield from (output.relation for output in plan.outputs)
    yield from plan.tracked
    for stage in plan.stages:
        yield from (*reads(stage), *writes(stage))


def written_otherwise(plan: Plan) -> Iterator[Relation]:
    """The relations into which something other than rules and facts of the stream puts rows."""
    yield from (clock.relation for clock in plan.clocks)
    yield from (relation for relation, _, _ in plan.background)
    yield from (load.relation for load in plan.loads)
