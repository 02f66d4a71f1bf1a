"""When nothing happens: after how many time points without facts the answer stays the same until the next fact.

(Where a program remembers what it derived, also after how many time points without a change.)

If rules treat times only as times (they ask what holds at them, compare them with one another, and add constants), and
all windows are bounded, then the answer at t depends only on how long ago the facts came, and on nothing else about t,
except for steps, which repeat. Once every fact, and the start of the timeline, is out of reach, the answers repeat
after each period. An engine that has seen one such period without a change may skip to the next fact.

`plan.idle` asks the same question of plans, where the local engine can do more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm
from typing import assert_never

from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    IntervalWindow,
    Not,
    Or,
    PartitionWindow,
    Select,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
    children,
    terms_of,
    variables_in,
    walk,
)
from lasing.logic.functions import AGGREGATES
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Arithmetic, Term, Variable, mentions_now, variables_of

LONGEST_PERIOD = 1 << 16
"""Steps that coincide less often than this are not waited for."""


@dataclass(frozen=True, slots=True)
class Settling:
    """Without facts for `reach` time points, answers repeat every `period` of them.

    If the program `remembers` what it derived, that must have been the same for `reach` time points, too.
    """

    reach: int
    period: int
    remembers: bool = False

    def settled(self, now: int, busy: int, changed: int) -> bool:
        """Whether the answer at `now` stays until the next fact. The last fact came at `busy` (or the timeline starts
        there), and the answer, or what it depends on, last changed at `changed`."""
        steady_since = changed + self.reach + 1 if self.remembers else changed
        return now - max(busy + self.reach + 1, steady_since) >= self.period - 1


def settling(program: Program) -> Settling | None:
    """How soon the answers of a program settle; None if time alone may keep changing them.

    >>> from lasing.logic.formulas import Atom, Sometime, TimeWindow, Window
    >>> settling(Program((Rule((Atom("q"),), (Window(TimeWindow(5), Sometime(Atom("p"))),)),)))
    Settling(reach=5, period=1, remembers=False)
    """
    try:
        found = [_Times(rule).settling() for rule in program.rules]
    except _Unsettled:
        return None
    period = lcm(*(settling.period for settling in found))
    reach = max((settling.reach for settling in found), default=0)
    return None if period > LONGEST_PERIOD else Settling(reach, period, bool(program.streams))


class _Unsettled(Exception):  # noqa: N818 -- no error: every time point is evaluated
    """Time alone may change the answer, at any time point."""


class _Times:
    """What a rule does with times."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._formulas = (*rule.heads, *rule.body)
        self._nodes = [node for formula in self._formulas for node in walk(formula)]
        self._times = self._time_variables()
        self._near = self._near_variables()

    def settling(self) -> Settling:
        if self._rule.penalty is not None:
            for term in self._rule.penalty.all_terms():
                self._expect_data(term)
        for node in self._nodes:
            self._expect_times_as_times(node)
        for formula in self._rule.body:
            self._expect_bounds(formula, bounded=False)
        windows = [n.function for n in self._nodes if isinstance(n, Window) and isinstance(n.function, TimeWindow)]
        spans = sum((window.back or 0) + max(0, window.ahead) + window.step - 1 for window in windows)
        shifts = sum(abs(_shift(term) or 0) for node in self._nodes for term in terms_of(node) if self._is_time(term))
        return Settling(spans + shifts, lcm(*(window.step for window in windows)))

    # -- which variables are times -------------------------------------------------------------------------------------

    def _time_variables(self) -> frozenset[Variable]:
        found = {
            variable
            for node in self._nodes
            if isinstance(node, At) or (isinstance(node, Window) and isinstance(node.function, IntervalWindow))
            for term in terms_of(node)
            for variable in variables_of(term)
        }
        before = -1
        while before != (before := len(found)):
            for target, source in self._equations():
                if mentions_now(source) or found.intersection(variables_of(source)):
                    found.add(target)
        return frozenset(found)

    def _near_variables(self) -> frozenset[Variable]:
        """The times that a literal of the body finds in a bounded window, and those computed from these or from now."""
        found = {
            literal.body.time
            for literal in self._rule.body
            if isinstance(literal, Window) and _is_bounded(literal) and isinstance(literal.body, At)
            if isinstance(literal.body.time, Variable)
        }
        before = -1
        while before != (before := len(found)):
            for target, source in self._equations():
                if (mentions_now(source) or set(variables_of(source)) & found) and _shift(source) is not None:
                    found.add(target)
        return frozenset(found)

    def _equations(self) -> Iterator[tuple[Variable, Term]]:
        for literal in self._rule.body:
            if isinstance(literal, Compare) and literal.operator == "=":
                for target, source in ((literal.left, literal.right), (literal.right, literal.left)):
                    if isinstance(target, Variable):
                        yield target, source

    def _is_time(self, term: Term) -> bool:
        return mentions_now(term) or not self._times.isdisjoint(variables_of(term))

    # -- whether they are only times -----------------------------------------------------------------------------------

    def _expect_times_as_times(self, node: Formula) -> None:
        match node:
            case At() | Window(IntervalWindow()):
                for term in terms_of(node):
                    _expect(_shift(term) is not None)
            case Compare():
                if self._is_time(node.left) or self._is_time(node.right):
                    _expect(all(_shift(term) is not None and self._is_time(term) for term in terms_of(node)))
            case Aggregate():
                entry = AGGREGATES[node.function]
                measured = len(node.terms) if entry.sorts else 0 if entry.weight == "one" else 1
                for term in (*node.terms[:measured], node.bound):
                    self._expect_data(term)
                for term in node.terms[measured:]:  # these only distinguish tuples
                    _expect(isinstance(term, Variable) or not self._is_time(term))
            case _:
                for term in terms_of(node):
                    self._expect_data(term)

    def _expect_data(self, term: Term) -> None:
        _expect(not self._is_time(term))

    # -- whether they are near -----------------------------------------------------------------------------------------

    def _expect_bounds(self, formula: Formula, bounded: bool) -> None:
        """`bounded`: whether a window around the formula bounds how far back it sees."""
        match formula:
            case Atom() | Compare():
                return
            case At(time, body):
                _expect(bounded or self._near.issuperset(variables_of(time)))
                self._expect_bounds(body, bounded)
            case Sometime(body) | Always(body):
                _expect(bounded)
                self._expect_bounds(body, bounded)
            case Window(TupleWindow() | PartitionWindow()):
                for node in walk(formula.body):
                    self._expect_no_distance(node)
            case Window(IntervalWindow() as interval):
                ends = {v for end in (interval.lo, interval.hi) for v in variables_of(end)}
                _expect(bounded or self._near.issuperset(ends))
                self._expect_bounds(formula.body, True)
            case Window():
                inside = bounded and not formula.full  # a full window is taken from the whole stream
                self._expect_bounds(formula.body, inside or _is_bounded(formula))
            case Aggregate() | Select() | Not() | And() | Or() | Implies():
                for part in children(formula):
                    self._expect_bounds(part, bounded)
            case _:
                assert_never(formula)

    def _expect_no_distance(self, node: Formula) -> None:
        """In a window of facts, which may be old: nothing may ask for their times."""
        match node:
            case At(Variable() as time):
                uses = [v for formula in self._formulas for v in variables_in(formula) if v == time]
                _expect(len(uses) == 1)
            case Atom() | Compare() | Sometime() | Not() | And() | Or():
                return
            case _:
                raise _Unsettled


def _is_bounded(window: Window) -> bool:
    return isinstance(window.function, TimeWindow) and window.function.back is not None


def _shift(term: Term) -> int | None:
    """By how much a term moves a time; None if it does something else."""
    match term:
        case Variable():
            return 0
        case Arithmetic("+" | "-", (Variable(), int(shift))) | Arithmetic("+", (int(shift), Variable())):
            return shift
        case _:
            return None


def _expect(holds: bool) -> None:
    if not holds:
        raise _Unsettled
