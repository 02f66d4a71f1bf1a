"""The local engine, fed by hand, in encoded columns."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

import numpy as np

from lasing.connectors.arrow import table_of
from lasing.connectors.rows import value_of
from lasing.engines.local.columns import check, encode, encode_times
from lasing.engines.local.dictionary import Coded, Codes
from lasing.engines.local.engine import LocalEngine, expiry
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME, OUT_ARGS, OUT_UNTIL
from lasing.engines.local.history import RawWindow
from lasing.errors import Diagnostic, LasingWarning, fault, render, similar
from lasing.live.cores import Fact, Facts, Own, TimePoint, batch_of, checked
from lasing.live.others import Others
from lasing.live.updates import Blocks
from lasing.logic.answers import Answer
from lasing.logic.formulas import PartitionWindow, Window, walk
from lasing.logic.lookback import lookback, only_derived
from lasing.logic.program import Program, Signature
from lasing.session import arity_of, counts_all_facts


@dataclass(frozen=True, slots=True)
class CodedBatch:
    """Rows of codes, by time."""

    facts: Coded

    def span(self) -> tuple[int, int] | None:
        rows = self.facts.rows
        return (int(rows[0, IN_TIME]), int(rows[-1, IN_TIME])) if len(rows) else None


@dataclass(slots=True)
class Known:
    """The facts that came for a time point so far."""

    time: int
    facts: list[Coded] = field(default_factory=list)
    _keys: set[bytes] = field(default_factory=set)
    _collections: int = 0

    def keys(self, collections: int) -> set[bytes]:
        """Their rows as bytes, which are other ones after each collection of the dictionary."""
        if collections != self._collections:
            self._keys = {row.tobytes() for coded in self.facts for row in coded.rows}
            self._collections = collections
        return self._keys


class LocalCore:
    """Facts are rows of codes here; what nothing depends on is left out before it gets any.

    A fact of a predicate that the program does not name still counts in tuple windows (see `Others`).
    """

    def __init__(self, program: Program, engine: LocalEngine) -> None:
        self._engine = engine
        self._arity = arity_of(program)
        self._any_predicate = counts_all_facts(program)
        self._unknown: set[str] = set()
        self._program = program
        self._only_derived = only_derived(program)
        back = lookback(program)
        functions = [n.function for r in program.rules for f in r.body for n in walk(f) if isinstance(n, Window)]
        partitions = [f for f in functions if isinstance(f, PartitionWindow)]
        self._exact = bool(partitions) or self._any_predicate
        self._window = RawWindow(
            engine.dictionary,
            back.points,
            back.facts,
            [(engine.predicates[f.predicate], tuple(i for key in f.keys for i in key), f.back) for f in partitions],
        )
        self._known = Known(engine.time)
        self._others = Others()

    @property
    def time(self) -> int:
        return self._engine.time

    def encode(self, time: int, facts: Facts) -> Coded:
        given = checked(facts)
        with self._engine.dictionary.encoding():
            rows = self._frames(given, time) if isinstance(given, Mapping) else self._tuples(given, time)
            return self._distinct(rows, time)

    def encode_batch(self, frames: Mapping[str, Any], time: str, time_point: TimePoint) -> CodedBatch:
        with self._engine.dictionary.encoding():
            rows = self._frames(batch_of(frames), time, time_point)
            if len(frames) > 1:
                rows = rows[np.argsort(rows[:, IN_TIME], kind="stable")]
            elif len(rows) and (np.diff(rows[:, IN_TIME]) < 0).any():
                raise fault("E504", "the rows are out of order", note="sort them by time")
            return CodedBatch(self._coded(self._once(rows)))

    def with_own(self, batch: CodedBatch, own: Own) -> CodedBatch:
        with self._engine.dictionary.encoding():
            times = np.array([time for time, _ in own], np.int64)
            mine = self._tuples([(atom.predicate, *atom.args) for _, atom in own], times)
            rows = np.concatenate([mine, batch.facts.rows])
            return CodedBatch(self._coded(self._once(rows[np.argsort(rows[:, IN_TIME], kind="stable")])))

    def push_batch(self, end: int, batch: CodedBatch) -> Blocks:
        return self.push(end, batch.facts)

    def recall(self, end: int, batch: CodedBatch) -> None:
        for _ in self._engine.evaluate(batch.facts.rows, end):
            continue  # what happened then was told then
        self._window.add(batch.facts, end)

    def holding(self) -> Blocks:
        return Blocks(self._engine, [self._told(self._engine.standing())])

    def push(self, time: int, encoded: Coded) -> Blocks:
        told = [self._told(block) for block in self._engine.evaluate(encoded.rows, time)]
        if len(encoded):
            self._window.add(encoded, time)
        return Blocks(self._engine, told)

    def _coded(self, rows: Codes) -> Coded:
        return self._engine.dictionary.hold(rows, IN_ARGS)

    def _told(self, block: Codes) -> Coded:
        """A block of output, to be kept by whoever hears of it."""
        return self._engine.dictionary.hold(block.copy(), OUT_ARGS)

    def answer(self) -> Answer:
        rows = self._engine.standing().tolist()
        found = {self._engine.atom(row): expiry(row[OUT_UNTIL]) for row in rows}
        return Answer.single(self.time, frozenset(found), found)

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        return self._engine.dropped_heads, self._engine.failures

    def window(self) -> Iterable[Fact]:
        names = {number: predicate for predicate, number in self._engine.predicates.items()}
        value, texts = self._engine.dictionary.value, self._others.texts(self.time)
        facts: list[Fact] = []
        for row in self._window.at(self.time).tolist():
            predicate, time, first = names[row[IN_PREDICATE]], row[IN_TIME], row[IN_ARGS]
            if predicate == "":  # it is told by its text where it may come again
                facts.append((time, predicate, (texts.get(first, first) if time == self.time else first,)))
            else:
                args = tuple(map(value, row[IN_ARGS : IN_ARGS + self._arity[predicate]]))
                facts.append((time, predicate, args))
        return facts

    def _tuples(self, plain: list[tuple[object, ...]], times: int | Codes) -> Codes:
        rows = np.zeros((len(plain), self._engine.width), np.int64)
        rows[:, IN_TIME] = times
        if len(set(map(itemgetter(0), plain))) == 1 and len(set(map(len, plain))) == 1:
            self._fill(rows, slice(None), plain)
            return self._used(rows)
        shapes: dict[tuple[object, int], list[int]] = {}
        for i, fact in enumerate(plain):
            shapes.setdefault((fact[0], len(fact)), []).append(i)
        for where in shapes.values():
            self._fill(rows, where, [plain[i] for i in where])
        return self._used(rows)

    def _fill(self, rows: Codes, where: Any, facts: Sequence[tuple[object, ...]]) -> None:
        """Encode facts of one predicate and one length."""
        number = self._number(facts[0][0], len(facts[0]))
        rows[where, IN_PREDICATE] = number
        if number == self._engine.predicates[""]:
            self._number_others(rows, where, facts)
            return
        for i, column in enumerate(list(zip(*facts, strict=True))[1:]):
            values = column if set(map(type, column)) == {str} else list(map(value_of, column))
            rows[where, IN_ARGS + i] = self._engine.dictionary.column(values)

    def _number_others(self, rows: Codes, where: Any, facts: Sequence[tuple[object, ...]]) -> None:
        """Facts of a predicate that the program does not name: they get no codes, and nothing of them lasts."""
        if self._any_predicate:
            self._others.pass_to(self.time)
            rows[where, IN_ARGS] = self._others.numbers(rows[where, IN_TIME].tolist(), facts)
        else:
            for fact in facts:
                for value in fact[1:]:
                    value_of(value)  # it is refused where it would be refused in others

    def _frames(self, frames: Mapping[str, Any], time: str | int, time_point: TimePoint | None = None) -> Codes:
        """Rows of data frames, all at one time point, or with a column of the time."""
        parts: list[Codes] = []
        for predicate, frame in frames.items():
            table = table_of(frame, str(predicate))
            if isinstance(time, str) and time not in table.column_names:
                raise fault(
                    "E505", f"the table of {predicate} has no column {time}", note="name it: push_batch(…, time=…)"
                )
            columns = [name for name in table.column_names if name != time]
            number = self._number(predicate, len(columns) + 1)
            part = np.zeros((table.num_rows, self._engine.width), np.int64)
            part[:, IN_PREDICATE] = number
            part[:, IN_TIME] = encode_times(table[time], time_point) if time_point is not None else time
            if number != self._engine.predicates[""]:
                for i, name in enumerate(columns):
                    part[:, IN_ARGS + i] = encode(self._engine.dictionary, table[name], value_of)
            elif self._any_predicate:
                values = [table[name].to_pylist() for name in columns]
                self._number_others(part, slice(None), list(zip([predicate] * table.num_rows, *values, strict=True)))
            else:
                for name in columns:
                    check(table[name], value_of)
            parts.append(part)
        return self._used(
            np.concatenate([*parts, np.zeros((0, self._engine.width), np.int64)]) if len(parts) != 1 else parts[0]
        )

    def _number(self, predicate: object, length: int) -> int:
        """The number of a predicate, once it has been checked."""
        if not isinstance(predicate, str):
            raise fault("E509", f"{predicate!r} is no predicate", note='a fact is a tuple such as ("temp", "s1", 70)')
        if predicate in self._only_derived:
            self._also_streamed(predicate)
        known = self._arity.get(predicate)
        if known is None and not self._any_predicate and predicate not in self._unknown:
            self._unknown.add(predicate)
            note = similar(predicate, self._arity) or "its facts are ignored"
            found = Diagnostic("W204", f"the program does not use {predicate}", note=note)
            warnings.warn(render([found]), LasingWarning, stacklevel=5)
        if known is not None and known != length - 1:
            message = f"a fact of {predicate} has {length - 1} arguments, but {predicate} has {known} in the program"
            raise fault("E508", message)
        return self._engine.predicates.get(predicate, self._engine.predicates[""])

    def _also_streamed(self, predicate: str) -> None:
        """A predicate of which it was not said that it is in the stream is there: its facts are looked back on."""
        found = Signature(predicate, self._arity[predicate])
        self._program = replace(self._program, inputs=(*self._program.inputs, found))
        self._only_derived = only_derived(self._program)
        self._window.points = lookback(self._program).points

    def _used(self, rows: Codes) -> Codes:
        """Without the facts that nothing depends on."""
        if self._any_predicate:
            return rows
        used = rows[:, IN_PREDICATE] != self._engine.predicates[""]
        return rows if used.all() else rows[used]

    def _once(self, rows: Codes) -> Codes:
        """Where facts are counted, each fact of a batch once."""
        if not self._exact:
            return rows
        _, first = np.unique(rows, axis=0, return_index=True)
        return rows[np.sort(first)]

    def _distinct(self, rows: Codes, time: int) -> Coded:
        """Where facts are counted, a fact that is there already at this time point counts once."""
        if not self._exact or not len(rows):
            return self._coded(rows)
        if self._known.time != time:
            self._known = Known(time)
        keys = self._known.keys(self._engine.dictionary.collections)
        fresh = []
        for i, row in enumerate(rows):
            key = row.tobytes()
            if key not in keys:
                keys.add(key)
                fresh.append(i)
        self._known.facts.append(self._coded(rows[fresh]))
        return self._known.facts[-1]
