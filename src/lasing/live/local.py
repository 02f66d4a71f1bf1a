"""The local engine behind the push interface, in encoded columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np

from lasing.connectors.arrow_columns import column_with_terms
from lasing.connectors.rows import value_of
from lasing.engines.local.checkpoints import Checkpoint, can_be_copied, go_back, take
from lasing.engines.local.columns import check, encode, encode_times
from lasing.engines.local.dictionary import Coded, Codes
from lasing.engines.local.engine import LocalEngine, expiry
from lasing.engines.local.execute import IN_ARGS, IN_PREDICATE, IN_TIME, OUT_ARGS, OUT_TIME, OUT_UNTIL
from lasing.engines.local.history import History, HistoryState
from lasing.errors import fault, warn
from lasing.explain.evidence import Coded as CodedRows
from lasing.explain.evidence import Facts as KnownFacts
from lasing.live import few
from lasing.live.cores import (
    Core,
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
from lasing.live.others import Others, from_text, to_text
from lasing.live.updates import Blocks
from lasing.logic.answers import Answer
from lasing.logic.examples import Examples
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run
from lasing.logic.values import Value
from lasing.logic.values.texts import is_unicode
from lasing.raw_window import RawWindow


@dataclass(frozen=True, slots=True)
class CodedBatch:
    """Rows of codes, sorted by time, and the first and last time, including those of facts that nothing depends on."""

    facts: Coded
    times: tuple[int, int] | None

    def span(self) -> tuple[int, int] | None:
        return self.times


@dataclass(frozen=True, slots=True)
class LocalCheckpoint:
    """A copy of the engine's memory, if it can be copied; the raw window; what derived streams remember."""

    time: int
    memory: Checkpoint | None
    window: HistoryState
    runs: list[Run]

    @property
    def words(self) -> int:
        return 0 if self.memory is None else self.memory.words


class LocalCore:
    """Encodes facts as rows of codes, and drops the facts that nothing depends on.

    A fact of a predicate that the program does not name still counts in tuple windows (see `Others`).
    """

    def __init__(self, program: Program, engine: LocalEngine) -> None:
        self._engine = engine
        facts = facts_of(program)
        self._arity = facts.arity
        self._any_predicate = facts.counts_all_facts
        self.unused: set[str] = set()
        self._numbers: dict[tuple[object, int], int] = {}
        self._exact = facts.counts_facts
        self._raw_window = RawWindow(program)
        self._window = History(engine.dictionary, self._raw_window, engine.predicates)
        self._others = Others()
        self._can_be_copied = can_be_copied(engine)
        self._has_streams = bool(program.streams)
        self._oldest: int | None = None

    @property
    def time(self) -> int:
        return self._engine.time

    def encode(self, time: int, facts: Facts) -> Coded:
        engine = self._engine
        with engine.dictionary as dictionary:
            if type(facts) is list and 0 < len(facts) <= few.FEW:
                try:
                    rows = few.encoded(facts, time, engine.width, self._numbers, dictionary)
                except (TypeError, IndexError):  # not hashable, so neither a predicate nor a value; or nothing at all:
                    rows = None  # the other path says which
                if rows is not None:
                    return dictionary.hold(np.array(rows, np.int64), IN_ARGS)
            given = checked(facts)
            if isinstance(given, Mapping):
                return self._coded(self._used(self._frames(given, time)))
            return self._coded(self._used(self._encoded(given, time)))

    def encode_batch(self, frames: Mapping[str, Any], time: str, time_point: TimePoint) -> CodedBatch:
        with self._engine.dictionary.encoding():
            rows = self._frames(batch_of(frames), time, time_point)
            if len(frames) > 1:
                rows = rows[np.argsort(rows[:, IN_TIME], kind="stable")]
            times = (int(rows[0, IN_TIME]), int(rows[-1, IN_TIME])) if len(rows) else None
            return CodedBatch(self._coded(self._used(rows)), times)

    def with_own(self, batch: CodedBatch, own: Own) -> CodedBatch:
        with self._engine.dictionary.encoding():
            times = np.array([time for time, _ in own], np.int64)
            mine = self._encoded([(atom.predicate, *atom.args) for _, atom in own], times)
            rows = np.concatenate([self._used(mine), batch.facts.rows])
            return CodedBatch(self._coded(rows[np.argsort(rows[:, IN_TIME], kind="stable")]), batch.times)

    def gathered(self, parts: Sequence[tuple[int, Coded]]) -> CodedBatch:
        times = (parts[0][0], parts[-1][0]) if parts else None
        if len(parts) == 1:
            return CodedBatch(parts[0][1], times)
        with self._engine.dictionary.encoding():
            nothing = np.zeros((0, self._engine.width), np.int64)
            return CodedBatch(self._coded(np.concatenate([nothing, *(coded.rows for _, coded in parts)])), times)

    def push_batch(self, end: int, batch: CodedBatch) -> Blocks:
        return self.push(end, batch.facts)

    def recall(self, end: int, batch: CodedBatch, runs: Iterable[Run] = ()) -> None:
        facts = self._new(batch.facts)
        self._engine.restore(facts.rows, end, runs)
        self._window.add(facts, end)

    def holding(self) -> Blocks:
        standing = self._kept(self._engine.standing())
        standing.rows[:, OUT_TIME] = self.time  # the last time point at which anything happened may be an earlier one
        return Blocks(self._engine, [standing])

    def push(self, time: int, encoded: Coded) -> Blocks:
        facts = self._new(encoded) if self._exact else encoded
        blocks = self._engine.push(facts.rows, time)
        self._window.add(facts, time)
        return Blocks(self._engine, blocks)

    def _coded(self, rows: Codes) -> Coded:
        return self._engine.dictionary.hold(rows, IN_ARGS)

    def _kept(self, block: Codes) -> Coded:
        """A copy of a block of output whose codes stay valid."""
        return self._engine.dictionary.hold(block.copy(), OUT_ARGS)

    def arities(self) -> Iterator[tuple[str, int]]:
        """The predicates of the facts in the raw window, each with its number of arguments."""
        present = set(np.unique(self._window.at(self.time)[:, IN_PREDICATE]).tolist())
        return ((p, self._arity[p]) for p, number in self._engine.predicates.items() if p and number in present)

    def window_of(self, other: LocalCore) -> CodedBatch | None:
        """The raw window of another core, with the codes of this one; None if facts in it only count, or would here.

        Each value is decoded once, however many facts have it.
        """
        theirs, mine = other._engine, self._engine
        rows = other._window.at(other.time)
        rows = rows[rows[:, IN_TIME] <= other.time]
        if self._any_predicate or (rows[:, IN_PREDICATE] == theirs.predicates[""]).any():
            return None
        parts, places = [np.zeros((0, mine.width), np.int64)], [np.zeros(0, np.int64)]
        with mine.dictionary.encoding():
            for predicate, number in theirs.predicates.items():
                place = np.flatnonzero(rows[:, IN_PREDICATE] == number)
                if not len(place) or predicate not in self._arity:
                    continue
                part = np.zeros((len(place), mine.width), np.int64)
                part[:, IN_TIME] = rows[place, IN_TIME]
                part[:, IN_PREDICATE] = self._number(predicate, other._arity[predicate] + 1)
                for i in range(other._arity[predicate]):
                    codes, where = np.unique(rows[place, IN_ARGS + i], return_inverse=True)
                    part[:, IN_ARGS + i] = mine.dictionary.column(list(theirs.dictionary.values(codes)))[where]
                parts.append(part)
                places.append(place)
            together = np.concatenate(parts)[np.argsort(np.concatenate(places))]
            times = (int(together[0, IN_TIME]), int(together[-1, IN_TIME])) if len(together) else None
            return CodedBatch(self._coded(self._used(together)), times)

    # -- going back ------------------------------------------------------------------------------------------------

    def checkpoint(self) -> LocalCheckpoint:
        memory = take(self._engine) if self._can_be_copied else None
        runs = list(self._engine.remembered()) if self._has_streams else []
        return LocalCheckpoint(self.time, memory, self._window.state(), runs)

    def rewind(self, checkpoint: LocalCheckpoint, start: int, reopen: Callable[[int], Core]) -> Core:
        if checkpoint.memory is not None and go_back(self._engine, checkpoint.memory):
            self._window.go_back(checkpoint.window)
            return self
        other = reopen(start)
        facts = self._facts(self._window.rows_of(checkpoint.window, checkpoint.time), {})
        unnamed = next(name for name in (f"unnamed{i}" for i in range(len(self._arity) + 1)) if name not in self._arity)
        facts = [Fact(time, Atom(atom.predicate or unnamed, atom.args)) for time, atom in facts]
        nothing = other.encode_batch({}, "time", int)  # type: ignore[arg-type]  # there is no time in it
        other.recall(checkpoint.time, other.with_own(nothing, facts), checkpoint.runs)
        return other

    def look_back_to(self, time: int) -> None:
        self._oldest = time

    def answer(self) -> Answer:
        rows = self._engine.standing().tolist()
        found = {self._engine.atom(row): expiry(row[OUT_UNTIL]) for row in rows}
        return Answer.single(self.time, frozenset(found), found)

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        return self._engine.dropped_heads, self._engine.failures

    def examples(self) -> Examples:
        return self._engine.examples

    def remembered(self) -> Iterable[Run]:
        return self._engine.remembered()

    def window(self) -> Iterable[Fact]:
        return self._facts(self._window.at(self.time), self._others.texts(self.time))

    def known_facts(self) -> KnownFacts:
        """The facts of the raw window by predicate, as codes until somebody looks at them."""
        rows, dictionary = self._window.at(self.time), self._engine.dictionary
        rows = rows[rows[:, IN_TIME] <= self.time]

        def code(value: Value) -> int:
            with dictionary.encoding():
                return dictionary.code(value)

        found = {}
        for predicate, number in self._engine.predicates.items():
            if predicate:
                some = rows[rows[:, IN_PREDICATE] == number]
                args = some[:, IN_ARGS : IN_ARGS + self._arity[predicate]]
                found[predicate] = CodedRows(some[:, IN_TIME], args, code, dictionary.values)

        def log() -> list[tuple[int, str, tuple[Value, ...]]]:
            return KnownFacts((time, a.predicate, a.values) for time, a in self.window() if time <= self.time).log

        return KnownFacts.in_columns(found, log)

    def _facts(self, rows: Codes, others: Mapping[int, str]) -> Iterable[Fact]:
        names = {number: predicate for predicate, number in self._engine.predicates.items()}
        value = self._engine.dictionary.value
        facts: list[Fact] = []
        for row in rows.tolist():
            time, predicate, first = row[IN_TIME], names[row[IN_PREDICATE]], row[IN_ARGS]
            if predicate:
                args = tuple(map(value, row[IN_ARGS : IN_ARGS + self._arity[predicate]]))
                facts.append(Fact(time, Atom(predicate, args)))
            elif first in others:
                facts.append(Fact(time, Atom(*from_text(others[first]))))
            else:  # its time has passed, so it only counts
                facts.append(Fact(time, Atom("", (first,))))
        return facts

    def _encoded(self, plain: list[tuple[object, ...]], times: int | Codes) -> Codes:
        rows = np.zeros((len(plain), self._engine.width), np.int64)
        rows[:, IN_TIME] = times
        try:
            predicates = set(map(itemgetter(0), plain))
        except TypeError:  # not hashable, so not text
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
        """Encode facts of the same predicate and length."""
        number = self._number(facts[0][0], len(facts[0]))
        rows[where, IN_PREDICATE] = number
        if number == self._engine.predicates[""]:
            self._fill_unnamed(rows, where, facts)
            return
        for i, column in enumerate(list(zip(*facts, strict=True))[1:]):
            is_plain = set(map(type, column)) == {str} and is_unicode("".join(column))
            values: Any = column if is_plain else [v if type(v) in few.CHECKED else value_of(v) for v in column]
            rows[where, IN_ARGS + i] = self._engine.dictionary.column(values)

    def _fill_unnamed(self, rows: Codes, where: Any, facts: Iterable[Sequence[object]]) -> None:
        """Facts of predicates that the program does not name: checked like all others, and numbered if they count."""
        if self._any_predicate:
            self._others.pass_to(self.time if self._oldest is None else min(self._oldest, self.time))
            rows[where, IN_ARGS] = self._others.numbers(rows[where, IN_TIME].tolist(), map(to_text, facts))
        else:
            for _, *args in facts:
                for arg in args:
                    value_of(arg)

    def _frames(self, frames: Mapping[str, Any], time: str | int, time_point: TimePoint | None = None) -> Codes:
        """The rows of data frames, all at one time point, or with a time column."""
        parts: list[Codes] = []
        for predicate, frame in frames.items():
            table = frame_of(frame, predicate, time if isinstance(time, str) else None)
            columns = [name for name in table.column_names if name != time]
            number = self._number(predicate, len(columns) + 1)
            part = np.zeros((table.num_rows, self._engine.width), np.int64)
            part[:, IN_PREDICATE] = number
            part[:, IN_TIME] = time if time_point is None else encode_times(table[time], time_point)
            if time_point is not None and (np.diff(part[:, IN_TIME]) < 0).any():
                raise out_of_order()
            try:
                if number != self._engine.predicates[""]:
                    for i, name in enumerate(columns):
                        part[:, IN_ARGS + i] = encode(self._engine.dictionary, column_with_terms(table, name), value_of)
                elif self._any_predicate:
                    values = [column_with_terms(table, name).to_pylist() for name in columns]
                    self._fill_unnamed(part, slice(None), zip([predicate] * table.num_rows, *values, strict=True))
                else:
                    for name in columns:
                        check(column_with_terms(table, name), value_of)
            except UnicodeDecodeError:
                raise not_utf8(predicate) from None
            parts.append(part)
        return np.concatenate([*parts, np.zeros((0, self._engine.width), np.int64)]) if len(parts) != 1 else parts[0]

    def _number(self, predicate: object, length: int) -> int:
        """Check a predicate, and return its number."""
        if not isinstance(predicate, str) or predicate not in self._arity:
            check_predicate(predicate)
        assert isinstance(predicate, str)
        known = self._arity.get(predicate)
        if known is not None:
            self._raw_window.expect(predicate, known)
        if known is None and not self._any_predicate and predicate not in self.unused:
            self.unused.add(predicate)
            warn([unused(predicate, self._arity)])
        if known is not None and known != length - 1:
            message = f"a fact of {predicate} has {length - 1} arguments, but {predicate} has {known} in the program"
            raise fault("E508", message)
        if predicate in self._engine.predicates:
            self._numbers[predicate, length] = self._engine.predicates[predicate]
        return self._engine.predicates.get(predicate, self._engine.predicates[""])

    def _used(self, rows: Codes) -> Codes:
        """Drop the facts that nothing depends on."""
        if self._any_predicate:
            return rows
        used = rows[:, IN_PREDICATE] != self._engine.predicates[""]
        return rows if used.all() else rows[used]

    def _new(self, facts: Coded) -> Coded:
        """If windows count facts, drop those that are already there: a repeated fact counts once."""
        rows = self._window.unseen(facts.rows) if self._exact else facts.rows
        return facts if rows is facts.rows else self._coded(rows)
