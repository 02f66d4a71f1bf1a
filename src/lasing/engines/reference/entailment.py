"""The entailment relation M, S, t ⊩ φ (LARS, Definition 7), case by case, and the substitutions worth asking it about.

A formula comes with a substitution for its variables. Beyond the paper there are comparisons, aggregates and
selections. A term without a value raises `Undefined`, and the whole instance fails, wherever the term is in it.

A program with variables means its ground instances. Only those whose atoms are somewhere in the stream matter:
`candidates` finds them there, and `entails` decides each one. So `candidates` may offer too many, never too few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, assert_never

from lasing.engines.reference.stream import NOTHING, Args, Derived, Facts, Stream
from lasing.engines.reference.structure import Binding, Structure
from lasing.engines.reference.truth import Algebra, Truth
from lasing.engines.reference.windows import window
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
    atoms_of,
    children,
    terms_of,
    walk,
)
from lasing.logic.functions import aggregate, holds, selected
from lasing.logic.terms import NOW, Arithmetic, Substitution, Term, Variable, evaluate, variables_of
from lasing.logic.values import Undefined, Value
from lasing.logic.variables import bound_by, free_variables, is_ready, reach

M = TypeVar("M", bound=Structure)


def entails(m: Structure, s: Stream, t: int, formula: Formula, sub: Substitution) -> bool:
    """Whether M, S, t ⊩ φσ."""
    return truth(TRUE_OR_FALSE, m, s, t, formula, sub)


def truth(algebra: Algebra[M, Truth], m: M, s: Stream, t: int, formula: Formula, sub: Substitution) -> Truth:
    """The truth of M, S, t ⊩ φσ, in an algebra of truth."""
    m.pulse()
    match formula:
        # M, S, t ⊩ a  iff  a ∈ v(t) or a ∈ B
        case Atom(predicate, terms):
            return algebra.atom(m, s, t, predicate, tuple(evaluate(term, sub) for term in terms))
        case Compare(comparison, left, right):
            return algebra.known(holds(comparison, evaluate(left, sub), evaluate(right, sub)))
        case Aggregate():
            return algebra.aggregate(m, s, t, formula, sub)
        case Select():
            return algebra.select(m, s, t, formula, sub)
        # M, S, t ⊩ ¬α  iff  M, S, t ⊮ α
        case Not(body):
            return algebra.negation(_some_instance(algebra, m, s, t, body, sub))
        case And(parts):
            return algebra.all_of(truth(algebra, m, s, t, part, sub) for part in parts)
        case Or(parts):
            return algebra.any_of(_some_instance(algebra, m, s, t, part, sub) for part in parts)
        case Implies(left, right):
            return algebra.any_of(_implication(algebra, m, s, t, left, right, sub))
        # M, S, t ⊩ ◇α  iff  M, S, t' ⊩ α for some t' ∈ T
        case Sometime(body):
            return algebra.any_of(truth(algebra, m, s, u, body, sub) for u in points(m, s, body))
        # M, S, t ⊩ □α  iff  M, S, t' ⊩ α for all t' ∈ T, and there is one; for background, one check is enough
        case Always() if not s.timeline:
            return algebra.known(False)
        case Always(Atom(predicate, terms)) if m.background_holds_throughout(s) and _in_background(
            m, predicate, terms, sub
        ):
            return algebra.known(True)
        case Always(body):
            return algebra.all_of(truth(algebra, m, s, u, body, sub) for u in m.extent(s))
        # M, S, t ⊩ @u α  iff  M, S, u ⊩ α and u ∈ T
        case At(time, body):
            u = evaluate(time, sub)
            if isinstance(u, int) and u in s.timeline:
                return truth(algebra, m, s, u, body, sub)
            return algebra.known(False)
        # M, S, t ⊩ ⊞α  iff  M, S', t ⊩ α, where S' is the window on S, or, if full, on the whole stream S*
        case Window(function, body, full):
            return truth(algebra, m, window(function, m, m.stream if full else s, t, sub), t, body, sub)
        case _:
            assert_never(formula)


class TrueOrFalse:
    """The algebra of the paper: a formula holds, or it does not."""

    def atom(self, m: Structure, s: Stream, t: int, predicate: str, args: Args) -> bool:
        if s.holds(t, predicate, args):
            return True
        return args in m.background.get(predicate, ()) and m.background_holds(s, t)

    def aggregate(self, m: Structure, s: Stream, t: int, formula: Aggregate, sub: Substitution) -> bool:
        value = aggregate_value(m, s, t, formula, sub)
        return value is not None and holds(formula.operator, value, evaluate(formula.bound, sub))

    def select(self, m: Structure, s: Stream, t: int, formula: Select, sub: Substitution) -> bool:
        return tuple(evaluate(target, sub) for target in formula.targets) in selected_tuples(m, s, t, formula, sub)

    def known(self, truth: bool) -> bool:
        return truth

    def negation(self, truth: bool) -> bool:
        return not truth

    def all_of(self, truths: Iterable[bool]) -> bool:
        return all(truths)

    def any_of(self, truths: Iterable[bool]) -> bool:
        return any(truths)


TRUE_OR_FALSE = TrueOrFalse()


def _in_background(m: Structure, predicate: str, terms: tuple[Term, ...], sub: Substitution) -> bool:
    return tuple(evaluate(term, sub) for term in terms) in m.background.get(predicate, ())


def aggregate_value(m: Structure, s: Stream, t: int, formula: Aggregate, sub: Substitution) -> Value | None:
    """The value of an aggregate over the distinct tuples of terms that satisfy its condition."""
    return aggregate(formula.function, _tuples(m, s, t, formula, sub))


def selected_tuples(m: Structure, s: Stream, t: int, formula: Select, sub: Substitution) -> list[Args]:
    """The first or last of the distinct tuples of terms that satisfy the condition."""
    return selected(formula.end == "last", formula.count, _tuples(m, s, t, formula, sub))


def _tuples(m: Structure, s: Stream, t: int, formula: Braces, sub: Substitution) -> set[Args]:
    """The distinct tuples of terms that satisfy the condition in braces."""
    tuples = set()
    for instance in instances(m, s, t, formula.condition, sub):
        try:
            tuples.add(tuple(evaluate(term, instance) for term in formula.terms))
        except Undefined as reason:
            m.note_failure(reason, instance)
    return tuples


def _known_values(m: Structure, s: Stream, t: int, formula: Braces, sub: Substitution) -> Iterable[Args]:
    """The values that the terms outside braces have."""
    if isinstance(formula, Select):
        return selected_tuples(m, s, t, formula, sub)
    value = aggregate_value(m, s, t, formula, sub)
    return () if value is None else ((value,),)


def _some_instance(algebra: Algebra[M, Truth], m: M, s: Stream, t: int, formula: Formula, sub: Substitution) -> Truth:
    """Whether the formula holds for some value of its anonymous variables."""
    return algebra.any_of(truth(algebra, m, s, t, formula, found) for found in candidates(m, s, t, formula, dict(sub)))


def _implication(
    algebra: Algebra[M, Truth], m: M, s: Stream, t: int, left: Formula, right: Formula, sub: Substitution
) -> Iterator[Truth]:
    """α → β as ¬α ∨ β; β is evaluated only if ¬α is not enough."""
    yield algebra.negation(_some_instance(algebra, m, s, t, left, sub))
    yield _some_instance(algebra, m, s, t, right, sub)


# -- instances -------------------------------------------------------------------------------------------------------


def instances(
    m: Structure,
    s: Stream,
    t: int,
    body: tuple[Formula, ...],
    given: Substitution,
    pivot: Formula | None = None,
    news: Derived = NOTHING,
) -> Iterator[Binding]:
    """The substitutions, extending a given one, under which all formulas hold at t.

    With a pivot, only those that find an instance of that formula among the new atoms. `#now` is t, or what it is in
    the given one, if t is a time point that a formula has jumped to.
    """
    order = evaluation_order(m, s, body, given, pivot)
    return _extend(m, s, t, order, 0, {NOW: t, **given}, pivot, Stream(s.timeline, Facts(), news))


def _extend(
    m: Structure,
    s: Stream,
    t: int,
    order: Sequence[Formula],
    i: int,
    binding: Binding,
    pivot: Formula | None,
    news: Stream,
) -> Iterator[Binding]:
    if i == len(order):
        yield binding
        return
    for found in candidates(m, news if order[i] is pivot else s, t, order[i], binding):
        try:
            check_terms(order[i], found)
            holds_here = entails(m, s, t, order[i], found)
        except Undefined as reason:
            m.note_failure(reason, found)
            continue
        if holds_here:
            yield from _extend(m, s, t, order, i + 1, found, pivot, news)


def check_terms(formula: Formula, substitution: Substitution) -> None:
    """Raise `Undefined` if some term of the formula has no value; braces check their own elements."""
    for term in terms_of(formula) if not isinstance(formula, Braces) else formula.outside:
        if isinstance(term, Arithmetic):
            evaluate(term, substitution)
    if not isinstance(formula, Braces):
        for part in children(formula):
            check_terms(part, substitution)


def evaluation_order(
    m: Structure, s: Stream, body: tuple[Formula, ...], given: Substitution, pivot: Formula | None = None
) -> Sequence[Formula]:
    """An order in which everything that a formula needs is bound before it: a pivot first if possible, tests as early
    as possible, otherwise as written."""
    windowed = s.timeline.hi is not None
    key = id(body), frozenset(given), windowed, id(pivot)
    if key not in m.orders:
        if pivot is not None and is_ready(pivot, frozenset(given), windowed):
            rest = [f for f in body if f is not pivot]
            m.orders[key] = (pivot, *_ordered(rest, bound_by((pivot,)), windowed))
        else:
            m.orders[key] = tuple(_ordered(body, frozenset(given), windowed))
    return m.orders[key]


def _ordered(body: Sequence[Formula], bound: frozenset[Variable], windowed: bool) -> Iterator[Formula]:
    waiting = list(body)
    while waiting:
        ready = [f for f in waiting if is_ready(f, bound, windowed)]
        chosen = next((f for f in ready if free_variables(f) <= bound), ready[0])
        waiting.remove(chosen)
        bound = bound_by((chosen,), bound, windowed)
        yield chosen


def candidates(m: Structure, s: Stream, t: int, formula: Formula, binding: Binding) -> Iterator[Binding]:
    """Extensions of a binding, including all those under which the formula holds at t."""
    m.pulse()
    match formula:
        case Atom(predicate, terms):
            if all(_is_bound(term, binding) for term in terms):
                yield binding
                return
            yield from _matches(terms, list(s.at(t, predicate)), binding)
            if m.background_holds(s, t):
                yield from _matches(terms, m.background.get(predicate, ()), binding)
        case Compare("=", Variable() as x, term) if x not in binding and _is_bound(term, binding):
            yield from _assigned(m, x, term, binding)
        case Compare("=", term, Variable() as x) if x not in binding and _is_bound(term, binding):
            yield from _assigned(m, x, term, binding)
        case Aggregate(operator="=", bound=Variable() as x) if x not in binding:
            try:
                values = (m.values or _known_values)(m, s, t, formula, binding)
            except Undefined as reason:
                m.note_failure(reason, binding)
                return
            yield from _matches((x,), values, binding)
        case Select(targets=targets) if not all(_is_bound(target, binding) for target in targets):
            yield from _matches(targets, (m.values or _known_values)(m, s, t, formula, binding), binding)
        case Compare() | Aggregate() | Select() | Not() | Implies():
            yield binding
        case And(parts):
            yield from _chained(m, s, t, evaluation_order(m, s, parts, binding), 0, binding)
        case Or(parts):
            outside = free_variables(formula)  # an anonymous variable of one alternative does not matter to the others
            offered = (found for part in parts for found in candidates(m, s, t, part, binding))
            yield from _distinct({v: x for v, x in o.items() if v in binding or v in outside} for o in offered)
        case At(time, body):
            for u in _times(m, s, time, body, binding):
                here = {**binding, time: u} if isinstance(time, Variable) else binding
                yield from candidates(m, s, u, body, here)
        case Sometime(body):
            yield from _distinct(found for u in points(m, s, body) for found in candidates(m, s, u, body, binding))
        case Always(body):
            if s.timeline:
                yield from candidates(m, s, s.timeline.lo, body, binding)
        case Window(function, body, full):
            try:
                view = window(function, m, m.stream if full else s, t, binding)
            except Undefined as reason:
                m.note_failure(reason, binding)
                return
            yield from candidates(m, view, t, body, binding)
        case _:
            assert_never(formula)


def _distinct(bindings: Iterable[Binding]) -> Iterator[Binding]:
    seen = set()
    for binding in bindings:
        if (key := frozenset(binding.items())) not in seen:
            seen.add(key)
            yield binding


def _chained(m: Structure, s: Stream, t: int, order: Sequence[Formula], i: int, binding: Binding) -> Iterator[Binding]:
    if i == len(order):
        yield binding
        return
    for found in candidates(m, s, t, order[i], binding):
        yield from _chained(m, s, t, order, i + 1, found)


def _times(m: Structure, s: Stream, time: Term, body: Formula, binding: Binding) -> Iterable[int]:
    """The time points that `at` may jump to."""
    if not _is_bound(time, binding):
        return points(m, s, body)
    try:
        u = evaluate(time, binding)
    except Undefined as reason:
        m.note_failure(reason, binding)
        return ()
    return (u,) if isinstance(u, int) and u in s.timeline else ()


def points(m: Structure, s: Stream, body: Formula) -> Iterable[int]:
    """The time points at which a formula can hold at all."""
    beyond = reach(body)
    if (
        beyond == 0
        and not any(atom.predicate in m.background for atom in atoms_of(body))
        and not any(_looks_ahead(node) for node in walk(body))
    ):
        return s.occupied()
    extent = m.extent(s)
    if s.timeline.hi is None and beyond:
        return range(extent.start, extent.stop + beyond)
    return extent


def _looks_ahead(node: Formula) -> bool:
    """Whether this is a window that sees atoms of later time points: it may hold at a time point without atoms."""
    return isinstance(node, Window) and isinstance(node.function, TimeWindow) and node.function.ahead > 0


def _assigned(m: Structure, x: Variable, term: Term, binding: Binding) -> Iterator[Binding]:
    try:
        yield {**binding, x: evaluate(term, binding)}
    except Undefined as reason:
        m.note_failure(reason, binding)


def _is_bound(term: Term, binding: Binding) -> bool:
    match term:
        case Variable():
            return term in binding
        case Arithmetic():
            return all(v in binding for v in variables_of(term))
        case _:
            return True


def _matches(terms: tuple[Term, ...], rows: Iterable[Args], binding: Binding) -> Iterator[Binding]:
    """The bindings under which the terms are a row; arithmetic is left to entailment."""
    for row in rows:
        found = dict(binding)
        for term, value in zip(terms, row, strict=True):
            if isinstance(term, Variable):
                if found.setdefault(term, value) != value:
                    break
            elif not isinstance(term, Arithmetic) and term != value:
                break
        else:
            yield found
