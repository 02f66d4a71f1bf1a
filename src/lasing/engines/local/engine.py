"""The incremental engine as a session sees it: facts in, changes out; encoded in columns, or as atoms."""

from __future__ import annotations

import math
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lasing.engines.local import memory
from lasing.engines.local.blocks import open_blocks, release_blocks
from lasing.engines.local.calendar import open_calendar
from lasing.engines.local.dictionary import Coded, Codes, Dictionary
from lasing.engines.local.execute import (
    HALF_WAY,
    IN_ARGS,
    IN_TIME,
    OUT_ARGS,
    OUT_PREDICATE,
    OUT_SIGN,
    OUT_TIME,
    OUT_UNTIL,
    PROVISIONAL,
    read_out,
    run_batch,
)
from lasing.engines.local.figures import Measuring
from lasing.engines.local.idle import Leaps, stretches
from lasing.engines.local.layout import lay_out
from lasing.engines.local.loading import load
from lasing.engines.local.operators import examples
from lasing.engines.local.operators.operation import OPERATION
from lasing.engines.local.operators.remember import OPEN, runs_in
from lasing.engines.local.operators.remember import restore as restore_runs
from lasing.engines.local.supervisor import Supervisor
from lasing.engines.local.values import REASONS
from lasing.limits import Watch, stopped
from lasing.logic.answers import Changes, Expiry
from lasing.logic.examples import Example, Examples
from lasing.logic.formulas import Atom
from lasing.logic.functions import AGGREGATES, COMPARISONS
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import is_text
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import NOW, Plan, Test
from lasing.plan.operators import Compared, Extremes, Fold, Panes, Ranking, Remember
from lasing.plan.optimize import optimized
from lasing.plan.relations import Relation
from lasing.plan.rewrite import rules_of
from lasing.timeline.limits import check_time

_FIRST_BITS = 6
_BLOCK = 1 << 16
"""How many rows of output come at once."""


class LocalEngine:
    """Evaluates a program incrementally. Raises `Unplanned` at once if it cannot.

    If `annotated`, guaranteed atoms come out once, with the time up to which they hold, and their end is not reported.
    """

    def __init__(
        self,
        program: Program,
        start: int,
        plan: Plan | None = None,
        annotated: bool = False,
        watch: Watch | None = None,
    ) -> None:
        check_time(start)
        chosen = optimized(compile_plan(program)) if plan is None else plan
        self._plan = chosen
        self._layout = lay_out(chosen, annotated)
        self._arena = self._layout.memory
        self._arena[memory.START] = start
        open_blocks(self._arena, _FIRST_BITS)
        open_calendar(self._arena, start)
        self._leaps: Leaps | None = None
        if self._layout.idle is not None and not annotated:
            self._leaps = Leaps(self._arena, *self._layout.idle, self._layout.times, self._layout.rules * len(REASONS))
        self._supervisor = Supervisor(self._arena, program, watch or Watch())  # limits do not count what came before
        self._usable = True
        self._measuring: Measuring | None = None
        registers = [register for register, _ in self._layout.constants]
        registers += [at for place in self._layout.examples.values() for at in self._codes_of_examples(place)]
        self._examples: dict[tuple[int, str], Example] = {}
        self.dictionary = Dictionary(
            self._arena, registers, _asks_for_order(chosen), self._layout.functions, self._supervisor.raised.append
        )
        # As long as the dictionary lives, someone may read values of it that are in blocks.
        weakref.finalize(self.dictionary, release_blocks, self._arena)
        self.time = start - 1
        self.width = IN_ARGS + max(1, self._layout.width)
        self.output_arities = np.array([arity for _, arity in self._layout.outputs], np.int64)
        self._out: Codes = np.empty((256, OUT_ARGS + max(1, self._layout.width)), np.int64)
        self._held: Codes = np.empty((64, self._out.shape[1]), np.int64)
        with self.dictionary.encoding() as encoder:
            for register, value in self._layout.constants:
                self._arena[register] = encoder.code(value)
            rows = [[start, number, *encoder.codes(args)] for number, args in self._layout.background]
            loaded = load(encoder, self._layout.loads, start, self.width)
            self._background: Coded | None = self._block(rows, loaded)

    # -- encoded ---------------------------------------------------------------------------------------------------

    @property
    def predicates(self) -> dict[str, int]:
        """The numbers of the predicates of facts; "" means any other predicate."""
        return self._layout.predicates

    @property
    def outputs(self) -> Sequence[tuple[str, int]]:
        """The predicates of the output, in the order of their numbers, with their arities."""
        return self._layout.outputs

    def evaluate(self, rows: Codes, end: int) -> Iterator[Codes]:
        """Advance to a time point, given all facts up to it, in order: rows (time, predicate's number, arguments…).

        Changes come in blocks of rows (time, predicate's number, +1 or -1, until when it is guaranteed, arguments…),
        each valid until the next one is requested. Facts may be added to the current time point.
        """
        check_time(end)
        if not self._usable:
            raise stopped()
        self._usable = False  # until everything is evaluated, so that nothing continues after an interrupt
        if self._background is not None:
            known, self._background = self._background.rows, None
            rows = np.concatenate([known, rows]) if len(rows) else known
            del known
        if self._leaps is None or end - self.time <= self._leaps.least:
            yield from self._evaluate(rows, end)
        else:
            for part, until, is_idle in stretches(rows, self.time, end, self._leaps.least):
                yield from self._rest(until, self._leaps) if is_idle else self._evaluate(part, until)
        self._usable = True

    def _rest(self, end: int, leaps: Leaps) -> Iterator[Codes]:
        """Advance to a time point when no facts come before it; skip stretches in which only the time changes."""
        nothing = self._block(()).rows
        patience = 4 * leaps.reach
        while self.time < end:
            yield from self._evaluate(nothing, min(end, self.time + max(patience, leaps.rows() // 4)))
            before = leaps.fingerprint(self.time) if self.time + leaps.period <= end else None
            quiet = before is not None
            for block in self._evaluate(nothing, min(end, self.time + leaps.period)):
                quiet = quiet and not block[:, OUT_SIGN].any()
                yield block
            patience *= 2
            if quiet and before is not None and leaps.fingerprint(self.time) == before:
                self.time = leaps.leap(before, self.time, end)
                patience = 4 * leaps.reach

    def _evaluate(self, rows: Codes, end: int) -> Iterator[Codes]:
        """Advance to a time point, through every time point at which something happens."""
        at, time = self._first(rows)
        while time < end:
            written, at, time = self._run(rows, at, time, end)
            if written:
                self.dictionary.bare += 1  # the rows, and what they produce
                try:
                    yield self._out[:written]
                finally:
                    self.dictionary.bare -= 1

    def push(self, rows: Codes, end: int) -> list[Coded]:
        """The same as `evaluate`, at once: all blocks, to be kept. For a few rows, that takes half the time."""
        leaps = self._leaps
        if self._background is not None or (leaps is not None and end - self.time > leaps.least):
            return [self.dictionary.hold(block.copy(), OUT_ARGS) for block in self.evaluate(rows, end)]
        check_time(end)
        if not self._usable:
            raise stopped()
        self._usable = False
        blocks = []
        at, time = self._first(rows)
        while time < end:
            written, at, time = self._run(rows, at, time, end)
            if written:
                blocks.append(self.dictionary.hold(self._out[:written].copy(), OUT_ARGS))
        self._usable = True
        return blocks

    def _first(self, rows: Codes) -> tuple[int, int]:
        """The first row, and the time point after which evaluation begins: facts may be added to the current one."""
        return 0, min(self.time, rows.item(0, IN_TIME) - 1) if len(rows) else self.time

    def _run(self, rows: Codes, at: int, time: int, end: int) -> tuple[int, int, int]:
        """Evaluate time points until all is done or the output is half full: how many rows of output there are, and
        the row and the time at which to continue."""
        if len(rows) - at > len(self._out):
            self._out = np.empty((_BLOCK, self._out.shape[1]), np.int64)
        self._out, written, at, self.time = run_batch(
            self._arena, rows, at, time, end, self.dictionary.texts(), self._out
        )
        if at == HALF_WAY:
            raise self._supervisor.reason(self.time)
        return written, at, self.time

    def standing(self) -> Codes:
        """What holds now, as rows of output, valid until the next call."""
        self._held, written = read_out(self._arena, self._held)
        return self._held[:written]

    # -- what is remembered ----------------------------------------------------------------------------------------

    def remembered(self) -> Iterator[Run]:
        """What derived streams remember, as far as windows still reach."""
        for node, _ in self._streams():
            rows = runs_in(self._arena, self._layout.at(node.target), self.time)
            for *args, begin, length in rows.tolist():
                end = None if length == OPEN else begin + length
                yield Run(node.predicate, tuple(map(self.dictionary.value, args)), begin, end)

    def restore(self, rows: Codes, end: int, runs: Iterable[Run]) -> None:
        """Advance to a time point that was evaluated before, given the facts that still matter, and what derived
        streams remembered then. Earlier time points are evaluated without it, so what they derive is not remembered."""
        streams = list(self._streams())
        before = int(np.searchsorted(rows[:, 0], end)) if streams else len(rows)
        if streams and end > self.time:
            self._arena[memory.REMEMBERS] = 0
            if end - 1 > self.time:
                for _ in self.evaluate(rows[:before], end - 1):
                    continue
            self._arena[memory.REMEMBERS] = 1
            past = [run for given in runs if (run := given.before(end)) is not None]
            with self.dictionary.encoding() as encoder:
                for node, place in streams:
                    known = [run for run in past if run.predicate == node.predicate]
                    encoded = [
                        [*encoder.codes(run.args), run.begin, OPEN if run.end is None else run.end - run.begin]
                        for run in known
                    ]
                    shape = len(known), node.target.arity
                    restore_runs(self._arena, place, np.array(encoded, np.int64).reshape(shape), end - 1)
        for _ in self.evaluate(rows[before:] if streams else rows, end):
            continue

    def _streams(self) -> Iterator[tuple[Remember, int]]:
        """The derived streams that are remembered, and where their operations are."""
        first = int(self._arena[memory.FIRST_OPERATION])
        for number, node in enumerate(self._layout.nodes):
            if isinstance(node, Remember):
                yield node, first + number * OPERATION

    # -- as atoms --------------------------------------------------------------------------------------------------

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Changes]:
        """What changes up to a time point, given its new facts: all time points with changes."""
        self._arena[memory.REPORTS_EXTENSIONS] = 1
        encoded = self._encoded(Fact(time, atom) for atom in dict.fromkeys(atoms))
        added: list[Atom] = []
        removed: list[Atom] = []
        expiries: dict[Atom, Expiry] = {}
        now = None
        for block in self.evaluate(encoded.rows, time):
            for row in block.tolist():
                if row[OUT_TIME] != now:
                    if now is not None:
                        yield Changes(now, frozenset(added), frozenset(removed), expiries)
                    now, added, removed, expiries = row[OUT_TIME], [], [], {}
                atom = self.atom(row)
                if row[OUT_SIGN] < 0:
                    removed.append(atom)
                    continue
                expiries[atom] = expiry(row[OUT_UNTIL])
                if row[OUT_SIGN] > 0:
                    added.append(atom)
        if now is not None:
            yield Changes(now, frozenset(added), frozenset(removed), expiries)

    def recall(self, time: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> Changes:
        """Add past facts, and what derived streams remember, and return what holds at a time point."""
        self.restore(self._encoded(dict.fromkeys(facts)).rows, time, runs)
        found = {self.atom(row): expiry(row[OUT_UNTIL]) for row in self.standing().tolist()}
        return Changes(time, frozenset(found), frozenset(), found)

    def _encoded(self, facts: Iterable[Fact]) -> Coded:
        numbers, rows = self.predicates, []
        with self.dictionary.encoding() as encoder:
            for time, atom in facts:
                number = numbers.get(atom.predicate)
                known = () if number is None else map(encoder.code, atom.args)  # type: ignore[arg-type]  # ground
                rows.append([time, numbers[""] if number is None else number, *known])
            return self._block(rows)

    def atom(self, row: Sequence[int]) -> Atom:
        """The atom of a row of output."""
        predicate, arity = self.outputs[row[OUT_PREDICATE]]
        return Atom(predicate, tuple(map(self.dictionary.value, row[OUT_ARGS : OUT_ARGS + arity])))

    def _block(self, rows: Sequence[Sequence[int]], more: Codes | None = None) -> Coded:
        block = np.zeros((len(rows), self.width), np.int64)
        for i, row in enumerate(rows):
            block[i, : len(row)] = row
        if more is not None:
            block = np.concatenate([block, more]) if len(block) else more
        return self.dictionary.hold(block, IN_ARGS)

    # -- from inside -----------------------------------------------------------------------------------------------

    @property
    def plan(self) -> Plan:
        """The plan that the engine runs."""
        return self._plan

    @property
    def relations(self) -> Sequence[Relation]:
        """All relations, in the order of their descriptors; the first one holds wide values."""
        return self._layout.relations

    @property
    def arena(self) -> Codes:
        """The arena (see `memory`), for reading."""
        return self._arena

    def measure(self) -> Measuring:
        """Count, from now on, what each rule adds and how long it takes."""
        if self._measuring is None:
            for readers, one_by_one in self._layout.sieves.items():
                self._arena[readers] = one_by_one
            self._measuring = Measuring(self, self._layout.rules, self._layout.nodes, self._plan)
        return self._measuring

    # -- reports ---------------------------------------------------------------------------------------------------

    @property
    def memory_bytes(self) -> int:
        """How much memory the engine's rows, indices and calendar take."""
        return self._arena.nbytes + 8 * int(self._arena[memory.WORDS])

    @property
    def dropped_heads(self) -> int:
        """How many atoms were derived for times before the start."""
        return int(self._arena[memory.DROPPED])

    @property
    def failures(self) -> Counter[tuple[int, str]]:
        """Instances without a value, by rule and reason."""
        first = int(self._arena[memory.COUNTERS])
        counts = self._arena[first : first + self._layout.rules * len(REASONS)]
        some = np.flatnonzero(counts)
        keys = ((i // len(REASONS), REASONS[i % len(REASONS)]) for i in some.tolist())
        return Counter(dict(zip(keys, counts[some].tolist(), strict=True)))

    @property
    def examples(self) -> Examples:
        """One such instance for each rule and reason."""
        for rule, reason in self.failures:
            if (rule, reason) not in self._examples:
                self._examples[rule, reason] = self._example(rule, reason)
        return self._examples

    def _example(self, rule: int, reason: str) -> Example:
        place = self._layout.examples[rule]
        width = int(self._arena[place])
        first = place + 1 + REASONS.index(reason) * width
        made_by, time, name, *codes = self._arena[first : first + width].tolist()
        values = [None if code == examples.MISSING else self.dictionary.value(code) for code in (name, *codes)]
        shown = zip(self._layout.shown[made_by], values[1:], strict=False)  # another variant may show more
        binding = {v: value for v, value in shown if isinstance(v, Variable) and value is not None}
        return Example(time, binding, values[0])

    def _codes_of_examples(self, place: int) -> Iterator[int]:
        """Where the codes are in the examples of a rule."""
        width = int(self._arena[place])
        for first in range(place + 1, place + 1 + width * len(REASONS), width):
            yield from range(first + examples.NAME, first + width)


def _asks_for_order(plan: Plan) -> bool:
    """Whether some rule may ask which of two names comes first. A comparison with a number does not."""
    folds = [stage for stage in plan.stages if isinstance(stage, Fold)]
    if any(isinstance(stage, Extremes | Ranking) for stage in plan.stages):
        return True
    tests: list[Test | Compared] = [test for rule in rules_of(plan) for test in rule.tests]
    tests += (test for stage in plan.stages if isinstance(stage, Panes) for test in stage.tests)
    ordered = (test for test in tests if COMPARISONS[test.comparison].orders)
    return any(_may_be_name(test.left) and _may_be_name(test.right) for test in ordered) or any(
        AGGREGATES[fold.function].picks is not None for fold in folds
    )


def _may_be_name(term: Term) -> bool:
    if isinstance(term, Arithmetic):
        return term.function.kernel is None  # what kernels compute are numbers
    return is_text(term) or (isinstance(term, Variable) and term != NOW)


def expiry(until: int) -> Expiry:
    """What the column of the output means."""
    if until == PROVISIONAL:
        return None
    return math.inf if until >= memory.FOREVER else until
