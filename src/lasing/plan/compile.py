"""Program → Plan: component by component, each after those it depends on.

If something cannot be planned, this raises `Unplanned` with the reason, and the program runs on the reference engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lasing.logic.dependencies import Strata, signed_atoms, stratify
from lasing.logic.facts import facts_of
from lasing.logic.formulas import (
    Aggregate,
    At,
    Atom,
    Compare,
    Formula,
    IntervalWindow,
    Not,
    Window,
    head_atom,
)
from lasing.logic.fragments import why_not_monotone
from lasing.logic.functions import AGGREGATES
from lasing.logic.program import Program, Rule
from lasing.logic.rewrites import plain
from lasing.logic.terms import Arithmetic, Term, Value, Variable, variables_of
from lasing.logic.variables import occurrences
from lasing.plan.build import columns, copies, untimed
from lasing.plan.inside import Inside
from lasing.plan.literals import NestedFormula, Outside, Predicates, Unplanned, Views, access
from lasing.plan.nodes import POINT, Derive, Fold, Lookup, Plan, PlanOutput, PlanRule, Recompute, Relation, Test
from lasing.plan.timeless import timeless

__all__ = ["Unplanned", "compile_plan"]

MOST_COLUMNS = 20
MOST_LOOKUPS = 60
MOST_TERMS = 200
"""What an engine has room for: arguments of a predicate, literals of a rule, variables and operands of a rule."""

MOST_CASES = 256
"""How many rules of the plan one rule may become, since each of its aggregates may be over something or nothing."""


def compile_plan(program: Program) -> Plan:
    """The plan of a stratified program, whose nested formulas are rewritten first. Raises `Unplanned` if there is none.

    The rules of the plan have the numbers of the original rules that they come from.
    """
    rewritten = plain(program)
    planned = rewritten.program
    rules = tuple(map(timeless, planned.rules))
    if any(new is not old for new, old in zip(rules, planned.rules, strict=True)):
        planned = replace(planned, rules=rules)  # only then, because a program keeps what is known about it
    try:
        return _Compiler(planned, rewritten.origin).compile()
    except NestedFormula as found:
        why = next(iter(rewritten.left.values()), "")
        raise Unplanned(f"{found}: {why}" if why else str(found)) from None


@dataclass
class _Body:
    """The body of a rule, as far as it is planned."""

    lookups: list[Lookup]
    tests: list[Test]

    def bound(self) -> set[Variable]:
        """The variables that lookups and assignments bind."""
        bound = {a for x in self.lookups if not x.negated for a in x.args if isinstance(a, Variable)}
        size = -1
        while len(bound) != size:
            size = len(bound)
            for test in self.tests:
                for target, source in ((test.left, test.right), (test.right, test.left)):
                    if test.comparison == "=" and not test.negated and isinstance(target, Variable):
                        bound |= {target} if bound.issuperset(variables_of(source)) else set()
        return bound


class _Compiler:
    def __init__(self, program: Program, numbers: Sequence[int]) -> None:
        if any(not rule.definite for rule in program.rules):
            raise Unplanned("the program may have several answers")
        self._program = program
        self._numbers = numbers
        self._strata: Strata = stratify(program)
        self._views = Outside(_predicates(program, self._strata))
        self._draft = self._views.draft
        self._aggregates = 0

    def compile(self) -> Plan:
        program, draft = self._program, self._draft
        arity = self._views.predicates.arity
        if self._strata.cycles:
            raise Unplanned("the program may have several answers")
        if max(arity.values(), default=0) > MOST_COLUMNS:
            raise Unplanned(f"more than {MOST_COLUMNS} arguments")
        for component, rules in zip(self._strata.components, _rules_of(program, self._strata), strict=True):
            self._component(component, [(self._numbers[i], program.rules[i]) for i in rules])
        shown = [p for p in sorted(program.output()) if p in arity]
        outputs = tuple(PlanOutput(p, self._views.derived(p)) for p in shown)
        if any(relation.arity > MOST_COLUMNS + 1 for relation in draft.relations.values()):
            raise Unplanned(f"an aggregate over more than {MOST_COLUMNS} variables")
        return Plan(
            tuple(draft.relations.values()),
            frozenset(draft.tracked),
            tuple(draft.feeds),
            tuple(draft.clocks),
            tuple(draft.guaranteed),
            tuple(draft.stages),
            outputs,
            tuple(draft.background),
            draft.counts_facts,
        )

    # -- components -----------------------------------------------------------------------------------------------

    def _component(self, component: frozenset[str], rules: list[tuple[int, Rule]]) -> None:
        if not component & self._views.predicates.counted:
            for number, rule in rules:
                self._draft.guaranteed += self._rules(number, rule, self._views, counted=False)
        elif component & self._strata.recursive:
            self._recursion(component, rules)
        else:
            planned = [p for number, rule in rules for p in self._rules(number, rule, self._views, counted=True)]
            (predicate,) = component
            self._derive(predicate, planned)

    def _derive(self, predicate: str, planned: list[PlanRule]) -> None:
        """A counted predicate: first what is derived `at T`, because T may be now."""
        views, stages = self._views, self._draft.stages
        now = views.derived(predicate)
        rules = [*copies(now, views.facts(predicate, POINT, timed=False)), *(r for r in planned if r.head == now)]
        if predicate in views.predicates.at_heads:
            timed = views.timed(predicate)
            stages.append(Derive(tuple(r for r in planned if r.head == timed), (timed,)))
            rules += untimed(now, views.gated(timed, POINT))
        stages.append(Derive(tuple(rules), (now,)))

    def _recursion(self, component: frozenset[str], rules: list[tuple[int, Rule]]) -> None:
        """Counted predicates that depend on one another."""
        inside = Inside(component, self._views)
        planned = [p for number, rule in rules for p in self._rules(number, rule, inside, counted=True)]
        outputs: list[tuple[Relation, Relation]] = []
        for predicate in sorted(component):
            outputs.append((self._views.derived(predicate), inside.derived(predicate)))
            if predicate in self._views.predicates.at_heads:
                outputs.append((self._views.timed(predicate), inside.timed(predicate)))
        self._draft.stages.append(
            Recompute(
                tuple(inside.inputs.items()),
                (*inside.rules, *planned),
                tuple(inside.boxes),
                tuple(outputs),
                inside.by_time,
            )
        )

    # -- rules ----------------------------------------------------------------------------------------------------

    def _rules(self, number: int, rule: Rule, views: Views, counted: bool) -> list[PlanRule]:
        """The rules of the plan for one rule of the program: several if an aggregate may be over nothing."""
        head = rule.heads[0]
        atom = head_atom(head)
        timed = isinstance(head, At)
        relation = views.timed(atom.predicate) if timed else views.derived(atom.predicate)
        args = (*atom.args, head.time) if isinstance(head, At) else atom.args
        others = [literal for literal in rule.body if not isinstance(_positive(literal), Aggregate)]
        body = self._body(others, views, counted)
        bodies = [body]
        for literal in rule.body:
            if isinstance(_positive(literal), Aggregate):
                cases = self._aggregate(number, literal, body, views)
                bodies = [_Body([*b.lookups, *c.lookups], [*b.tests, *c.tests]) for b in bodies for c in cases]
                if len(bodies) > MOST_CASES:
                    raise Unplanned(f"a rule of more than {MOST_CASES} cases: each aggregate may be over nothing")
        planned = []
        for body in bodies:
            if all(lookup.negated for lookup in body.lookups):
                body.lookups.insert(0, Lookup(self._always_true(views, counted), ()))
            found = PlanRule(relation, args, tuple(body.lookups), tuple(body.tests), number, timed=timed)
            planned.append(_small_enough(found))
        return planned

    def _body(self, literals: list[Formula], views: Views, counted: bool) -> _Body:
        body = _Body([], [])
        for literal in literals:
            self._literal(literal, views, body, counted)
        return body

    def _literal(self, literal: Formula, views: Views, body: _Body, counted: bool) -> None:
        negated = isinstance(literal, Not)
        positive = _positive(literal)
        if isinstance(positive, Compare):
            body.tests.append(Test(positive.operator, positive.left, positive.right, negated))
            return
        if negated and isinstance(positive, Window) and isinstance(positive.function, IntervalWindow):
            raise NestedFormula("not, before a window between two times")
        relation, args = access(self._views if negated else views, positive, body.tests)
        args = tuple(self._draft.simple(arg, body.tests) for arg in args)
        if negated:
            kept = tuple(i for i, arg in enumerate(args) if not (isinstance(arg, Variable) and arg.anonymous))
            if len(kept) < len(args):
                relation, args = self._projected(relation, kept), tuple(args[i] for i in kept)
            if isinstance(views, Inside):
                relation = views.copied(relation)
        if counted and not isinstance(views, Inside):
            self._draft.watched(relation)
        body.lookups.append(Lookup(relation, args, negated))

    def _projected(self, relation: Relation, kept: tuple[int, ...]) -> Relation:
        """Some columns of a relation: for the absence of any row that has these values."""
        target, new = self._draft.relation(f"{relation.name} on {kept}", len(kept), counted=True)
        if new:
            every = columns(relation.arity)
            rule = PlanRule(target, tuple(every[i] for i in kept), (Lookup(self._draft.watched(relation), every),))
            self._draft.stages.append(Derive((rule,), (target,)))
        return target

    def _always_true(self, views: Views, counted: bool) -> Relation:
        """A relation whose one row, without columns, always holds."""
        relation, new = self._draft.relation("true", 0)
        if new:
            self._draft.background.append((relation, (), None))
        if isinstance(views, Inside):
            return views.copied(relation)
        return self._draft.watched(relation) if counted else relation

    # -- aggregates -----------------------------------------------------------------------------------------------

    def _aggregate(self, number: int, literal: Formula, outer: _Body, views: Views) -> list[_Body]:
        """What an aggregate adds to the body of its rule: in one case it is over something, in the other over nothing.

        Its elements are a relation (group, terms), its values a relation (group, value).
        """
        negated = isinstance(literal, Not)
        aggregate = _positive(literal)
        assert isinstance(aggregate, Aggregate)
        condition = self._body(list(aggregate.condition), self._views, counted=True)
        result = {aggregate.bound} if isinstance(aggregate.bound, Variable) else set()
        group = sorted({v for v in occurrences(aggregate) if v not in result} & _within(aggregate), key=str)
        group += sorted(result & _within(aggregate), key=str)
        if not condition.bound().issuperset(group):
            if isinstance(views, Inside):
                raise Unplanned("an aggregate in a recursion that tests variables from outside")
            condition = _Body([*outer.lookups, *condition.lookups], [*outer.tests, *condition.tests])
            for lookup in condition.lookups:
                self._draft.watched(lookup.relation)
        if not condition.bound().issuperset(group):
            raise Unplanned("an aggregate that depends on another one")
        if all(lookup.negated for lookup in condition.lookups):
            condition.lookups.insert(0, Lookup(self._always_true(self._views, counted=True), ()))
        self._aggregates += 1
        name = f"#{aggregate.function} {self._aggregates}"
        elements, _ = self._draft.relation(f"elements of {name}", len(group) + len(aggregate.terms), True)
        values, _ = self._draft.relation(name, len(group) + 1, True)
        args = (*group, *aggregate.terms)
        rule = PlanRule(elements, args, tuple(condition.lookups), tuple(condition.tests), number)
        self._draft.stages.append(Derive((_small_enough(rule),), (elements,)))
        self._draft.stages.append(Fold(aggregate.function, elements, values, len(group), number))
        some = self._projected(elements, tuple(range(len(group))))
        if isinstance(views, Inside):
            values, some = views.copied(values), views.copied(some)
        value = self._draft.variable("value")
        test = Test(aggregate.operator, value, aggregate.bound, negated)
        over_something = _Body([Lookup(values, (*group, value))], [test])
        over_nothing = _Body([Lookup(some, tuple(group), negated=True)], [])
        of_nothing = AGGREGATES[aggregate.function].of_nothing
        if of_nothing is not None:
            over_nothing.tests.append(Test(aggregate.operator, of_nothing, aggregate.bound, negated))
        elif not negated:
            return [over_something]
        elif isinstance(aggregate.bound, Arithmetic):
            over_nothing.tests.append(Test("=", self._draft.variable("bound"), aggregate.bound))
        return [over_something, over_nothing]


# -- about programs --------------------------------------------------------------------------------------------------


def _predicates(program: Program, strata: Strata) -> Predicates:
    facts = facts_of(program)
    planned = facts.derived | facts.read | program.output()
    arity = {predicate: n for predicate, n in facts.arity.items() if predicate in planned}
    heads = [rule.heads[0] for rule in program.rules]
    background: dict[str, list[tuple[Value, ...]]] = {}
    for atom in program.background:
        background.setdefault(atom.predicate, []).append(atom.values)
    return Predicates(
        arity,
        frozenset(h.predicate for h in heads if isinstance(h, Atom)),
        frozenset(head_atom(h).predicate for h in heads if isinstance(h, At)),
        _counted(program, strata),
        background,
    )


def _rules_of(program: Program, strata: Strata) -> list[list[int]]:
    """For each component, the rules that derive its predicates, by their positions in the program."""
    component_of = {predicate: i for i, component in enumerate(strata.components) for predicate in component}
    rules: list[list[int]] = [[] for _ in strata.components]
    for place, rule in enumerate(program.rules):
        rules[component_of[head_atom(rule.heads[0]).predicate]].append(place)
    return rules


def _counted(program: Program, strata: Strata) -> frozenset[str]:
    """The predicates that depend on something non-monotone."""
    counted: set[str] = set()
    for component, rules in zip(strata.components, _rules_of(program, strata), strict=True):
        for literal in (f for i in rules for f in program.rules[i].body):
            if why_not_monotone(literal) or any(a.predicate in counted for a, _ in signed_atoms(literal)):
                counted |= component
    return frozenset(counted)


def _positive(literal: Formula) -> Formula:
    return literal.body if isinstance(literal, Not) else literal


def _within(aggregate: Aggregate) -> set[Variable]:
    """The variables between the braces, except the aggregate's own."""
    inside = {v for f in aggregate.condition for v in occurrences(f)}
    inside |= {v for t in aggregate.terms for v in variables_of(t)}
    return inside - aggregate.local


def _small_enough(rule: PlanRule) -> PlanRule:
    terms = [
        *rule.args,
        *(a for x in rule.lookups for a in x.args),
        *(t for x in rule.tests for t in (x.left, x.right)),
    ]
    if len(rule.lookups) > MOST_LOOKUPS or sum(map(_size, terms)) > MOST_TERMS:
        raise Unplanned(f"a rule of more than {MOST_LOOKUPS} literals or {MOST_TERMS} terms")
    return rule


def _size(term: Term) -> int:
    """How many registers a term may take."""
    return 1 + sum(map(_size, term.operands)) if isinstance(term, Arithmetic) else 1
