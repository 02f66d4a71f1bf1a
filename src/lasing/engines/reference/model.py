"""The answer stream of a stratified program at a time point (LARS, Definitions 8 and 9).

A stratified program has exactly one: the least fixpoint of its rules, taken component by component, each after the
predicates it depends on. What a rule derives is added to the interpretation stream until nothing new comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lasing.engines.reference.entailment import instances
from lasing.engines.reference.stream import Args
from lasing.engines.reference.structure import Binding, Structure
from lasing.errors import fault
from lasing.logic.dependencies import Strata
from lasing.logic.formulas import At, head_atom
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Undefined, evaluate

MOST_ATOMS = 1_000_000
"""How many atoms one time point may derive before the program is taken to be without end."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """An atom that a rule derives, and for when."""

    time: int
    predicate: str
    args: Args


def derive(program: Program, strata: Strata, m: Structure) -> int:
    """Add to the interpretation stream of M all that the program derives; how much of it lay before the start."""
    dropped: set[Derivation] = set()
    for component in strata.components:
        rules = [(i, r) for i, r in enumerate(program.rules) if head_atom(r.heads[0]).predicate in component]
        while _apply(rules, m, dropped) and component & strata.recursive:
            continue
    return len(dropped)


def _apply(rules: Iterable[tuple[int, Rule]], m: Structure, dropped: set[Derivation]) -> bool:
    """Apply every rule once; whether anything was new."""
    new = False
    for index, rule in rules:
        m.rule = index
        for found in list(_consequences(rule, m)):
            if found.time < m.stream.timeline.lo:
                dropped.add(found)
            elif m.stream.derived.add(found.time, found.predicate, found.args):
                new = True
        if m.stream.derived.size > MOST_ATOMS:
            raise _endless(rule, m.now)
    return new


def _consequences(rule: Rule, m: Structure) -> Iterator[Derivation]:
    """The heads of all instances of a rule whose body holds now."""
    for binding in instances(m, m.stream, m.now, rule.body, {}):
        try:
            yield _head(rule, binding, m.now)
        except Undefined as reason:
            m.note_failure(str(reason), binding)


def _head(rule: Rule, binding: Binding, now: int) -> Derivation:
    head = rule.heads[0]
    atom = head_atom(head)
    time = evaluate(head.time, binding) if isinstance(head, At) else now
    if not isinstance(time, int):
        raise Undefined("a head time that is no integer")
    return Derivation(time, atom.predicate, tuple(evaluate(term, binding) for term in atom.args))


def _endless(rule: Rule, now: int) -> Exception:
    return fault(
        "E304",
        f"more than {MOST_ATOMS:,} atoms are derived at time point {now}",
        rule.place(),
        "a recursion that makes new values or times, such as p(X+1) :- p(X), has no end: bound it with a comparison",
    )
