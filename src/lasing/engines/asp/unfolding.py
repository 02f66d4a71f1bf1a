"""M, S, t ⊩ φ if some atoms of the stream may hold or not: the condition on them under which φ holds.

This is the entailment relation of the reference engine (LARS, Definition 7), with conditions in place of truth values.
The stream holds all atoms that may hold; those that certainly hold are `certain`, or data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from lasing.engines.asp import aggregates, selections
from lasing.engines.asp.conditions import Condition, Literal, TimedAtom, all_of, any_of, negation
from lasing.engines.reference.entailment import candidates, check_terms, evaluation_order, truth
from lasing.engines.reference.stream import NOTHING, Args, Derived, Facts, Stream
from lasing.engines.reference.structure import Binding, Structure
from lasing.logic.formulas import Aggregate, Atom, Braces, Formula, Select
from lasing.logic.terms import NOW, Arithmetic, Substitution, Variable, evaluate
from lasing.logic.values import Undefined

_FREE = object()
_MANY = 16


@dataclass(slots=True)
class Unknowns(Structure):
    """A structure in which derived atoms may hold or not, except those that are certain.

    `sound` are conditions without which the instance under evaluation has no value, and so fails. `indices` has the
    rows of a predicate at a time point by the values of an argument, and how many there were.
    """

    certain: set[TimedAtom] = field(default_factory=set)
    sound: list[Condition] = field(default_factory=list)
    indices: dict[tuple[int, str, int], tuple[int, dict[object, list[Args]]]] = field(default_factory=dict)


class Conditions:
    """The algebra of conditions: a formula holds if the uncertain atoms satisfy its condition."""

    def atom(self, m: Unknowns, s: Stream, t: int, predicate: str, args: Args) -> Condition:
        in_background = args in m.background.get(predicate, ()) and m.background_holds(s, t)
        if t in s.timeline and not in_background:
            if args in s.data.at(t, predicate) or args in s.remembered.at(t, predicate):
                return True
            if args in s.derived.at(t, predicate):
                atom = TimedAtom(t - m.now, predicate, args)
                return True if atom in m.certain else Literal(atom)
        return in_background

    def aggregate(self, m: Unknowns, s: Stream, t: int, formula: Aggregate, sub: Substitution) -> Condition:
        return aggregates.condition(m, formula, evaluate(formula.bound, sub), elements(m, s, t, formula, sub))

    def select(self, m: Unknowns, s: Stream, t: int, formula: Select, sub: Substitution) -> Condition:
        row = tuple(evaluate(target, sub) for target in formula.targets)
        return selections.condition(formula, row, elements(m, s, t, formula, sub))

    def known(self, truth: bool) -> Condition:
        return truth

    def negation(self, truth: Condition) -> Condition:
        return negation(truth)

    def all_of(self, truths: Iterable[Condition]) -> Condition:
        return all_of(truths)

    def any_of(self, truths: Iterable[Condition]) -> Condition:
        return any_of(truths)


CONDITIONS = Conditions()


def condition(m: Unknowns, s: Stream, t: int, formula: Formula, sub: Substitution) -> Condition:
    """The condition under which M, S, t ⊩ φσ."""
    return truth(CONDITIONS, m, s, t, formula, sub)


def instances(
    m: Unknowns,
    s: Stream,
    t: int,
    body: tuple[Formula, ...],
    given: Substitution,
    pivot: Formula | None = None,
    news: Derived = NOTHING,
) -> Iterator[tuple[Binding, Condition]]:
    """The substitutions, extending a given one, under which all formulas may hold at t, and when they do.

    With a pivot, only those that find an instance of that formula among the new atoms.
    """
    order = evaluation_order(m, s, body, given, pivot)
    return _extend(m, s, t, order, 0, {NOW: t, **given}, [], pivot, Stream(s.timeline, Facts(), news))


def _extend(
    m: Unknowns,
    s: Stream,
    t: int,
    order: Sequence[Formula],
    i: int,
    binding: Binding,
    so_far: list[Condition],
    pivot: Formula | None,
    news: Stream,
) -> Iterator[tuple[Binding, Condition]]:
    m.pulse()
    if i == len(order):
        yield binding, all_of(so_far)
        return
    literal = order[i]
    seen = news if literal is pivot else s
    if isinstance(literal, Atom) and not any(isinstance(term, Arithmetic) for term in literal.args):
        for found, here in _atom_instances(m, seen, t, literal, binding):
            yield from _extend(m, s, t, order, i + 1, found, so_far if here is True else [*so_far, here], pivot, news)
        return
    for found in candidates(m, seen, t, literal, binding):
        before, m.sound = m.sound, []
        try:
            check_terms(literal, found)
            here = all_of((condition(m, s, t, literal, found), *m.sound))
        except Undefined as reason:
            m.note_failure(reason, found)
            continue
        finally:
            m.sound = before
        if here is not False:
            yield from _extend(m, s, t, order, i + 1, found, so_far if here is True else [*so_far, here], pivot, news)


def _atom_instances(
    m: Unknowns, s: Stream, t: int, atom: Atom, binding: Binding
) -> Iterator[tuple[Binding, Condition]]:
    """The same for a single atom, the most frequent formula, without looking twice for what it finds."""
    predicate, terms = atom.predicate, atom.args
    known = [binding.get(term, _FREE) if isinstance(term, Variable) else term for term in terms]
    if _FREE not in known:
        here = CONDITIONS.atom(m, s, t, predicate, tuple(known))  # type: ignore[arg-type]  # all are values
        if here is not False:
            yield binding, here
        return
    for row in _rows(m, s, t, predicate, known):
        found = dict(binding)
        for term, wanted, value in zip(terms, known, row, strict=True):
            if wanted is _FREE:
                assert isinstance(term, Variable)
                if found.setdefault(term, value) != value:
                    break
            elif wanted != value:
                break
        else:
            yield found, CONDITIONS.atom(m, s, t, predicate, row)


def _rows(m: Unknowns, s: Stream, t: int, predicate: str, known: list[object]) -> Iterable[Args]:
    """The rows of a predicate at a time point. If there are many, it uses an index on the first known argument."""
    sources: list[Collection[Args]] = []
    if t in s.timeline:
        sources = [s.data.at(t, predicate), s.remembered.at(t, predicate), s.derived.at(t, predicate)]
    if m.background_holds(s, t):
        sources.append(m.background.get(predicate, {}))
    size = sum(map(len, sources))
    position = next((i for i, value in enumerate(known) if value is not _FREE), None)
    if position is None or size < _MANY or s is not m.stream:
        return dict.fromkeys(chain.from_iterable(sources))
    then, index = m.indices.get((t, predicate, position), (0, {}))
    if then != size:
        index = {}
        for row in dict.fromkeys(chain.from_iterable(sources)):
            index.setdefault(row[position], []).append(row)
        m.indices[t, predicate, position] = size, index
    return index.get(known[position], ())


def elements(m: Unknowns, s: Stream, t: int, formula: Braces, sub: Substitution) -> aggregates.Elements:
    """The tuples that braces may range over, each with the condition under which it does."""
    found: aggregates.Elements = {}
    for binding, when in instances(m, s, t, formula.condition, sub):
        try:
            row = tuple(evaluate(term, binding) for term in formula.terms)
        except Undefined as reason:
            m.note_failure(reason, binding)
            continue
        found[row] = any_of((found.get(row, False), when))
    return found


def possible_values(m: Structure, s: Stream, t: int, formula: Braces, sub: Substitution) -> Sequence[Args]:
    """All the values that the terms outside braces may have."""
    assert isinstance(m, Unknowns)
    found = elements(m, s, t, formula, sub)
    if isinstance(formula, Select):
        return selections.possible(formula, found)
    return [(value,) for value in aggregates.values(formula, found)]
