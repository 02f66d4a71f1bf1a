"""Bodies of rules and conditions in braces as lookups and tests.

A literal is looked up in a relation. What braces gather has relations of its own: their elements, rows (group, terms),
and what follows from them. The variables that occur outside the braces group. If the condition does not bind all of
them, the literals around the braces do: they restrict the groups to those that the rule can ask for.

A body may have several cases, because an aggregate is over something or over nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lasing.logic.formulas import (
    Aggregate,
    Braces,
    Compare,
    Formula,
    Not,
    Select,
    Window,
    atoms_of,
    terms_of,
    walk,
)
from lasing.logic.fragments import is_absence_between
from lasing.logic.functions import AGGREGATES
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.variables import bound_by, free_variables, inside, is_ready
from lasing.plan.body import Body, variables_in
from lasing.plan.build import columns
from lasing.plan.inside import Inside
from lasing.plan.literals import Outside, Unplanned, Views, access
from lasing.plan.nodes import Derive, Lookup, PlanRule, Test, Walk
from lasing.plan.operators import Concat, Extremes, Fold, Ranking
from lasing.plan.relations import Relation
from lasing.plan.walks import Walkable, walkable

MOST_LOOKUPS = 60
MOST_TERMS = 200
"""What an engine has room for: literals of a rule, variables and operands of a rule."""

MOST_CASES = 256
"""How many rules of the plan one rule may become, since each of its aggregates may be over something or nothing."""


@dataclass
class Bodies:
    """Plans the bodies of the rule with this number; `counted` if the rule is.

    In a recursion, `views` has relations for the predicates of the recursion itself (`own`), which exist only while it
    is computed. All else is planned as if outside of it.
    """

    number: int
    outside: Outside
    views: Views
    counted: bool
    names: NamesOfBraces
    own: set[Relation] = field(default_factory=set)

    def rule_bodies(self, literals: Sequence[Formula]) -> list[Body]:
        """The cases of a rule's body."""
        bodies = self._cases(literals, [Body()], self.counted)
        for body in bodies:
            self._begin_somewhere(body, self.counted)
            if isinstance(self.views, Inside):
                body.lookups = [self._copied(lookup, self.views) for lookup in body.lookups]
        return bodies

    def _copied(self, lookup: Lookup, views: Inside) -> Lookup:
        if lookup.relation in self.own:
            return lookup
        return Lookup(views.copied(lookup.relation), lookup.args, lookup.negated)

    def _cases(self, literals: Sequence[Formula], around: list[Body], counted: bool) -> list[Body]:
        """The cases of a conjunction. What is `around` it holds as well; braces may need it."""
        body = Body()
        for literal in literals:
            if not _gathers(literal):
                self._literal(literal, body, counted)
        given = frozenset(set.intersection(*(other.bound() for other in around)))
        cases, planned = [body], [literal for literal in literals if not _gathers(literal)]
        waiting = [literal for literal in literals if _gathers(literal)]
        while waiting:
            bound = bound_by(planned, given)
            chosen = next((i for i, f in enumerate(waiting) if is_ready(f, bound) and _needs(f) <= bound), None)
            if chosen is None:
                missing = sorted(str(v) for f in waiting for v in _needs(f) if v not in bound)
                raise Unplanned(_only_in_recursion(dict.fromkeys(missing)))
            planned.append(waiting.pop(chosen))
            context = [one.and_(other).without(self.own) for one in around for other in cases]
            added = self._gather(planned[-1], context)
            cases = _few([one.and_(other) for one in cases for other in added])
        return cases

    def _literal(self, literal: Formula, body: Body, counted: bool) -> None:
        """Add a literal without braces to a body."""
        positive = _positive(literal)
        if isinstance(positive, Compare):
            body.tests.append(Test(positive.operator, positive.left, positive.right, isinstance(literal, Not)))
            return
        views: Views = self.outside
        if isinstance(self.views, Inside) and _is_own(positive, self.views) and not isinstance(literal, Not):
            views = self.views
        relation, args = access(views, positive, body.tests)
        if views is not self.outside:
            self.own.add(relation)
        self._look_up(relation, args, isinstance(literal, Not), body, counted)

    def _look_up(self, relation: Relation, args: tuple[Term, ...], negated: bool, body: Body, counted: bool) -> None:
        args = tuple(self.outside.draft.simple(arg, body.tests) for arg in args)
        if negated:
            kept = tuple(i for i, arg in enumerate(args) if not (isinstance(arg, Variable) and arg.anonymous))
            if len(kept) < len(args):
                relation, args = self._projected(relation, kept), tuple(args[i] for i in kept)
        if counted and relation not in self.own and not isinstance(self.views, Inside):
            self.outside.draft.watched(relation)
        body.lookups.append(Lookup(relation, args, negated))

    def _projected(self, relation: Relation, kept: tuple[int, ...]) -> Relation:
        """Some columns of a relation: for the absence of any row that has these values."""
        draft = self.outside.draft
        target, new = draft.relation(f"{relation.name} on {kept}", len(kept), counted=True)
        if new:
            every = columns(relation.arity)
            rule = PlanRule(target, tuple(every[i] for i in kept), (Lookup(draft.watched(relation), every),))
            draft.stages.append(Derive((rule,), (target,)))
        return target

    def _begin_somewhere(self, body: Body, counted: bool) -> None:
        """Evaluation begins with a row: if all lookups are for absence, with one that is always there."""
        if not all(lookup.negated for lookup in body.lookups):
            return
        draft = self.outside.draft
        relation, new = draft.relation("true", 0)
        if new:
            draft.background.append((relation, (), None))
        if counted and not isinstance(self.views, Inside):
            draft.watched(relation)
        body.lookups.insert(0, Lookup(relation, ()))

    # -- braces -------------------------------------------------------------------------------------------------------

    def _gather(self, literal: Formula, context: list[Body]) -> list[Body]:
        """What a literal adds to its body, as cases."""
        positive, negated = _positive(literal), isinstance(literal, Not)
        match positive:
            case Aggregate():
                return self._aggregate(positive, negated, context)
            case Select():
                return [self._select(positive, negated, context)]
            case _:
                return [self._never(positive, context)]

    def _aggregate(self, aggregate: Aggregate, negated: bool, context: list[Body]) -> list[Body]:
        """In one case an aggregate is over something, in the other over nothing. Its values are rows (group, value)."""
        group = _group(aggregate)
        name = self.names.new(aggregate.name)
        cases = self._cases_in_braces(aggregate.condition, context)
        elements = self._elements(name, group, aggregate.terms, cases, context)
        draft = self.outside.draft
        values, _ = draft.relation(name, len(group) + 1, True)
        fold = Concat if AGGREGATES[aggregate.function].sorts else Fold
        draft.stages.append(fold(aggregate.function, elements, values, tuple(group), self.number))
        some = self._projected(elements, tuple(range(len(group))))
        value = draft.variable("value")
        test = Test(aggregate.operator, value, aggregate.bound, negated)
        over_something = Body([Lookup(values, (*group, value))], [test])
        over_nothing = Body([Lookup(some, tuple(group), negated=True)])
        of_nothing = AGGREGATES[aggregate.function].of_nothing
        if of_nothing is not None:
            over_nothing.tests.append(Test(aggregate.operator, of_nothing, aggregate.bound, negated))
        elif not negated:
            return [over_something]
        elif isinstance(aggregate.bound, Arithmetic):
            over_nothing.tests.append(Test("=", draft.variable("bound"), aggregate.bound))
        return [over_something, over_nothing]

    def _select(self, select: Select, negated: bool, context: list[Body]) -> Body:
        """The selected tuples are rows (group, terms).

        They are kept up to date, unless the condition compares terms with variables that it does not bind. Then there
        may be many groups with nearly the same elements, and the rule finds its tuple by walking through them.
        """
        group = _group(select)
        name = self.names.new(select.name)
        cases = self._cases_in_braces(select.condition, context)
        walked = None if negated or isinstance(self.views, Inside) else walkable(select, group, cases)
        if walked is not None:
            return self._walk(name, select, walked)
        elements = self._elements(name, group, select.terms, cases, context)
        draft, body = self.outside.draft, Body()
        chosen, _ = draft.relation(name, elements.arity, True)
        draft.stages.append(Extremes(select.end == "last", select.count, elements, chosen, len(group), self.number))
        self._look_up(chosen, (*group, *select.targets), negated, body, counted=True)
        return body

    def _walk(self, name: str, select: Select, walked: Walkable) -> Body:
        """The selected tuple is the best of the elements (group, terms, tested) that satisfies tests with bounds."""
        draft, body = self.outside.draft, Body()
        elements = self._elements(name, walked.group, walked.terms, [walked.case], [])
        groups, tests = len(walked.group), walked.tests
        chosen, _ = draft.relation(name, elements.arity + len(tests), True)
        draft.stages.append(Ranking(select.end == "last", elements, chosen, groups, tests, self.number))
        targets = [draft.simple(target, body.tests) for target in select.targets]
        tested = [draft.variable() for _ in walked.terms[len(targets) :]]
        args = (*walked.group, *targets, *tested, *walked.bounds)
        body.lookups.append(Lookup(chosen, args, walk=Walk(groups, len(tests))))
        return body

    def _never(self, literal: Formula, context: list[Body]) -> Body:
        """`not a in [T..U]`: the time points between T and U at which a holds are gathered, and there must be none."""
        assert isinstance(literal, Window)
        group = sorted((v for v in free_variables(literal) if not v.anonymous), key=str)
        cases = self._cases_in_braces((literal,), context)
        elements = self._elements(self.names.new("window"), group, (), cases, context)
        body = Body([Lookup(elements, tuple(group), negated=True)])
        for term in (term for node in walk(literal) for term in terms_of(node)):
            self.outside.draft.simple(term, body.tests)  # if a term has no value, the instance fails
        return body

    def _gathering(self) -> Bodies:
        """What plans the conditions in braces."""
        return Bodies(self.number, self.outside, self.outside, True, self.names)

    def _cases_in_braces(self, condition: Sequence[Formula], context: list[Body]) -> list[Body]:
        return self._gathering()._cases(condition, context, counted=True)

    def _elements(
        self,
        name: str,
        group: list[Variable],
        terms: tuple[Term, ...],
        cases: list[Body],
        context: list[Body],
    ) -> Relation:
        """The relation (group, terms) of what braces range over, given the cases of their condition."""
        if not all(case.bound().issuperset(group) for case in cases):
            cases = _few([one.and_(other) for one in context for other in cases])
        draft = self.outside.draft
        elements, _ = draft.relation(f"elements of {name}", len(group) + len(terms), True)
        rules = []
        for case in cases:
            if not case.bound().issuperset(group):
                raise Unplanned(_only_in_recursion(str(v) for v in group if v not in case.bound()))
            self._gathering()._begin_somewhere(case, counted=True)
            for lookup in case.lookups:
                draft.watched(lookup.relation)
            rule = PlanRule(elements, (*group, *terms), tuple(case.lookups), tuple(case.tests), self.number)
            rules.append(small_enough(rule))
        draft.stages.append(Derive(tuple(rules), (elements,)))
        return elements


@dataclass
class NamesOfBraces:
    """Numbers the relations of braces in a plan."""

    used: int = 0

    def new(self, word: str) -> str:
        self.used += 1
        return f"#{word} {self.used}"


def _gathers(literal: Formula) -> bool:
    """Whether a literal ranges over the instances of a condition."""
    match literal:
        case Not(body):
            return isinstance(body, Braces) or is_absence_between(literal)
        case _:
            return isinstance(literal, Braces)


def _needs(literal: Formula) -> set[Variable]:
    """The variables that must be bound before a literal is planned."""
    positive = _positive(literal)
    if isinstance(positive, Braces):
        return set(inside(positive))
    return {v for v in free_variables(positive) if not v.anonymous}


def _group(braces: Braces) -> list[Variable]:
    """The variables between braces that also occur outside; those of the terms outside come last."""
    outside = variables_in(braces.outside)
    return sorted(set(inside(braces)), key=lambda v: (v in outside, str(v)))


def _positive(literal: Formula) -> Formula:
    return literal.body if isinstance(literal, Not) else literal


def _is_own(literal: Formula, views: Inside) -> bool:
    return any(atom.predicate in views.own for atom in atoms_of(literal))


def _only_in_recursion(names: Iterable[str]) -> str:
    return f"braces in a recursion, for each {', '.join(names)}, which only the recursion binds"


def _few(bodies: list[Body]) -> list[Body]:
    if len(bodies) > MOST_CASES:
        raise Unplanned(f"a rule of more than {MOST_CASES} cases: each aggregate may be over nothing")
    return bodies


def small_enough(rule: PlanRule) -> PlanRule:
    """The rule, if an engine has room for it."""
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
