"""Why a program has no key to split it into shards by, in terms of its text, and what would help."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice

from lasing.logic.formulas import Atom, Braces, PartitionWindow, TupleWindow, Window, atoms_of, head_atom, walk
from lasing.logic.keys import Demand, Domains, KeyTerms, Roles, Steps, TooLong, body_atoms, narrow
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, Rule
from lasing.logic.terms import NOW, Arithmetic, Term, Variable, term_text

_MOST_ATTEMPTS = 24
_MOST_ALONE = 8
_MOST_PAIRED = 4
_STEPS_TO_HELP = 10_000


@dataclass(frozen=True, slots=True)
class NoKey:
    """A program has no key: why (a sentence without its full stop), the rule that prevents it, and what would help.

    `helps` completes "it would help to"; it is empty if no remedy is known.
    """

    why: str
    rule: Rule | None = None
    helps: str = ""


# -- what no choice of keys can fix ------------------------------------------------------------------------------------


def whole_stream(rule: Rule, number: int) -> NoKey | None:
    """A window that counts the facts of the whole stream."""
    for literal in rule.body:
        for node in walk(literal):
            if isinstance(node, Window) and isinstance(node.function, TupleWindow):
                why = f"{formula_text(node)} of rule {number} counts the facts of the whole stream"
                return NoKey(why, rule, _by_key(node))
    return None


def _by_key(window: Window) -> str:
    names = [arg.name for a in atoms_of(window.body) for arg in a.args if isinstance(arg, Variable) and _is_named(arg)]
    return f"count the facts of each key instead, as in [#1 by {names[0]}]" if names else ""


def _is_named(variable: Variable) -> bool:
    return not variable.anonymous and variable != NOW


def no_arguments(program: Program, roles: Roles) -> NoKey | None:
    """A stream predicate that has no argument that could be its key."""
    bare = {stream for stream in roles.streams if not roles.arity[stream]}
    for number, rule in enumerate(program.rules, 1):
        for atom in (*body_atoms(rule), *rule.head_atoms()):
            if atom.predicate in bare:
                return NoKey(f"{atom} in rule {number} comes from the stream and has no argument to be its key", rule)
    return None


def asked_too_much(program: Program, roles: Roles, replicated: frozenset[str]) -> NoKey | None:
    """A predicate that is to be in every shard, but depends on one that is not."""
    for number, rule in enumerate(program.rules, 1):
        sources = [atom for atom in body_atoms(rule) if atom.predicate in roles.domains]
        for head in rule.head_atoms():
            if sources and head.predicate in replicated:
                why = f"rule {number} derives {head}, which is to be in every shard, from {sources[0]}, which is not"
                return NoKey(why, rule)
    return None


# -- demands that conflict ---------------------------------------------------------------------------------------------


def explain(program: Program, part: Sequence[Demand], domains: Domains, streams: Sequence[str], steps: Steps) -> NoKey:
    """Why demands cannot all be satisfied: the attempt that satisfies the most of them, and the first one it does not.

    `part` comes in the order of evaluation, so that the first one is a cause and not a consequence.
    """
    chosen = ({**domains, stream: (i,)} for stream in streams for i in domains.get(stream, ()))
    best: _Attempt | None = None
    try:
        for seed in islice(chain([domains], chosen), _MOST_ATTEMPTS):
            attempt = _attempt(part, seed, steps)
            if attempt.refused and (best is None or len(attempt.refused) < len(best.refused)):
                best = attempt
    except TooLong:
        pass
    if best is None:
        return NoKey("each rule could be split by a key, but no choice of keys suits all of them")
    demand = best.refused[0]
    return _Failure(program.rules[demand.number - 1], demand, best.domains).reason()


@dataclass(frozen=True, slots=True)
class _Attempt:
    """The demands that conflict with earlier ones, and what was left to choose from before the first of them."""

    refused: list[Demand]
    domains: Domains


def _attempt(part: Sequence[Demand], seed: Domains, steps: Steps) -> _Attempt:
    refused: list[Demand] = []
    domains, before = dict(seed), seed
    touching: dict[str, list[Demand]] = {}
    for demand in part:
        if not narrow(domains, [demand], touching, steps):
            before = before if refused else dict(domains)
            refused.append(demand)
            continue
        for predicate in demand.terms:
            touching.setdefault(predicate, []).append(demand)
    return _Attempt(refused, before)


class _Failure:
    """A rule that cannot have a key, given the positions that other rules leave for its predicates."""

    def __init__(self, rule: Rule, demand: Demand, domains: Domains) -> None:
        self.rule = rule
        self.name = f"rule {demand.number}"
        self.domains = domains
        self.terms = KeyTerms(rule)
        self.body = [atom for atom in body_atoms(rule) if atom.predicate in demand.terms]
        self.head = head_atom(rule.heads[0])

    def reason(self) -> NoKey:
        for atom in self.body:
            if not self._offers(atom):
                return NoKey(self._lonely(atom), self.rule)
        # The more atoms, the fewer terms, so binary search finds the first atom that leaves none.
        apart = bisect_left(range(len(self.body)), True, key=lambda i: not self._common(self.body[: i + 1]))
        if apart < len(self.body):
            return NoKey(self._apart(self.body[apart], self.body[:apart]), self.rule)
        if not self._common((*self.body, self.head)):
            return self._dropped()
        key = self._name(self._common(self.body)[0])
        others = _listed(atom.predicate for atom in (*self.body, self.head))
        return NoKey(f"the key {key} of {self.name} does not fit the keys of other rules for {others}", self.rule)

    def _offers(self, atom: Atom) -> dict[int, Term]:
        """The positions and terms that can be the key of an atom, given what other rules need."""
        found = self.terms.positions(atom)
        return {i: found[i] for i in self.domains[atom.predicate] if i in found}

    def _common(self, atoms: Sequence[Atom]) -> list[Term]:
        """The terms that can be the key of all these atoms, if those of one predicate have it at one position."""
        offers: dict[str, dict[int, Term]] = {}
        for atom in atoms:
            here = self._offers(atom)
            known = offers.get(atom.predicate, here)
            offers[atom.predicate] = {i: term for i, term in known.items() if here.get(i) == term}
        first, *rest = offers.values()
        return [term for term in first.values() if all(term in terms.values() for terms in rest)]

    def _lonely(self, atom: Atom) -> str:
        """Why an atom has no key, whatever else the body has."""
        if not self.domains[atom.predicate]:
            return f"{atom} in {self.name} has no argument to be its key"
        position = self.domains[atom.predicate][0]
        term, by = atom.args[position], self.terms.by.get(atom.predicate)
        if by is not None and position not in by:
            return f"{self._taken(atom, position)} the key of {atom.predicate}, {_key(atom, position)}"
        match term:
            case Variable() if term in self.terms.local and not term.anonymous:
                return f"the #{self._function(atom)} of {self.name} ranges over all {term} of {atom}"
            case Variable():
                return f"{self.name} asks for {atom} with any value of its key, {_argument(position)}"
            case Arithmetic():
                return f"{self.name} computes the key of {atom}"
            case _:
                raise AssertionError(f"{term} can be a key")

    def _taken(self, atom: Atom, position: int) -> str:
        """The window that does not go by a position."""
        for node in (node for literal in self.rule.body for node in walk(literal)):
            match node:
                case Window(PartitionWindow(predicate=predicate, keys=keys)) if predicate == atom.predicate:
                    if all(position not in positions for positions in keys):
                        return f"{self.name} takes {formula_text(node)}, not by"
        raise AssertionError(f"all windows of {atom} go by {_argument(position)}")

    def _function(self, atom: Atom) -> str:
        """The word before the braces that an atom is in."""
        for node in (node for literal in self.rule.body for node in walk(literal)):
            if isinstance(node, Braces) and any(atom is a for part in node.condition for a in atoms_of(part)):
                return node.name
        raise AssertionError(f"{atom} has variables of braces")

    def _apart(self, atom: Atom, before: Sequence[Atom]) -> str:
        """Why an atom and those before it have no key in common."""
        other = next((a for a in before if not self._common((a, atom))), None)
        if other is None:
            return f"{self.name} joins {_listed(map(str, (*before, atom)))}, but no argument is common to all of them"
        theirs = self.terms.all_positions(atom).values()
        shared = [term for term in self.terms.all_positions(other).values() if term in theirs]
        if not shared:
            return f"{self.name} joins {other} and {atom}, which have no argument in common"
        for a, b in ((other, atom), (atom, other)):
            if not any(term in self.terms.positions(a).values() for term in shared):
                position = next(i for i, term in self.terms.all_positions(a).items() if term == shared[0])
                return f"{self._taken(a, position)} {_key(a, position)}, which it joins {b} on"
        text = f"{self.name} joins {other} and {atom} on {self._name(shared[0])}"
        for a in (other, atom):
            if shared[0] not in self._offers(a).values():
                return f"{text}, not on the key of {a.predicate}, {_key(a, self.domains[a.predicate][0])}"
        return f"{text}, which is a different argument in each"

    def _dropped(self) -> NoKey:
        """The body has a key, but the head does not have it where it should."""
        keys = self._common(self.body)
        carried = {term: i for i, term in self.terms.positions(self.head).items()}
        key = next((term for term in keys if term in carried), None)
        if key is None:
            name = self._name(keys[0])
            why = f"the head {self.head} of {self.name} does not carry the key {name}"
            recursive = any(atom.predicate == self.head.predicate for atom in self.body)
            return NoKey(why, self.rule, "" if recursive else f"add {name} to the head {self.head}")
        here = f"the head {self.head} of {self.name} has the key {self._name(key)} as {_argument(carried[key])}"
        if carried[key] in self.domains[self.head.predicate]:
            return NoKey(f"{here}, but the body of the rule has it elsewhere", self.rule)
        return NoKey(f"{here}, but other rules have it elsewhere", self.rule)

    def _name(self, key: Term) -> str:
        """The key as it is written in the body, perhaps as an equal term."""
        terms = ((atom.args[i], term) for atom in self.body for i, term in self.terms.all_positions(atom).items())
        return term_text(next(written for written, term in terms if term == key))


def _listed(words: Iterable[str]) -> str:
    *others, last = dict.fromkeys(words)
    return f"{', '.join(others)} and {last}" if others else last


def _key(atom: Atom, position: int) -> str:
    term = atom.args[position]
    return str(term) if isinstance(term, Variable) and not term.anonymous else _argument(position)


def _argument(position: int) -> str:
    return f"argument {position + 1}"


# -- what would help ---------------------------------------------------------------------------------------------------


def replication(
    program: Program, roles: Roles, rule: Rule | None, works: Callable[[frozenset[str], Steps], bool]
) -> str:
    """Which streams to give to every shard so that there is a key: one or two of them; empty if that does not help.

    Streams that the rule at fault depends on come first, and among them those that few rules use: copying them is
    probably cheap.
    """
    used = Counter(predicate for r in program.rules for predicate in {atom.predicate for atom in body_atoms(r)})
    place = {stream: i for i, stream in enumerate(roles.streams)}
    near = _depends_on(program, rule) if rule else set()
    ranked = sorted(roles.streams, key=lambda stream: (stream not in near, used[stream], -place[stream]))
    alone = combinations(ranked[:_MOST_ALONE], 1) if len(ranked) > 1 else ()
    pairs = combinations(ranked[:_MOST_PAIRED], 2) if len(ranked) > 2 else ()
    steps = Steps(_STEPS_TO_HELP)
    try:
        for chosen in (*alone, *pairs):
            if works(frozenset(chosen), steps):
                return f"replicate {_listed(sorted(chosen, key=place.__getitem__))}"
    except TooLong:
        pass
    return ""


def _depends_on(program: Program, rule: Rule) -> set[str]:
    """The predicates on which a rule depends, directly or through others."""
    rules_for: dict[str, list[Rule]] = {}
    for other in program.rules:
        for head in other.head_atoms():
            rules_for.setdefault(head.predicate, []).append(other)
    found: set[str] = set()
    waiting = [rule]
    while waiting:
        for predicate in {atom.predicate for atom in body_atoms(waiting.pop())} - found:
            found.add(predicate)
            waiting += rules_for.get(predicate, ())
    return found
