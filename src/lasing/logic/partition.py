"""How a program can be split into shards that know nothing about one another.

A predicate is *partitioned* on one of its arguments, its key: a fact is only in the shard that the value there belongs
to. Or it is *replicated*: all its facts are in every shard. A program can be split if in every rule the partitioned
atoms of the body, at any depth, have the same term at their keys, and the head has it too.
Then an instance of a rule that derives an atom with the key k looks only at atoms with the key k and at replicated
ones, so that the law holds:

    an atom with a key of shard s holds in shard s  iff  it holds in the whole

A rule whose body has no partitioned atom, or has them only under `not`, fires in every shard. If its head is
partitioned, shards derive atoms with keys of other shards. These may be wrong but do no harm, because only atoms with
the same keys depend on them. They are dropped at the output.

Shards have the timeline of the whole: its first and its last time point, whenever their own facts come.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from lasing.logic.dependencies import Strata, stratify
from lasing.logic.facts import facts_of
from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Select,
    Sometime,
    Window,
    head_atom,
    terms_of,
    walk,
)
from lasing.logic.fragments import fragment
from lasing.logic.implied import without_implied_conditions
from lasing.logic.keys import (
    MOST_STEPS,
    Demand,
    KeyTerms,
    Roles,
    Steps,
    TooLong,
    body_atoms,
    components,
    demand_of,
    roles_of,
    search,
)
from lasing.logic.no_key import NoKey, asked_too_much, explain, no_arguments, replication, whole_stream
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Arithmetic, Term
from lasing.logic.two_steps import in_two_steps

__all__ = ["NoKey", "Partition", "not_streamed", "partition"]

Keys = dict[str, int]


@dataclass(frozen=True, slots=True)
class Partition:
    """How to split a program, with evidence that this is correct.

    `keys` has every predicate of the program, streams first: the position of its key, counted from 0, or None if it is
    in every shard. This applies to all facts, background too: one of a partitioned predicate belongs to one shard only.

    `by_rule` has for each rule the term that its partitioned atoms share, or None if its body has none.

    `foreign` are the partitioned predicates for which a shard may derive atoms with keys of other shards, to drop.
    """

    keys: Mapping[str, int | None]
    by_rule: tuple[Term | None, ...]
    foreign: frozenset[str]


def partition(
    program: Program, replicated: frozenset[str] = frozenset(), background: frozenset[str] = frozenset()
) -> Partition | NoKey:
    """The keys by which a program without mistakes can be split, with the smallest positions; or why there are none.

    Stream predicates are partitioned unless they are `replicated`. Background predicates, and those in `background`,
    are partitioned if every rule has the key in them, and otherwise replicated. Conditions that follow from the rest of
    their rules do not count (see `implied.py`).
    """
    program = without_implied_conditions(program, background)
    strata = stratify(program)
    cyclic = {edge.head for cycle in strata.cycles for edge in cycle}
    for number, rule in enumerate(program.rules, 1):
        reason = fragment(rule, any(atom.predicate in cyclic for atom in rule.head_atoms()))
        if reason.fragment == "several answers":
            why = f"a program with several answers is evaluated as a whole, and rule {number} makes it one: "
            return NoKey(why + reason.why, rule)
        if refused := whole_stream(rule, number):
            return refused
    steps = Steps()
    try:
        result = _split(program, replicated, background, strata, steps)
    except TooLong:
        return NoKey(f"the search for a key gave up after {MOST_STEPS:,} steps")
    if isinstance(result, Partition):
        return result

    def works(more: frozenset[str], steps: Steps) -> bool:
        return isinstance(_split(program, replicated | more, background, strata, steps, False), Partition)

    def can_be_divided(second: Program) -> bool:
        try:
            return isinstance(_split(second, replicated, background, stratify(second), Steps(), False), Partition)
        except TooLong:
            return False

    helps = replication(program, roles_of(program, replicated, background), result.rule, works)
    helps = helps or in_two_steps(program, can_be_divided)
    return replace(result, helps=helps) if helps else result


def not_streamed(program: Program, streams: Collection[str]) -> frozenset[str]:
    """The predicates that rules read and that have background facts at most, if only `streams` get facts over time."""
    facts = facts_of(program)
    timed = {fact.atom.predicate for fact in program.data}
    return facts.read - facts.derived - timed.union(streams)


def _split(
    program: Program,
    replicated: frozenset[str],
    background: frozenset[str],
    strata: Strata,
    steps: Steps,
    explained: bool = True,
) -> Partition | NoKey:
    roles = roles_of(program, replicated, background)
    if not roles.streams:
        some = roles_of(program, (), background).streams
        return NoKey("every stream predicate is in every shard" if some else "no rule uses a stream predicate")
    refused = asked_too_much(program, roles, replicated) or no_arguments(program, roles)
    if refused:
        return refused
    keys: Keys = dict.fromkeys(roles.domains, 0)
    for part, domains in components(_demands(program, roles), roles.domains):
        found = search(part, domains, steps)
        if found is None:
            ordered = _in_order(part, program, strata)
            return explain(program, ordered, domains, roles.streams, steps) if explained else NoKey("")
        keys.update({predicate: position for predicate, (position,) in found.items()})
    keys.update(_tables(program, roles, keys))
    foreign = _foreign(program, keys)
    if endless := _endless(program, strata, keys, foreign):
        return endless
    others = {p: k for p, k in _every_predicate(program, roles, replicated).items() if p not in keys}
    return Partition({**keys, **others}, _witness(program, keys), foreign)


def _demands(program: Program, roles: Roles) -> list[Demand]:
    found = (demand_of(rule, number, roles.domains) for number, rule in enumerate(program.rules, 1))
    return [demand for demand in found if demand is not None]


def _in_order(part: list[Demand], program: Program, strata: Strata) -> list[Demand]:
    """Demands in the order in which their rules are evaluated."""
    level = {predicate: i for i, component in enumerate(strata.components) for predicate in component}
    return sorted(part, key=lambda d: (level[head_atom(program.rules[d.number - 1].heads[0]).predicate], d.number))


def _every_predicate(program: Program, roles: Roles, replicated: frozenset[str]) -> dict[str, int | None]:
    """All predicates as replicated, except those that occur in no rule: their facts may go anywhere."""
    facts = facts_of(program)
    bound = facts.derived | facts.read | roles.background | replicated
    return {p: 0 if arity and p not in bound else None for p, arity in roles.arity.items()}


def _tables(program: Program, roles: Roles, keys: Keys) -> Keys:
    """The background predicates whose atoms have the key of their rule, always in the same position.

    The key of a rule is what its head has at its own key, even if no other atom of the body is partitioned.
    """
    possible: dict[str, set[int]] = {}
    for rule in program.rules:
        atoms = [atom for atom in body_atoms(rule) if atom.predicate in roles.background]
        if not atoms:
            continue
        terms, head = KeyTerms(rule), head_atom(rule.heads[0])
        key = terms.positions(head).get(keys[head.predicate]) if head.predicate in keys else None
        for atom in atoms:
            here = {i for i, term in terms.positions(atom).items() if key is not None and term == key}
            possible[atom.predicate] = possible.get(atom.predicate, here) & here
    return {predicate: min(positions) for predicate, positions in possible.items() if positions}


def _witness(program: Program, keys: Keys) -> tuple[Term | None, ...]:
    return tuple(
        next((atom.args[keys[atom.predicate]] for atom in body_atoms(rule) if atom.predicate in keys), None)
        for rule in program.rules
    )


def _foreign(program: Program, keys: Keys) -> frozenset[str]:
    """The partitioned predicates for which a shard may derive atoms with keys of other shards.

    A rule does not do so if its body needs an atom of a predicate that is partitioned and not foreign.
    """
    waiting = [(rule, {a.predicate for literal in rule.body for a in _needed(literal)}) for rule in program.rules]
    foreign: set[str] = set()
    before = -1
    while before < len(foreign):
        before = len(foreign)
        for rule, needed in waiting:
            head = head_atom(rule.heads[0]).predicate
            if head in keys and head not in foreign and not any(p in keys and p not in foreign for p in needed):
                foreign.add(head)
    return frozenset(foreign)


def _endless(program: Program, strata: Strata, keys: Keys, foreign: frozenset[str]) -> NoKey | None:
    """A recursion that may stop in the whole program but run forever in a shard, for keys of other shards.

    It makes new values, and what would stop it is missing: `c(S,N+1) :- c(S,N), not limit(S,N)` in a shard that has
    c(S,0) but not the limits of S. Only foreign predicates can have more atoms in a shard than in the whole, and only
    if there are partitioned atoms under a negation, or in an aggregate, on the way.
    """
    excessive: set[str] = set()
    doubtful = [rule for rule in program.rules if head_atom(rule.heads[0]).predicate in foreign]
    before = -1
    while before < len(excessive):
        before = len(excessive)
        for rule in doubtful:
            needed = {id(atom) for literal in rule.body for atom in _needed(literal)}
            tested = {atom.predicate for atom in body_atoms(rule) if atom.predicate in keys and id(atom) not in needed}
            if tested or any(atom.predicate in excessive for atom in body_atoms(rule)):
                excessive.add(head_atom(rule.heads[0]).predicate)
    cycles = {p: component for component in strata.components for p in component & excessive}
    for number, rule in enumerate(program.rules, 1):
        cycle = cycles.get(head_atom(rule.heads[0]).predicate, frozenset())
        if any(atom.predicate in cycle for atom in body_atoms(rule)) and _computes(rule):
            why = f"the recursion of rule {number} makes new values, and may never end for the keys of other shards"
            return NoKey(why, rule)
    return None


def _computes(rule: Rule) -> bool:
    formulas = (node for formula in (*rule.heads, *rule.body) for node in walk(formula))
    return any(isinstance(term, Arithmetic) for node in formulas for term in terms_of(node))


def _needed(formula: Formula) -> Iterator[Atom]:
    """If the formula holds, some instance of one of these atoms holds at some time point."""
    match formula:
        case Atom():
            yield formula
        case And(parts):
            for part in parts:
                yield from _needed(part)
        case At(_, body) | Sometime(body) | Always(body) | Window(_, body):
            yield from _needed(body)
        case Compare() | Aggregate() | Select() | Not() | Or() | Implies():
            return
        case _:
            assert_never(formula)
