"""The answer stream of a stratified program at a time point (LARS, Definitions 8 and 9).

A stratified program has exactly one: the least fixpoint of its rules, taken component by component, each after the
predicates it depends on. What a rule derives is added to the interpretation stream until there is nothing new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lasing.engines.reference.entailment import instances
from lasing.engines.reference.stream import Args, Derived
from lasing.engines.reference.structure import Binding, Structure
from lasing.limits import too_many_atoms
from lasing.logic.dependencies import Strata
from lasing.logic.formulas import At, Atom, Formula, IntervalWindow, Sometime, TimeWindow, Window, atoms_of, head_atom
from lasing.logic.program import Program, Rule
from lasing.logic.terms import evaluate
from lasing.logic.values import Undefined

MOST_ATOMS = 200_000
"""How many atoms one time point may derive, by default."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """An atom that a rule derives, and its time."""

    time: int
    predicate: str
    args: Args


def derive(program: Program, strata: Strata, m: Structure) -> int:
    """Add everything that the program derives to the interpretation stream of M. Returns how many atoms lay before the
    start."""
    dropped: set[Derivation] = set()
    for component in strata.components:
        rules = [(i, r) for i, r in enumerate(program.rules) if head_atom(r.heads[0]).predicate in component]
        news = _apply(rules, m, dropped, component, None)
        while news.size and component & strata.recursive:
            news = _apply(rules, m, dropped, component, news)
    return len(dropped)


def _apply(
    rules: Iterable[tuple[int, Rule]],
    m: Structure,
    dropped: set[Derivation],
    component: frozenset[str],
    news: Derived | None,
) -> Derived:
    """Apply every rule once; after the first round, only to instances that use something new. Returns what is new."""
    fresh = Derived()
    most = MOST_ATOMS if m.watch is None else m.watch.limits.atoms or MOST_ATOMS
    for index, rule in rules:
        m.rule = index
        if m.watch is not None:
            m.watch.running = rule.place
        for found in list(_consequences(rule, m, component, news)):
            if found.time < m.stream.timeline.lo:
                dropped.add(found)
            elif m.stream.derived.add(found.time, found.predicate, found.args):
                fresh.add(found.time, found.predicate, found.args)
            if m.stream.derived.size > most:
                made = f"it has made {fresh.size:,} new ones in this round"
                raise too_many_atoms(most, m.now, rule.place(), made, m.watch)
    return fresh


def _consequences(rule: Rule, m: Structure, component: frozenset[str], news: Derived | None) -> Iterator[Derivation]:
    """The heads of the instances of a rule whose body holds now: all, or those that use something new."""
    for binding in _instances(rule, m, component, news):
        try:
            yield _head(rule, binding, m.now)
        except Undefined as reason:
            m.note_failure(reason, binding)


def _instances(rule: Rule, m: Structure, component: frozenset[str], news: Derived | None) -> Iterator[Binding]:
    if news is None:
        yield from instances(m, m.stream, m.now, rule.body, {})
        return
    for pivot in pivots(rule, component):
        yield from instances(m, m.stream, m.now, rule.body, {}, pivot, news)


def pivots(rule: Rule, component: frozenset[str]) -> list[Formula] | list[None]:
    """The literals that a new instance of the rule needs a new instance of; [None] if it may come from anything."""
    recursive = [f for f in rule.body if any(atom.predicate in component for atom in atoms_of(f))]
    return recursive if all(_is_positive_atom(literal) for literal in recursive) else [None]


def _is_positive_atom(literal: Formula) -> bool:
    """Whether the literal holds because of a single atom, so that a new instance of it needs a new atom."""
    match literal:
        case Atom() | At(_, Atom()) | Window(TimeWindow() | IntervalWindow(), Sometime(Atom()) | At(_, Atom())):
            return True
        case _:
            return False


def _head(rule: Rule, binding: Binding, now: int) -> Derivation:
    head = rule.heads[0]
    atom = head_atom(head)
    time = evaluate(head.time, binding) if isinstance(head, At) else now
    if not isinstance(time, int):
        raise Undefined("a head time that is not an integer")
    return Derivation(time, atom.predicate, tuple(evaluate(term, binding) for term in atom.args))
