"""The search for keys: which argument of each partitioned predicate decides the shard of a fact.

A rule whose body has partitioned atoms makes one demand: all of them, and its head, have the same term at their key.
Whether a predicate is partitioned needs no search: it is if it is streamed, or depends on one that is. The search only
chooses positions. Each predicate has a domain of them; a demand narrows the domains of its predicates to what they
have in common; if that leaves a choice, the smallest position is tried first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lasing.logic.facts import facts_of
from lasing.logic.formulas import Aggregate, Atom, Compare, PartitionWindow, Select, Window, atoms_of, walk
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Arithmetic, Term, Variable

Domains = Mapping[str, tuple[int, ...]]
"""The positions, in ascending order, that can still be the key of a predicate."""

MOST_STEPS = 300_000
"""How many demands are examined before the search gives up: a second or two."""


class TooLong(Exception):  # noqa: N818 -- no error: there may be keys, and they were not found
    """The search has used up all its steps."""


@dataclass(slots=True)
class Steps:
    """The steps that a search may still take."""

    left: int = MOST_STEPS

    def take(self) -> None:
        if self.left <= 0:
            raise TooLong
        self.left -= 1


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of predicates in sharding, in the order in which they are written.

    `streams` occur in some rule and need not be in every shard. They are partitioned, and so are predicates that depend
    on them: `domains` has all of these, streams first, with all their positions. `background` predicates are only
    tables. All other predicates are in every shard.
    """

    arity: Mapping[str, int]
    streams: tuple[str, ...]
    domains: Domains
    background: frozenset[str]


@dataclass(frozen=True, slots=True)
class Demand:
    """A rule demands that all its partitioned predicates have the same term at their keys.

    `terms` has for each of them the positions that can be its key, as far as this rule goes, and the term there.
    """

    number: int
    terms: Mapping[str, Mapping[int, Term]]

    def common(self, domains: Domains) -> set[Term]:
        """The terms that can be the key of the rule."""
        found = [{terms[i] for i in domains[p] if i in terms} for p, terms in self.terms.items()]
        return set.intersection(*found)


# -- what is there -----------------------------------------------------------------------------------------------------


def roles_of(program: Program, replicated: Collection[str] = (), background: Collection[str] = ()) -> Roles:
    """The roles of a program's predicates; `replicated` streams and `background` predicates are in every shard."""
    facts = facts_of(program)
    derived, declared = facts.derived, facts.streamed
    written = dict.fromkeys(a.predicate for rule in program.rules for a in (*rule.head_atoms(), *body_atoms(rule)))
    only_tables = {p for p in (facts.background - declared).union(background) if p not in derived}
    streams = tuple(
        p for p in written if p not in replicated and p not in only_tables and (p in declared or p not in derived)
    )
    rules_with: dict[str, list[Rule]] = {}
    for rule in program.rules:
        for atom in body_atoms(rule):
            rules_with.setdefault(atom.predicate, []).append(rule)
    partitioned = dict.fromkeys(streams)
    waiting = list(streams)
    while waiting:
        for rule in rules_with.get(waiting.pop(), ()):
            heads = [a.predicate for a in rule.head_atoms() if a.predicate not in partitioned]
            partitioned.update(dict.fromkeys(heads))
            waiting += heads
    arity = facts.arity_with_data
    behind = (p for p in written if p in partitioned)  # `partitioned` itself depends on how the program was walked
    domains = {p: tuple(range(arity[p])) for p in dict.fromkeys((*streams, *behind))}
    return Roles(arity, streams, domains, frozenset(only_tables))


def body_atoms(rule: Rule) -> Iterator[Atom]:
    """The atoms of a body, at any depth."""
    return (atom for literal in rule.body for atom in atoms_of(literal))


class KeyTerms:
    """Which terms of a rule can be a key, and which of them are equal.

    A key is a constant or a variable of the rule as a whole, not a local variable of braces, nor `_`. `X = Y` in
    the body makes two terms equal. A window `by` keeps facts for each value of some arguments: no other argument can be
    the key of its predicate.
    """

    def __init__(self, rule: Rule) -> None:
        self._stands_for: dict[Term, Term] = {}
        self.local: set[Variable] = set()
        self.by: dict[str, frozenset[int]] = {}
        for literal in rule.body:
            if isinstance(literal, Compare) and literal.operator == "=":
                self._unite(literal.left, literal.right)
            for node in walk(literal):
                match node:
                    case Aggregate(local=local) | Select(local=local):
                        self.local |= local
                    case Window(PartitionWindow(predicate=predicate, keys=keys)):
                        here = frozenset(i for positions in keys for i in positions)
                        self.by[predicate] = self.by.get(predicate, here) & here
                    case _:
                        pass

    def _unite(self, left: Term, right: Term) -> None:
        one, other = self.same(left), self.same(right)
        if one != other and not isinstance(one, Arithmetic) and not isinstance(other, Arithmetic):
            self._stands_for[one] = other

    def same(self, term: Term) -> Term:
        """The term that represents all those equal to this one."""
        while term in self._stands_for:
            term = self._stands_for[term]
        return term

    def can_be_key(self, term: Term) -> bool:
        match term:
            case Variable():
                return not term.anonymous and term not in self.local
            case Arithmetic():
                return False
            case _:
                return True

    def positions(self, atom: Atom) -> dict[int, Term]:
        """The positions of an atom that can be its key, and the terms there."""
        by = self.by.get(atom.predicate)
        return {i: term for i, term in self.all_positions(atom).items() if by is None or i in by}

    def all_positions(self, atom: Atom) -> dict[int, Term]:
        """Like `positions`, but ignores windows."""
        return {i: self.same(term) for i, term in enumerate(atom.args) if self.can_be_key(term)}


def demand_of(rule: Rule, number: int, partitioned: Collection[str]) -> Demand | None:
    """The demand of a rule with one head; None if its body has no partitioned atom, and so makes no demand."""
    body = [atom for atom in body_atoms(rule) if atom.predicate in partitioned]
    if not body:
        return None
    key_terms = KeyTerms(rule)
    terms: dict[str, dict[int, Term]] = {}
    for atom in (*body, *rule.head_atoms()):
        here = key_terms.positions(atom)
        known = terms.get(atom.predicate, here)
        terms[atom.predicate] = {i: term for i, term in known.items() if i in here and here[i] == term}
    return Demand(number, terms)


# -- the search --------------------------------------------------------------------------------------------------------


def components(demands: Sequence[Demand], domains: Domains) -> list[tuple[list[Demand], Domains]]:
    """The demands, grouped by shared predicates, directly or through others: each group is searched on its own."""
    touching = touched_by(demands)
    parts: list[list[Demand]] = []
    home: dict[str, int] = {}
    seen: set[int] = set()
    for first in demands:
        part, waiting = [], [first]
        while waiting:
            demand = waiting.pop()
            if demand.number not in seen:
                seen.add(demand.number)
                part.append(demand)
                home.update(dict.fromkeys(demand.terms, len(parts)))
                waiting += [other for predicate in demand.terms for other in touching.pop(predicate, ())]
        if part:
            parts.append(sorted(part, key=lambda demand: demand.number))
    own: list[dict[str, tuple[int, ...]]] = [{} for _ in parts]
    for predicate, domain in domains.items():
        if predicate in home:
            own[home[predicate]][predicate] = domain
    return list(zip(parts, own, strict=True))


def touched_by(demands: Iterable[Demand]) -> dict[str, list[Demand]]:
    """For each predicate, the demands that concern it."""
    touching: dict[str, list[Demand]] = {}
    for demand in demands:
        for predicate in demand.terms:
            touching.setdefault(predicate, []).append(demand)
    return touching


def narrow(
    domains: dict[str, tuple[int, ...]],
    first: Iterable[Demand],
    touching: Mapping[str, Iterable[Demand]],
    steps: Steps,
) -> bool:
    """Remove from the domains what demands rule out: the `first` ones, and then all that a change affects.

    If a domain would become empty, the domains stay unchanged, and the answer is no.
    """
    before: dict[str, tuple[int, ...]] = {}
    waiting = deque(first)
    queued = {demand.number for demand in waiting}
    while waiting:
        steps.take()
        demand = waiting.popleft()
        queued.discard(demand.number)
        common = demand.common(domains)
        for predicate, terms in demand.terms.items():
            kept = tuple(i for i in domains[predicate] if i in terms and terms[i] in common)
            if not kept:
                domains.update(before)
                return False
            if kept == domains[predicate]:
                continue
            before.setdefault(predicate, domains[predicate])
            domains[predicate] = kept
            for other in touching.get(predicate, ()):
                if other is not demand and other.number not in queued:  # its own domains are already consistent
                    queued.add(other.number)
                    waiting.append(other)
    return True


def search(part: Sequence[Demand], domains: Domains, steps: Steps) -> Domains | None:
    """The keys that satisfy all demands, as domains of one position; None if there are none.

    If there are several solutions, it is the one with the smallest positions, compared in the order of `domains`. The
    search is depth first with an explicit stack: programs may have more predicates than Python has stack frames.
    """
    touching = touched_by(part)
    found = dict(domains)
    fits = narrow(found, part, touching, steps)
    choices: list[tuple[str, list[int], Domains]] = []
    while True:
        if fits:
            chosen = next((p for p, domain in found.items() if len(domain) > 1), None)
            if chosen is None:
                return found
            choices.append((chosen, list(found[chosen]), found))
        while choices and not choices[-1][1]:
            choices.pop()
        if not choices:
            return None
        predicate, rest, before = choices[-1]
        found = {**before, predicate: (rest.pop(0),)}
        fits = narrow(found, touching[predicate], touching, steps)
