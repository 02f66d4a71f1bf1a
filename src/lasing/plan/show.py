"""A plan as text, for `lasing check --plan`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from lasing.logic.terms import Term, Variable, term_text
from lasing.plan.nodes import Derive, Feed, Lookup, Plan, PlanRule, Recompute, Stage, Test
from lasing.plan.operators import OperatorNode
from lasing.plan.relations import Relation, Span, Where
from lasing.plan.rewrite import rules_of

_MOST_ROWS = 5


def show(plan: Plan) -> str:
    """The relations, what is fed to them, the rules of the guaranteed plane, the stages of the counted one, the output.

    A relation is written in angle brackets, followed by its arguments. Below a rule are the orders in which its
    literals are looked up, one for each literal that may have changed.
    """
    lines = ["relations"]
    for relation in plan.relations:
        plane = "counted" if relation.counted else "guaranteed, watched" if relation in plan.tracked else "guaranteed"
        lines.append(f"  {_name(relation)}/{relation.arity}  {plane}")
    lines += ["facts", *(f"  {_feed(feed)}" for feed in plan.feeds)]
    lines += [f"  the time points of {window_of(clock.span)} -> {_name(clock.relation)}" for clock in plan.clocks]
    lines += _background(plan)
    lines += ["guaranteed", *(f"  {line}" for rule in plan.guaranteed for line in _rule(rule))]
    if plan.stages:
        lines.append("counted, stage by stage")
        for number, stage in enumerate(plan.stages, 1):
            first, *rest = _stage(stage)
            lines += [f"  {number}. {first}", *(f"     {line}" for line in rest)]
    lines.append("output")
    for output in plan.outputs:
        tag = "" if output.tag is None else f" with the tag {output.tag}"
        lines.append(f"  {output.predicate} <- {_name(output.relation)}{tag}")
    used = len({relation for rule in rules_of(plan) for relation in (rule.head, *(x.relation for x in rule.lookups))})
    lines.append(f"{len(list(rules_of(plan)))} rules over {used} relations")
    return "\n".join(lines)


def _name(relation: Relation) -> str:
    return f"<{relation.name}>"


def window_of(span: Span | None) -> str:
    """A window in its brackets."""
    return "all time" if span is None else f"[{span}]"


def _feed(feed: Feed) -> str:
    time = ", with its newest time" if feed.newest else ", with the time"
    added = time if feed.timed else "" if feed.tag is None else f", with the tag {feed.tag}"
    return f"{feed_text(feed)} -> {_name(feed.relation)}{added}"


def feed_text(feed: Feed) -> str:
    """Which facts are fed to a relation."""
    without = f" without argument {' and '.join(str(i + 1) for i in feed.left_out)}" if feed.left_out else ""
    return f"{feed.predicate} in {window_of(feed.span)}{_where(feed.where)}{without}"


def _where(where: Where) -> str:
    return f" where {', '.join(f'argument {i + 1} is {term_text(value)}' for i, value in where)}" if where else ""


def _background(plan: Plan) -> Iterator[str]:
    for relation in dict.fromkeys(row[0] for row in plan.background):
        rows = [", ".join(map(term_text, values)) for r, values, _ in plan.background if r == relation]
        more = f" and {len(rows) - _MOST_ROWS} more" if len(rows) > _MOST_ROWS else ""
        yield f"  background: {_name(relation)} ({'), ('.join(rows[:_MOST_ROWS])}){more}"
    for load in plan.loads:
        facts = f"{len(load.table):,} facts of {load.table.predicate}"
        yield f"  background: {_name(load.relation)} from {facts}{_where(load.where)}"


def rule_text(rule: PlanRule) -> str:
    """A rule, with its number in the program."""
    literals = [*map(_lookup, rule.lookups), *map(test_text, rule.tests)]
    if rule.within is not None:
        literals.append(f"{rule.within[0]} in {window_of(rule.within[1])}")
    more = f" and {len(rule.others):,} more" if rule.others else ""
    origin = f"   % rule {rule.origin + 1}{more}" if rule.origin >= 0 else ""
    return f"{_name(rule.head)}{_args(rule.args)} :- {', '.join(literals)}.{origin}"


def _rule(rule: PlanRule) -> Iterator[str]:
    yield rule_text(rule)
    if len(rule.lookups) > 1:
        for begin, order in enumerate(rule.orders):
            names = " then ".join(_step(rule, begin, order, at) for at in range(len(order)))
            yield f"    new in {_name(rule.lookups[begin].relation)}: {names}"


def _step(rule: PlanRule, begin: int, order: tuple[int, ...], at: int) -> str:
    """A lookup, with the columns by which it finds its rows."""
    lookup = rule.lookups[order[at]]
    before = [begin, *(i for i in order[:at] if not rule.lookups[i].negated)]
    known: set[Term] = {arg for i in before for arg in rule.lookups[i].args}
    if lookup.walk is not None:
        return f"walk through {_name(lookup.relation)}"
    bound = [str(i + 1) for i, arg in enumerate(lookup.args) if not isinstance(arg, Variable) or arg in known]
    how = (
        "all rows"
        if not bound
        else "by all columns"
        if len(bound) == lookup.relation.arity
        else f"by {', '.join(bound)}"
    )
    return f"{'not ' if lookup.negated else ''}{_name(lookup.relation)} ({how})"


def _lookup(lookup: Lookup) -> str:
    return f"{'not ' if lookup.negated else ''}{_name(lookup.relation)}{_args(lookup.args)}"


def test_text(test: Test) -> str:
    """A comparison."""
    text = f"{term_text(test.left)} {test.comparison} {term_text(test.right)}"
    if test.negated:
        text = f"not {text}"
    return text if test.sorted is None else f"{text} (sorted)"


def _args(args: tuple[Term, ...]) -> str:
    return f"({', '.join(map(term_text, args))})" if args else ""


def _stage(stage: Stage) -> Iterator[str]:
    match stage:
        case Derive(rules):
            yield "derive"
            for rule in rules:
                yield from _rule(rule)
        case OperatorNode():
            source = stage.origin_of_rows
            yield f"{stage}{'' if source is None else f': {_name(source)}'} -> {_name(stage.target)}"
        case Recompute():
            yield f"recursion, computed again {'at each time point' if stage.by_time else 'when an input changes'}"
            for relation, copy in stage.inputs:
                yield f"copy {_name(relation)} -> {_name(copy)}"
            for rule in stage.rules:
                yield from _rule(rule)
            for box in stage.boxes:
                yield from _stage(box)
            for relation, scratch in stage.outputs:
                yield f"differences of {_name(scratch)} -> {_name(relation)}"
        case _:
            assert_never(stage)
