"""A plan in the arena: descriptors, operations, variants of rules with their steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from lasing.engines.local import execute, idle, measuring, memory, pause, values
from lasing.engines.local.asking import FIRST_FUNCTION
from lasing.engines.local.encoding import NOW_REGISTER, VARIABLES, Variant
from lasing.engines.local.operators import examples, log, variants
from lasing.engines.local.operators.ahead import GROUP, MOST_EARLY
from lasing.engines.local.operators.fixpoint import Fixpoint
from lasing.engines.local.operators.operation import KERNEL, OPERATION, Own, span_words
from lasing.engines.local.operators.table import OPERATORS
from lasing.engines.local.operators.track import Track
from lasing.engines.local.pointers import kernel_address
from lasing.engines.local.questions import Call
from lasing.engines.local.sieving import put_sieves
from lasing.engines.local.walking import WALKS, ChangedWalk
from lasing.logic.functions import Function
from lasing.logic.terms import Term
from lasing.logic.values import Value
from lasing.plan.idle import Steady, steady, ticks
from lasing.plan.nodes import Load, Plan, PlanRule
from lasing.plan.once import derived_once
from lasing.plan.operators import Extremes, Fold, Gate, LastFacts, OperatorNode, Ranking, Runs
from lasing.plan.optimize.merge import computes
from lasing.plan.passing import passing
from lasing.plan.recursive import recursive
from lasing.plan.relations import Relation, Span, Where
from lasing.plan.rewrite import rules_of

_KEY_AREA, _STACK = 64, 64
assert GROUP * MOST_EARLY <= _STACK, "what is fetched ahead is noted where joins keep their cursors"


@dataclass
class Arena:
    """The memory of an engine, and the numbers of predicates in it."""

    memory: np.ndarray
    predicates: dict[str, int]
    outputs: list[tuple[str, int]]
    background: list[tuple[int, tuple[Value, ...]]]
    loads: list[tuple[int, Load]]
    """Tables of background, and the numbers by which their facts come in."""
    constants: list[tuple[int, Value]]
    width: int
    rules: int
    examples: dict[int, int]
    """For rules in which a term is computed: where their examples begin (see `operators.examples`)."""
    shown: dict[int, tuple[Term, ...]]
    """For variants and aggregates that may make an example: the variables whose values it has."""
    relations: list[Relation]
    """All relations, in the order of their descriptors."""
    nodes: list[object]
    """The nodes of the plan that have operations, in order."""
    times: list[int]
    """The places of words that are time points near now."""
    idle: tuple[Steady, np.ndarray] | None
    """How idle time can be skipped, if it can, and for each relation the bits of its columns that hold times."""
    functions: list[Call]
    """The functions that kernels ask for, in the order of their numbers (see `asking`)."""
    sieves: dict[int, int]
    """The words that name lists of variants with sieves, and where the lists without them are."""

    def at(self, relation: Relation) -> int:
        """Where a relation's descriptor is."""
        return memory.HEADER + self.relations.index(relation) * memory.DESCRIPTOR


def lay_out(plan: Plan, annotated: bool = False) -> Arena:
    """The arena of a plan, without any facts; constants do not have codes yet.

    If `annotated`, guaranteed atoms are output with the time up to which they hold, and their end is not reported.
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
    _fed: dict[str, list[int]] = field(default_factory=dict)
    functions: list[Call] = field(default_factory=list)

    def build(self) -> Arena:
        plan = self.plan
        assert all(relation.arity <= memory.MOST_COLUMNS for relation in plan.relations)
        self._wide = Relation("wide values", 2)
        self._rules = 1 + max([rule.origin for rule in rules_of(plan)], default=0)
        self._relations = [self._wide, *plan.relations, *self._helpers()]
        self._number = {relation: i for i, relation in enumerate(self._relations)}
        self._waiting = {*self._pending.values(), *(own.relation for own in self._owned() if own.waits)}
        self._put_out = {output.relation for output in plan.outputs}
        newest = {feed.relation for feed in plan.feeds if feed.newest}
        untimed = {feed.relation for feed in plan.feeds if not feed.timed}
        last_is_no_key = newest | (self._passing.keys() - untimed)  # in passing relations, it is the current time
        for relation in self._relations:
            self.indices[relation] = [tuple(range(relation.arity - (relation in last_is_no_key)))]
        for node in self._nodes:
            operator = OPERATORS[type(node)]
            if (wanted := operator.index(node)) is not None:
                relation, columns = wanted
                self.indices[relation] = [*([] if operator.only_index else self.indices[relation]), columns]
        self.words = [0] * (memory.HEADER + len(self._relations) * memory.DESCRIPTOR)
        first_operation = self._operations()
        nothing = self.put([0])
        sieves = put_sieves(self, plan.feeds, self._passing, self._applied, self._kept_back)
        self._readers |= {relation: instead for relation, instead, _ in sieves}
        readers = {
            relation: self.put([len(found), *found]) if (found := self._readers.get(relation)) else nothing
            for relation in self._relations
        }
        inputs, predicates, background, loads = self._inputs()
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
            memory.NEWS: self.put([0] * (1 + len(self._relations))),
            memory.KEY: self.put([0] * _KEY_AREA),
            memory.CURSORS: self.put([0] * 2 * _STACK),
            memory.HORIZONS: self.put([0] * _STACK),
            memory.COUNTERS: self.put([0] * (self.rule_count() + 1) * len(values.REASONS)),
            memory.EXAMPLES: self.put([kept.get(rule, 0) for rule in range(self.rule_count() + 1)]),
            memory.WIDE: self.at(self._wide),
            memory.OPERATIONS: len(self._nodes),
            memory.FIRST_OPERATION: first_operation,
            memory.INPUTS: inputs,
            memory.OUTPUTS: len(put_out),
            memory.FIRST_OUTPUT: first_output,
            memory.LOG_KEPT: plan.counts_facts,
            memory.ANNOTATED: int(self.annotated),
            memory.REMEMBERS: 1,
            memory.PASS_ON_AFTER: memory.FOREVER,
            measuring.FIGURES: self.put(
                measuring.room_for_figures(self.rule_count(), len(self._nodes), len(self.words))
            ),
            pause.FUEL: pause.PACE,
            pause.MOST_DERIVED: memory.FOREVER,
            pause.MOST_WORDS: memory.FOREVER,
        }
        for at, word in header.items():
            self.words[at] = word
        self._describe(readers)
        widths = [feed.relation.arity - feed.timed + len(feed.where) + len(feed.left_out) for feed in plan.feeds]
        widths += [relation.arity for relation in (*plan.relations, *self._selecting.values())]
        return Arena(
            np.array(self.words, np.int64),
            predicates,
            outputs,
            background,
            loads,
            [(registers + register, value) for value, register in self.constants.items()],
            max(widths, default=0),
            self.rule_count(),
            kept,
            self.shown,
            self._relations,
            self._nodes,
            self._times,
            self._idle(),
            self.functions,
            {self.at(relation) + memory.READERS: one_by_one for relation, _, one_by_one in sieves},
        )

    def _examples(self) -> dict[int, int]:
        """Room for the examples of all rules that may need any."""
        found = {}
        for rule, most in self.most_shown.items():
            width = examples.BINDING + most
            found[rule] = self.put([width, *[0] * (width * len(values.REASONS))])
        return found

    def _idle(self) -> tuple[Steady, np.ndarray] | None:
        found = self._steady
        if found is None:
            return None
        columns = {relation: sum(1 << i for i in times) for relation, times in found.times.items()}
        for relation, waiting in self._pending.items():
            columns[waiting] = columns[relation] | 1 << relation.arity
        for node, (own, *_) in self._own.items():
            match node:
                case Gate():
                    columns[own.relation] = columns[node.source] | 1 << node.source.arity
                case Fold() | Extremes() | Ranking():
                    columns[own.relation] = columns[node.source] & ((1 << node.groups) - 1)
        return found, np.array([columns.get(relation, idle.LEFT_ALONE) for relation in self._relations], np.int64)

    def _helpers(self) -> list[Relation]:
        """Relations that only the arena needs: for rows that wait, for single operations, for the log of all facts."""
        plan = self.plan
        waits = [f.relation for f in plan.feeds if f.span is not None and f.span.waits]
        waits += [r.head for r in plan.guaranteed if r.within is not None and not r.stamps]
        waits += [relation for relation, _, span in plan.background if span is not None and span.waits]
        waits += [load.relation for load in plan.loads if load.span is not None and load.span.waits]
        self._pending = {r: Relation(f"pending {r.name}", r.arity + 1) for r in dict.fromkeys(waits)}
        self._nodes: list[object] = [*plan.clocks, Fixpoint(plan.guaranteed)]
        if plan.tracked or self._pending or any(isinstance(stage, Gate) for stage in plan.stages):
            self._nodes.append(Track())
        self._nodes += plan.stages
        unknown = {type(node) for node in self._nodes} - OPERATORS.keys()
        assert not unknown, f"no operator for {', '.join(kind.__name__ for kind in unknown)}: see `operators.table`"
        self._own: dict[object, tuple[Own, ...]] = {}
        for node in self._nodes:
            if (make := OPERATORS[type(node)].own) is not None and (own := make(node)) != ():
                self._own[node] = own if isinstance(own, tuple) else (own,)
        self._log: Relation | None = None
        if any(OPERATORS[type(node)].reads_log(node) for node in self._nodes):
            windows = [s.target.arity - 1 for s in plan.stages if isinstance(s, LastFacts) and s.keys is None]
            self._log = Relation("log", log.ARGS + max(windows, default=0))
        self._running = {stage.source for stage in plan.stages if isinstance(stage, Runs)}
        self._passing = passing(plan)
        twice = {rule.head for rules in self._passing.values() for rule in rules}  # the same fact may be there twice
        self._once = derived_once(plan) - twice
        self._readers: dict[Relation, list[int]] = {}
        self._applied: dict[Relation, list[tuple[PlanRule, int]]] = {}
        self._noted = {
            r: Relation(f"noted {r.name}", r.arity) for r, rules in self._passing.items() if any(map(computes, rules))
        }
        found = steady(plan) if ticks(plan) else ""
        self._steady = None if isinstance(found, str) else found
        waits_for_time = {*self._pending, *(feed.relation for feed in plan.feeds if feed.newest), *self._once}
        # If only the ends of guarantees are output, each must be known as it is; and idle time moves times.
        keeps_back = () if self.annotated or self._steady is not None else recursive(plan) - waits_for_time
        self._kept_back = {
            r: Relation(f"longer guarantees of {r.name}", r.arity) for r in plan.relations if r in keeps_back
        }
        logs = [self._log] if self._log is not None else []
        self._selecting = {
            (predicate, columns): Relation(f"constants of {predicate} at {columns}", len(columns) + 1)
            for predicate, columns in dict.fromkeys((f.predicate, _columns(f.where)) for f in plan.feeds if f.where)
        }
        selecting = self._selecting.values()
        owned = (own.relation for own in self._owned())
        return [*self._pending.values(), *owned, *logs, *selecting, *self._noted.values(), *self._kept_back.values()]

    def _owned(self) -> Iterator[Own]:
        return (own for several in self._own.values() for own in several)

    # -- words ----------------------------------------------------------------------------------------------------

    def put(self, words: Sequence[int]) -> int:
        """Append words to the fixed part. Returns where they are."""
        at = len(self.words)
        self.words.extend(words)
        return at

    def at(self, relation: Relation) -> int:
        """Where a relation's descriptor is."""
        return memory.HEADER + self._number[relation] * memory.DESCRIPTOR

    def noted(self, relation: Relation) -> int:
        """Where the descriptor is of those rows of a passing relation that gave instances without a value; or 0."""
        return self.at(self._noted[relation]) if relation in self._noted else 0

    def keeping(self) -> list[int]:
        """Where the descriptors are of relations that keep longer guarantees of their rows back."""
        return list(map(self.at, self._kept_back))

    def rule_count(self) -> int:
        """How many rules the program has, as far as the plan has them."""
        return self._rules

    def _describe(self, readers: dict[Relation, int]) -> None:
        """Fill in the relations' descriptors; `readers` says where the lists of variants are that begin with them."""
        partners = {a: self.at(b) for pair in self._pending.items() for a, b in (pair, pair[::-1])}
        own = {own.relation: own for own in self._owned()}
        lists = set(self._kept_back.values())
        numbers = {
            o.relation: memory.FIRST_REPORTED + i if o.tag is None else memory.TAGGED
            for i, o in enumerate(self.plan.outputs)
        }
        for relation in self._relations:
            d = self.at(relation)
            kind = self._kind(relation)
            put_out = numbers.get(relation, 0)
            reported = put_out if kind == memory.TRACKED and relation not in self.plan.tracked else 0
            extra = {memory.COUNTED: 4, memory.TRACKED: 2 if reported else 3, memory.RUNNING: 2}.get(kind, 1)
            keeps = own.get(relation) or Own(relation)
            read_by_one = kind == memory.PASSING and len(self._passing[relation]) == 1
            unindexed = relation in self._once or relation in lists
            indexed = keeps.indexed and kind != memory.LOG and not read_by_one and not unindexed
            indices = self.indices[relation] if indexed else []
            assert len(indices) <= memory.MOST_INDICES
            at_next = relation.arity + extra
            fields = {
                memory.ARITY: relation.arity,
                memory.STRIDE: at_next + len(indices) + keeps.more,
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
                memory.REPORTED: reported,
                memory.READERS: readers[relation],
                memory.PUT_OUT: put_out,
                memory.KEEPS_BACK: memory.LATER if relation in self._kept_back else memory.AT_ONCE,
                memory.KEPT_BACK: self.at(self._kept_back[relation]) if relation in self._kept_back else 0,
                memory.MORE_CODES: sum(1 << word for word in keeps.codes),
                memory.MORE_BLOCK: 0 if keeps.block is None else keeps.block + 1,
                memory.CODES_IN_BLOCK: 0 if keeps.codes_in_block is None else keeps.codes_in_block + 1,
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
        if relation in self._passing:
            return memory.PASSING
        if relation in self._waiting:
            return memory.PENDING
        if relation.counted:
            return memory.COUNTED
        if relation in self._running:
            return memory.RUNNING
        tracked = relation in self.plan.tracked or (not self.annotated and relation in self._put_out)
        return memory.TRACKED if tracked else memory.LIGHT

    # -- operations -----------------------------------------------------------------------------------------------

    def _operations(self) -> int:
        """All operations in a row; where the first one is."""
        first = self._first_operation = self.put([0] * (OPERATION * len(self._nodes)))
        self._times: list[int] = []
        for number, node in enumerate(self._nodes):
            operator, op = OPERATORS[type(node)], first + number * OPERATION
            for at, word in {KERNEL: kernel_address(operator.kernel), **operator.encode(node, self, op)}.items():
                assert at < OPERATION, f"an operation has {OPERATION} words"
                self.words[op + at] = word
            self._times += [op + at for at in operator.times]
        return first

    def own(self, node: object, number: int = 0) -> int:
        """Where the descriptor of this node's own relation is, or of one of several."""
        return self.at(self._own[node][number].relation)

    def operations_from(self, relation: Relation) -> list[int]:
        """Where the operations are that take their rows from a relation."""
        return [
            self._first_operation + number * OPERATION
            for number, node in enumerate(self._nodes)
            if isinstance(node, OperatorNode) and node.origin_of_rows == relation
        ]

    def ranking(self, target: Relation) -> tuple[Ranking, int]:
        """The ranking through which rules walk that look something up in a relation, and where its operation is."""
        for number, node in enumerate(self._nodes):
            if isinstance(node, Ranking) and node.target == target:
                return node, self._first_operation + number * OPERATION
        raise AssertionError(f"there is no ranking for {target.name}")

    def log(self) -> int:
        """Where the descriptor of the log of all facts is."""
        assert self._log is not None, "its operator says that it reads the log"
        return self.at(self._log)

    def feed(self, predicate: str, op: int) -> None:
        """Send the facts of a predicate directly to an operation."""
        self._fed.setdefault(predicate, []).append(op)

    def predicate(self, name: str) -> int:
        """The number of a predicate that feeds something; they are numbered in the order of the plan."""
        return self._predicates().index(name)

    def _predicates(self) -> list[str]:
        named = [feed.predicate for feed in self.plan.feeds]
        named += [stage.predicate for stage in self.plan.stages if isinstance(stage, LastFacts)]
        return list(dict.fromkeys(named))

    def _inputs(
        self,
    ) -> tuple[int, dict[str, int], list[tuple[int, tuple[Value, ...]]], list[tuple[int, Load]]]:
        """The table of what facts feed. Facts of unknown predicates go only to the log; background is fed like
        facts. What feeds are for facts with constants is found through a relation from constants to such a table."""
        named = self._predicates()
        tables: list[list[int]] = []
        log = [execute.INTO_LOG, self.at(self._log), 0, 0, 0, 0, 0, 0] if self._log is not None else []
        fed: dict[str, list[int]] = {predicate: [] for predicate in named}
        chosen: dict[tuple[str, Where], list[int]] = {}
        for feed in self.plan.feeds:
            added = execute.TIMED if feed.timed else execute.PLAIN if feed.tag is None else execute.TAGGED
            sinks = chosen.setdefault((feed.predicate, feed.where), []) if feed.where else fed[feed.predicate]
            kind = execute.PASSED_ON if feed.relation in self._passing else execute.INTO_RELATION
            left_out = sum(1 << i for i in (*feed.left_out, *(i for i, _ in feed.where)))
            sinks += [kind, self.at(feed.relation), added, *span_words(feed.span), feed.tag or 0, left_out]
        for (predicate, columns), relation in self._selecting.items():
            mask = sum(1 << column for column in columns)
            fed[predicate] += [execute.SELECTED, self.at(relation), mask, 0, 0, 0, 0, 0]
            self.index(relation, tuple(range(len(columns))))
        for predicate, sinks in fed.items():
            sinks += log
            for op in self._fed.get(predicate, ()):
                sinks += [execute.INTO_PARTITION, op, 0, 0, 0, 0, 0, 0]
            tables.append(sinks)
        tables.append(log)
        numbers: dict[Relation, int] = {}

        def number(relation: Relation, span: Span | None) -> int:
            if relation not in numbers:
                numbers[relation] = len(tables)
                tables.append([execute.FOR_EVER, self.at(relation), execute.PLAIN, *span_words(span), 0, 0])
            return numbers[relation]

        background: list[tuple[int, tuple[Value, ...]]] = []
        for (predicate, where), sinks in chosen.items():  # first, because facts are taken in order
            selecting = number(self._selecting[predicate, _columns(where)], None)
            background.append((selecting, (*(value for _, value in where), len(tables))))
            tables.append(sinks)
        background += [(number(relation, span), args) for relation, args, span in self.plan.background]
        loads = [(number(load.relation, load.span), load) for load in self.plan.loads]
        places = [(self.put(sinks), len(sinks) // execute.SINK) for sinks in tables]
        table = self.put([word for place in places for word in place])
        predicates = {predicate: i for i, predicate in enumerate(named)}
        return table, {**predicates, "": len(named)}, background, loads

    # -- rules ----------------------------------------------------------------------------------------------------

    def variants(
        self, rules: Sequence[PlanRule], counted: bool, scratch: bool = False, first: bool = False
    ) -> list[int]:
        """One variant per lookup, or only for the first: it begins with what changed there. In the guaranteed plane
        absence never changes."""
        found = []
        for rule in rules:
            begins = [i for i, lookup in enumerate(rule.lookups) if counted or not lookup.negated]
            begins = begins[:1] if first else begins
            special = (variants.STAMPS if rule.stamps and not scratch else 0) | (variants.SCRATCH if scratch else 0)
            for i in begins:
                lookup = rule.lookups[i]
                if lookup.walk is None:
                    made = [Variant(self, rule, i, counted, special).build()]
                else:
                    made = [ChangedWalk(self, rule, i, special, which).build() for which in WALKS]
                if not counted:
                    self._readers.setdefault(lookup.relation, []).extend(made)
                    self._applied.setdefault(lookup.relation, []).extend((rule, place) for place in made)
                found += made
        return found

    def tests(self, rule: PlanRule) -> int:
        """The variant of a rule with one lookup that only says how to test a row: an operator reads it, and no rule is
        applied when such a row is new."""
        return Variant(self, rule, 0, False, 0).build()

    def shows(self, made_by: int, rule: int, terms: tuple[Term, ...]) -> None:
        """Note what an example of a rule shows if a variant or an aggregate makes it."""
        self.shown[made_by] = terms
        self.most_shown[rule] = max(self.most_shown.get(rule, 0), len(terms))

    def constant(self, value: Value) -> int:
        """The register of a constant."""
        return self.constants.setdefault(value, VARIABLES + len(self.constants))

    def question(self, function: Function, operands: int) -> int:
        """The number that kernels use to ask for a function."""
        if (function, operands) not in self.functions:
            self.functions.append((function, operands))
        return FIRST_FUNCTION + self.functions.index((function, operands))

    def index(self, relation: Relation, columns: tuple[int, ...]) -> int:
        """The number of the index on these columns. If there is no room for another index, the one on most of them.

        If there is none, it is -1: all rows are scanned.
        """
        known = self.indices[relation]
        if columns not in known and len(known) < memory.MOST_INDICES:
            known.append(columns)
        usable = [i for i, indexed in enumerate(known) if indexed and set(indexed) <= set(columns)]
        return max(usable, key=lambda i: len(known[i]), default=-1)


def _columns(where: Where) -> tuple[int, ...]:
    return tuple(column for column, _ in where)
