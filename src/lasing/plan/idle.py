"""What time alone does to a plan: whether stretches without facts can be skipped, and what must be known for that.

Some relations move with time, whether facts come or not: the time points of a window, and what holds now with its time.
A plan is *steady* if rules treat the times in them only as times: they join them, compare them with one another, add
constants, and round them to steps. Then the same state, with all recent times later by some period, is reached again
and again, with the same changes, and an engine that meets the same state twice may continue from a later one. A rule
that compares the time with data, or computes with it in another way, may derive something new at any time point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import lcm
from typing import assert_never

from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.plan import operators
from lasing.plan.nodes import NOW, Derive, Plan, PlanRule, Recompute, Stage, Test
from lasing.plan.operators import OperatorNode
from lasing.plan.relations import Relation, Span
from lasing.plan.rewrite import rules_of

LONGEST_PERIOD = 1 << 16
"""Steps that coincide less often than this are not waited for."""

TIME, DATA = 1, 2
"""What a column may hold: times of the timeline, other values, or both."""


@dataclass(frozen=True, slots=True)
class Steady:
    """Time matters to the plan only in steps of `period`, and as far as `reach` time points from now.

    `times` has the columns of each relation that hold times, and `landmarks` are the times that rules name.
    """

    period: int
    reach: int
    times: dict[Relation, frozenset[int]]
    landmarks: frozenset[int]


class _Unsteady(Exception):  # noqa: N818 -- no error: every time point is evaluated
    """Time alone may change what the plan derives, in an unpredictable way."""


def ticks(plan: Plan) -> bool:
    """Whether the engine has to look at time points at which no fact comes and no window ends."""
    stamps = any(stage.moves if isinstance(stage, OperatorNode) else _recurs_by_time(stage) for stage in plan.stages)
    return stamps or bool(plan.clocks) or any(rule.stamps for rule in plan.guaranteed)


def _recurs_by_time(stage: Derive | Recompute) -> bool:
    return isinstance(stage, Recompute) and stage.by_time


def steady(plan: Plan) -> Steady | str:
    """How time alone matters to a plan, or why each time point must be evaluated."""
    try:
        return _Analysis(plan).result()
    except _Unsteady as reason:
        return str(reason)


@dataclass
class _Analysis:
    plan: Plan
    held: dict[tuple[Relation, int], int] = field(default_factory=dict)
    moving: set[Relation] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    steps: set[int] = field(default_factory=set)
    landmarks: set[int] = field(default_factory=set)

    def result(self) -> Steady:
        plan = self.plan
        for stage in plan.stages:
            if isinstance(stage, OperatorNode) and stage.unsteady:
                raise _Unsteady(stage.unsteady)
        if any(clock.span is None or clock.span.back is None for clock in plan.clocks):
            raise _Unsteady("background at all time points since the start")
        self._infer()
        self._find_moving()
        offsets = sum(self._check(rule) for rule in rules_of(plan) if self._moves(rule))
        for stage in plan.stages:
            self._check_stage(stage)
        self.spans += [clock.span for clock in plan.clocks if clock.span is not None]
        width = max(((span.back or 0) + max(0, span.ahead) + span.step for span in self.spans), default=0)
        period = lcm(*self.steps, *(span.step for span in self.spans))
        if period > LONGEST_PERIOD:
            raise _Unsteady(f"steps that coincide only every {period:,} time points")
        times = {r: frozenset(i for i in range(r.arity) if self.held.get((r, i)) == TIME) for r in plan.relations}
        return Steady(period, 2 * (width + offsets + period) + 8, times, frozenset(self.landmarks))

    # -- what columns hold --------------------------------------------------------------------------------------------

    def _infer(self) -> None:
        plan = self.plan
        for feed in plan.feeds:
            self._hold_facts(feed.relation, feed.timed)
        for clock in plan.clocks:
            self._add(clock.relation, 0, TIME)
        for relation in (*(relation for relation, _, _ in plan.background), *(load.relation for load in plan.loads)):
            self._hold_facts(relation, False)
        before = -1
        while before != (before := sum(self.held.values())):
            for rule in rules_of(plan):
                variables = self._variables(rule)
                for i, arg in enumerate(rule.args):
                    self._add(rule.head, i, self._of(arg, variables))
            for stage in plan.stages:
                self._infer_stage(stage)

    def _infer_stage(self, stage: Stage) -> None:
        match stage:
            case OperatorNode():
                for i, column in enumerate(stage.columns()):
                    self._add(stage.target, i, self._held_in(stage.origin_of_rows, column))
            case Recompute():
                for relation, copy in stage.inputs:
                    self._copy(relation, copy, copy.arity)
                for box in stage.boxes:
                    self._copy(box.source, box.target, box.target.arity)
                for relation, scratch in stage.outputs:
                    self._copy(scratch, relation, relation.arity)
            case Derive():
                return
            case _:
                assert_never(stage)

    def _held_in(self, source: Relation | None, column: int) -> int:
        """What a column of an operator's source holds, or what it says itself."""
        match column:
            case operators.TIME:
                return TIME
            case operators.DATA:
                return DATA
            case _:
                assert source is not None, "only a source has columns"
                return self.held.get((source, column), 0)

    def _hold_facts(self, relation: Relation, timed: bool) -> None:
        for i in range(relation.arity):
            self._add(relation, i, TIME if timed and i == relation.arity - 1 else DATA)

    def _copy(self, source: Relation, target: Relation, columns: int) -> None:
        for i in range(columns):
            self._add(target, i, self.held.get((source, i), 0))

    def _add(self, relation: Relation, column: int, kind: int) -> None:
        self.held[relation, column] = self.held.get((relation, column), 0) | kind

    def _variables(self, rule: PlanRule) -> dict[Variable, int]:
        """What the variables of a rule hold, given the columns they occur in and what is computed."""
        found: dict[Variable, int] = {NOW: TIME}
        for lookup in rule.lookups:
            for i, arg in enumerate(lookup.args):
                if isinstance(arg, Variable):
                    found[arg] = found.get(arg, 0) | self.held.get((lookup.relation, i), 0)
        for _ in rule.tests:  # one assignment may need another
            for test in rule.tests:
                for target, source in ((test.left, test.right), (test.right, test.left)):
                    if test.comparison == "=" and not test.negated and isinstance(target, Variable):
                        found[target] = found.get(target, 0) | self._of(source, found)
        return found

    def _of(self, term: Term, variables: dict[Variable, int]) -> int:
        """What a term may be. A whole number may be either, so it adds nothing to a column of one kind."""
        match term:
            case Variable():
                return variables.get(term, 0)
            case Arithmetic():
                inner, shift, _ = _as_time(term)
                if inner is None:
                    return DATA
                return DATA if shift is None else variables.get(inner, 0)
            case int():
                return 0
            case _:
                return DATA

    # -- what moves -----------------------------------------------------------------------------------------------

    def _find_moving(self) -> None:
        plan = self.plan
        self.moving = {clock.relation for clock in plan.clocks}
        before = -1
        while before != (before := len(self.moving)):
            self.moving |= {rule.head for rule in rules_of(plan) if self._moves(rule)}
            for stage in plan.stages:
                self.moving.update(self._moved(stage))

    def _moves(self, rule: PlanRule) -> bool:
        reads = any(lookup.relation in self.moving for lookup in rule.lookups)
        return reads or rule.stamps or rule.head in self.moving

    def _moved(self, stage: Stage) -> Iterator[Relation]:
        match stage:
            case OperatorNode():
                if stage.moves or stage.origin_of_rows in self.moving:
                    yield stage.target
            case Recompute():
                if stage.by_time or any(relation in self.moving for relation, _ in stage.inputs):
                    yield from (copy for _, copy in stage.inputs)
                    yield from (rule.head for rule in stage.rules)
                    yield from (box.target for box in stage.boxes)
                    yield from (relation for relation, _ in stage.outputs)
            case Derive():
                return
            case _:
                assert_never(stage)

    # -- whether times are only times -----------------------------------------------------------------------------

    def _check(self, rule: PlanRule) -> int:
        """How far a rule that meets moving times shifts them; raises an exception if it does more than that."""
        variables = self._variables(rule)
        if any(kinds == TIME | DATA for kinds in variables.values()):
            raise _Unsteady("a time that is compared with data")
        if rule.within is not None:
            self.spans.append(rule.within[1])
        for lookup in rule.lookups:
            for i, arg in enumerate(lookup.args):
                if isinstance(arg, int) and self.held.get((lookup.relation, i)) == TIME:
                    self.landmarks.add(arg)
        shifts = sum(self._check_test(test, variables) for test in rule.tests)
        for i, arg in enumerate(rule.args):
            if self.held.get((rule.head, i)) == TIME | DATA and self._of(arg, variables) == TIME:
                raise _Unsteady("a time that is compared with data")
            shifts += self._check_term(arg, variables)
        return shifts

    def _check_test(self, test: Test, variables: dict[Variable, int]) -> int:
        kinds = [self._of(term, variables) for term in (test.left, test.right)]
        if TIME | DATA in kinds or sorted(kinds) == [TIME, DATA]:
            raise _Unsteady("a time that is compared with data")
        if TIME in kinds:
            self.landmarks.update(term for term in (test.left, test.right) if isinstance(term, int))
        return sum(self._check_term(term, variables) for term in (test.left, test.right))

    def _check_term(self, term: Term, variables: dict[Variable, int]) -> int:
        if not isinstance(term, Arithmetic):
            return 0
        inner, shift, step = _as_time(term)
        if inner is None:
            if any(variables.get(v) == TIME for v in _variables_of(term)):
                raise _Unsteady("arithmetic on times beyond adding a number")
            return 0
        if variables.get(inner) != TIME:
            return 0
        self.steps.add(step)
        return abs(shift or 0) + step

    def _check_stage(self, stage: Stage) -> None:
        match stage:
            case OperatorNode(origin_of_rows=source):
                if source not in self.moving:
                    return
                if stage.window_of_times is not None:
                    self.spans.append(stage.window_of_times)
                if stage.computed is not None and self.held.get((source, stage.computed[0]), 0) & TIME:
                    raise _Unsteady(f"{stage.computed[1]} of times")
                if any(self.held.get((source, column), 0) & TIME for column in stage.ordered):
                    raise _Unsteady("times that are put in order")
            case Recompute():
                for box in stage.boxes:
                    self._check_stage(box)
            case Derive():
                return
            case _:
                assert_never(stage)


def _as_time(term: Arithmetic) -> tuple[Variable | None, int | None, int]:
    """A time moved by a number (None: what is left of one, by `mod`) and rounded to a step; else no variable."""
    match term:
        case Arithmetic("+" | "-" as sign, (Variable() as time, int(shift))):
            return time, shift if sign == "+" else -shift, 1
        case Arithmetic("+", (int(shift), Variable() as time)):
            return time, shift, 1
        case Arithmetic("div", (Variable() as time, 1)):
            return time, 0, 1
        case Arithmetic("*", (Arithmetic("div", (Variable() as time, int(step))), int(again))) if step == again > 0:
            return time, 0, step
        case Arithmetic("mod", (Variable() as time, int(step))) if step > 0:
            return time, None, step
        case _:
            return None, 0, 1


def _variables_of(term: Term) -> Iterator[Variable]:
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Arithmetic):
        for operand in term.operands:
            yield from _variables_of(operand)
