"""Why an atom does not hold: for each rule that could derive it, which literals hold, and which fail.

Literals are tried in the order of a search. One that fails is left out, and those after it are tried as far as their
variables are known. The instances in which the fewest literals fail come first. For what failed, there are hints: the
nearest facts, the values that were compared, what negation found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lasing.explain.bindings import Binding, assigned, given, pattern_of
from lasing.explain.evidence import Args, Positions, View
from lasing.explain.premises import Compared, Found, Premise
from lasing.explain.search import Question, Search, from_head
from lasing.explain.views import leaving, view_of
from lasing.logic.formulas import (
    Aggregate,
    Always,
    At,
    Atom,
    Compare,
    Formula,
    Not,
    Select,
    Sometime,
    Window,
    WindowFunction,
)
from lasing.logic.functions import aggregate, selected
from lasing.logic.program import Program, Rule
from lasing.logic.terms import evaluate
from lasing.logic.values import Undefined, Value
from lasing.logic.variables import is_ready
from lasing.timeline.intervals import Interval

MOST_ATTEMPTS = 3
"""How many attempts are kept for each rule."""
MOST_NEAR = 3
"""How many facts are named as the nearest ones."""
_MOST_TRIES = 20_000
"""How many instances of a rule are looked at, at most."""
_MOST_KEPT = 50
"""How many of the closest attempts are compared."""


@dataclass(frozen=True, slots=True)
class Near:
    """A fact that would do, but for its time or for one argument."""

    found: Found
    left: int | None = None
    """When it left the window, if that is why it does not count."""
    differs: int | None = None
    """The position of the argument that is different, if that is why."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What was there in place of what a literal needs."""

    near: tuple[Near, ...] = ()
    found: Premise | None = None
    """What negation found, or how a comparison came out."""
    value: Value | None = None
    """The value of an aggregate, if it has one."""
    chosen: tuple[Args, ...] = ()
    """What a selection has in place of what is needed."""
    members: int | None = None
    """How many tuples there were in the braces."""
    gap: int | None = None
    """The first time point at which what should always hold does not."""
    missing: Atom | None = None
    """The derived atom that does not hold."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An instance of a rule that fails: the literals that hold, those that do not, and those not looked at because
    nothing gave their variables values. If none fails, the rule derives something else."""

    rule: Rule
    binding: Binding
    satisfied: tuple[tuple[Formula, Premise], ...] = ()
    failed: tuple[tuple[Formula, Hint], ...] = ()
    unseen: tuple[Formula, ...] = ()

    @property
    def distance(self) -> int:
        """How many literals are missing."""
        return len(self.failed) + len(self.unseen)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why an atom does not hold: the attempts of each rule that could derive it, the closest first."""

    program: Program = field(repr=False)
    now: int
    atom: Atom
    attempts: tuple[Attempt, ...]
    unfit: tuple[Rule, ...] = ()
    """Rules for the predicate whose head can never be this atom."""
    near: tuple[Near, ...] = ()
    """If no rule derives the predicate: the nearest facts."""

    def __str__(self) -> str:
        from lasing.explain.tree import why_not_tree

        return why_not_tree(self)


def why_not(search: Search, atom: Atom, time: int) -> WhyNot:
    """Why a ground atom does not hold at a time point."""
    attempts: list[Attempt] = []
    unfit: list[Rule] = []
    everything = tuple(range(len(atom.args)))
    for rule in search.rules_for(atom.predicate):
        binding = from_head(rule, Question(atom.predicate, everything, atom.values, time), search.evidence.now)
        if binding is None:
            unfit.append(rule)
            continue
        attempts += [a for a in _Attempts(search, rule).closest(binding) if all(h.missing != atom for _, h in a.failed)]
    attempts.sort(key=lambda attempt: attempt.distance)
    near = (
        () if search.is_derived(atom.predicate) else _near(search, search.whole, Interval(time, time), atom, {}, None)
    )
    return WhyNot(search.evidence.program, search.evidence.now, atom, tuple(attempts), tuple(unfit), near)


class _Attempts:
    """Tries the instances of a rule, and keeps those in which the fewest literals fail."""

    def __init__(self, search: Search, rule: Rule) -> None:
        self._search, self._rule = search, rule
        self._best: list[Attempt] = []
        self._distance = len(rule.body) + 1
        self._tries = 0

    def closest(self, binding: Binding) -> list[Attempt]:
        """The closest attempts, with hints; of those that fail in the same way, only one."""
        self._try(Attempt(self._rule, binding), self._search.order(self._search.whole, self._rule.body, binding))
        different: dict[str, Attempt] = {}
        for attempt in self._best:
            different.setdefault(str([given(formula, attempt.binding) for formula, _ in attempt.failed]), attempt)
        return [self._hinted(attempt) for attempt in list(different.values())[:MOST_ATTEMPTS]]

    def _try(self, attempt: Attempt, waiting: tuple[Formula, ...]) -> None:
        if attempt.distance > self._distance or self._tries > _MOST_TRIES:
            return
        if not waiting:
            self._note(attempt)
            return
        search, (formula, *rest) = self._search, waiting
        if not is_ready(formula, attempt.binding):
            self._try(replace(attempt, unseen=(*attempt.unseen, formula)), tuple(rest))
            return
        holds = False
        for found, reason in search.literal(search.whole, search.evidence.now, formula, attempt.binding):
            holds, self._tries = True, self._tries + 1
            satisfied = (*attempt.satisfied, (formula, reason))
            self._try(replace(attempt, binding=found, satisfied=satisfied), tuple(rest))
        if not holds:
            self._try(replace(attempt, failed=(*attempt.failed, (formula, Hint()))), tuple(rest))

    def _note(self, attempt: Attempt) -> None:
        if attempt.distance < self._distance:
            self._best, self._distance = [], attempt.distance
        if len(self._best) < _MOST_KEPT:
            self._best.append(attempt)

    def _hinted(self, attempt: Attempt) -> Attempt:
        search = self._search
        failed = ((formula, hint_for(search, search.whole, formula, attempt.binding)) for formula, _ in attempt.failed)
        return replace(attempt, failed=tuple(failed))


def hint_for(search: Search, view: View, formula: Formula, binding: Binding) -> Hint:
    """What there is in place of what a formula needs, now."""
    now = search.evidence.now
    match formula:
        case Atom():
            return _missing(search, view, Interval(now, now), formula, binding, None)
        case Window(function, Sometime(Atom() as atom) | At(_, Atom() as atom), full):
            inner = _seen(search, function, search.whole if full else view, binding)
            return Hint() if inner is None else _missing(search, inner, inner.timeline, atom, binding, function)
        case At(_, Atom() as atom):
            return _missing(search, view, view.timeline, atom, binding, None)
        case Window(function, Always(body), full):
            inner = _seen(search, function, search.whole if full else view, binding)
            return Hint() if inner is None else _gap(search, inner, body, binding)
        case Not(body):
            found = next(search.solve(view, now, body, binding), None)
            return Hint(found=None if found is None else found[1])
        case Compare():
            return _compared(formula, binding)
        case Aggregate() | Select():
            return _braces(search, view, formula, binding)
        case _:
            return Hint()


def _seen(search: Search, function: WindowFunction, view: View, binding: Binding) -> View | None:
    try:
        return view_of(function, search.evidence, view, search.evidence.now, binding)
    except Undefined:
        return None


def _missing(
    search: Search, view: View, span: Interval, atom: Atom, binding: Binding, function: WindowFunction | None
) -> Hint:
    near = _near(search, view, span, atom, binding, function)
    wanted = given(atom, binding)
    derived = wanted if isinstance(wanted, Atom) and search.is_derived(atom.predicate) else None
    return Hint(near, missing=derived)


def _near(
    search: Search, view: View, span: Interval, atom: Atom, binding: Binding, function: WindowFunction | None
) -> tuple[Near, ...]:
    """The newest facts that fit but are outside the window; else those inside it that differ in one known argument."""
    pattern = pattern_of(atom.args, binding)
    if pattern is None:
        return ()
    positions, values = pattern
    outside: list[Near] = []
    for time, args in search.evidence.data.of(atom.predicate).matching(positions, values, search.whole.timeline):
        if time in span and function is None:
            continue
        found = Found(Atom(atom.predicate, args), time, "data")
        left = None if function is None else leaving(function, view, time, atom.predicate, args).time
        outside.append(Near(found, left))
        if len(outside) == MOST_NEAR:
            break
    return tuple(outside) or tuple(_differing(view, span, atom.predicate, positions, values))


def _differing(view: View, span: Interval, predicate: str, positions: Positions, values: Args) -> Iterator[Near]:
    shown = 0
    for i, position in enumerate(positions):
        rest = (*positions[:i], *positions[i + 1 :])
        for time, args in view.data.of(predicate).matching(rest, (*values[:i], *values[i + 1 :]), span):
            yield Near(Found(Atom(predicate, args), time, "data"), differs=position)
            shown += 1
            if shown == MOST_NEAR:
                return


def _gap(search: Search, view: View, body: Formula, binding: Binding) -> Hint:
    """The newest time point of a window at which a formula does not hold."""
    end = view.timeline.hi
    if not view.timeline or end is None:
        return Hint()
    for time in range(end, view.timeline.lo - 1, -1):
        if next(search.solve(view, time, body, binding), None) is None:
            wanted = given(body, binding)
            derived = isinstance(wanted, Atom) and search.is_derived(wanted.predicate) and time == search.evidence.now
            return Hint(gap=time, missing=wanted if derived and isinstance(wanted, Atom) else None)
    return Hint()


def _compared(formula: Compare, binding: Binding) -> Hint:
    try:
        bound = assigned(formula, binding)
        return Hint(found=Compared(formula, evaluate(formula.left, bound), evaluate(formula.right, bound)))
    except Undefined:
        return Hint()


def _braces(search: Search, view: View, formula: Aggregate | Select, binding: Binding) -> Hint:
    members = search.members(view, search.evidence.now, formula, binding)
    if isinstance(formula, Select):
        chosen = selected(formula.end == "last", formula.count, set(members)) if members else []
        return Hint(chosen=tuple(chosen), members=len(members))
    try:
        return Hint(value=aggregate(formula.function, set(members)), members=len(members))
    except Undefined:
        return Hint(members=len(members))
