"""Unfold: a relation with the rows of another one that pass a test is not kept; what reads it tests them itself.

    steam @(V,T) :- temp at 20(V,T), V >= 100.       steam(V) :- temp at 20(V,T), V >= 100, T in [0].
    steam(V) :- steam @(V,T), T in [0].

So a fact that passes becomes a row of what is asked for, and of nothing in between. If facts are rows of the relation,
too, it stays for these. A relation that lacks a column of the other one also stays: it has fewer rows than that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from lasing.logic.terms import Term, Variable
from lasing.plan.nodes import Plan, PlanRule, Test, others_of
from lasing.plan.optimize.merge import computes
from lasing.plan.relations import Relation, Span
from lasing.plan.rewrite import reads, substitute, writes

MOST_READERS = 8
"""If more rules read a relation, its test is better done once."""


def unfold_rules(plan: Plan) -> Plan:
    """The plan without relations that only repeat rows of another one."""
    alone = {rule.lookups[0].relation for rule in plan.guaranteed if len(rule.lookups) == 1}
    while any(rule.head in alone and _selects(rule) for rule in plan.guaranteed):
        unfolded = _unfolded(plan)
        if unfolded is plan:
            break
        plan = unfolded
    return plan


def _unfolded(plan: Plan) -> Plan:
    """The plan without some of these relations: no two of them with a rule in common."""
    readers: dict[Relation, list[PlanRule]] = defaultdict(list)
    for rule in plan.guaranteed:
        for lookup in rule.lookups:
            readers[lookup.relation].append(rule)
    kept, filled = _kept(plan), _filled(plan)
    instead: dict[int, tuple[PlanRule, ...]] = {}
    gone: set[Relation] = set()
    for rule in plan.guaranteed:
        wanted = readers[rule.head]
        if rule.head in kept or not 0 < len(wanted) <= MOST_READERS or not _selects(rule):
            continue
        if any(id(one) in instead for one in (rule, *wanted)):
            continue  # in the next round
        ways = [way for reader in wanted if (way := _put_together(rule, reader)) is not None]
        if len(ways) == len(wanted):
            more = rule.head in filled
            instead[id(rule)] = ()
            instead |= {id(one): (one, way) if more else (way,) for one, way in zip(wanted, ways, strict=True)}
            if not more:
                gone.add(rule.head)
    if not instead:
        return plan
    return replace(
        plan,
        relations=tuple(relation for relation in plan.relations if relation not in gone),
        guaranteed=tuple(one for rule in plan.guaranteed for one in instead.get(id(rule), (rule,))),
    )


def _kept(plan: Plan) -> set[Relation]:
    """The relations that come from more than one rule, or that more than guaranteed rules read."""
    heads = Counter(rule.head for rule in plan.guaranteed)
    found = {relation for relation, rules in heads.items() if rules > 1} | plan.tracked
    found |= {output.relation for output in plan.outputs}
    for stage in plan.stages:
        found.update(reads(stage))
        found.update(writes(stage))
    return found


def _filled(plan: Plan) -> set[Relation]:
    """The relations that have rows of facts, of background or of a clock."""
    found = {feed.relation for feed in plan.feeds} | {load.relation for load in plan.loads}
    return found | {clock.relation for clock in plan.clocks} | {relation for relation, _, _ in plan.background}


def _selects(rule: PlanRule) -> bool:
    """Whether the head has all columns of the one row that is looked up, and the rule only tests that row."""
    return _takes_one_row(rule) and set(rule.lookups[0].args) - set(rule.args) == set()


def _takes_one_row(rule: PlanRule) -> bool:
    """Whether a rule depends on one row and nothing else."""
    if len(rule.lookups) != 1 or rule.timed or rule.stamps or computes(rule):
        return False
    (lookup,) = rule.lookups
    if lookup.negated or lookup.walk is not None or lookup.relation == rule.head:
        return False
    said = (*rule.args, *(term for test in rule.tests for term in (test.left, test.right)))
    return {term for term in said if isinstance(term, Variable)} <= set(lookup.args)


def _put_together(rule: PlanRule, reader: PlanRule) -> PlanRule | None:
    """The reader of a rule's head, which reads what the rule reads; None if it cannot."""
    if not _takes_one_row(reader) or reader.head == rule.lookups[0].relation:
        return None
    values, more = _unified(rule.args, reader.lookups[0].args)
    renamed = substitute(reader, values)
    windows = _as_one([window for window in (rule.within, _renamed(reader.within, values)) if window is not None])
    if windows is None:
        return None
    return replace(
        renamed,
        lookups=rule.lookups,
        tests=(*rule.tests, *more, *renamed.tests),
        within=windows[0] if windows else None,
        origin=reader.origin if reader.origin >= 0 else rule.origin,
        others=others_of([reader, rule]) if reader.origin >= 0 else rule.others,
    )


def _unified(made: tuple[Term, ...], asked: tuple[Term, ...]) -> tuple[dict[Variable, Term], list[Test]]:
    """What the variables that ask for a row stand for in the rule that makes it, and what else must be equal."""
    values: dict[Variable, Term] = {}
    tests: list[Test] = []
    for term, arg in zip(made, asked, strict=True):
        same = values.setdefault(arg, term) if isinstance(arg, Variable) else arg
        if same != term:
            tests.append(Test("=", term, same))
    return values, tests


def _renamed(window: tuple[Variable, Span] | None, values: dict[Variable, Term]) -> tuple[Term, Span] | None:
    return None if window is None else (values.get(window[0], window[0]), window[1])


def _as_one(windows: Sequence[tuple[Term, Span]]) -> list[tuple[Variable, Span]] | None:
    """At most one window of one time, in place of all of them; None if there is no such window."""
    times = {time for time, _ in windows}
    (time,) = times if len(times) == 1 else (None,)
    if not isinstance(time, Variable):
        return None if windows else []
    if len(windows) == 1:
        return [(time, windows[0][1])]
    if any(span.step != 1 for _, span in windows):
        return None
    backs = [span.back for _, span in windows if span.back is not None]
    both = Span(min(backs, default=None), min(span.ahead for _, span in windows))
    return None if both.back is not None and both.back < -both.ahead else [(time, both)]
