"""Explanations: derivations as values that can be printed, drawn, written as JSON, and checked.

An explanation has a step for each derived atom that it uses, once, however often it is used. The steps are in an order
in which each one uses only data, background, and steps before it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from lasing.explain.bindings import Binding
from lasing.explain.evidence import Args
from lasing.explain.premises import Found, Premise, founds
from lasing.explain.search import Instance, Search
from lasing.logic.formulas import Atom
from lasing.logic.program import Program, Rule

_MOST_TRIED = 1000
"""How many ways to derive an atom are tried, when all are asked for."""

Key = tuple[str, Args, int]
"""A derived atom: its predicate, arguments and time point."""


@dataclass(frozen=True, slots=True)
class Among:
    """Which model an explanation speaks of."""

    number: int | None
    """Its number in the answer, from 1 on; None if there are too many to number them."""
    models: int
    """How many models there are, or at least how many if they are too many to number."""
    agree: int
    """How many of them have the atom."""


@dataclass(frozen=True, slots=True)
class Step:
    """An atom that an instance of a rule derives, and why each literal of its body holds."""

    atom: Atom
    time: int
    rule: Rule
    binding: Binding
    premises: tuple[Premise, ...]
    head: int = 0
    """Which head of the rule it is."""
    others: tuple[tuple[Key, bool], ...] = ()
    """The other heads of a choice or a disjunction, and whether they hold."""

    @property
    def key(self) -> Key:
        return self.atom.predicate, self.atom.values, self.time


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why `atom` holds at `now` in the answer of `now`: because of `found`, if it is data, or else by `steps`."""

    program: Program = field(repr=False)
    now: int
    atom: Atom
    found: Found
    steps: tuple[Step, ...] = ()
    among: Among | None = None
    """The model that this is about, if the program can have several."""

    @property
    def size(self) -> int:
        """The number of steps."""
        return len(self.steps)

    def __str__(self) -> str:
        from lasing.explain.tree import tree

        return tree(self)

    def _repr_html_(self) -> str:
        from lasing.explain.picture import picture
        from lasing.explain.tree import branch_of

        return picture(branch_of(self))


class Derivations:
    """All derivations that a search has found for the atoms that a goal can rest on, and the cheapest of each.

    The cost of a derivation is the number of steps in it, counted as in a tree. A cheapest derivation exists for
    everything that is derived, and its premises cost less than itself, so it never runs in a circle.
    """

    def __init__(self, instances: dict[Key, list[Instance]]) -> None:
        self._instances = instances
        self._cost: dict[Key, int] = {}
        self._best: dict[Key, Instance] = {}  # in the order in which the costs became known
        self._is_staged = False
        self._choose()

    def has(self, key: Key) -> bool:
        """Whether there is a derivation of an atom."""
        return key in self._cost

    def proved(self) -> list[Key]:
        """The atoms that have a derivation."""
        return list(self._cost)

    def add(self, staged: Iterable[tuple[Key, Instance]], below: Mapping[Key, list[Instance]]) -> None:
        """Add instances that hold by what has a derivation so far, and go on from there. What has one keeps it.

        `below` has the instances of what they rest on.
        """
        self._is_staged = True
        self._instances = {**below, **self._instances}
        self._choose()
        for key, instance in staged:
            self._cost[key] = 1 + sum(self._cost[p] for p in derived_keys(instance))
            self._best[key] = instance
            self._instances[key].append(instance)
        self._choose()

    def best(self, key: Key) -> Instance:
        return self._best[key]

    def alternatives(self, key: Key) -> list[Instance]:
        """All derivations of an atom that do not rest on the atom itself, the cheapest first."""
        usable = [
            instance
            for instance in self._instances[key]
            if self._is_usable(instance) and key not in self._below(derived_keys(instance))
        ]
        return sorted(usable, key=lambda instance: sum(self._cost[p] for p in derived_keys(instance)))

    def steps(self, key: Key, first: Instance) -> tuple[Step, ...]:
        """The steps of the derivation of an atom that begins with an instance, premises first."""
        ordered: dict[Key, Step] = {}
        stack: list[tuple[Key, Instance, bool]] = [(key, first, False)]
        while stack:
            current, instance, is_ready = stack.pop()
            if current in ordered:
                continue
            if is_ready:
                ordered[current] = _step(current, instance)
                continue
            stack.append((current, instance, True))
            stack.extend((p, self._best[p], False) for p in reversed(derived_keys(instance)) if p not in ordered)
        if self._is_staged:  # then a step may rest on what is not derived yet
            number = {proved: i for i, proved in enumerate(self._best)}
            return tuple(sorted(ordered.values(), key=lambda step: (step.key == key, number[step.key])))
        return tuple(ordered.values())

    def proofs(self, key: Key) -> Iterator[tuple[Step, ...]]:
        """All derivations of an atom, one after the other, about in the order of their sizes.

        Two are different if some step in them is. One that has been found leads to others: each of its steps is derived
        in another way, while what was changed before stays as it is, and the rest is the cheapest again. The first
        comes at once, each further one takes a search, and never more of them than `_MOST_TRIED`.
        """
        found = [({key: first}, self.steps(key, first)) for first in self.alternatives(key)]
        found.sort(key=lambda one: len(one[1]))  # shared steps count once here, which changes the order at times
        if self._is_staged:
            yield from (steps for _, steps in found)
            return
        numbers = count()
        waiting = [(len(steps), next(numbers), choices, steps) for choices, steps in found]
        shown: set[frozenset[tuple[Key, int, int]]] = set()
        tried: set[frozenset[tuple[Key, int]]] = set()
        for _ in range(_MOST_TRIED):
            if not waiting:
                return
            _, _, choices, steps = heapq.heappop(waiting)
            steps = steps or self._with(key, choices)
            shape = frozenset((step.key, id(step.rule), id(step.binding)) for step in steps)
            if steps and shape not in shown:
                shown.add(shape)
                yield steps
            for step in steps:
                if step.key in choices:
                    continue
                for instance in self._instances[step.key]:
                    other = {**choices, step.key: instance}
                    which = frozenset((changed, id(chosen)) for changed, chosen in other.items())
                    if instance.binding is step.binding or which in tried or not self._is_usable(instance):
                        continue
                    tried.add(which)
                    longer = 1 + sum(self._cost[p] for p in derived_keys(instance)) - self._cost[step.key]
                    heapq.heappush(waiting, (len(steps) + max(longer, 0), next(numbers), other, ()))

    def _is_usable(self, instance: Instance) -> bool:
        return all(premise in self._cost for premise in derived_keys(instance))

    def _with(self, key: Key, choices: Mapping[Key, Instance]) -> tuple[Step, ...]:
        """The cheapest derivation in which some atoms are derived in given ways; empty if that runs in a circle."""
        restricted = Derivations({**self._instances, **{chosen: [one] for chosen, one in choices.items()}})
        return restricted.steps(key, restricted.best(key)) if restricted.has(key) else ()

    def _below(self, keys: list[Key]) -> set[Key]:
        """The atoms that the cheapest derivations of some atoms rest on, and these themselves."""
        found: set[Key] = set()
        stack = list(keys)
        while stack:
            key = stack.pop()
            if key not in found:
                found.add(key)
                stack.extend(derived_keys(self._best[key]))
        return found

    def _choose(self) -> None:
        """Find the cheapest derivation of everything, from the cheapest atoms on (Knuth's Dijkstra)."""
        using: dict[Key, list[tuple[Key, int]]] = {}
        missing: dict[tuple[Key, int], int] = {}
        ready: list[tuple[int, int, Key, int]] = []
        order = {key: number for number, key in enumerate(self._instances)}
        for key, instances in self._instances.items():
            if key in self._cost:
                continue
            for number, instance in enumerate(instances):
                needed = {premise for premise in derived_keys(instance) if premise not in self._cost}
                missing[key, number] = len(needed)
                for premise in needed:
                    using.setdefault(premise, []).append((key, number))
                if not needed:
                    known = sum(self._cost[p] for p in derived_keys(instance))
                    heapq.heappush(ready, (1 + known, order[key], key, number))
        while ready:
            cost, _, key, number = heapq.heappop(ready)
            if key in self._cost:
                continue
            self._cost[key], self._best[key] = cost, self._instances[key][number]
            for other, which in using.get(key, ()):
                missing[other, which] -= 1
                if missing[other, which] == 0 and other not in self._cost:
                    total = 1 + sum(self._cost[p] for p in derived_keys(self._instances[other][which]))
                    heapq.heappush(ready, (total, order[other], other, which))


def explanations(search: Search, atom: Atom, time: int) -> Iterator[Explanation]:
    """The explanations of a ground atom at a time point, the shortest first; none if it does not hold."""
    program, now = search.evidence.program, search.evidence.now
    for _, found in search.solve(search.whole, time, atom, {}):
        assert isinstance(found, Found)
        if found.origin != "derived":
            yield Explanation(program, now, atom, found)
            continue
        key = atom.predicate, atom.values, time
        derivations = Derivations(_reachable(search, key))
        for steps in derivations.proofs(key):
            yield Explanation(program, now, atom, found, steps)


def _reachable(search: Search, goal: Key) -> dict[Key, list[Instance]]:
    """The instances for a goal, and for everything that they rest on."""
    known = known_instances(search)
    found: dict[Key, list[Instance]] = {}
    stack = [goal]
    while stack:
        key = stack.pop()
        if key not in found:
            found[key] = list(known[key].values())
            stack.extend(premise for instance in found[key] for premise in derived_keys(instance))
    return found


def known_instances(search: Search) -> dict[Key, dict[int, Instance]]:
    """All derivations that a search has found, by what they derive."""
    known: dict[Key, dict[int, Instance]] = {}
    for question, answers in search.answers.items():
        for (time, args), instances in answers.rows.items():
            here = known.setdefault((question.predicate, args, time), {})
            for instance in instances:
                here.setdefault(hash((id(instance.rule), frozenset(instance.binding.items()))), instance)
    return known


def _step(key: Key, instance: Instance) -> Step:
    predicate, args, time = key
    return Step(Atom(predicate, args), time, instance.rule, instance.binding, instance.premises, instance.head)


def derived_keys(instance: Instance) -> list[Key]:
    """The derived atoms that an instance rests on."""
    keys: Mapping[Key, None] = {
        (found.atom.predicate, found.atom.values, found.time): None
        for premise in instance.premises
        for found in founds(premise)
        if found.origin == "derived"
    }
    return list(dict.fromkeys((*keys, *instance.also)))
