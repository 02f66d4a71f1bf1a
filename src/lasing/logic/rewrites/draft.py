"""Rules under construction: bodies, helper predicates, fresh variables, and what is known about times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from lasing.logic.formulas import (
    Always,
    At,
    Atom,
    Braces,
    Compare,
    Formula,
    PartitionWindow,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
    terms_of,
    variables_in,
    walk,
)
from lasing.logic.program import Rule
from lasing.logic.rewrites.standpoint import Cut, Left, Standpoint
from lasing.logic.terms import Arithmetic, Term, Variable, variables_of
from lasing.logic.variables import bound_by, free_variables

TICK = Atom("any time")
"""A background fact whose name no user can write: it holds at every time point, and so enumerates them."""

EVALUATION_TIME = Variable("now'")
"""A variable that no user can write, in place of `#now`: it is bound by `any time at now' in [0]`."""

MOST_BODIES = 32
"""How many rules one rule may become before it is left alone."""

Range = tuple[int | None, int]
"""How far before now (None: any distance) and after now a time may lie."""


@dataclass(frozen=True, slots=True)
class Body:
    """The plain literals of a body so far, and the literals `around` it: those that hold whenever it matters."""

    literals: tuple[Formula, ...] = ()
    around: tuple[Formula, ...] = ()

    def add(self, *literals: Formula) -> Body:
        new = tuple(literal for literal in dict.fromkeys(literals) if literal not in self.literals)
        return Body((*self.literals, *new), self.around)

    @property
    def known(self) -> tuple[Formula, ...]:
        """All literals that hold."""
        return (*self.literals, *self.around)


@dataclass
class Draft:
    """The rules that one rule is rewritten to.

    `holds` and `fails` extend a body so that a formula holds, or does not, at a view. They give a body for each
    alternative. `absent` allows □φ to become the absence of ¬φ if that needs fewer time points; this adds a negation,
    so it must not happen inside a recursion.
    """

    rule: Rule
    background: frozenset[str]
    holds: Extend
    fails: Extend
    names: Iterator[int]
    known: dict[str, Atom]
    absent: bool = True
    helpers: list[Rule] = field(default_factory=list)
    _fresh: int = 0

    def __post_init__(self) -> None:
        literals = [f for literal in self.rule.body for f in walk(literal)]
        self._arguments = {v for f in literals if isinstance(f, Atom) for t in f.args for v in variables_of(t)}
        self._arguments |= {v for f in literals if isinstance(f, Braces) for t in f.outside for v in variables_of(t)}

    def variable(self, name: str = "T") -> Variable:
        """A variable that no user can write."""
        self._fresh += 1
        return Variable(f"{name}'{self._fresh}")

    # -- time points --------------------------------------------------------------------------------------------------

    def moved(self, body: Body, view: Standpoint, time: Term) -> Standpoint:
        """The view at a different time point of its timeline."""
        if view.whole:
            return Standpoint(time, _window(range_of(body, time)))
        return Standpoint(time, view.seen, view.exact, view.cuts, True, view.background)

    def at_point(self, body: Body, view: Standpoint, anchored: bool) -> Body:
        """The body, plus tests that the view's time lies in its timeline; `anchored` if an atom there ensures it."""
        time = view.time
        assert time is not None
        if not anchored and not _lies_inside(body, view, time):
            body = body.add(*self._in_timeline(body, view, time))
        for cut in view.cuts:
            body = body.add(*self._tests(cut, time))
        return body

    def _in_timeline(self, body: Body, view: Standpoint, time: Term) -> Iterator[Formula]:
        if view.seen is not None:
            yield Window(view.seen, At(time, TICK))
        elif is_whole_number(body.known, time):  # any time point since the start: one up to now is not after it
            some = self.variable()
            yield Window(TimeWindow(None), At(some, TICK))
            yield Compare("<=", some, time)
        else:
            raise Left("a time that no windowed literal binds")

    def _tests(self, cut: Cut, time: Term) -> Iterator[Formula]:
        lo, hi = cut.lo, cut.hi
        if cut.step > 1:  # T div step * step
            self._computed(hi)
            pivot = self.variable("P")
            yield Compare("=", pivot, Arithmetic("*", (Arithmetic("div", (hi, cut.step)), cut.step)))
            lo, hi = None if lo is None else pivot, pivot
        if lo is not None:
            yield Compare("<=", lo, self._plus(time, cut.back))
        yield Compare("<=", self._plus(time, -cut.ahead), hi)

    def _plus(self, time: Term, points: int) -> Term:
        if points == 0:
            return time
        if isinstance(time, int):
            return time + points
        self._computed(time)
        return Arithmetic("+" if points > 0 else "-", (time, abs(points)))

    def _computed(self, time: Term) -> None:
        """Arithmetic on a name is reported, so there must be none on a value that may be a name."""
        if time in self._arguments and time != EVALUATION_TIME:
            raise Left("a time that is an argument as well")

    # -- atoms --------------------------------------------------------------------------------------------------------

    def seen(self, atom: Atom, view: Standpoint) -> Formula:
        """The plain literal that says that an atom holds at a view."""
        if not view.inside:
            raise Left("a window that need not contain the time point at which it opens")
        if view.time is None:
            return atom
        if atom.predicate in self.background and not _sees_background(view):
            raise Left("background seen from a time point that may lie ahead")
        at = At(view.time, atom)
        return at if view.seen is None else Window(view.seen, at)

    # -- helpers ------------------------------------------------------------------------------------------------------

    def helper(
        self,
        body: Body,
        args: Iterable[Variable],
        bound: frozenset[Variable],
        build: Callable[[Body], list[Body]],
        time: Variable | None = None,
    ) -> Atom:
        """A predicate of these arguments that holds, now or at `time`, if one of the bodies being built does.

        Literals around the bodies bind the arguments that the bodies do not bind (`bound`).
        """
        order = tuple(sorted(set(args), key=lambda v: v.name))
        guard = self._guard(set(order) - bound, body.known)
        needed = {*order, time} if time is not None else set(order)
        bodies = [self._complete(b, needed) for b in build(Body(guard, body.known))]
        shape = _canonical(repr((order, time, [b.literals for b in bodies])))
        if shape not in self.known:
            (head,) = self.rule.head_atoms()
            self.known[shape] = Atom(f"{head.predicate}: part {next(self.names)}", order)
            for built in bodies:
                atom = self.known[shape]
                self.helpers.append(self._rule(atom if time is None else At(time, atom), built))
        return Atom(self.known[shape].predicate, order)

    def finished(self, body: Body) -> Rule:
        """The rule with this body."""
        needed = {v for head in self.rule.heads for v in variables_in(head)}
        return self._rule(self.rule.heads[0], self._complete(body, needed))

    def _rule(self, head: Atom | At, body: Body) -> Rule:
        return Rule((head,), body.literals, self.rule.source, self.rule.offset, self.rule.length)

    def _complete(self, body: Body, needed: set[Variable]) -> Body:
        """The body, plus literals from around it that bind what is not bound yet."""
        open_ends = needed | {v for f in body.literals for v in free_variables(f)}
        missing = open_ends - bound_by(body.literals)
        return body.add(*self._guard(missing, body.around)) if missing else body

    def _guard(self, missing: set[Variable], pool: Iterable[Formula]) -> tuple[Formula, ...]:
        """Literals of the pool that bind these variables, and everything that they need themselves."""
        chosen: dict[Formula, None] = {}
        bound: set[Variable] = set()
        waiting = sorted(missing, key=lambda v: v.name, reverse=True)
        candidates = [f for f in dict.fromkeys(pool) if _relational(f)]
        assigned = [f for f in dict.fromkeys(pool) if isinstance(f, Compare) and f.operator == "="]
        while waiting:
            variable = waiting.pop()
            if variable in bound:
                continue
            bound.add(variable)
            found = next((f for f in candidates if variable in _places(f)), None)
            if found is None:
                found = next((f for f in assigned if variable in (f.left, f.right) and f not in chosen), None)
            if found is None:
                raise Left(f"a variable, {variable}, that no reusable literal binds")
            chosen[found] = None
            if not isinstance(found, Compare):
                bound |= _places(found)
            waiting += [v for v in free_variables(found) if v not in bound]
        return tuple(chosen)


Extend = Callable[[Draft, Body, Formula, Standpoint], list[Body]]


def limited(bodies: list[Body]) -> list[Body]:
    """The bodies, unless there are too many of them."""
    if len(bodies) > MOST_BODIES:
        raise Left(f"more than {MOST_BODIES} alternatives")
    return bodies


def range_of(body: Body, time: Term, seen: TimeWindow | None = None) -> Range | None:
    """Where a time lies relative to now, as far as the literals that hold show it, and the window that it is in."""
    known = body.known if seen is None else (Window(seen, At(time, TICK)), *body.known)
    return _range(known, time, 4)


def _range(known: tuple[Formula, ...], time: Term, depth: int) -> Range | None:
    found: Range | None = None
    for literal in known:
        match literal:
            case Window(TimeWindow(back, ahead, step), At(at, Atom())) if at == time:
                found = _narrower(found, (None if back is None else back + step - 1, ahead))
            case Window(TupleWindow() | PartitionWindow(), At(at, Atom())) if at == time:
                found = _narrower(found, (None, 0))
            case Compare("=", left, Arithmetic("+" | "-" as sign, (Variable() as base, int(points)))) if (
                left == time and depth
            ):
                shift = points if sign == "+" else -points
                if (other := _range(known, base, depth - 1)) is not None:
                    back, ahead = other
                    found = _narrower(found, (None if back is None else back - shift, ahead + shift))
            case _:
                continue
    return found


def _narrower(one: Range | None, other: Range) -> Range:
    if one is None:
        return other
    backs = [back for back in (one[0], other[0]) if back is not None]
    return min(backs, default=None), min(one[1], other[1])


def _window(span: Range | None, back: int = 0, ahead: int = 0) -> TimeWindow | None:
    """The window, opened now, of all time points this far before and after a time in that range."""
    if span is None:
        return None
    return TimeWindow(None if span[0] is None else max(0, span[0] + back), max(0, span[1] + ahead))


def window_around(span: Range | None, function: TimeWindow) -> TimeWindow | None:
    """The window, opened now, that contains every window opened at a time in that range."""
    if span is None or function.back is None:
        return _window(None if span is None else (None, span[1]), 0, function.ahead)
    return _window(span, function.back + function.step - 1, function.ahead)


def window_between(lo: Range | None, hi: Range | None) -> TimeWindow | None:
    """The window, opened now, that contains everything between two times in these ranges."""
    return None if lo is None or hi is None else _window((lo[0], hi[1]))


def is_point(known: Iterable[Formula], time: Term) -> bool:
    """Whether the literals ensure that this is a time point of the timeline."""
    return any(_time_of(literal) == time for literal in known)


def is_whole_number(known: tuple[Formula, ...], time: Term) -> bool:
    """Whether the literals ensure that this is an integer."""
    if isinstance(time, int) or is_point(known, time):
        return True
    for literal in known:
        match literal:
            case Compare("=", left, Arithmetic("+" | "-", (Variable() as base, int()))) if left == time != base:
                return is_point(known, base)
            case _:
                continue
    return False


def _time_of(literal: Formula) -> Term | None:
    match literal:
        case At(time, Atom()) | Window(_, At(time, Atom())):
            return time
        case _:
            return None


def _lies_inside(body: Body, view: Standpoint, time: Term) -> bool:
    """Whether a literal ensures that the time lies in the timeline before its cuts."""
    if not view.exact:
        return is_point(body.known, time)
    for literal in body.literals:
        match literal:
            case Window(function, At(at, Atom())) if at == time and function == view.seen:
                return True
            case _:
                continue
    return False


def is_inside(body: Body, view: Standpoint) -> bool:
    """Whether literals ensure that the view's time lies in its timeline."""
    return not view.cuts and view.time is not None and _lies_inside(body, view, view.time)


def _sees_background(view: Standpoint) -> bool:
    """Whether plain literals see background where the view does."""
    match view.background:
        case "now":
            return view.seen is None or view.seen.ahead == 0
        case "ahead":
            return view.seen is not None
        case "unclear":
            return False
        case _:
            assert_never(view.background)


def _relational(literal: Formula) -> bool:
    match literal:
        case Atom() | At(_, Atom()) | Window(_, Sometime(Atom()) | Always(Atom()) | At(_, Atom())):
            return True
        case _:
            return False


def _places(literal: Formula) -> set[Variable]:
    """The variables that are by themselves an argument or a time: those that the literal binds."""
    places = (t for node in walk(literal) if not isinstance(node, Window) for t in terms_of(node))
    return {t for t in places if isinstance(t, Variable)}


def _canonical(text: str) -> str:
    """A text in which fresh variables are numbered by their first occurrence."""
    numbers: dict[str, int] = {}
    return re.sub(r"'(\d+)", lambda m: f"'{numbers.setdefault(m[1], len(numbers))}", text)
