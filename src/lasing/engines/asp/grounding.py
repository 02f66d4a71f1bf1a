"""Which atoms may hold at a time point, and the instances of the rules that decide about them.

It goes component by component. An atom may hold if a rule has an instance whose body may hold; unknown atoms may be
true or false. For a component without recursion, everything that its rules depend on is complete, so one round is
enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from lasing.engines.asp.conditions import Condition, TimedAtom
from lasing.engines.asp.unfolding import Unknowns, instances
from lasing.engines.reference.model import pivots
from lasing.engines.reference.stream import Derived
from lasing.engines.reference.structure import Binding, Structure
from lasing.limits import too_many_atoms
from lasing.logic.dependencies import Strata
from lasing.logic.formulas import At, Head, head_atom
from lasing.logic.program import Penalty, Program, Rule
from lasing.logic.terms import evaluate
from lasing.logic.values import Undefined, Value

MOST_ATOMS = 200_000
"""How many atoms may hold at one time point, by default."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an answer in which a weak constraint's body holds."""

    level: int
    weight: int
    terms: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class GroundRule:
    """An instance of a rule: if the condition holds, so does a head; or any of them, for a choice; or it costs."""

    heads: tuple[TimedAtom, ...]
    body: Condition
    choice: bool = False
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Ground:
    """The instances of a program's rules, and the derived atoms that certainly hold."""

    rules: tuple[GroundRule, ...]
    certain: frozenset[TimedAtom]


class Grounding:
    """The rules of a program by component, for one time point after the other."""

    def __init__(self, program: Program, strata: Strata) -> None:
        number = {predicate: i for i, component in enumerate(strata.components) for predicate in component}
        self.component = number
        """The number of each predicate's component."""
        self._members = list(strata.components)
        self._recursive = [bool(component & strata.recursive) for component in strata.components]
        self._rules: list[list[tuple[int, Rule]]] = [[] for _ in strata.components]
        self._headless: list[tuple[int, Rule]] = []
        for i, rule in enumerate(program.rules):
            for there in {number[atom.predicate] for atom in rule.head_atoms()}:  # a choice may have several
                self._rules[there].append((i, rule))
            if not rule.heads:
                self._headless.append((i, rule))

    def _begin(self, m: Unknowns, index: int, rule: Rule) -> None:
        m.rule = index
        if m.watch is not None:
            m.watch.running = rule.place

    def ground(self, m: Unknowns) -> tuple[Ground, int]:
        """Add all that may hold to the stream of M. Returns the instances, and how many heads lay before the start."""
        found: dict[GroundRule, None] = {}
        dropped: set[TimedAtom] = set()
        for number, rules in enumerate(self._rules):
            news = self._spread(rules, m, number, None) if self._recursive[number] else Derived()
            while news.size:
                news = self._spread(rules, m, number, news)
            for index, rule in rules:
                self._begin(m, index, rule)
                for binding, when in list(instances(m, m.stream, m.now, rule.body, {})):
                    if instance := self._instance(rule, binding, when, m, number, dropped):
                        if when is True and rule.definite and not self._recursive[number]:
                            m.certain.update(instance.heads)
                        else:
                            found[instance] = None
        for index, rule in self._headless:
            self._begin(m, index, rule)
            for binding, when in instances(m, m.stream, m.now, rule.body, {}):
                if instance := self._instance(rule, binding, when, m, -1, dropped):
                    found[instance] = None
        open_rules = (rule for rule in map(partial(_still_open, m.certain), found) if rule is not None)
        return Ground(tuple(dict.fromkeys(open_rules)), frozenset(m.certain)), len(dropped)

    def _spread(self, rules: Iterable[tuple[int, Rule]], m: Unknowns, number: int, news: Derived | None) -> Derived:
        """Add what rules may derive; after the first round, only from what is new. Returns what is new now."""
        fresh = Derived()
        for index, rule in rules:
            self._begin(m, index, rule)
            for pivot in [None] if news is None else pivots(rule, self._members[number]):
                found = instances(m, m.stream, m.now, rule.body, {}, pivot, news or Derived())
                for binding, _ in list(found):
                    self._instance(rule, binding, True, m, number, set(), fresh)
        return fresh

    def _instance(
        self,
        rule: Rule,
        binding: Binding,
        when: Condition,
        m: Unknowns,
        number: int,
        dropped: set[TimedAtom],
        fresh: Derived | None = None,
    ) -> GroundRule | None:
        """The instance of a rule for a binding, with the heads of this component; these may hold from now on."""
        instance = instance_of(rule, binding, when, m, dropped)
        if instance is None or not instance.heads:
            return instance
        kept = tuple(head for head in instance.heads if self.component[head.predicate] == number)
        for head in kept:
            if m.stream.derived.add(m.now + head.ahead, head.predicate, head.args) and fresh is not None:
                fresh.add(m.now + head.ahead, head.predicate, head.args)
        most = MOST_ATOMS if m.watch is None else m.watch.limits.atoms or MOST_ATOMS
        if m.stream.derived.size > most:
            made = f"{m.stream.derived.size:,} atoms may hold so far"
            raise too_many_atoms(most, m.now, rule.place(), made, m.watch)
        if len(kept) == len(instance.heads):
            return instance
        return replace(instance, heads=kept) if kept else None


def instance_of(
    rule: Rule, binding: Binding, when: Condition, m: Structure, dropped: set[TimedAtom]
) -> GroundRule | None:
    """The instance of a rule for a binding, without heads before the start; None if it adds nothing."""
    try:
        cost = _cost(rule.penalty, binding)
        heads = list(_heads(rule.heads, binding, m.now))
    except Undefined as reason:
        m.note_failure(reason, binding)
        return None
    if not rule.choice and any(_is_given(head, m, rule.definite) for head in heads):
        return None  # it holds already, and so does the rule
    kept: dict[TimedAtom, None] = {}
    for head in heads:
        if m.now + head.ahead < m.stream.timeline.lo:
            dropped.add(head)
        elif not (rule.choice and _is_given(head, m, False)):
            kept[head] = None
    if heads and not kept:
        return None
    return GroundRule(tuple(kept), when, rule.choice, cost)


def _still_open(certain: set[TimedAtom], rule: GroundRule) -> GroundRule | None:
    """The rule without what certainly holds: that is no longer a choice, and no other head is needed."""
    if certain.isdisjoint(rule.heads):
        return rule
    left = tuple(head for head in rule.heads if head not in certain)
    return replace(rule, heads=left) if rule.choice and left else None


def _heads(heads: Iterable[Head], binding: Binding, now: int) -> Iterator[TimedAtom]:
    for head in heads:
        atom = head_atom(head)
        time = evaluate(head.time, binding) if isinstance(head, At) else now
        if not isinstance(time, int):
            raise Undefined("a head time that is not an integer")
        yield TimedAtom(time - now, atom.predicate, tuple(evaluate(term, binding) for term in atom.args))


def _is_given(head: TimedAtom, m: Structure, derived_anyway: bool) -> bool:
    """Whether an atom is data or background. A rule without a choice derives its head even if it is background."""
    if head.args in m.background.get(head.predicate, ()) and not derived_anyway:
        return m.stream.timeline.lo <= m.now + head.ahead <= m.now
    return head.args in m.stream.data.at(m.now + head.ahead, head.predicate)


def _cost(penalty: Penalty | None, binding: Binding) -> Cost | None:
    if penalty is None:
        return None
    weight, level = evaluate(penalty.weight, binding), evaluate(penalty.level, binding)
    if not isinstance(weight, int) or not isinstance(level, int):
        raise Undefined("a cost that is not an integer")
    return Cost(level, weight, tuple(evaluate(term, binding) for term in penalty.terms))
