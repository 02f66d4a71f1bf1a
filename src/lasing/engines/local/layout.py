"""A plan in the arena: descriptors, operations, variants of rules with their steps, then the relations' rings and
tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lasing.engines.local import execute, memory, values
from lasing.engines.local.operators import box, last, rules
from lasing.logic.formulas import Comparison
from lasing.logic.terms import Arithmetic, Term, Value, Variable
from lasing.plan.nodes import Box, Derive, LastFacts, Lookup, Plan, PlanRule, Relation, Test

VARIABLES = 256
"""Registers for variables; those of constants follow."""

_CAPACITY_BITS = 6
_KEY_AREA, _STACK = 64, 64

_COMPARISONS: dict[Comparison, int] = {
    "<": values.LESS,
    "<=": values.LESS_EQUAL,
    ">": values.GREATER,
    ">=": values.GREATER_EQUAL,
    "=": values.EQUAL,
    "!=": values.UNEQUAL,
}
_OPERATORS = {
    ("+", 2): values.ADD,
    ("-", 2): values.SUBTRACT,
    ("*", 2): values.MULTIPLY,
    ("/", 2): values.DIVIDE,
    ("div", 2): values.DIV,
    ("mod", 2): values.MOD,
    ("-", 1): values.NEGATE,
    ("abs", 1): values.ABS,
    ("min", 2): values.MIN,
    ("max", 2): values.MAX,
    ("min", 1): values.COPY,
    ("max", 1): values.COPY,
}


@dataclass
class Arena:
    """The memory of an engine, and the numbers under which predicates stand in it."""

    memory: np.ndarray
    predicates: dict[str, int]
    outputs: list[tuple[str, int]]
    background: list[tuple[int, tuple[Value, ...]]]
    constants: list[tuple[int, Value]]
    width: int
    log: bool
    rules: int


def lay_out(plan: Plan) -> Arena:
    """The arena of a plan, without any fact; constants still await their codes."""
    return _Layout(plan).build()


@dataclass
class _Layout:
    plan: Plan
    words: list[int] = field(default_factory=list)
    indices: dict[Relation, list[tuple[int, ...]]] = field(default_factory=dict)
    constants: dict[Value, int] = field(default_factory=dict)

    def build(self) -> Arena:
        plan = self.plan
        assert all(relation.arity <= memory.MOST_COLUMNS for relation in plan.relations)
        self._wide = Relation("wide values", 2, False)
        self._relations = [self._wide, *plan.relations]
        self._log: Relation | None = None
        if plan.counts_facts:
            windows = [s for s in plan.stages if isinstance(s, LastFacts) and s.keys is None]
            self._log = Relation("log", 2 + max(s.target.arity - 1 for s in windows), False)
            self._relations.append(self._log)
        self._number = {relation: i for i, relation in enumerate(self._relations)}
        for relation in self._relations:
            self.indices[relation] = [tuple(range(relation.arity))]
        for stage in plan.stages:
            if isinstance(stage, LastFacts) and stage.keys is not None:
                self.indices[stage.target].append(stage.keys)
        self.words = [0] * (memory.HEADER + len(self._relations) * memory.DESCRIPTOR)
        operations, partitions = self._operations()
        inputs, predicates, background = self._inputs(partitions)
        outputs = [(p, r.arity) for p, r in plan.outputs.items()]
        first_output = self._put([w for i, r in enumerate(plan.outputs.values()) for w in (self._at(r), i)])
        registers = self._put([0] * (VARIABLES + len(self.constants)))
        header = {
            memory.RELATIONS: len(self._relations),
            memory.FIRST_RELATION: memory.HEADER,
            memory.REGISTERS: registers,
            memory.KEY: self._put([0] * _KEY_AREA),
            memory.CURSORS: self._put([0] * 2 * _STACK),
            memory.HORIZONS: self._put([0] * _STACK),
            memory.COUNTERS: self._put([0] * (self._rule_count() + 1) * len(values.REASONS)),
            memory.WIDE: self._at(self._wide),
            memory.OPERATIONS: operations[1],
            memory.FIRST_OPERATION: operations[0],
            memory.INPUTS: inputs,
            memory.OUTPUTS: len(outputs),
            memory.FIRST_OUTPUT: first_output,
            memory.LOG_KEPT: plan.counts_facts,
        }
        for at, word in header.items():
            self.words[at] = word
        arena = self._with_rings()
        width = max([r.arity for r in plan.relations], default=0)
        constants = [(registers + register, value) for value, register in self.constants.items()]
        return Arena(
            arena, predicates, outputs, background, constants, width, self._log is not None, self._rule_count()
        )

    # -- words ----------------------------------------------------------------------------------------------------

    def _put(self, words: Sequence[int]) -> int:
        """Append words to the fixed part, and say where they are."""
        at = len(self.words)
        self.words.extend(words)
        return at

    def _at(self, relation: Relation) -> int:
        """Where a relation's descriptor is."""
        return memory.HEADER + self._number[relation] * memory.DESCRIPTOR

    def _rule_count(self) -> int:
        every = [*self.plan.guaranteed, *(r for s in self.plan.stages if isinstance(s, Derive) for r in s.rules)]
        return 1 + max((rule.origin for rule in every), default=0)

    def _with_rings(self) -> np.ndarray:
        """The whole arena: the fixed part, then for each relation its ring and the heads of its indices."""
        size = len(self.words)
        for relation in self._relations:
            d = self._at(relation)
            kind = self._kind(relation)
            heavy = kind in (memory.TRACKED, memory.COUNTED)
            indices = self.indices[relation] if relation != self._log else []
            assert len(indices) <= memory.MOST_INDICES
            at_next = relation.arity + (4 if heavy else 1)
            fields = {
                memory.ARITY: relation.arity,
                memory.MASK: (1 << _CAPACITY_BITS) - 1,
                memory.OFFSET: size,
                memory.STRIDE: at_next + len(indices),
                memory.INDICES: len(indices),
                memory.AT_H: relation.arity,
                memory.AT_S: relation.arity + 1,
                memory.AT_C: relation.arity + 2,
                memory.AT_D: relation.arity + 3,
                memory.AT_NEXT: at_next,
                memory.DELTA: memory.NO_ROW,
                memory.TOUCHED: memory.NO_ROW,
                memory.KIND: kind,
            }
            for at, word in fields.items():
                self.words[d + at] = word
            size += (1 << _CAPACITY_BITS) * (at_next + len(indices))
            for number, columns in enumerate(indices):
                p = d + memory.INDEX + number * memory.INDEX_WIDTH
                self.words[p + memory.INDEX_KEYS] = len(columns)
                bits = _CAPACITY_BITS + (number == 0)  # the first index, by all columns, is asked most
                self.words[p + memory.INDEX_SHIFT] = 64 - bits
                self.words[p + memory.INDEX_HEADS] = size
                for j, column in enumerate(columns):
                    self.words[p + memory.INDEX_COLUMNS + j] = column
                size += 1 << bits
        self.words[memory.SIZE] = size
        arena = np.full(size, memory.NO_ROW, np.int64)
        arena[: len(self.words)] = self.words
        return arena

    def _kind(self, relation: Relation) -> int:
        if relation == self._log:
            return memory.LOG
        if relation.counted:
            return memory.COUNTED
        return memory.TRACKED if relation in self.plan.tracked else memory.LIGHT

    # -- operations -----------------------------------------------------------------------------------------------

    def _operations(self) -> tuple[tuple[int, int], dict[str, list[int]]]:
        """All operations in a row, and, by predicate, those of partition windows, which facts feed directly."""
        rows: list[list[int]] = []
        variants = [v for rule in self.plan.guaranteed for v in self._variants(rule, False)]
        rows.append([execute.FIXPOINT, self._put(variants), len(variants)])
        rows.append([execute.TRACK])
        partitions: list[tuple[str, int]] = []
        for stage in self.plan.stages:
            match stage:
                case Derive():
                    variants = [v for rule in stage.rules for v in self._variants(rule, True)]
                    rows.append([execute.DIFFERENTIATE, self._put(variants), len(variants)])
                    rows += [[execute.SETTLE, self._at(head)] for head in stage.heads]
                case Box():
                    row = [execute.BOX] + [0] * 4
                    row[box.SOURCE], row[box.TARGET] = self._at(stage.source), self._at(stage.target)
                    row[box.BACK] = min(stage.back, values.SMALL)
                    rows.append(row)
                case LastFacts(keys=None):
                    assert self._log is not None
                    row = [execute.LAST] + [0] * 5
                    row[last.SOURCE], row[last.TARGET] = self._at(self._log), self._at(stage.target)
                    row[last.FACTS], row[last.PREDICATE], row[last.TIMED] = (
                        stage.facts,
                        self._predicate(stage.predicate),
                        1,
                    )
                    rows.append(row)
                case LastFacts():
                    partitions.append((stage.predicate, len(rows)))
                    row = [execute.SETTLE, self._at(stage.target), self._at(stage.target), stage.facts]
                    rows.append(row)
        first = self._put([w for row in rows for w in (*row, *[0] * (execute.OPERATION - len(row)))])
        fed: dict[str, list[int]] = {}
        for predicate, number in partitions:
            fed.setdefault(predicate, []).append(first + number * execute.OPERATION)
        return (first, len(rows)), fed

    def _predicate(self, predicate: str) -> int:
        """A predicate's number: those that something is fed by, in the order of the plan."""
        return self._predicates().index(predicate)

    def _predicates(self) -> list[str]:
        named = [feed.predicate for feed in self.plan.feeds]
        named += [stage.predicate for stage in self.plan.stages if isinstance(stage, LastFacts)]
        return list(dict.fromkeys(named))

    def _inputs(
        self, partitions: dict[str, list[int]]
    ) -> tuple[int, dict[str, int], list[tuple[int, tuple[Value, ...]]]]:
        """The table of what facts feed; facts of no known predicate go to the log only; background is fed like
        facts."""
        named = self._predicates()
        tables: list[list[int]] = []
        for predicate in named:
            sinks: list[int] = []
            for feed in self.plan.feeds:
                if feed.predicate == predicate:
                    back = -1 if feed.back is None or feed.back >= values.SMALL else feed.back
                    sinks += [execute.INTO_RELATION, self._at(feed.relation), back, int(feed.timed)]
            if self._log is not None:
                sinks += [execute.INTO_LOG, self._at(self._log), 0, 0]
            for op in partitions.get(predicate, ()):
                sinks += [execute.INTO_PARTITION, op, 0, 0]
            tables.append(sinks)
        tables.append([execute.INTO_LOG, self._at(self._log), 0, 0] if self._log is not None else [])
        background = []
        numbers: dict[Relation, int] = {}
        for relation, args in self.plan.background:
            if relation not in numbers:
                numbers[relation] = len(tables)
                tables.append([execute.INTO_RELATION, self._at(relation), -1, 0])
            background.append((numbers[relation], args))
        places = [(self._put(sinks), len(sinks) // execute.SINK) for sinks in tables]
        table = self._put([word for place in places for word in place])
        predicates = {predicate: i for i, predicate in enumerate(named)}
        return table, {**predicates, "": len(named)}, background

    # -- rules ----------------------------------------------------------------------------------------------------

    def _variants(self, rule: PlanRule, counted: bool) -> list[int]:
        """One variant per lookup: it begins with what changed there."""
        return [_Variant(self, rule, i, counted).build() for i in range(len(rule.lookups))]

    def constant(self, value: Value) -> int:
        """The register of a constant."""
        return self.constants.setdefault(value, VARIABLES + len(self.constants))

    def index(self, relation: Relation, columns: tuple[int, ...]) -> int:
        """The number of the index on these columns; where there is no room for one more, on the most of them there is.

        Without any, -1: all rows are looked at.
        """
        known = self.indices[relation]
        if columns not in known and len(known) < memory.MOST_INDICES:
            known.append(columns)
        usable = [i for i, indexed in enumerate(known) if indexed and set(indexed) <= set(columns)]
        return max(usable, key=lambda i: len(known[i]), default=-1)


class _Variant:
    """A rule that begins with one of its lookups: the order of the others, and the steps."""

    def __init__(self, layout: _Layout, rule: PlanRule, begin: int, counted: bool) -> None:
        self._layout = layout
        self._rule = rule
        self._begin = begin
        self._counted = counted
        self._registers: dict[Variable, int] = {}
        self._free = 0
        self._steps: list[list[int]] = []

    def build(self) -> int:
        layout, rule = self._layout, self._rule
        changed = rule.lookups[self._begin]
        binds = self._binds(changed, ())
        tests = list(rule.tests)
        waiting = [(i, lookup) for i, lookup in enumerate(rule.lookups) if i != self._begin]
        self._limit(changed)
        self._take_tests(tests)
        while waiting:
            number, lookup = self._next(waiting)
            waiting.remove((number, lookup))
            self._look_up(lookup, before=number > self._begin)
            self._take_tests(tests)
        assert not tests, "a safe rule binds every variable of its tests"
        head = [self._value(arg) for arg in rule.args]
        steps = layout._put([w for step in self._steps for w in (*step, *[0] * (rules.STEP - len(step)))])
        variant = [0] * rules.VARIANT
        variant[rules.HEAD] = layout._at(rule.head)
        variant[rules.STEPS], variant[rules.FIRST_STEP] = len(self._steps), steps
        variant[rules.CHANGED] = layout._at(changed.relation)
        variant[rules.SIGN] = -1 if changed.negated else 1
        variant[rules.BINDS], variant[rules.FIRST_BIND] = len(binds) // rules.BIND, layout._put(binds)
        variant[rules.HEAD_REGISTERS] = layout._put(head)
        variant[rules.RULE] = rule.origin if rule.origin >= 0 else layout._rule_count()
        return layout._put(variant)

    def _register(self, variable: Variable) -> int:
        if variable not in self._registers:
            self._registers[variable] = self._temporary()
        return self._registers[variable]

    def _temporary(self) -> int:
        self._free += 1
        assert self._free <= VARIABLES, "the plan bounds the terms of a rule"
        return self._free - 1

    def _binds(self, lookup: Lookup, keys: tuple[int, ...]) -> list[int]:
        """What to do with the columns of a row that are not its key: set a register, or check it."""
        binds: list[int] = []
        for column, arg in enumerate(lookup.args):
            if column in keys:
                continue
            if isinstance(arg, Variable):
                known = arg in self._registers
                binds += [column, self._register(arg), int(known)]
            else:
                assert not isinstance(arg, Arithmetic)
                binds += [column, self._layout.constant(arg), 1]
        return binds

    def _bound_columns(self, lookup: Lookup) -> tuple[int, ...]:
        return tuple(i for i, arg in enumerate(lookup.args) if not isinstance(arg, Variable) or arg in self._registers)

    def _next(self, waiting: list[tuple[int, Lookup]]) -> tuple[int, Lookup]:
        """Absences as soon as they can be told; else the lookup with the most columns bound."""

        def preference(item: tuple[int, Lookup]) -> tuple[bool, int, int]:
            number, lookup = item
            bound = len(self._bound_columns(lookup))
            complete = bound == len(lookup.args)
            return (complete if lookup.negated else False), (-1 if lookup.negated and not complete else bound), -number

        return max(waiting, key=preference)

    def _look_up(self, lookup: Lookup, before: bool) -> None:
        layout = self._layout
        keys = self._bound_columns(lookup)
        step = [0] * rules.STEP
        step[rules.RELATION], step[rules.BEFORE] = layout._at(lookup.relation), int(before)
        registers = [self._value(lookup.args[i]) for i in keys]
        if lookup.negated:
            assert len(keys) == len(lookup.args), "the variables of a negated literal are bound elsewhere"
            step[rules.CODE] = rules.ABSENT
            step[rules.KEYS], step[rules.FIRST_KEY] = len(keys), layout._put(registers)
            self._steps.append(step)
            return
        step[rules.CODE] = rules.PROBE
        number = layout.index(lookup.relation, keys)
        keys = layout.indices[lookup.relation][number] if number >= 0 else ()
        registers = [self._value(lookup.args[i]) for i in keys]
        step[rules.INDEX_NUMBER] = max(number, 0)
        step[rules.KEYS], step[rules.FIRST_KEY] = len(keys), layout._put(registers)
        binds = self._binds(lookup, keys)
        step[rules.STEP_BINDS], step[rules.STEP_FIRST_BIND] = len(binds) // rules.BIND, layout._put(binds)
        self._steps.append(step)
        self._limit(lookup)

    def _limit(self, lookup: Lookup) -> None:
        if lookup.limit is not None:
            time, back = lookup.limit
            self._steps.append([rules.LIMIT, self._register(time), min(back, values.SMALL)])

    def _take_tests(self, tests: list[Test]) -> None:
        """All tests whose variables are bound by now; one that gives a variable its value may make others ready."""
        progress = True
        while progress:
            progress = False
            for test in list(tests):
                if self._is_bound(test.left) and self._is_bound(test.right):
                    left, right = self._value(test.left), self._value(test.right)
                    self._steps.append([rules.COMPARE, _COMPARISONS[test.comparison], left, right, int(test.negated)])
                elif _assigns(test) and isinstance(test.left, Variable) and self._is_bound(test.right):
                    self._assign(test.left, test.right)
                elif _assigns(test) and isinstance(test.right, Variable) and self._is_bound(test.left):
                    self._assign(test.right, test.left)
                else:
                    continue
                tests.remove(test)
                progress = True

    def _assign(self, variable: Variable, term: Term) -> None:
        value = self._value(term)
        self._steps.append([rules.COMPUTE, values.COPY, self._register(variable), value, value, 0])

    def _is_bound(self, term: Term) -> bool:
        match term:
            case Variable():
                return term in self._registers
            case Arithmetic():
                return all(self._is_bound(operand) for operand in term.operands)
            case _:
                return True

    def _value(self, term: Term) -> int:
        """The register in which a term's value stands; steps compute it where it must be computed."""
        match term:
            case Variable():
                return self._register(term)
            case Arithmetic(operator, operands):
                registers = [self._value(operand) for operand in operands]
                result = registers[0]
                rest = registers[1:] or [registers[0]]
                for register in rest:
                    target = self._temporary()
                    code = _OPERATORS[operator, 1 if len(registers) == 1 else 2]
                    self._steps.append([rules.COMPUTE, code, target, result, register, 0])
                    result = target
                return result
            case _:
                return self._layout.constant(term)


def _assigns(test: Test) -> bool:
    return test.comparison == "=" and not test.negated
