"""The entailment relation M, S, t ⊩ φ (LARS, Definition 7) as a search: for which values does a formula hold, and why?

The cases are those of `engines/reference/entailment.py`. But instances are found by index, and each comes with its
reason. A term without a value makes the instance fail, wherever the term is in it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from lasing.explain.bindings import Binding, assigned, check_terms, given, has_arithmetic, is_bound, matched, pattern_of
from lasing.explain.evidence import Args, Evidence, Positions, View
from lasing.explain.premises import (
    Absent,
    All,
    Chosen,
    Collected,
    Compared,
    Found,
    Leaving,
    Member,
    Origin,
    Premise,
    Throughout,
)
from lasing.explain.views import leaving, view_of
from lasing.limits import Watch
from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Braces,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Select,
    Sometime,
    TimeWindow,
    Window,
    WindowFunction,
    atoms_of,
    walk,
)
from lasing.logic.functions import aggregate, holds, selected
from lasing.logic.terms import Term, Variable, evaluate, variables_of
from lasing.logic.values import Undefined, Value
from lasing.logic.variables import bound_by, free_variables, is_ready, reach
from lasing.timeline.intervals import Interval

Solution = tuple[Binding, Premise]
Row = tuple[int, Args]
Reasons = tuple[Premise, ...]

_MOST_BEATEN = 3
"""How many of the tuples that were not selected are kept."""


class Solving(ABC):
    """Finds the instances of formulas, given what is derived."""

    def __init__(self, evidence: Evidence, watch: Watch | None = None) -> None:
        self.evidence = evidence
        self.whole = evidence.whole()
        self._passing = Leaving(time=evidence.now + 1)  # of what is seen without a window
        self._watch = watch
        self._negations = 0  # how many are around the formula at work: a value that is missing there matters outside
        self._orders: dict[tuple[int, frozenset[Variable], bool], tuple[Formula, ...]] = {}

    @abstractmethod
    def derived(self, predicate: str, positions: Positions, values: Args, span: Interval) -> Iterable[Row]:
        """The derived atoms of a predicate with these values at these positions, at the time points of an interval."""

    @abstractmethod
    def is_derived(self, predicate: str) -> bool:
        """Whether some rule derives a predicate."""

    @abstractmethod
    def last_derived(self) -> int:
        """The last time point at which something is derived, or now if that is later."""

    # -- bodies ----------------------------------------------------------------------------------------------------

    def instances(
        self, view: View, t: int, body: tuple[Formula, ...], binding: Binding
    ) -> Iterator[tuple[Binding, Reasons]]:
        """The extensions of a binding under which all formulas hold at t; and why, in the order of the formulas."""
        order = self.order(view, body, binding)
        places = [next(i for i, f in enumerate(body) if f is formula) for formula in order]
        return self._extend(view, t, tuple(zip(order, places, strict=True)), 0, binding, [None] * len(body))

    def _extend(
        self,
        view: View,
        t: int,
        order: Sequence[tuple[Formula, int]],
        i: int,
        binding: Binding,
        reasons: list[Premise | None],
    ) -> Iterator[tuple[Binding, Reasons]]:
        if i == len(order):
            yield binding, tuple([reason for reason in reasons if reason is not None])
            return
        formula, place = order[i]
        for found, reason in self.literal(view, t, formula, binding):
            reasons[place] = reason
            yield from self._extend(view, t, order, i + 1, found, reasons)

    def literal(self, view: View, t: int, formula: Formula, binding: Binding) -> Iterator[Solution]:
        """The solutions of a formula in which every term has a value."""
        checked = has_arithmetic(formula)
        for found, reason in self.solve(view, t, formula, binding):
            if checked:
                try:
                    check_terms(formula, found)
                except Undefined:
                    continue
            yield found, reason

    def order(self, view: View, body: tuple[Formula, ...], binding: Binding) -> tuple[Formula, ...]:
        """An order in which everything that a formula needs is known before it."""
        windowed = view.timeline.hi is not None
        key = id(body), frozenset(binding), windowed
        if key not in self._orders:
            self._orders[key] = tuple(self._ordered(body, frozenset(binding), windowed))
        return self._orders[key]

    def _ordered(self, body: tuple[Formula, ...], bound: frozenset[Variable], windowed: bool) -> Iterator[Formula]:
        waiting = list(body)
        while waiting:
            ready = [f for f in waiting if is_ready(f, bound, windowed)]
            chosen = min(ready, key=lambda formula: self._rank(formula, bound))
            waiting = [f for f in waiting if f is not chosen]
            bound = bound_by((chosen,), bound, windowed)
            yield chosen

    def _rank(self, formula: Formula, bound: frozenset[Variable]) -> tuple[int, int]:
        """What to look at first: comparisons, other tests, and then what has most of its arguments known."""
        if isinstance(formula, Compare):
            return 0, 0
        if free_variables(formula) <= bound:
            return 1, 0
        atoms = list(atoms_of(formula))
        known = max((sum(all(v in bound for v in variables_of(arg)) for arg in a.args) for a in atoms), default=0)
        return (2 if known else 3), any(self.is_derived(a.predicate) for a in atoms) - 2 * known

    # -- formulas --------------------------------------------------------------------------------------------------

    def solve(self, view: View, t: int, formula: Formula, binding: Binding) -> Iterator[Solution]:
        """The extensions of a binding under which the formula holds at t in a view of the stream, and why."""
        if self._watch is not None:
            self._watch.pulse(self.evidence.now, 0)
        match formula:
            case Atom():
                return self._atoms(view, Interval(t, t), formula, binding)
            case Compare():
                return _compare(formula, binding)
            case Aggregate():
                return self._aggregate(view, t, formula, binding)
            case Select():
                return self._select(view, t, formula, binding)
            case Not(body):
                return self._absent(view, t, body, binding)
            case And(parts):
                return self._all(view, t, parts, binding)
            case Or(parts):
                offered = (found for part in parts for found in self.solve(view, t, part, binding))
                return _distinct(offered, binding, free_variables(formula))
            case Implies(left, right):
                return self._implication(view, t, left, right, binding)
            case At(time, body):
                return self._at(view, time, body, binding)
            case Sometime(body):
                return self._sometime(view, body, binding)
            case Always(body):
                return self._always(view, body, binding)
            case Window(function, body, full):
                return self._window(self.whole if full else view, t, function, body, binding)
            case _:
                assert_never(formula)

    def _holds(self, view: View, t: int, formula: Formula, binding: Binding) -> bool:
        """Whether a formula holds for some value of its anonymous variables."""
        return next(self.solve(view, t, formula, binding), None) is not None

    def _fails(self, view: View, t: int, formula: Formula, binding: Binding) -> bool:
        """Whether a formula does not hold, although everything in it has a value."""
        self._negations += 1
        try:
            return not self._holds(view, t, formula, binding)
        except Undefined:
            if self._negations > 1:
                raise
            return False
        finally:
            self._negations -= 1

    def _absent(self, view: View, t: int, body: Formula, binding: Binding) -> Iterator[Solution]:
        if self._fails(view, t, body, binding):
            yield binding, Absent(given(body, binding), self._where(view, t, body, binding))

    def _all(self, view: View, t: int, parts: tuple[Formula, ...], binding: Binding) -> Iterator[Solution]:
        order = self.order(view, parts, binding)

        def together(i: int, binding: Binding) -> Iterator[tuple[Binding, Reasons]]:
            if i == len(order):
                yield binding, ()
                return
            for found, reason in self.solve(view, t, order[i], binding):
                for extended, others in together(i + 1, found):
                    yield extended, (reason, *others)

        return ((found, All(reasons)) for found, reasons in together(0, binding))

    def _implication(self, view: View, t: int, left: Formula, right: Formula, binding: Binding) -> Iterator[Solution]:
        if self._fails(view, t, left, binding):
            yield binding, Absent(given(left, binding), self._where(view, t, left, binding))
            return
        for _, reason in self.solve(view, t, right, binding):
            yield binding, reason
            return

    def _where(self, view: View, t: int, formula: Formula, binding: Binding) -> Interval:
        """The time points at which a formula is looked for."""
        match formula:
            case Window(function, Sometime() | Always() | At(), full):
                try:
                    return view_of(function, self.evidence, self.whole if full else view, t, binding).timeline
                except Undefined:
                    return view.timeline
            case Sometime() | Always() | At():
                return view.timeline
            case _:
                return Interval(t, t)

    def _window(
        self, view: View, t: int, function: WindowFunction, body: Formula, binding: Binding
    ) -> Iterator[Solution]:
        try:
            inner = view_of(function, self.evidence, view, t, binding)
        except Undefined:
            return
        for found, reason in self.solve(inner, t, body, binding):
            yield found, self._seen_through(function, inner, reason)

    def _seen_through(self, function: WindowFunction, view: View, reason: Premise) -> Premise:
        """A reason with the times at which the facts in it leave a window, unless an inner window has said it."""
        match reason:
            case Found(atom, time, "data" | "remembered", left) if left is self._passing:
                return replace(reason, leaving=leaving(function, view, time, atom.predicate, atom.values))
            case All(parts):
                return All(tuple([self._seen_through(function, view, part) for part in parts]))
            case Throughout(each=parts):
                return replace(reason, each=tuple([self._seen_through(function, view, part) for part in parts]))
            case _:
                return reason

    # -- atoms and times -------------------------------------------------------------------------------------------

    def _atoms(self, view: View, span: Interval, atom: Atom, binding: Binding) -> Iterator[Solution]:
        """The instances of an atom at the time points of an interval, data first, and the newest first."""
        predicate, span = atom.predicate, span & view.timeline
        pattern = pattern_of(atom.args, binding)
        if not span or pattern is None:
            return
        positions, values = pattern
        for time, args, origin in self._rows(view, span, predicate, positions, values):
            found = matched(atom.args, args, binding)
            if found is not None:
                yield found, Found(Atom(predicate, args), time, origin, self._passing)
        for _, args in self.evidence.background.of(predicate).matching(positions, values, _ANY_TIME):
            found = matched(atom.args, args, binding)
            if found is not None:
                for time in self._background_points(view, span):
                    yield found, Found(Atom(predicate, args), time, "background")

    def _rows(
        self, view: View, span: Interval, predicate: str, positions: Positions, values: Args
    ) -> Iterator[tuple[int, Args, Origin]]:
        for time, args in view.data.of(predicate).matching(positions, values, span):
            yield time, args, "data"
        if view.sees_derived:
            for time, args in self.evidence.remembered.of(predicate).matching(positions, values, span):
                if not view.data.holds(time, predicate, args):
                    yield time, args, "remembered"
            for time, args in self.derived(predicate, positions, values, span):
                if not view.data.holds(time, predicate, args):
                    yield time, args, "derived"

    def _background_points(self, view: View, span: Interval) -> range:
        """The time points of an interval at which background holds, the newest first."""
        end = self._end(span) if view.ahead else min(self._end(span), self.evidence.now)
        return range(end, span.lo - 1, -1)

    def _end(self, span: Interval) -> int:
        """The end of an interval; of an endless one, the last time point that matters."""
        return self.last_derived() if span.hi is None else span.hi

    def _at(self, view: View, time: Term, body: Formula, binding: Binding) -> Iterator[Solution]:
        if is_bound(time, binding):
            try:
                u = evaluate(time, binding)
            except Undefined:
                return
            if isinstance(u, int) and not isinstance(u, bool) and u in view.timeline:
                yield from self.solve(view, u, body, binding)
            return
        if not isinstance(time, Variable):  # the body has to find its variables
            for u in self._points(view, body):
                for found, reason in self.solve(view, u, body, binding):
                    if _value(time, found) == u:
                        yield found, reason
            return
        if isinstance(body, Atom) and time not in free_variables(body):
            for found, reason in self._atoms(view, view.timeline, body, binding):
                assert isinstance(reason, Found)
                yield {**found, time: reason.time}, reason
            return
        for u in self._points(view, body):
            yield from self.solve(view, u, body, {**binding, time: u})

    def _sometime(self, view: View, body: Formula, binding: Binding) -> Iterator[Solution]:
        if isinstance(body, Atom):
            found = self._atoms(view, view.timeline, body, binding)
        else:
            found = (each for u in reversed(self._points(view, body)) for each in self.solve(view, u, body, binding))
        return _distinct(found, binding, None)

    def _always(self, view: View, body: Formula, binding: Binding) -> Iterator[Solution]:
        if not view.timeline:
            return
        span = Interval(view.timeline.lo, self._end(view.timeline))
        for found, first in _distinct(self.solve(view, span.lo, body, binding), binding, None):
            if isinstance(first, Found) and first.origin == "background" and self._stays(view, span):
                yield found, Throughout(given(body, found), span, (first,))
                continue
            each = [first]
            for u in range(span.lo + 1, self._end(span) + 1):
                reason = next(self.solve(view, u, body, found), None)
                if reason is None:
                    break
                each.append(reason[1])
            else:
                yield found, Throughout(given(body, found), span, tuple(each))

    def _stays(self, view: View, span: Interval) -> bool:
        return view.ahead or self._end(span) <= self.evidence.now

    def _points(self, view: View, body: Formula) -> Sequence[int]:
        """The time points at which a formula can hold at all."""
        beyond, predicates = reach(body), {atom.predicate for atom in atoms_of(body)}
        has_background = any(self.evidence.background.of(p).times() for p in predicates)
        if beyond == 0 and not has_background and not any(_looks_ahead(node) for node in walk(body)):
            return self._occupied(view, predicates)
        end = self._end(view.timeline)
        return range(view.timeline.lo, end + 1 + (beyond or 0 if view.timeline.hi is None else 0))

    def _occupied(self, view: View, predicates: Iterable[str]) -> list[int]:
        found: set[int] = set()
        for predicate in predicates:
            found.update(time for time, _, _ in self._rows(view, view.timeline, predicate, (), ()))
        return sorted(found)

    # -- braces ----------------------------------------------------------------------------------------------------

    def members(self, view: View, t: int, formula: Braces, binding: Binding) -> dict[Args, Reasons]:
        """The distinct tuples of terms in braces, each with a reason."""
        found: dict[Args, Reasons] = {}
        for instance, reasons in self.instances(view, t, formula.condition, binding):
            try:
                found.setdefault(tuple([evaluate(term, instance) for term in formula.terms]), reasons)
            except Undefined:
                continue
        return found

    def _aggregate(self, view: View, t: int, formula: Aggregate, binding: Binding) -> Iterator[Solution]:
        members = self.members(view, t, formula, binding)
        try:
            value = aggregate(formula.function, set(members))
            if value is None:
                return
            if formula.operator == "=" and isinstance(formula.bound, Variable) and formula.bound not in binding:
                found = {**binding, formula.bound: value}
            elif holds(formula.operator, value, evaluate(formula.bound, binding)):
                found = binding
            else:
                return
        except Undefined:
            if self._negations:
                raise
            return
        yield found, Collected(formula, value, tuple(Member(values, members[values]) for values in members))

    def _select(self, view: View, t: int, formula: Select, binding: Binding) -> Iterator[Solution]:
        members = self.members(view, t, formula, binding)
        if not members:
            return
        ranked = selected(formula.end == "last", min(len(members), formula.count + _MOST_BEATEN), set(members))
        chosen, beaten = ranked[: formula.count], tuple(ranked[formula.count :])
        for values in chosen:
            found = matched(formula.targets, values, binding)
            if found is not None:
                yield found, Chosen(formula, Member(values, members[values]), beaten, len(members))


_ANY_TIME = Interval(-(2**62), None)


def _value(term: Term, binding: Binding) -> Value | None:
    try:
        return evaluate(term, binding)
    except Undefined:
        return None


def _compare(formula: Compare, binding: Binding) -> Iterator[Solution]:
    try:
        found = assigned(formula, binding)
        left, right = evaluate(formula.left, found), evaluate(formula.right, found)
        if holds(formula.operator, left, right):
            yield found, Compared(formula, left, right)
    except Undefined:
        return


def _distinct(solutions: Iterable[Solution], binding: Binding, kept: frozenset[Variable] | None) -> Iterator[Solution]:
    """One solution for each value of the variables that are kept (None: all), and of those in the binding."""
    seen = set()
    for found, reason in solutions:
        rest = found if kept is None else {v: x for v, x in found.items() if v in binding or v in kept}
        key = frozenset(rest.items())
        if key not in seen:
            seen.add(key)
            yield rest, reason


def _looks_ahead(node: Formula) -> bool:
    """Whether this is a window that sees atoms of later time points: it may hold at a time point without atoms."""
    return isinstance(node, Window) and isinstance(node.function, TimeWindow) and node.function.ahead > 0
