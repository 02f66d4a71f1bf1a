"""The evaluation of one shard, in tables: facts in; answers, changes or intervals out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.arrow import names_as_they_are
from lasing.entailment.contradictions import Contradiction, Contradictions
from lasing.live.engine import Engine
from lasing.spark.hashing import shards_of
from lasing.spark.outputs import OutputTable
from lasing.spark.spans import COUNT, every_point, netted, spans
from lasing.spark.tables import times_of
from lasing.spark.task import Task

LeftOut = dict[str, int]
"""How many heads (`W202`) and instances (`W203 RULE REASON`) were left out."""


class Evaluation:
    """The engine of one shard, with the time since which each output atom holds."""

    def __init__(self, task: Task, shard: int, start: int) -> None:
        self._task = task
        self._shard = shard
        self._start = start
        limits = task.limits
        if limits.memory is None:  # the workers of a machine share the default limit
            limits = replace(limits, memory=limits.bytes // (os.cpu_count() or 1))
        self._engine = Engine.with_plan(task.program_of(shard), task.plan_of(shard), task.engine, start, limits)
        self._counted_before: Counter[str] = Counter()
        # atoms that every shard derives are emitted by one of them
        self._outputs = {p: o for p, o in task.outputs.items() if task.keys.get(p) is not None or shard == 0}
        watched = Contradictions(task.program).predicates
        self._reports_contradictions = shard == 0 or any(task.keys.get(p) is not None for p in watched)
        self.held: dict[str, Any] = {}

    @property
    def start(self) -> int:
        return self._start

    @property
    def incremental(self) -> bool:
        return self._engine.incremental

    @property
    def until(self) -> int:
        time = self._engine.time
        return self._start - 1 if time is None else time

    def recall(
        self,
        window: Mapping[str, Any],
        until: int,
        held: Mapping[str, Any] | None = None,
        remembered: Any | None = None,
    ) -> None:
        """Begin with the facts of a raw window, at the time point `until`; `held` says since when atoms hold, and
        `remembered` what derived streams remember. Without it, they remember what these facts let them derive."""
        if until < self.start:
            return
        if remembered is None and self._task.program.streams:
            self._engine.push_batch(window, end=until)
        else:
            self._engine.recall(window, end=until, remembered=remembered)
        self.left_out()
        self.contradiction()
        self.held = {predicate: held[predicate] for predicate in self._outputs if held and predicate in held}
        unknown = [] if self._task.view == "changes" else [p for p in self._outputs if p not in self.held]
        holding = self._engine.holding() if unknown else {}
        for predicate in unknown:
            self.held[predicate] = spans(self._changes(self._outputs[predicate], holding), None)[1]

    def remembered(self) -> dict[str, Any]:
        """What derived streams remember: a table under the name "", unless there are none."""
        return {"": self._engine.remembered()} if self._task.program.streams else {}

    def advance(self, facts: Mapping[str, Any], until: int, pending: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Take in facts in order of time, and evaluate up to `until`: a table for each output. `pending` has what is
        different at the next time point because another program has taken over."""
        first = self.until + 1
        changed = self._engine.push_batch(facts, end=until)
        tables = {}
        for predicate, output in self._outputs.items():
            changes = self._changes(output, changed)
            if pending and predicate in pending:
                changes = netted(pending[predicate], changes)
            if self._task.view == "changes":
                tables[predicate] = changes
                continue
            ended, self.held[predicate] = spans(changes, self.held.get(predicate))
            tables[predicate] = ended
            if self._task.view == "answers":
                tables[predicate] = every_point(ended, self.held[predicate], first, until)
        return tables

    @property
    def engine(self) -> Engine:
        """The engine, which explains what holds now."""
        return self._engine

    def holding(self) -> dict[str, Any]:
        """What holds now: a table of changes for each output, in which it is all added."""
        holding = self._engine.holding()
        return {predicate: self._changes(output, holding) for predicate, output in self._outputs.items()}

    def close(self) -> dict[str, Any]:
        """End the interval of every atom that holds now; if time goes on, new intervals begin after it."""
        ended = {}
        for predicate, held in self.held.items():
            begun = held.filter(pa.array(times_of(held, "from") <= self.until))  # the others were closed earlier
            begun = begun.drop_columns([COUNT])
            ended[predicate] = begun.add_column(1, "until", pa.array(np.full(begun.num_rows, self.until, np.int64)))
            since = pa.array(np.full(held.num_rows, self.until + 1, np.int64))
            self.held[predicate] = held.set_column(0, "from", since)
        return ended

    def left_out(self) -> LeftOut:
        """What was left out since the last call."""
        dropped, failures = self._engine.left_out()
        now = Counter({"W202": dropped} | {f"W203 {rule} {reason}": n for (rule, reason), n in failures.items()})
        new = now - self._counted_before
        self._counted_before = now
        return dict(new)

    def contradiction(self) -> Contradiction | None:
        """The inconsistent data that a query has met since the last call. One shard reports what all of them find."""
        found = self._engine.contradiction()
        return found if self._reports_contradictions else None

    def examples(self, left: LeftOut) -> dict[str, str]:
        """For each rule and reason among those left out: the text of an instance that had no value."""
        rules, tick = self._task.program.rules, self._task.shown_tick
        known = {f"W203 {rule} {reason}": (rules[rule], e) for (rule, reason), e in self._engine.examples().items()}
        return {name: example.text(rule, tick) for name, (rule, example) in known.items() if name in left}

    def _changes(self, output: OutputTable, changed: Mapping[str, Any]) -> Any:
        """The changes of an output, without the atoms of other shards."""
        if output.predicate not in changed:
            return output.nothing()
        changes = output.conformed(changed[output.predicate])
        if output.predicate not in self._task.foreign or self._task.shards == 1 or not changes.num_rows:
            return changes
        key = self._task.keys[output.predicate]
        assert key is not None
        table = names_as_they_are(changed[output.predicate])
        return changes.filter(pa.array(shards_of(table[f"arg{key + 1}"], self._task.shards) == self._shard))


def up_to(facts: Mapping[str, Any], until: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Facts by time, cut in two: those up to a time point, and those after it."""
    before, after = {}, {}
    for predicate, table in facts.items():
        cut = int(np.searchsorted(times_of(table), until, side="right"))
        before[predicate], after[predicate] = table.slice(0, cut), table.slice(cut)
    return before, after
