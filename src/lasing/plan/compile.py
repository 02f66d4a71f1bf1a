"""Program → Plan.

Each literal is a row in some relation. `p` is the relation of p now; `p in [n]` and `p at T in [n]` have relations of
their own, fed by the facts of p with the window's length and by rules from what is derived. A predicate derived `at
T` has a relation (args, T) from which all these take, each cut at its window's end.

What is not planned yet raises `Unplanned` with its reason, and the program runs on the reference engine.
"""

from __future__ import annotations

from lasing.logic.dependencies import Strata, signed_atoms, stratify
from lasing.logic.formulas import (
    Aggregate,
    Always,
    At,
    Atom,
    Compare,
    Formula,
    Not,
    PartitionWindow,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
    head_atom,
)
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Arithmetic, Term, Value, Variable
from lasing.plan.nodes import Box, Derive, Feed, LastFacts, Lookup, Plan, PlanRule, Relation, Stage, Test

MOST_COLUMNS = 20
MOST_LOOKUPS = 60
MOST_TERMS = 200
"""What an engine has room for: arguments of a predicate, literals of a rule, variables and operands of a rule."""


class Unplanned(Exception):  # noqa: N818 -- no error: another engine takes over
    """The program has something for which there is no plan yet."""


def compile_plan(program: Program) -> Plan:
    """The plan of a stratified program; `Unplanned` where there is none."""
    return _Compiler(program).compile()


class _Compiler:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._strata: Strata = stratify(program)
        self._arity = {a.predicate: len(a.args) for r in program.rules for a in _atoms(r)}
        self._arity |= {s.predicate: s.arity for s in program.show or ()}
        self._background: dict[str, list[Atom]] = {}
        for atom in program.background:
            self._background.setdefault(atom.predicate, []).append(atom)
        self._now_heads = {a.predicate for r in program.rules for h in r.heads if isinstance(h, Atom) for a in (h,)}
        self._at_heads = {head_atom(h).predicate for r in program.rules for h in r.heads if isinstance(h, At)}
        self._counted = self._counted_predicates()
        self._relations: dict[str, Relation] = {}
        self._tracked: set[Relation] = set()
        self._feeds: list[Feed] = []
        self._guaranteed: list[PlanRule] = []
        self._stages: list[Stage] = []
        self._fresh = 0
        self._kept_facts = 0

    def compile(self) -> Plan:
        program = self._program
        if any(len(rule.heads) != 1 for rule in program.rules) or self._strata.cycles:
            raise Unplanned("the program may have several answers")
        if max(self._arity.values(), default=0) > MOST_COLUMNS:
            raise Unplanned(f"more than {MOST_COLUMNS} arguments")
        for component in self._strata.components:
            self._component(component)
        outputs = {}
        for predicate in sorted(program.output()):
            if predicate not in self._arity:
                continue
            outputs[predicate] = self._watched(self._now(predicate))
        return Plan(
            tuple(self._relations.values()),
            frozenset(self._tracked),
            tuple(self._feeds),
            tuple(self._guaranteed),
            tuple(self._stages),
            outputs,
            tuple(self._background_rows()),
            self._kept_facts,
        )

    # -- planes ---------------------------------------------------------------------------------------------------

    def _counted_predicates(self) -> frozenset[str]:
        """The predicates that rest on something that is not monotone."""
        counted: set[str] = set()
        for component in self._strata.components:
            rules = (
                [r for r in self._program.rules if head_atom(r.heads[0]).predicate in component] if component else []
            )
            if any(
                not _monotone(f) or any(a.predicate in counted for a, _ in signed_atoms(f))
                for r in rules
                for f in r.body
            ):
                if component & self._strata.recursive:
                    raise Unplanned("a recursion that is not monotone")
                counted |= component
        return frozenset(counted)

    def _component(self, component: frozenset[str]) -> None:
        rules = [(i, r) for i, r in enumerate(self._program.rules) if head_atom(r.heads[0]).predicate in component]
        counted = bool(component & self._counted)
        planned = [self._rule(i, r, counted) for i, r in rules]
        if not counted:
            self._guaranteed += planned
            return
        for predicate in component:
            now = self._now(predicate)
            data = self._data(predicate, "now", 0, timed=False)
            args = self._columns(predicate)
            planned.append(PlanRule(now, args, (Lookup(self._watched(data), args),)))
            self._stages.append(Derive(tuple(r for r in planned if r.head == now), (now,)))

    # -- relations ------------------------------------------------------------------------------------------------

    def _relation(self, name: str, arity: int, counted: bool = False) -> tuple[Relation, bool]:
        """The relation of that name, and whether it is new."""
        if name in self._relations:
            return self._relations[name], False
        self._relations[name] = Relation(name, arity, counted)
        return self._relations[name], True

    def _watched(self, relation: Relation) -> Relation:
        if not relation.counted:
            self._tracked.add(relation)
        return relation

    def _data(self, predicate: str, form: str, back: int | None, timed: bool) -> Relation:
        """The facts of a predicate alone."""
        relation, new = self._relation(f"data {predicate} {form} {back}", self._arity[predicate] + timed)
        if new:
            self._feeds.append(Feed(predicate, relation, back, timed))
        return relation

    def _columns(self, predicate: str) -> tuple[Variable, ...]:
        return tuple(Variable(f"C{i}") for i in range(self._arity[predicate]))

    def _now(self, predicate: str) -> Relation:
        """`p`: its facts of this time point, and what is derived for it."""
        counted = predicate in self._counted
        relation, new = self._relation(predicate, self._arity[predicate], counted)
        if new and not counted:
            self._feeds.append(Feed(predicate, relation, 0, False))
            self._from_timed(predicate, relation, 0)
        return relation

    def _seen_now(self, predicate: str) -> Relation:
        """`p` as literals see it: with background, which is not part of the output and so stands apart from what is."""
        if predicate not in self._background:
            return self._now(predicate)
        counted = predicate in self._counted
        relation, new = self._relation(f"{predicate} with background", self._arity[predicate], counted)
        if not new:
            return relation
        columns, now = self._columns(predicate), self._now(predicate)
        if counted:
            background = self._watched(self._relation(f"{predicate} of background", self._arity[predicate])[0])
            rules = tuple(PlanRule(relation, columns, (Lookup(source, columns),)) for source in (now, background))
            self._stages.append(Derive(rules, (relation,)))
        else:
            self._guaranteed.append(PlanRule(relation, columns, (Lookup(now, columns),)))
        return relation

    def _from_timed(self, predicate: str, relation: Relation, back: int | None, keep_time: bool = False) -> None:
        """A rule from the relation of what is derived `at T`, cut at the window's end."""
        if predicate not in self._at_heads:
            return
        columns, time = self._columns(predicate), Variable("T")
        limit = None if back is None else (time, back)
        args = (*columns, time) if keep_time else columns
        lookup = Lookup(self._timed(predicate), (*columns, time), limit=limit)
        self._guaranteed.append(PlanRule(relation, args, (lookup,)))

    def _timed(self, predicate: str) -> Relation:
        """What is derived of a predicate `at T`: rows (args, T)."""
        return self._relation(f"{predicate} @", self._arity[predicate] + 1)[0]

    def _within(self, predicate: str, back: int | None) -> Relation:
        """`p in [n]`"""
        if back == 0:
            return self._seen_now(predicate)
        counted = predicate in self._counted
        relation, new = self._relation(f"{predicate} in {back}", self._arity[predicate], counted)
        if not new:
            return relation
        columns = self._columns(predicate)
        if counted:
            data, now = self._watched(self._data(predicate, "in", back, timed=False)), self._now(predicate)
            rules = tuple(PlanRule(relation, columns, (Lookup(source, columns),)) for source in (data, now))
            self._stages.append(Derive(rules, (relation,)))
            return relation
        self._feeds.append(Feed(predicate, relation, back, False))
        self._from_timed(predicate, relation, back)
        if predicate in self._now_heads:
            self._guaranteed.append(PlanRule(relation, columns, (Lookup(self._now(predicate), columns),)))
        return relation

    def _at(self, predicate: str, back: int | None, beside_background: bool = False) -> Relation:
        """`p at T in [n]`: rows (args, T)."""
        if predicate in self._now_heads:
            raise Unplanned(f"{predicate} is derived without a time, and is asked for its time")
        if predicate in self._background and not beside_background:
            raise Unplanned(f"{predicate} is background, and is asked for its time")
        relation, new = self._relation(f"{predicate} at {back}", self._arity[predicate] + 1)
        if new:
            self._feeds.append(Feed(predicate, relation, back, True))
            self._from_timed(predicate, relation, back, keep_time=True)
        return relation

    def _always(self, predicate: str, back: int) -> Relation:
        """`p always in [n]`"""
        if back == 0:
            return self._seen_now(predicate)
        arity = self._arity[predicate]
        relation, new = self._relation(f"{predicate} always {back}", arity, counted=True)
        if new:
            self._stages.append(Box(self._watched(self._at(predicate, back, True)), relation, back))
        if predicate not in self._background:
            return relation
        either, new = self._relation(f"{predicate} always {back} or background", arity, counted=True)
        if new:
            columns = self._columns(predicate)
            background = self._watched(self._relation(f"{predicate} of background", arity)[0])
            rules = tuple(PlanRule(either, columns, (Lookup(source, columns),)) for source in (relation, background))
            self._stages.append(Derive(rules, (either,)))
        return either

    def _last(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation:
        """`p in [#n]`, `p in [#n by X]`: rows (args, T)."""
        if predicate in self._background:
            raise Unplanned(f"{predicate} is background, and stands in a tuple window")
        name = f"{predicate} #{facts}" + (f" by {keys}" if keys is not None else "")
        relation, new = self._relation(name, self._arity[predicate] + 1, counted=True)
        if new:
            self._stages.append(LastFacts(predicate, relation, facts, keys))
            if keys is None:
                self._kept_facts = max(self._kept_facts, facts)
        return relation

    def _projected(self, relation: Relation, kept: tuple[int, ...]) -> Relation:
        """Some columns of a relation: for the absence of any row that has these values."""
        target, new = self._relation(f"{relation.name} on {kept}", len(kept), counted=True)
        if new:
            columns = tuple(Variable(f"C{i}") for i in range(relation.arity))
            rule = PlanRule(target, tuple(columns[i] for i in kept), (Lookup(self._watched(relation), columns),))
            self._stages.append(Derive((rule,), (target,)))
        return target

    def _true(self, counted: bool) -> Relation:
        """A relation whose one row, without columns, always holds."""
        relation, _ = self._relation("true", 0)
        return self._watched(relation) if counted else relation

    def _background_rows(self) -> list[tuple[Relation, tuple[Value, ...]]]:
        rows: list[tuple[Relation, tuple[Value, ...]]] = []
        if "true" in self._relations:
            rows.append((self._relations["true"], ()))
        for predicate, atoms in self._background.items():
            names = [f"{predicate} with background", f"{predicate} of background"]
            names += [n for n in self._relations if n.startswith((f"{predicate} in ", f"data {predicate} in "))]
            for name in names:
                relation = self._relations.get(name)
                if relation is not None and not relation.counted:
                    rows += [(relation, _values(atom)) for atom in atoms]
        return rows

    # -- rules ----------------------------------------------------------------------------------------------------

    def _rule(self, number: int, rule: Rule, counted: bool) -> PlanRule:
        head = rule.heads[0]
        atom = head_atom(head)
        lookups: list[Lookup] = []
        tests: list[Test] = []
        for literal in rule.body:
            self._literal(literal, lookups, tests, counted)
        args, relation = atom.args, None
        if isinstance(head, At):
            if counted:
                raise Unplanned("a head with a time, in a rule that is not monotone")
            bound = {lit.time for lit in rule.body if isinstance(lit, At)}
            bound |= {lit.body.time for lit in rule.body if isinstance(lit, Window) and isinstance(lit.body, At)}
            if not isinstance(head.time, Variable) or head.time not in bound:
                raise Unplanned("a head with a time that is computed")
            relation, args = self._timed(atom.predicate), (*atom.args, head.time)
        else:
            relation = self._now(atom.predicate)
        if all(lookup.negated for lookup in lookups):
            lookups.insert(0, Lookup(self._true(counted), ()))
        terms = [*args, *(a for lookup in lookups for a in lookup.args), *(t for x in tests for t in (x.left, x.right))]
        if len(lookups) > MOST_LOOKUPS or sum(map(_size, terms)) > MOST_TERMS:
            raise Unplanned(f"a rule of more than {MOST_LOOKUPS} literals or {MOST_TERMS} terms")
        return PlanRule(relation, args, tuple(lookups), tuple(tests), number)

    def _literal(self, literal: Formula, lookups: list[Lookup], tests: list[Test], counted: bool) -> None:
        if isinstance(literal, Compare):
            tests.append(Test(literal.operator, literal.left, literal.right))
            return
        negated = isinstance(literal, Not)
        plain = literal.body if isinstance(literal, Not) else literal
        if isinstance(plain, Compare):
            tests.append(Test(plain.operator, plain.left, plain.right, negated=True))
            return
        relation, args = self._access(plain)
        if counted:
            self._watched(relation)
        args = tuple(self._simple(arg, tests) for arg in args)
        if negated:
            kept = tuple(i for i, arg in enumerate(args) if not (isinstance(arg, Variable) and arg.anonymous))
            if len(kept) < len(args):
                relation, args = self._projected(relation, kept), tuple(args[i] for i in kept)
        lookups.append(Lookup(relation, args, negated))

    def _simple(self, arg: Term, tests: list[Test]) -> Term:
        """An argument as a variable or constant; what is to be computed is compared."""
        if not isinstance(arg, Arithmetic):
            return arg
        variable = self._new_variable("computed")
        tests.append(Test("=", variable, arg))
        return variable

    def _new_variable(self, name: str = "_#any") -> Variable:
        """A variable of the plan's own; unless named otherwise, an anonymous one."""
        self._fresh += 1
        return Variable(f"{name} {self._fresh}")

    def _access(self, literal: Formula) -> tuple[Relation, tuple[Term, ...]]:
        """The relation of a literal without `not`, and the arguments with which it is looked up."""
        match literal:
            case Atom(predicate, args):
                return self._seen_now(predicate), args
            case At(time, Atom(predicate, args)):
                return self._at(predicate, None), (*args, time)
            case Window(TimeWindow(back, 0, 1), Sometime(Atom(predicate, args))):
                return self._within(predicate, back), args
            case Window(TimeWindow(back, 0, 1), At(time, Atom(predicate, args))):
                return self._at(predicate, back), (*args, time)
            case Window(TimeWindow(int(back), 0, 1), Always(Atom(predicate, args))):
                return self._always(predicate, back), args
            case Window(TupleWindow(facts, 0), Sometime(Atom(predicate, args))):
                return self._last(predicate, facts, None), (*args, self._new_variable())
            case Window(TupleWindow(facts, 0), At(time, Atom(predicate, args))):
                return self._last(predicate, facts, None), (*args, time)
            case Window(PartitionWindow(facts, 0, _, keys), Sometime(Atom(predicate, args))):
                return self._last(predicate, facts, _positions(keys)), (*args, self._new_variable())
            case Window(PartitionWindow(facts, 0, _, keys), At(time, Atom(predicate, args))):
                return self._last(predicate, facts, _positions(keys)), (*args, time)
            case Aggregate():
                raise Unplanned("an aggregate")
            case Window(TimeWindow()):
                raise Unplanned("a window that looks ahead, steps, or asks for always of everything")
            case _:
                raise Unplanned("a nested formula, or a window between two times")


def _size(term: Term) -> int:
    """How many registers a term may take."""
    return 1 + sum(map(_size, term.operands)) if isinstance(term, Arithmetic) else 1


def _values(atom: Atom) -> tuple[Value, ...]:
    return tuple(arg for arg in atom.args if isinstance(arg, int | float | str))


def _positions(keys: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return tuple(i for positions in keys for i in positions)


def _atoms(rule: Rule) -> list[Atom]:
    found = [head_atom(head) for head in rule.heads]
    found += [atom for literal in rule.body for atom, _ in signed_atoms(literal)]
    return found


def _monotone(literal: Formula) -> bool:
    match literal:
        case Atom() | Compare() | At(_, Atom()):
            return True
        case Window(TimeWindow(), Sometime(Atom()) | At(_, Atom())):
            return True
        case Window(TimeWindow(0), Always(Atom())):
            return True
        case _:
            return False
