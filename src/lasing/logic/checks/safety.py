"""Safety: every variable is bound by a positive literal or by `X = E`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from lasing.errors import Diagnostic, Place
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
    IntervalWindow,
    Not,
    Or,
    Select,
    Sometime,
    Window,
    children,
    head_atom,
    terms_of,
    variables_in,
    walk,
)
from lasing.logic.program import Program, Rule
from lasing.logic.terms import NOW, Arithmetic, Term, Variable, variables_of
from lasing.logic.variables import Bound, bound_by, is_ready, newly_bound, occurrences

_Tests, _Ranges = Not | Compare, Sometime | Always


def safety(program: Program) -> Iterator[Diagnostic]:
    """E201 for each variable of a rule that nothing binds; only once if several rules come from the same text."""
    places: set[Place | None] = set()
    for rule in program.rules:
        if _evidently_safe(rule):
            continue
        bound = bound_by(rule.body)
        reported: set[str] = set()
        elsewhere = _Elsewhere(rule)
        for variable, where in (*_unnamed(rule), *_unbound(rule, bound)):
            if variable.name not in reported:
                reported.add(variable.name)
                found = _unsafe(rule, variable, where, elsewhere)
                if found.place is None or found.place not in places:
                    places.add(found.place)
                    yield found
        if not reported:
            yield from _circular(rule)


def _evidently_safe(rule: Rule) -> bool:
    """Whether all variables are direct arguments of positive atoms: true of most rules, and quick to check."""
    bound: set[Term] = {NOW}
    used: list[Term] = []
    for literal in rule.body:
        positive = literal.body if isinstance(literal, Not) else literal
        if isinstance(positive, Window):
            if isinstance(positive.function, IntervalWindow):
                return False
            positive = positive.body.body if isinstance(positive.body, _Ranges) else positive.body
        terms: tuple[Term, ...] = ()
        if isinstance(positive, At):
            terms, positive = (positive.time,), positive.body
        if isinstance(positive, Atom):
            terms += positive.args
        elif isinstance(positive, Compare) and isinstance(literal, _Tests):
            terms = (positive.left, positive.right)
        else:
            return False
        if isinstance(literal, _Tests):
            used += terms
        else:
            bound.update(terms)
    for head in rule.heads:
        used += head_atom(head).args
        if isinstance(head, At):
            used.append(head.time)
    if rule.penalty is not None:
        used += rule.penalty.all_terms()
    for term in bound:
        if isinstance(term, Arithmetic):
            return False
    for term in used:
        if isinstance(term, Variable):
            if term not in bound:
                return False
        elif isinstance(term, Arithmetic):
            return False
    return True


def _unbound(rule: Rule, bound: Bound) -> Iterator[tuple[Variable, str]]:
    for head in rule.heads:
        terms = (*head_atom(head).args, *((head.time,) if isinstance(head, At) else ()))
        for term in terms:
            yield from ((v, "the head") for v in variables_of(term) if v not in bound)
    for term in () if rule.penalty is None else rule.penalty.all_terms():
        yield from ((v, "the penalty") for v in variables_of(term) if v not in bound)
    for literal in rule.body:
        where = _name(literal)
        if isinstance(literal, Braces):
            what = "a bound" if isinstance(literal, Aggregate) else "a target"
            yield from ((v, what) for term in literal.outside for v in variables_of(term) if v not in bound)
        yield from ((v, where) for v in occurrences(literal) if v not in bound)
        yield from _unbound_in_braces(literal, bound)


def _unbound_in_braces(formula: Formula, bound: Bound) -> Iterator[tuple[Variable, str]]:
    """The local variables of braces, at any depth, that neither their condition binds nor what is around them."""
    if isinstance(formula, Braces):
        bound = bound_by(formula.condition, bound)
        used = [v for f in formula.condition for v in occurrences(f)]
        used += [v for t in formula.terms for v in variables_of(t)]
        yield from ((v, _name(formula)) for v in used if v in formula.local and v not in bound)
    for part in children(formula):
        yield from _unbound_in_braces(part, bound)


def _circular(rule: Rule) -> Iterator[Diagnostic]:
    """Each variable that only literals bind that wait for one another, as in `p(T) in [T..9]`."""
    elsewhere = _Elsewhere(rule)
    for literal, bound in _stuck(rule.body, set(), False):
        own = newly_bound((literal,), bound)
        loose = [v for v in occurrences(literal) if v not in bound]
        if loose:
            needed = next((v for v in loose if v not in own), loose[0])
            yield _unsafe(rule, needed, "a literal that needs it first", elsewhere)


def _stuck(body: Sequence[Formula], given: set[Variable], windowed: bool) -> Iterator[tuple[Formula, set[Variable]]]:
    """The parts of a conjunction, at any depth, that never get their variables bound, and what is bound by then."""
    waiting, bound, before = list(body), set(given), -1
    while before != len(waiting):
        before, still = len(waiting), []
        for literal in waiting:
            if is_ready(literal, bound, windowed):
                yield from _stuck_inside(literal, bound, windowed)
                bound |= newly_bound((literal,), bound, windowed)
            else:
                still.append(literal)
        waiting = still[::-1]  # in one of the two orders, they become ready one after another
    left = {id(literal) for literal in waiting}
    yield from ((literal, bound) for literal in body if id(literal) in left)


def _stuck_inside(formula: Formula, bound: set[Variable], windowed: bool) -> Iterator[tuple[Formula, set[Variable]]]:
    match formula:
        case Atom() | Compare():
            return
        case And(parts):
            yield from _stuck(parts, bound, windowed)
        case Aggregate() | Select():
            yield from _stuck(formula.condition, bound, windowed)
        case At(time, body):
            yield from _stuck_inside(body, bound | {v for v in (time,) if isinstance(v, Variable)}, windowed)
        case Window():
            yield from _stuck_inside(formula.body, bound, True)
        case Or() | Implies() | Not() | Sometime() | Always():
            for part in children(formula):
                yield from _stuck_inside(part, bound, windowed)
        case _:
            assert_never(formula)


def _unnamed(rule: Rule) -> Iterator[tuple[Variable, str]]:
    """Each `_` in a place that needs a value. As an argument it means some value, even after `not`."""
    for node in (node for literal in rule.body for node in walk(literal)):
        terms: tuple[Term, ...]
        match node:
            case Compare("=", left, right):
                terms = tuple(term for term in (left, right) if isinstance(term, Arithmetic))
                if isinstance(left, Variable) and isinstance(right, Variable) and left.anonymous and right.anonymous:
                    terms = (left,)
                where = "a comparison"
            case Compare(_, left, right):
                terms, where = (left, right), "a comparison"
            case Window(IntervalWindow(lo, hi)):
                terms, where = (lo, hi), "the end of a window"
            case _:
                terms, where = tuple(t for t in terms_of(node) if isinstance(t, Arithmetic)), "arithmetic"
        yield from ((v, where) for term in terms for v in variables_of(term) if v.anonymous)


def _name(literal: Formula) -> str:
    match literal:
        case Not():
            return "a negated literal"
        case Compare():
            return "a comparison"
        case Aggregate():
            return "an aggregate"
        case Select():
            return f"#{literal.end}"
        case Or() | Implies():
            return "a disjunction" if isinstance(literal, Or) else "an implication"
        case Atom():
            return "an argument"
        case _:
            return "a literal"


class _Elsewhere:
    """Which variables of a rule occur in braces, and which at the ends of windows."""

    def __init__(self, rule: Rule) -> None:
        nodes = [node for literal in rule.body for node in walk(literal)]
        self.in_braces = {v for node in nodes if isinstance(node, Braces) for v in variables_in(node)}
        self.at_ends = {term for node in nodes if isinstance(node, Window) for term in terms_of(node)}


def _unsafe(rule: Rule, variable: Variable, where: str, elsewhere: _Elsewhere) -> Diagnostic:
    place = rule.place(variable.offset, 1 if variable.anonymous else len(variable.name))
    if variable.anonymous:
        return Diagnostic(
            "E201", f"_ has no value in {where}", place, "give it a name and bind it with a positive literal"
        )
    note = f"bind {variable} with a positive literal, such as p({variable}), or with {variable} = …"
    if where == "a negated literal":
        note += "\nor write _ where the value does not matter"
    if where == "a disjunction":
        note += "\nor bind it in every alternative, or write _ where the value does not matter"
    if where not in ("a bound", "a target") and variable in elsewhere.in_braces:
        note += "\ninside braces, variables that also occur outside only group: bind them outside"
    if variable in elsewhere.at_ends:
        note += "\nthe ends of a window [T..U] must be bound by another literal"
    return Diagnostic("E201", f"{variable} is unsafe: it is used in {where}, but nothing binds it", place, note)
