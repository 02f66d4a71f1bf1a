"""A plan in the arena: descriptors, operations, variants of rules with their steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

import numpy as np

from lasing.engines.local import execute, idle, memory, pause, values
from lasing.engines.local.asking import FIRST_FUNCTION
from lasing.engines.local.encoding import NOW_REGISTER, VARIABLES, Variant, span_words
from lasing.engines.local.operators import box, clock, examples, fold, gate, last, points, recompute, stamp, variants
from lasing.engines.local.questions import Call
from lasing.logic.functions import AGGREGATES, Function
from lasing.logic.terms import Term, Value
from lasing.plan.idle import Steady, steady, ticks
from lasing.plan.nodes import (
    Box,
    Derive,
    FactPoints,
    Fold,
    Gate,
    LastFacts,
    Plan,
    PlanRule,
    Recompute,
    Relation,
    Span,
    Stamp,
)
from lasing.plan.rewrite import rules_of

_KEY_AREA, _STACK = 64, 64


@dataclass
class Arena:
    """The memory of an engine, and the numbers under which predicates stand in it."""

    memory: np.ndarray
    predicates: dict[str, int]
    outputs: list[tuple[str, int]]
    background: list[tuple[int, tuple[Value, ...]]]
    constants: list[tuple[int, Value]]
    width: int
    rules: int
    examples: dict[int, int]
    """Of rules in which a term is computed: where their examples begin (see `operators.examples`)."""
    shown: dict[int, tuple[Term, ...]]
    """Of variants and aggregates that may make an example: the variables whose values it has."""
    idle: tuple[Steady, np.ndarray] | None
    """How idle time can be leapt over, if it can, and for each relation the bits of its columns that hold times."""
    functions: list[Call]
    """The functions that kernels ask for, in the order of their numbers (see `asking`)."""


def lay_out(plan: Plan, annotated: bool = False) -> Arena:
    """The arena of a plan, without any fact; constants still await their codes.

    If `annotated`, guaranteed atoms are put out with the time up to which they hold, and their end is not told.
    """
    return _Layout(plan, annotated).build()


@dataclass
class _Layout:
    plan: Plan
    annotated: bool
    words: list[int] = field(default_factory=list)
    indices: dict[Relation, list[tuple[int, ...]]] = field(default_factory=dict)
    constants: dict[Value, int] = field(default_factory=dict)
    shown: dict[int, tuple[Term, ...]] = field(default_factory=dict)
    most_shown: dict[int, int] = field(default_factory=dict)
    functions: list[Call] = field(default_factory=list)

    def build(self) -> Arena:
        plan = self.plan
        assert all(relation.arity <= memory.MOST_COLUMNS for relation in plan.relations)
        self._wide = Relation("wide values", 2)
        self._relations = [self._wide, *plan.relations, *self._helpers()]
        self._number = {relation: i for i, relation in enumerate(self._relations)}
        self._waiting = {*self._agendas.values(), *self._pending.values()}
        self._put_out = {output.relation for output in plan.outputs}
        for relation in self._relations:
            self.indices[relation] = [tuple(range(relation.arity))]
        for stage in plan.stages:
            if isinstance(stage, LastFacts) and stage.keys is not None:
                self.indices[stage.target].append(stage.keys)
        self.words = [0] * (memory.HEADER + len(self._relations) * memory.DESCRIPTOR)
        operations, partitions = self._operations()
        inputs, predicates, background = self._inputs(partitions)
        outputs = [(o.predicate, o.relation.arity - (o.tag is not None)) for o in plan.outputs]
        put_out = {(o.relation, -1 if o.tag is not None else i): None for i, o in enumerate(plan.outputs)}
        first_output = self.put([w for relation, number in put_out for w in (self.at(relation), number)])
        registers = self.put([0] * (VARIABLES + len(self.constants)))
        kept = self._examples()
        header = {
            memory.RELATIONS: len(self._relations),
            memory.FIRST_RELATION: memory.HEADER,
            memory.REGISTERS: registers,
            memory.NOW_REGISTER: registers + NOW_REGISTER,
            memory.KEY: self.put([0] * _KEY_AREA),
            memory.CURSORS: self.put([0] * 2 * _STACK),
            memory.HORIZONS: self.put([0] * _STACK),
            memory.COUNTERS: self.put([0] * (self.rule_count() + 1) * len(values.REASONS)),
            memory.EXAMPLES: self.put([kept.get(rule, 0) for rule in range(self.rule_count() + 1)]),
            memory.WIDE: self.at(self._wide),
            memory.OPERATIONS: operations[1],
            memory.FIRST_OPERATION: operations[0],
            memory.INPUTS: inputs,
            memory.OUTPUTS: len(put_out),
            memory.FIRST_OUTPUT: first_output,
            memory.LOG_KEPT: plan.counts_facts,
            memory.ANNOTATED: int(self.annotated),
            pause.FUEL: pause.PACE,
            pause.MOST_DERIVED: memory.FOREVER,
            pause.MOST_WORDS: memory.FOREVER,
        }
        for at, word in header.items():
            self.words[at] = word
        self._describe()
        width = max([r.arity for r in plan.relations], default=0)
        constants = [(registers + register, value) for value, register in self.constants.items()]
        return Arena(
            np.array(self.words, np.int64),
            predicates,
            outputs,
            background,
            constants,
            width,
            self.rule_count(),
            kept,
            self.shown,
            self._idle(),
            self.functions,
        )

    def _examples(self) -> dict[int, int]:
        """Room for the examples of all rules that may need any."""
        found = {}
        for rule, most in self.most_shown.items():
            width = examples.BINDING + most
            found[rule] = self.put([width, *[0] * (width * len(values.REASONS))])
        return found

    def _idle(self) -> tuple[Steady, np.ndarray] | None:
        found = steady(self.plan) if ticks(self.plan) else ""
        if isinstance(found, str):
            return None
        columns = {relation: sum(1 << i for i in times) for relation, times in found.times.items()}
        for relation, waiting in self._pending.items():
            columns[waiting] = columns[relation] | 1 << relation.arity
        for stage, waiting in self._agendas.items():
            columns[waiting] = columns[stage.source] | 1 << stage.source.arity
        for fold_, groups in self._groups.items():
            columns[groups] = columns[fold_.source] & ((1 << fold_.groups) - 1)
        return found, np.array([columns.get(relation, idle.LEFT_ALONE) for relation in self._relations], np.int64)

    def _helpers(self) -> list[Relation]:
        """Relations that only the arena needs: for rows that wait, for the log of all facts, for groups."""
        plan = self.plan
        self._pending: dict[Relation, Relation] = {}
        self._agendas: dict[Gate, Relation] = {}
        self._groups: dict[Fold, Relation] = {}
        waits = [f.relation for f in plan.feeds if f.span is not None and f.span.step > 1]
        waits += [r.head for r in plan.guaranteed if r.within is not None and not r.stamps]
        waits += [relation for relation, _, span in plan.background if span is not None and span.step > 1]
        for relation in dict.fromkeys(waits):
            self._pending[relation] = Relation(f"pending {relation.name}", relation.arity + 1)
        for stage in plan.stages:
            if isinstance(stage, Gate):
                self._agendas[stage] = Relation(f"agenda of {stage.target.name}", stage.source.arity + 1)
            if isinstance(stage, Fold):
                self._groups[stage] = Relation(f"groups of {stage.target.name}", stage.groups, counted=True)
        self._log: Relation | None = None
        windows = [s.target.arity for s in plan.stages if isinstance(s, LastFacts) and s.keys is None]
        if windows:
            self._log = Relation("log", 2 + max(windows) - 1)
        logs = [self._log] if self._log is not None else []
        return [*self._pending.values(), *self._agendas.values(), *self._groups.values(), *logs]

    # -- words ----------------------------------------------------------------------------------------------------

    def put(self, words: Sequence[int]) -> int:
        """Append words to the fixed part, and say where they are."""
        at = len(self.words)
        self.words.extend(words)
        return at

    def at(self, relation: Relation) -> int:
        """Where a relation's descriptor is."""
        return memory.HEADER + self._number[relation] * memory.DESCRIPTOR

    def rule_count(self) -> int:
        stages = [s for s in self.plan.stages if isinstance(s, Derive | Recompute)]
        every = [*self.plan.guaranteed, *(rule for stage in stages for rule in stage.rules)]
        return 1 + max((rule.origin for rule in every), default=0)

    def _describe(self) -> None:
        """Fill in the relations' descriptors."""
        partners = {a: self.at(b) for pair in self._pending.items() for a, b in (pair, pair[::-1])}
        grouped = set(self._groups.values())
        numbers = {
            o.relation: execute.FIRST_TOLD + i if o.tag is None else execute.TAGS
            for i, o in enumerate(self.plan.outputs)
        }
        for relation in self._relations:
            d = self.at(relation)
            kind = self._kind(relation)
            told = numbers.get(relation, 0) if kind == memory.TRACKED and relation not in self.plan.tracked else 0
            extra = {memory.COUNTED: 4, memory.TRACKED: 2 if told else 3}.get(kind, 1)
            indices = self.indices[relation] if relation != self._log else []
            assert len(indices) <= memory.MOST_INDICES
            at_next = relation.arity + extra
            fields = {
                memory.ARITY: relation.arity,
                memory.STRIDE: at_next + len(indices) + (fold.MORE if relation in grouped else 0),
                memory.INDICES: len(indices),
                memory.AT_H: relation.arity,
                memory.AT_S: relation.arity + 1,
                memory.AT_D: relation.arity + 2,
                memory.AT_C: relation.arity + 3,
                memory.AT_NEXT: at_next,
                memory.DELTA: memory.NO_ROW,
                memory.TOUCHED: memory.NO_ROW,
                memory.KIND: kind,
                memory.PARTNER: partners.get(relation, 0),
                memory.AT_MORE: at_next + len(indices),
                memory.TOLD: told,
            }
            for at, word in fields.items():
                self.words[d + at] = word
            for number, columns in enumerate(indices):
                p = d + memory.INDEX + number * memory.INDEX_WIDTH
                self.words[p + memory.INDEX_KEYS] = len(columns)
                for j, column in enumerate(columns):
                    self.words[p + memory.INDEX_COLUMNS + j] = column

    def _kind(self, relation: Relation) -> int:
        if relation == self._log:
            return memory.LOG
        if relation in self._waiting:
            return memory.PENDING
        if relation.counted:
            return memory.COUNTED
        told = relation in self.plan.tracked or (not self.annotated and relation in self._put_out)
        return memory.TRACKED if told else memory.LIGHT

    # -- operations -----------------------------------------------------------------------------------------------

    def _operations(self) -> tuple[tuple[int, int], dict[str, list[int]]]:
        """All operations in a row, and, by predicate, those of partition windows, which facts feed directly."""
        rows: list[list[int]] = []
        for time_points in self.plan.clocks:
            row = _operation(execute.CLOCK)
            row[clock.TARGET], row[clock.LAST] = self.at(time_points.relation), memory.NEVER
            row[clock.BACK], row[clock.AHEAD], row[clock.STEP] = span_words(time_points.span)
            rows.append(row)
        every = [v for rule in self.plan.guaranteed for v in self._variants(rule, False)]
        rows.append([execute.FIXPOINT, self.put(every), len(every)])
        rows.append([execute.TRACK])
        partitions: list[tuple[str, int]] = []
        folds: list[tuple[Fold, int]] = []
        for stage in self.plan.stages:
            match stage:
                case Derive():
                    every = [v for rule in stage.rules for v in self._variants(rule, True)]
                    rows.append([execute.DIFFERENTIATE, self.put(every), len(every)])
                    rows += [[execute.SETTLE, self.at(head)] for head in stage.heads]
                case Box():
                    rows.append(self._box(stage))
                case LastFacts(keys=None):
                    assert self._log is not None
                    row = _operation(execute.LAST)
                    row[last.SOURCE], row[last.TARGET] = self.at(self._log), self.at(stage.target)
                    row[last.FACTS], row[last.PREDICATE] = stage.facts, self._predicate(stage.predicate)
                    rows.append(row)
                case LastFacts():
                    partitions.append((stage.predicate, len(rows)))
                    row = [execute.SETTLE, self.at(stage.target), self.at(stage.target), stage.facts]
                    rows.append(row)
                case FactPoints():
                    assert self._log is not None
                    row = _operation(execute.POINTS)
                    row[points.LOG], row[points.TARGET] = self.at(self._log), self.at(stage.target)
                    row[points.FACTS], row[points.LAST] = stage.facts, memory.NEVER
                    rows.append(row)
                case Gate():
                    row = _operation(execute.GATE)
                    row[gate.SOURCE], row[gate.TARGET] = self.at(stage.source), self.at(stage.target)
                    row[gate.AGENDA] = self.at(self._agendas[stage])
                    row[gate.BACK], row[gate.AHEAD], row[gate.STEP] = span_words(stage.span)
                    rows.append(row)
                case Stamp():
                    row = _operation(execute.STAMP)
                    row[stamp.SOURCE], row[stamp.TARGET] = self.at(stage.source), self.at(stage.target)
                    rows.append(row)
                case Fold():
                    folds.append((stage, len(rows)))
                    rows.append(self._fold(stage))
                case Recompute():
                    rows.append(self._recompute(stage))
                case _:
                    assert_never(stage)
        first = self.put([w for row in rows for w in (*row, *[0] * (execute.OPERATION - len(row)))])
        args = {rule.head: rule.args for rule in rules_of(self.plan)}
        for stage, number in folds:
            self.shows(first + number * execute.OPERATION, stage.origin, args[stage.source][: stage.groups])
        fed: dict[str, list[int]] = {}
        for predicate, number in partitions:
            fed.setdefault(predicate, []).append(first + number * execute.OPERATION)
        return (first, len(rows)), fed

    def _box(self, stage: Box) -> list[int]:
        row = _operation(execute.BOX)
        row[box.SOURCE], row[box.TARGET] = self.at(stage.source), self.at(stage.target)
        if isinstance(stage.window, Span):
            row[box.BACK], row[box.AHEAD], row[box.STEP] = span_words(stage.window)
        else:
            assert self._log is not None
            row[box.BACK], row[box.AHEAD], row[box.STEP] = stage.window, self.at(self._log), 0
        return row

    def _fold(self, stage: Fold) -> list[int]:
        row = _operation(execute.FOLD)
        row[fold.SOURCE], row[fold.TARGET] = self.at(stage.source), self.at(stage.target)
        row[fold.STATE], row[fold.GROUPS] = self.at(self._groups[stage]), stage.groups
        row[fold.FUNCTION], row[fold.RULE] = AGGREGATES[stage.function].kernel, stage.origin
        row[fold.BY_GROUP] = self.index(stage.source, tuple(range(stage.groups))) if stage.groups else -1
        return row

    def _recompute(self, stage: Recompute) -> list[int]:
        every = [v for rule in stage.rules for v in self._variants(rule, counted=False, scratch=True)]
        boxes = [(self.at(x.source), self.at(x.target), *span_words(x.window)) for x in stage.boxes]
        scratch = {r for rule in stage.rules for r in (rule.head, *(x.relation for x in rule.lookups))}
        scratch |= {r for pair in (*stage.inputs, *stage.outputs) for r in pair[1:]}
        scratch |= {r for x in stage.boxes for r in (x.source, x.target)}
        table: list[int] = []
        for words, size in (
            ([self.at(r) for pair in stage.inputs for r in pair], recompute.PAIR),
            (every, 1),
            ([word for entry in boxes for word in entry], recompute.BOX),
            ([self.at(r) for pair in stage.outputs for r in pair], recompute.PAIR),
            (sorted(self.at(r) for r in scratch), 1),
        ):
            table += [len(words) // size, self.put(words)]
        row = _operation(execute.RECOMPUTE)
        row[recompute.TABLE], row[recompute.BY_TIME] = self.put(table), int(stage.by_time)
        return row

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
        log = [execute.INTO_LOG, self.at(self._log), 0, 0, 0, 0, 0] if self._log is not None else []
        fed: dict[str, list[int]] = {predicate: [] for predicate in named}
        for feed in self.plan.feeds:
            added = execute.TIMED if feed.timed else execute.PLAIN if feed.tag is None else execute.TAGGED
            fed[feed.predicate] += [
                execute.INTO_RELATION,
                self.at(feed.relation),
                added,
                *span_words(feed.span),
                feed.tag or 0,
            ]
        for predicate, sinks in fed.items():
            sinks += log
            for op in partitions.get(predicate, ()):
                sinks += [execute.INTO_PARTITION, op, 0, 0, 0, 0, 0]
            tables.append(sinks)
        tables.append(log)
        background = []
        numbers: dict[Relation, int] = {}
        for relation, args, span in self.plan.background:
            if relation not in numbers:
                numbers[relation] = len(tables)
                tables.append([execute.FOR_EVER, self.at(relation), execute.PLAIN, *span_words(span), 0])
            background.append((numbers[relation], args))
        places = [(self.put(sinks), len(sinks) // execute.SINK) for sinks in tables]
        table = self.put([word for place in places for word in place])
        predicates = {predicate: i for i, predicate in enumerate(named)}
        return table, {**predicates, "": len(named)}, background

    # -- rules ----------------------------------------------------------------------------------------------------

    def _variants(self, rule: PlanRule, counted: bool, scratch: bool = False) -> list[int]:
        """One variant per lookup: it begins with what changed there. In the guaranteed plane absence never changes."""
        begins = [i for i, lookup in enumerate(rule.lookups) if counted or not lookup.negated]
        special = (variants.STAMPS if rule.stamps and not scratch else 0) | (variants.SCRATCH if scratch else 0)
        return [Variant(self, rule, i, special).build() for i in begins]

    def shows(self, made_by: int, rule: int, terms: tuple[Term, ...]) -> None:
        """Note what an example of a rule shows that a variant or an aggregate makes."""
        self.shown[made_by] = terms
        self.most_shown[rule] = max(self.most_shown.get(rule, 0), len(terms))

    def constant(self, value: Value) -> int:
        """The register of a constant."""
        return self.constants.setdefault(value, VARIABLES + len(self.constants))

    def question(self, function: Function, operands: int) -> int:
        """The number under which kernels ask for a function."""
        if (function, operands) not in self.functions:
            self.functions.append((function, operands))
        return FIRST_FUNCTION + self.functions.index((function, operands))

    def index(self, relation: Relation, columns: tuple[int, ...]) -> int:
        """The number of the index on these columns; where there is no room for one more, on the most of them there is.

        Without any, -1: all rows are looked at.
        """
        known = self.indices[relation]
        if columns not in known and len(known) < memory.MOST_INDICES:
            known.append(columns)
        usable = [i for i, indexed in enumerate(known) if indexed and set(indexed) <= set(columns)]
        return max(usable, key=lambda i: len(known[i]), default=-1)


def _operation(code: int) -> list[int]:
    return [code] + [0] * (execute.OPERATION - 1)
