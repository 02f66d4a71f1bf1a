"""The local engine, fed by hand, in encoded columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any
from weakref import WeakSet

import numpy as np

from lasing.connectors.rows import is_text, value_of
from lasing.engines.local.columns import encode, encode_times
from lasing.engines.local.dictionary import Codes
from lasing.engines.local.engine import LocalEngine, expiry
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME, OUT_UNTIL
from lasing.engines.local.history import RawWindow
from lasing.errors import fault, warn
from lasing.live.cores import (
    Fact,
    Facts,
    Own,
    TimePoint,
    batch_of,
    check_predicate,
    checked,
    frame_of,
    not_utf8,
    out_of_order,
    unused,
)
from lasing.live.updates import Blocks
from lasing.logic.answers import Answer
from lasing.logic.formulas import PartitionWindow, Window, walk
from lasing.logic.lookback import lookback, only_derived
from lasing.logic.program import Program, Signature
from lasing.logic.terms import Value, value_from_text, value_text
from lasing.session import arity_of, counts_all_facts


@dataclass(frozen=True, slots=True)
class CodedBatch:
    """Rows of codes, by time; and from when to when there were any, those that nothing depends on included."""

    rows: Codes
    times: tuple[int, int] | None

    def span(self) -> tuple[int, int] | None:
        return self.times


class LocalCore:
    """Facts are rows of codes here; what nothing depends on is left out at once.

    A fact of a predicate that the program does not name still counts in tuple windows. It is known by its text.
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
            back.points,
            back.facts,
            [(engine.predicates[f.predicate], tuple(i for key in f.keys for i in key), f.back) for f in partitions],
        )
        self._told: WeakSet[Blocks] = WeakSet()

    @property
    def time(self) -> int:
        return self._engine.time

    def encode(self, time: int, facts: Facts) -> Codes:
        if time > self.time and self._engine.dictionary.is_full:
            self._forget()
        given = checked(facts)
        rows = self._used(self._frames(given) if isinstance(given, Mapping) else self._encoded(given))
        rows[:, IN_TIME] = time
        return rows

    def encode_batch(self, frames: Mapping[str, Any], time: str, time_point: TimePoint) -> CodedBatch:
        if self._engine.dictionary.is_full:
            self._forget()
        rows = self._frames(batch_of(frames), time, time_point)
        if len(frames) > 1:
            rows = rows[np.argsort(rows[:, IN_TIME], kind="stable")]
        times = (int(rows[0, IN_TIME]), int(rows[-1, IN_TIME])) if len(rows) else None
        return CodedBatch(self._used(rows), times)

    def with_own(self, batch: CodedBatch, own: Own) -> CodedBatch:
        mine = self._encoded([(atom.predicate, *atom.args) for _, atom in own])
        mine[:, IN_TIME] = [time for time, _ in own]
        rows = np.concatenate([self._used(mine), batch.rows])
        return CodedBatch(rows[np.argsort(rows[:, IN_TIME], kind="stable")], batch.times)

    def push_batch(self, end: int, batch: CodedBatch) -> Blocks:
        return self.push(end, batch.rows)

    def recall(self, end: int, batch: CodedBatch) -> None:
        rows = self._new(batch.rows)
        for _ in self._engine.evaluate(rows, end):
            continue  # what happened then was told then
        self._window.add(rows, end)

    def holding(self) -> Blocks:
        blocks = Blocks(self._engine, [self._engine.standing().copy()])
        self._told.add(blocks)
        return blocks

    def push(self, time: int, encoded: Codes) -> Blocks:
        rows = self._new(encoded)
        blocks = Blocks(self._engine, [block.copy() for block in self._engine.evaluate(rows, time)])
        if len(rows):
            self._window.add(rows, time)
        self._told.add(blocks)
        return blocks

    def _forget(self) -> None:
        """Forget values that nothing holds any more. Updates that are still around are decoded before."""
        for blocks in self._told:
            blocks.settle()
        self._engine.forget(self._window.codes(self.time))

    def answer(self) -> Answer:
        rows = self._engine.standing().tolist()
        found = {self._engine.atom(row): expiry(row[OUT_UNTIL]) for row in rows}
        return Answer.single(self.time, frozenset(found), found)

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        return self._engine.dropped_heads, self._engine.failures

    def window(self) -> Iterable[Fact]:
        names = {number: predicate for predicate, number in self._engine.predicates.items()}
        value = self._engine.dictionary.value
        for row in self._window.at(self.time).tolist():
            predicate = names[row[IN_PREDICATE]]
            if predicate:
                yield row[IN_TIME], predicate, tuple(map(value, row[IN_ARGS : IN_ARGS + self._arity[predicate]]))
            else:
                yield row[IN_TIME], *_from_text(str(value(row[IN_ARGS])))

    def _encoded(self, plain: list[tuple[object, ...]]) -> Codes:
        rows = np.zeros((len(plain), self._engine.width), np.int64)
        try:
            predicates = set(map(itemgetter(0), plain))
        except TypeError:  # it has no hash, so it is no text
            for fact in plain:
                check_predicate(fact[0])
            raise
        if len(predicates) == 1 and len(set(map(len, plain))) == 1:
            self._fill(rows, slice(None), plain)
            return rows
        shapes: dict[tuple[object, int], list[int]] = {}
        for i, fact in enumerate(plain):
            shapes.setdefault((fact[0], len(fact)), []).append(i)
        for where in shapes.values():
            self._fill(rows, where, [plain[i] for i in where])
        return rows

    def _fill(self, rows: Codes, where: Any, facts: Sequence[tuple[object, ...]]) -> None:
        """Encode facts of one predicate and one length."""
        number = self._number(facts[0][0], len(facts[0]))
        rows[where, IN_PREDICATE] = number
        if number == self._engine.predicates[""]:
            self._fill_unnamed(rows, where, facts)
            return
        for i, column in enumerate(list(zip(*facts, strict=True))[1:]):
            is_plain = set(map(type, column)) == {str} and is_text("".join(column))
            values: Any = column if is_plain else list(map(value_of, column))
            rows[where, IN_ARGS + i] = self._engine.dictionary.column(values)

    def _fill_unnamed(self, rows: Codes, where: Any, facts: Iterable[Sequence[object]]) -> None:
        """Facts of predicates that the program does not name: checked like all, and encoded where they count."""
        texts = [_to_text(fact) for fact in facts]
        if self._any_predicate:
            rows[where, IN_ARGS] = self._engine.dictionary.codes(texts)

    def _frames(self, frames: Mapping[str, Any], time: str | None = None, time_point: TimePoint | None = None) -> Codes:
        parts: list[Codes] = []
        for predicate, frame in frames.items():
            table = frame_of(frame, predicate, time)
            columns = [name for name in table.column_names if name != time]
            number = self._number(predicate, len(columns) + 1)
            part = np.zeros((table.num_rows, self._engine.width), np.int64)
            part[:, IN_PREDICATE] = number
            if time is not None and time_point is not None:
                part[:, IN_TIME] = encode_times(table[time], time_point)
                if (np.diff(part[:, IN_TIME]) < 0).any():
                    raise out_of_order()
            try:
                if number == self._engine.predicates[""]:
                    others = [(predicate, *row.values()) for row in table.select(columns).to_pylist()]
                    self._fill_unnamed(part, slice(None), others)
                else:
                    for i, name in enumerate(columns):
                        part[:, IN_ARGS + i] = encode(self._engine.dictionary, table[name], value_of)
            except UnicodeDecodeError:
                raise not_utf8(predicate) from None
            parts.append(part)
        return np.concatenate([*parts, np.zeros((0, self._engine.width), np.int64)]) if len(parts) != 1 else parts[0]

    def _number(self, predicate: object, length: int) -> int:
        """The number of a predicate, once it has been checked."""
        if not isinstance(predicate, str) or predicate not in self._arity:
            check_predicate(predicate)
        assert isinstance(predicate, str)
        if predicate in self._only_derived:
            self._also_streamed(predicate)
        known = self._arity.get(predicate)
        if known is None and not self._any_predicate and predicate not in self._unknown:
            self._unknown.add(predicate)
            warn([unused(predicate, self._arity)])
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

    def _new(self, rows: Codes) -> Codes:
        """Where facts are counted, only those that are not there already: the same fact twice counts once."""
        return self._window.unseen(rows) if self._exact else rows


def _to_text(fact: Sequence[object]) -> str:
    """One text for a fact of any predicate; equal facts have equal texts. No value's text has a line break."""
    predicate, *args = fact
    return "\n".join((str(predicate), *(value_text(value_of(arg)) for arg in args)))


def _from_text(text: str) -> tuple[str, tuple[Value, ...]]:
    """The fact of a text."""
    predicate, *args = text.split("\n")
    return predicate, tuple(map(value_from_text, args))
