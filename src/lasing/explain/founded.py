"""Founded derivations in a model: each step rests on what is derived before it, so nothing supports itself.

A model is an answer if it is a minimal model of its reduct, the instances of rules whose bodies hold in it. So all of
it can be built up from nothing: an instance of the reduct whose body holds in what has been derived so far adds those
of its heads that are in the model. That never stops early, because what has been derived by then would be a smaller
model of the reduct.

Mostly it is enough to look at the reasons for which bodies hold in the model, and to choose a cheapest derivation from
them. A reason is enough if less cannot make the body false. Of a body under two negations, or of an aggregate with a
negation in it, all atoms in question are derived before. Where even that is not possible, because an aggregate depends
on itself, stages are computed literally.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from lasing.explain.bindings import Binding
from lasing.explain.explanation import (
    Among,
    Derivations,
    Explanation,
    Key,
    Step,
    derived_keys,
    known_instances,
)
from lasing.explain.premises import Found
from lasing.explain.search import Instance, Question, from_head, head_row
from lasing.explain.world import World, WorldSearch
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
    atoms_of,
    head_atom,
    walk,
)
from lasing.logic.program import Rule
from lasing.logic.terms import NOW, evaluate
from lasing.logic.values import Undefined


def explanations_in(search: WorldSearch, world: World, atom: Atom, time: int, among: Among) -> Iterator[Explanation]:
    """The explanations of a ground atom in a model, the shortest first; none if it does not hold there."""
    evidence = search.evidence
    for _, found in search.solve(search.whole, time, atom, {}):
        assert isinstance(found, Found)
        plain = Explanation(evidence.program, evidence.now, atom, found, among=among)
        if found.origin != "derived":
            yield plain
            continue
        key = atom.predicate, atom.values, time
        derivations = Foundations(search, world).derivations(key)
        for steps in derivations.proofs(key):
            yield replace(plain, steps=tuple(_with_others(search, step) for step in steps))


def _with_others(search: WorldSearch, step: Step) -> Step:
    """A step that says what else a choice or a disjunction had to offer."""
    heads = heads_of(step.rule, {**step.binding, NOW: search.evidence.now}, search.evidence.now) or []
    others = dict.fromkeys(key for key in heads if key != step.key)
    return replace(step, others=tuple((key, holds_in(search, key)) for key in others))


def holds_in(search: WorldSearch, key: Key) -> bool:
    """Whether an atom holds in a model."""
    predicate, args, time = key
    return next(search.solve(search.whole, time, Atom(predicate, args), {}), None) is not None


class Foundations:
    """The derivations of atoms in a model."""

    def __init__(self, search: WorldSearch, world: World) -> None:
        self._search, self._world = search, world
        self._by_predicate: dict[str, list[Key]] = {}
        for key in sorted(world.atoms, key=lambda key: (key[2], key[0], str(key[1]))):
            self._by_predicate.setdefault(key[0], []).append(key)
        self._instances: dict[Key, list[Instance]] = {}

    def derivations(self, goal: Key) -> Derivations:
        """Derivations of a goal and of what it rests on."""
        found = Derivations(self._reachable([goal]))
        if found.has(goal):
            return found
        wanted = [key for predicate in self._predicates(goal[0]) for key in self._by_predicate.get(predicate, ())]
        found = Derivations(self._reachable([goal, *wanted]))
        while not found.has(goal):
            proved = [key for key in found.proved() if key[0] in self._search.open]
            staged = list(self._staged([key for key in wanted if not found.has(key)], proved))
            assert staged, "an answer is a minimal model of its reduct"
            found.add(staged, self._reachable([each for _, instance in staged for each in derived_keys(instance)]))
        return found

    def _staged(self, missing: list[Key], proved: list[Key]) -> Iterator[tuple[Key, Instance]]:
        """Instances for what has no derivation yet, whose bodies hold in what has one."""
        search = self._search
        stage = search.within(proved)
        for key in missing:
            for instance in self._instances_of(key):
                rule = instance.rule
                held = next(stage.instances(stage.whole, search.evidence.now, rule.body, instance.binding), None)
                if held is not None:
                    read = {atom.predicate for literal in rule.body for atom in atoms_of(literal)}
                    also = tuple(each for each in proved if each[0] in read)
                    yield key, Instance(rule, instance.binding, held[1], instance.head, also)
                    break

    def _reachable(self, goals: list[Key]) -> dict[Key, list[Instance]]:
        """The instances for goals, and for everything that they rest on."""
        found: dict[Key, list[Instance]] = {}
        stack, decided = list(reversed(goals)), list[Key]()
        while stack:
            key = stack.pop()
            if key[0] not in self._search.open:
                decided.append(key)
            elif key not in found:
                found[key] = self._instances_of(key)
                stack.extend(premise for instance in found[key] for premise in derived_keys(instance))
        known = known_instances(self._search)  # now that all questions have been asked
        while decided:
            key = decided.pop()
            if key not in found:
                found[key] = list(known[key].values())
                decided.extend(premise for instance in found[key] for premise in derived_keys(instance))
        return found

    def _instances_of(self, key: Key) -> list[Instance]:
        """The instances of the reduct that an atom can come from, each with the reason why its body holds."""
        if key not in self._instances:
            self._instances[key] = list(self._deriving(key))
        return self._instances[key]

    def _deriving(self, key: Key) -> Iterator[Instance]:
        search, evidence = self._search, self._search.evidence
        predicate, args, time = key
        question = Question(predicate, tuple(range(len(args))), args, time)
        for rule in search.rules_for(predicate):
            for number, head in enumerate(rule.heads):
                if head_atom(head).predicate != predicate:
                    continue
                binding = from_head(rule, question, evidence.now, number)
                if binding is None:
                    continue
                also = self._unsettled(rule)
                for found, premises in search.instances(search.whole, evidence.now, rule.body, binding):
                    if head_row(head, found, evidence) == (time, args) and demands(search, rule, found):
                        yield Instance(rule, found, premises, number, also)

    def _unsettled(self, rule: Rule) -> tuple[Key, ...]:
        """The atoms of the model without which the body of a rule may hold or not, whatever the reasons are."""
        names = sorted({name for literal in rule.body for name in unsettled(literal)} & self._search.open)
        return tuple(key for name in names for key in self._by_predicate.get(name, ()))

    def _predicates(self, predicate: str) -> list[str]:
        """The open predicates that a predicate depends on, and itself."""
        found: dict[str, None] = {}
        stack = [predicate]
        while stack:
            name = stack.pop()
            if name in found or name not in self._search.open:
                continue
            found[name] = None
            for rule in self._search.rules_for(name):
                stack.extend(atom.predicate for literal in rule.body for atom in atoms_of(literal))
                stack.extend(atom.predicate for atom in rule.head_atoms())
        return sorted(found)


def demands(search: WorldSearch, rule: Rule, binding: Binding) -> bool:
    """Whether an instance of a rule demands anything: its heads have values, and no disjunct is there as data."""
    heads = heads_of(rule, binding, search.evidence.now)
    return heads is not None and (len(heads) == 1 or rule.choice or not any(_is_given(search, key) for key in heads))


def heads_of(rule: Rule, binding: Binding, now: int) -> list[Key] | None:
    """The atoms that an instance of a rule leaves the choice of; None if one has no value."""
    found: list[Key] = []
    for head in rule.heads:
        try:
            time = evaluate(head.time, binding) if isinstance(head, At) else now
            args = tuple([evaluate(term, binding) for term in head_atom(head).args])
        except Undefined:
            return None
        if type(time) is not int:
            return None
        found.append((head_atom(head).predicate, args, time))
    return found


def _is_given(search: WorldSearch, key: Key) -> bool:
    predicate, args, time = key
    evidence = search.evidence
    if evidence.background.of(predicate).count(tuple(range(len(args))), args):
        return evidence.start <= time <= evidence.now
    return evidence.data.holds(time, predicate, args)


_POSITIVE, _NEGATIVE, _BOTH = 1, -1, 0


def unsettled(formula: Formula, sign: int = _POSITIVE) -> Iterator[str]:
    """The predicates of which more or fewer atoms can make a formula true again although it has a reason.

    Without them, the reason for which a formula holds in a model is enough in every part of the model that has the
    atoms of the reason.
    """
    match formula:
        case Atom(predicate):
            if sign == _BOTH:
                yield predicate
        case Compare():
            return
        case Not(body):
            yield from unsettled(body, _NEGATIVE if sign == _POSITIVE else _BOTH)
        case Implies(left, right):
            yield from unsettled(left, _NEGATIVE if sign == _POSITIVE else _BOTH)
            yield from unsettled(right, sign)
        case And(parts) | Or(parts):
            for part in parts:
                yield from unsettled(part, sign)
        case At(_, body) | Sometime(body) | Always(body) | Window(_, body, _):
            yield from unsettled(body, sign)
        case Aggregate() | Select():
            for part in formula.condition:
                inner = unsettled(part, _BOTH) if sign != _POSITIVE or _negates(part) else ()
                yield from inner
        case _:
            assert_never(formula)


def _negates(formula: Formula) -> bool:
    return any(isinstance(node, Not | Implies | Aggregate | Select) for node in walk(formula))
