"""Why an atom does not hold: for each rule that could derive it, which literals hold, and which fail.

Literals are tried in the order of a search. One that fails is left out, and those after it are tried as far as their
variables are known. The instances in which the fewest literals fail come first. For what failed, there are hints: the
nearest facts, the values that were compared, what negation found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from lasing.explain.bindings import Binding, assigned, given, pattern_of
from lasing.explain.evidence import Args, Facts, Positions, View
from lasing.explain.explanation import Among
from lasing.explain.premises import Compared, Found, Origin, Premise
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
    atoms_of,
    head_atom,
)
from lasing.logic.functions import aggregate, selected
from lasing.logic.program import Program, Rule
from lasing.logic.provenance import Provenance
from lasing.logic.terms import evaluate
from lasing.logic.values import Undefined, Value
from lasing.logic.variables import free_variables, is_ready
from lasing.timeline.intervals import Interval

MOST_ATTEMPTS = 3
"""How many attempts are kept for each rule."""
MOST_NEAR = 3
"""How many facts are named as the nearest ones."""
_MOST_BELOW = 8
"""How many atoms that are missing are asked about in turn."""
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
    closest: tuple[Attempt, ...] = ()
    """If there are no tuples in the braces: the instances of what they ask for that came closest."""
    gap: int | None = None
    """The first time point at which what should always hold does not."""
    missing: Atom | None = None
    """The derived atom that does not hold."""
    below: WhyNot | None = None
    """Why it does not, if that was asked in turn: of a query, only for helpers that its translation made."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An instance of a rule that fails: the literals that hold, those that do not, and those not looked at because
    nothing gave their variables values. If none fails, the rule derives something else."""

    rule: Rule
    binding: Binding
    satisfied: tuple[tuple[Formula, Premise], ...] = ()
    failed: tuple[tuple[Formula, Hint], ...] = ()
    unseen: tuple[Formula, ...] = ()
    head: int = 0
    instead: tuple[Atom, ...] = ()
    """If nothing fails: what a disjunction has in place of the atom."""

    @property
    def distance(self) -> int:
        """How many literals are missing."""
        return len(self.failed) + len(self.unseen)


@dataclass(frozen=True, slots=True)
class Broken:
    """An instance of a constraint whose body would hold, and why."""

    rule: Rule
    binding: Binding
    premises: tuple[Premise, ...]


@dataclass(frozen=True, slots=True)
class Forbidden:
    """What stands against a model with the atom: the constraints that it would break. If there are none, other models
    cost less."""

    broken: tuple[Broken, ...]


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
    among: Among | None = None
    """The model that this is about, if the program can have several."""
    forbidden: Forbidden | None = None
    """What forbids the atom, if rules allow it in no model."""

    def __str__(self) -> str:
        from lasing.explain.tree import why_not_tree

        return why_not_tree(self)

    def _repr_html_(self) -> str:
        from lasing.explain.picture import picture
        from lasing.explain.tree import why_not_branch

        return picture(why_not_branch(self))


def why_not(
    search: Search, atom: Atom, time: int, around: frozenset[str] = frozenset(), asked: set[Atom] | None = None
) -> WhyNot:
    """Why an atom does not hold at a time point, and why the derived atoms do not that it lacks.

    `around` has the predicates that were asked about on the way to it, `asked` all atoms that were asked about.
    """
    attempts: list[Attempt] = []
    unfit: list[Rule] = []
    positions, values = pattern_of(atom.args, {}) or ((), ())
    for rule in search.rules_for(atom.predicate):
        question = Question(atom.predicate, positions, values, time)
        bindings = [
            (number, from_head(rule, question, search.evidence.now, number))
            for number, head in enumerate(rule.heads)
            if head_atom(head).predicate == atom.predicate
        ]
        if all(binding is None for _, binding in bindings):
            unfit.append(rule)
            continue
        for number, binding in bindings:
            if binding is not None:
                found = _Attempts(search, rule).closest(binding)
                kept = [replace(a, head=number) for a in found if all(h.missing != atom for _, h in a.failed)]
                attempts += [_with_instead(search, attempt, time) for attempt in kept]
    attempts.sort(key=lambda attempt: attempt.distance)
    near = (
        () if search.is_derived(atom.predicate) else _near(search, search.whole, Interval(time, time), atom, {}, None)
    )
    program = search.evidence.program
    known = frozenset({*around, atom.predicate})
    if program.provenance is not None:
        attempts = [_with_helpers(search, attempt, time, program.provenance, known) for attempt in attempts]
    else:
        asked = {atom} if asked is None else asked
        least = attempts[0].distance if attempts else 0
        attempts = [_with_missing(search, a, time, known, asked) if a.distance == least else a for a in attempts]
    return WhyNot(program, search.evidence.now, atom, tuple(attempts), tuple(unfit), near)


def _with_instead(search: Search, attempt: Attempt, time: int) -> Attempt:
    """An attempt that says what a disjunction has in place of the atom."""
    if attempt.distance or len(attempt.rule.heads) < 2 or attempt.rule.choice:
        return attempt
    others = (head for number, head in enumerate(attempt.rule.heads) if number != attempt.head)
    found = (given(head_atom(head), attempt.binding) for head in others)
    held = (atom for atom in found if next(search.solve(search.whole, time, atom, {}), None) is not None)
    return replace(attempt, instead=tuple(atom for atom in held if isinstance(atom, Atom)))


def _with_helpers(
    search: Search, attempt: Attempt, time: int, provenance: Provenance, around: frozenset[str]
) -> Attempt:
    """An attempt that says of the helpers that are missing why they are."""

    def asked(hint: Hint) -> Hint:
        atom = hint.missing
        if atom is None or atom.predicate in provenance.said or atom.predicate in around:
            return hint
        return replace(hint, below=why_not(search, atom, time, around))

    return replace(attempt, failed=tuple((formula, asked(hint)) for formula, hint in attempt.failed))


def _with_missing(search: Search, attempt: Attempt, time: int, around: frozenset[str], asked: set[Atom]) -> Attempt:
    """An attempt that says why the atoms are missing that it lacks: of each once, and of no predicate inside itself."""

    def below(hint: Hint) -> Hint:
        atom = hint.missing
        if atom is None or atom.predicate in around or atom in asked or len(asked) > _MOST_BELOW:
            return hint
        asked.add(atom)
        return replace(hint, below=why_not(search, atom, time, around, asked))

    return replace(attempt, failed=tuple((formula, below(hint)) for formula, hint in attempt.failed))


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
        if not is_ready(formula, attempt.binding) or self._is_adrift(formula, attempt):
            self._try(replace(attempt, unseen=(*attempt.unseen, formula)), tuple(rest))
            return
        holds = False
        for found, reason in search.literal(search.whole, search.evidence.now, formula, attempt.binding):
            holds, self._tries = True, self._tries + 1
            satisfied = (*attempt.satisfied, (formula, reason))
            self._try(replace(attempt, binding=found, satisfied=satisfied), tuple(rest))
        if not holds:
            self._try(replace(attempt, failed=(*attempt.failed, (formula, Hint()))), tuple(rest))

    def _is_adrift(self, formula: Formula, attempt: Attempt) -> bool:
        """Whether a literal that failed would have given a variable its value, so that all that is derived for any
        value would have to be found."""
        if not attempt.failed or not any(self._search.is_derived(atom.predicate) for atom in atoms_of(formula)):
            return False
        free = free_variables(formula) - attempt.binding.keys()
        return any(free & free_variables(failed) for failed, _ in attempt.failed)

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
    if outside:
        return tuple(outside)
    background = search.evidence.background
    sources: tuple[tuple[Facts, Interval, Origin], ...] = (
        (view.data, span, "data"),
        (background, Interval(search.evidence.start, None), "background"),
    )
    return tuple(islice(_differing(sources, atom.predicate, positions, values), MOST_NEAR))


def _differing(
    sources: Iterable[tuple[Facts, Interval, Origin]], predicate: str, positions: Positions, values: Args
) -> Iterator[Near]:
    """The facts that differ in one of the arguments that are known."""
    for facts, span, origin in sources:
        for i, position in enumerate(positions):
            rest = (*positions[:i], *positions[i + 1 :])
            for time, args in facts.of(predicate).matching(rest, (*values[:i], *values[i + 1 :]), span):
                yield Near(Found(Atom(predicate, args), time, origin), differs=position)


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
        closest = () if members else _closest_tuples(search, formula, binding)
        return Hint(chosen=tuple(chosen), members=len(members), closest=closest)
    try:
        return Hint(value=aggregate(formula.function, set(members)), members=len(members))
    except Undefined:
        return Hint(members=len(members))


def _closest_tuples(search: Search, formula: Select, binding: Binding) -> tuple[Attempt, ...]:
    """The instances of the condition in braces in which the fewest literals fail."""
    rule = Rule((Atom("tuple"),), tuple(formula.condition))
    inside = {variable: value for variable, value in binding.items() if variable not in formula.local}
    return tuple(_Attempts(search, rule).closest(inside))
