"""Program → Plan: component by component, each after those it depends on.

If something cannot be planned, this raises `Unplanned` with the reason, and the program runs on the reference engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import is_not

from lasing.logic.dependencies import Strata, stratify
from lasing.logic.facts import facts_of
from lasing.logic.formulas import At, Atom, Not, atoms_of, head_atom
from lasing.logic.fragments import why_not_monotone
from lasing.logic.program import Program, Rule
from lasing.logic.rewrites import plain
from lasing.logic.tables import FactTable
from lasing.logic.values import Value
from lasing.plan.bodies import Bodies, NamesOfBraces, small_enough
from lasing.plan.build import copies, untimed
from lasing.plan.inside import Inside
from lasing.plan.literals import MOST_COLUMNS, NestedFormula, Outside, Predicates, Unplanned, Views
from lasing.plan.nodes import Derive, Plan, PlanOutput, PlanRule, Recompute, Stage
from lasing.plan.operators import Recall, Remember
from lasing.plan.relations import POINT, Relation
from lasing.plan.timeless import timeless

__all__ = ["Unplanned", "compile_plan"]


def compile_plan(program: Program) -> Plan:
    """The plan of a stratified program, whose nested formulas are rewritten first. Raises `Unplanned` if there is none.

    The rules of the plan have the numbers of the original rules that they come from.
    """
    rewritten = plain(program)
    planned = rewritten.program
    rules = tuple(map(timeless, planned.rules))
    if any(map(is_not, rules, planned.rules)):
        planned = replace(planned, rules=rules)  # only then, because a program keeps what is known about it
    try:
        return _Compiler(planned, rewritten.origin).compile()
    except NestedFormula as found:
        why = next(iter(rewritten.left.values()), "")
        raise Unplanned(f"{found}: {why}" if why else str(found)) from None


class _Compiler:
    def __init__(self, program: Program, numbers: Sequence[int]) -> None:
        if any(not rule.definite for rule in program.rules):
            raise Unplanned("the program may have several answers")
        self._program = program
        self._numbers = numbers
        self._strata: Strata = stratify(program)
        self._views = Outside(_predicates(program, self._strata))
        self._draft = self._views.draft
        self._names = NamesOfBraces()

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
            (*draft.recalls, *map(self._with_points, draft.stages)),
            outputs,
            tuple(draft.background),
            draft.counts_facts,
            tuple(draft.loads),
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
        for predicate in sorted(component & self._views.predicates.streams):
            self._draft.stages.append(Remember(predicate, self._views.derived(predicate), self._views.runs(predicate)))

    def _with_points(self, stage: Stage) -> Stage:
        """The stage, which knows whether some window over a derived stream asks for the times of its atoms."""
        if not isinstance(stage, Remember):
            return stage
        recalls = (s for s in (*self._draft.recalls, *self._draft.stages) if isinstance(s, Recall))
        return replace(stage, points=any(r.how == "at" and r.source == stage.target for r in recalls))

    def _derive(self, predicate: str, planned: list[PlanRule]) -> None:
        """A counted predicate: first what is derived `at T`, because T may be now."""
        views, stages = self._views, self._draft.stages
        now = views.derived(predicate)
        facts = () if predicate in views.predicates.no_facts else (views.facts(predicate, POINT, timed=False),)
        rules = [*copies(now, *facts), *(r for r in planned if r.head == now)]
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
        bodies = Bodies(number, self._views, views, counted, self._names).rule_bodies(rule.body)
        planned = []
        for body in bodies:
            found = PlanRule(relation, args, tuple(body.lookups), tuple(body.tests), number, timed=timed)
            planned.append(small_enough(found))
        return planned


# -- about programs --------------------------------------------------------------------------------------------------


def _predicates(program: Program, strata: Strata) -> Predicates:
    facts = facts_of(program)
    planned = facts.derived | facts.read | program.output()
    arity = {predicate: n for predicate, n in facts.arity.items() if predicate in planned}
    heads = [rule.heads[0] for rule in program.rules]
    background: dict[str, list[tuple[Value, ...]]] = {}
    for atom in program.background:
        background.setdefault(atom.predicate, []).append(atom.values)
    tables: dict[str, list[FactTable]] = {}
    for table in program.tables:
        background.setdefault(table.predicate, [])
        tables.setdefault(table.predicate, []).append(table)
    return Predicates(
        arity,
        frozenset(h.predicate for h in heads if isinstance(h, Atom)),
        frozenset(head_atom(h).predicate for h in heads if isinstance(h, At)),
        _counted(program, strata),
        background,
        program.remembered() & facts.derived,
        tables,
        frozenset(p for p in planned if not program.takes(p)) - facts.streamed,
    )


def _rules_of(program: Program, strata: Strata) -> list[list[int]]:
    """For each component, the rules that derive its predicates, by their positions in the program."""
    component_of = {predicate: i for i, component in enumerate(strata.components) for predicate in component}
    rules: list[list[int]] = [[] for _ in strata.components]
    for place, rule in enumerate(program.rules):
        rules[component_of[head_atom(rule.heads[0]).predicate]].append(place)
    return rules


def _counted(program: Program, strata: Strata) -> frozenset[str]:
    """The derived streams, and the predicates that depend on something non-monotone, or on one of them.

    What is absent from a closed predicate stays absent.
    """
    facts = facts_of(program)
    counted: set[str] = set(program.remembered() & facts.derived)
    closed = frozenset(program.closed) - facts.derived - facts.streamed
    for component, rules in zip(strata.components, _rules_of(program, strata), strict=True):
        for literal in (f for i in rules for f in program.rules[i].body):
            if isinstance(literal, Not) and isinstance(literal.body, Atom) and literal.body.predicate in closed:
                continue
            if why_not_monotone(literal) or (counted and any(a.predicate in counted for a in atoms_of(literal))):
                counted |= component
    return frozenset(counted)
