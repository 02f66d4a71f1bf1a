"""Updates: the changes of a push, decoded on demand."""

from __future__ import annotations

import gc
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from lasing.compiling import njit
from lasing.connectors.arrow import column_of, table_with
from lasing.connectors.shown import shown_table
from lasing.drawing.svg import clean
from lasing.engines.local.columns import NEVER, decode, decode_expiry
from lasing.engines.local.dictionary import Coded, Codes
from lasing.engines.local.engine import LocalEngine, expiry
from lasing.engines.local.execute import OUT_ARGS, OUT_PREDICATE, OUT_SIGN, OUT_TIME, OUT_UNTIL, PROVISIONAL
from lasing.engines.local.memory import FOREVER
from lasing.entailment.contradictions import Contradictions
from lasing.errors import LasingError
from lasing.live import few
from lasing.logic.answers import Changes, Expiry
from lasing.logic.formulas import Atom, made_atom
from lasing.logic.program import Output
from lasing.logic.results import labels, row_of, seen
from lasing.logic.values import Value

Tuples = list[tuple[Value, ...]]
_MANY = 256
"""For fewer rows, the garbage collector does little."""


class Update:
    """The changes since the previous update: net, and time point by time point.

    `added` and `removed` are sets of atoms, made on demand. `rows()` and `to_arrow()` return the same changes faster.

    For a query, `rows()` and `to_arrow()` have what a reader sees: its columns, duplicate rows, and None or null where
    there is no value. Its atoms also have the order keys and the number of equal rows.
    """

    def __init__(
        self,
        time: int,
        source: ChangeSource,
        queries: Mapping[str, Output] | None = None,
        corrections: Sequence[Changes] = (),
    ) -> None:
        self.time = time
        self.corrections = corrections
        """For an engine with corrections: what is different at earlier time points because facts came late. For each
        such time point, in order, the atoms that hold there after all (added), and those that do not (removed)."""
        self._source = source
        self._queries = queries or {}
        self._net: Changes | None = None

    @property
    def added(self) -> frozenset[Atom]:
        """The atoms that hold now, and did not before."""
        return self._changes().added

    @property
    def removed(self) -> frozenset[Atom]:
        """The atoms that held before, and do not now."""
        return self._changes().removed

    def expires_at(self, atom: Atom) -> Expiry:
        """Until when an added atom is guaranteed to hold, at least: not before `time`, infinite if for ever, None if it
        is provisional. `Engine.answer().expires_at` includes what became known after the atom was added."""
        return self._changes().expires_at(atom)

    def steps(self) -> Iterator[Changes]:
        """The changes at each time point that has any, including time points without facts."""
        return filter(None, self._source.changes())

    def rows(self) -> tuple[Tuples, Tuples]:
        """Added and removed atoms as tuples: the predicate, then the arguments."""
        added, removed = self._source.rows() or (_tuples(self.added), _tuples(self.removed))
        return shown_rows(added, removed, self._queries) if self._queries else (added, removed)

    def added_of(self, predicate: str) -> Tuples:
        """What is added of one predicate, as tuples of arguments, or a query's rows. Nothing else is decoded, so this
        is the fastest way to the results of a pattern.

        >>> from lasing import Engine
        >>> Engine("hot(S,V) :- temp(S,V), V > 30.", start=0).push(1, [("temp", "s1", 70)]).added_of("hot")
        [('s1', 70)]
        """
        return self._of(predicate, 1)

    def removed_of(self, predicate: str) -> Tuples:
        """What is removed of one predicate, as tuples of arguments, or a query's rows."""
        return self._of(predicate, -1)

    def _of(self, predicate: str, sign: int) -> Tuples:
        output = self._queries.get(predicate)
        if output is not None and output.form != "graph":  # a row may be there several times
            return [row[1:] for row in self.rows()[sign < 0] if row[0] == predicate]
        found = self._source.of(predicate, sign)
        if found is not None:
            return found
        atoms = self.added if sign > 0 else self.removed
        return [atom.values for atom in atoms if atom.predicate == predicate]

    def to_arrow(self) -> dict[str, Any]:
        """An Arrow table for each predicate: time, change (1 or -1), expires_at, arg1, arg2, … or a query's columns.

        Rows are in order of time. `expires_at` is null if the atom is provisional or removed, and the largest number
        if it holds for ever.
        """
        return shown_tables(self._source.tables(), self._queries)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.corrections)

    def __repr__(self) -> str:
        try:
            return f"Update(time={self.time}, added={len(self.added)}, removed={len(self.removed)})"
        except LasingError as undefined:  # there is not exactly one answer before and after; showing that must not fail
            return f"Update(time={self.time}, undefined: {undefined.diagnostics[0].message})"

    def _repr_html_(self) -> str:
        try:
            changes = self._changes()
        except LasingError:  # as above
            return f"<p>{clean(repr(self))}</p>"
        earlier = "".join(correction._repr_html_() for correction in self.corrections)
        return changes._repr_html_() + (f"<p>corrected:</p>{earlier}" if earlier else "")

    def _changes(self) -> Changes:
        if self._net is None:
            steps = self._source.changes()
            self._net = steps[0] if len(steps) == 1 and steps[0].time == self.time else _net(self.time, steps)
        return self._net


def shown_rows(added: Tuples, removed: Tuples, queries: Mapping[str, Output]) -> tuple[Tuples, Tuples]:
    """Changes as a reader sees them: the rows of queries without helper columns, as often as they are new or gone."""
    if all(output.form == "graph" for output in queries.values()):
        return added, removed  # triples are seen as they are
    difference = Counter[tuple[Value, ...]]()
    kept: tuple[Tuples, Tuples] = [], []
    for sign, mine, rows in ((1, kept[0], added), (-1, kept[1], removed)):
        for predicate, *args in rows:
            if (output := queries.get(str(predicate))) is None:
                mine.append((predicate, *args))
            else:
                row, times = seen(output, tuple(args))
                difference[predicate, *row] += sign * times
    for values, number in difference.items():
        shown: Any = (values[0], *row_of(values[1:]))
        kept[0].extend([shown] * number)
        kept[1].extend([shown] * -number)
    return kept


def shown_tables(tables: dict[str, Any], queries: Mapping[str, Output]) -> dict[str, Any]:
    """Tables of changes as a reader sees them, with the columns of queries."""
    for predicate, output in queries.items():
        if predicate in tables:
            arguments = [f"arg{i}" for i in range(1, output.arity + 1)]
            table = shown_table(tables[predicate], arguments, output)
            names = [*_LEADING, *labels(output, _LEADING)]
            tables[predicate] = table.rename_columns(names)
    return tables


_LEADING = ("time", "change", "expires_at")


class ChangeSource(Protocol):
    """The changes of an update, in several forms; None if only `changes` has them."""

    def changes(self) -> list[Changes]: ...
    def rows(self) -> tuple[Tuples, Tuples] | None: ...
    def of(self, predicate: str, sign: int, /) -> Tuples | None:
        """The arguments of the atoms of a predicate that come (1) or go (-1)."""
        ...

    def tables(self) -> dict[str, Any]: ...
    def without(self, contradictions: Contradictions) -> ChangeSource:
        """The same without inconsistencies, which are noted."""
        ...


class KnownChanges:
    """Changes that are already decoded."""

    def __init__(self, changes: list[Changes]) -> None:
        self._changes = changes

    def changes(self) -> list[Changes]:
        return self._changes

    def rows(self) -> None:
        return None

    def of(self, _predicate: str, _sign: int) -> None:
        return None

    def tables(self) -> dict[str, Any]:
        rows = [(c.time, s, c.expiries.get(a) if s > 0 else None, a) for c in self._changes for s, a in _signed(c)]
        tables = {}
        for predicate in dict.fromkeys(row[3].predicate for row in rows):
            mine = [row for row in rows if row[3].predicate == predicate]
            leading = {
                "time": pa.array([row[0] for row in mine], pa.int64()),
                "change": pa.array([row[1] for row in mine], pa.int8()),
                "expires_at": pa.array([NEVER if row[2] == math.inf else row[2] for row in mine], pa.int64()),
            }
            values = zip(*(row[3].args for row in mine), strict=True)
            args = {f"arg{i}": column_of(column) for i, column in enumerate(values, 1)}
            tables[predicate] = table_with(leading, args)
        return tables

    def without(self, contradictions: Contradictions) -> KnownChanges:
        return KnownChanges(list(map(contradictions.rest, self._changes)))


class Joined:
    """Several updates, one after the other."""

    def __init__(self, sources: list[ChangeSource]) -> None:
        self._sources = sources

    def changes(self) -> list[Changes]:
        return [change for source in self._sources for change in source.changes()]

    def rows(self) -> None:
        return None

    def of(self, _predicate: str, _sign: int) -> None:
        return None

    def tables(self) -> dict[str, Any]:
        return KnownChanges(self.changes()).tables()

    def without(self, contradictions: Contradictions) -> Joined:
        return Joined([source.without(contradictions) for source in self._sources])


class Difference:
    """What holds after a change and did not before, and the other way round, at one time point; made on demand.

    Both sources report everything that holds as added.
    """

    def __init__(self, time: int, before: ChangeSource, after: ChangeSource) -> None:
        self._time = time
        self._before = before
        self._after = after
        self._found: Changes | None = None

    def changes(self) -> list[Changes]:
        if self._found is None:
            old = {atom for change in self._before.changes() for atom in change.added}
            new = {atom: change.expires_at(atom) for change in self._after.changes() for atom in change.added}
            added = {atom: until for atom, until in new.items() if atom not in old}
            self._found = Changes(self._time, frozenset(added), frozenset(old - new.keys()), added)
        return [self._found]

    def rows(self) -> tuple[Tuples, Tuples]:
        change = self.changes()[0]
        return _tuples(change.added), _tuples(change.removed)

    def of(self, predicate: str, sign: int) -> Tuples:
        change = self.changes()[0]
        return [atom.values for atom in (change.added if sign > 0 else change.removed) if atom.predicate == predicate]

    def tables(self) -> dict[str, Any]:
        return KnownChanges(self.changes()).tables()

    def without(self, contradictions: Contradictions) -> KnownChanges:
        return KnownChanges(self.changes()).without(contradictions)


class Blocks:
    """An update of the local engine, in encoded columns."""

    def __init__(self, engine: LocalEngine, blocks: list[Coded], hidden: Collection[int] = ()) -> None:
        self._engine = engine
        self._blocks = blocks
        self._hidden = hidden
        """The numbers of outputs that are left out."""

    @property
    def engine(self) -> LocalEngine:
        return self._engine

    def without(self, contradictions: Contradictions) -> Blocks:
        engine = self._engine
        hidden = [number for number, (name, _) in enumerate(engine.outputs) if name in contradictions.predicates]
        kept = []
        for block in self._blocks:
            mine = np.isin(block.rows[:, OUT_PREDICATE], hidden)
            if mine.any():
                for row in block.rows[mine & (block.rows[:, OUT_SIGN] > 0)].tolist():
                    contradictions.note(row[OUT_TIME], [engine.atom(row)])
                block = engine.dictionary.hold(block.rows[~mine], OUT_ARGS)
            kept.append(block)
        return Blocks(engine, kept, hidden)

    def signed(self, since: int) -> Codes:
        """A copy of the rows from a time point on that say that an atom comes or goes, without expiries."""
        blocks = [block.rows for block in self._blocks if len(block.rows)]
        if not blocks:
            return np.zeros((0, OUT_ARGS + self._engine.width), np.int64)
        rows = np.ascontiguousarray(blocks[0] if len(blocks) == 1 else np.concatenate(blocks))
        return _signed_rows(rows, since, self._engine.output_arities)

    def changes(self) -> list[Changes]:
        block = self._all()
        if len(block) <= few.FEW:
            return few.changes(self._engine, block)
        times = block[:, OUT_TIME]
        cuts = [0, *(np.flatnonzero(np.diff(times)) + 1).tolist(), len(block)]
        found = []
        for first, last in pairwise(cuts):
            if first < last:
                mine = block[first:last]
                with _collector_waiting(last - first):
                    added: dict[Atom, Expiry] = {}
                    for rows, atoms in self._atoms(mine, 1):
                        added.update(zip(atoms, _expiries(rows[:, OUT_UNTIL]), strict=True))
                    removed = frozenset(atom for _, atoms in self._atoms(mine, -1) for atom in atoms)
                    found.append(Changes(int(times[first]), frozenset(added), removed, added))
        return found

    def _atoms(self, block: Codes, sign: int) -> Iterator[tuple[Codes, list[Atom]]]:
        """The rows of each output that come (1) or go (-1), with their atoms."""
        for number, predicate, mine in self._by_output(block, sign):
            yield mine, [made_atom(predicate, args) for args in self._args(mine, number)]

    def rows(self) -> tuple[Tuples, Tuples] | None:
        block = self._all()
        if not len(block):
            return [], []
        if block[0, OUT_TIME] != block[-1, OUT_TIME]:
            return None  # an atom may have been added and removed
        if len(block) <= few.FEW:
            return few.by_sign(self._engine, block)
        with _collector_waiting(len(block)):
            return self._of_sign(block, 1), self._of_sign(block, -1)

    def of(self, predicate: str, sign: int) -> Tuples | None:
        block = self._all()
        if not len(block):
            return []
        if block[0, OUT_TIME] != block[-1, OUT_TIME]:
            return None
        numbers = [n for n, (name, _) in enumerate(self._engine.outputs) if name == predicate and n not in self._hidden]
        if len(block) <= few.FEW:
            return few.of(self._engine, block, numbers, sign)
        found: Tuples = []
        with _collector_waiting(len(block)):
            for number in numbers:
                mine = block[(block[:, OUT_SIGN] == sign) & (block[:, OUT_PREDICATE] == number)]
                found += self._args(mine, number)
        return found

    def _args(self, rows: Codes, number: int) -> Tuples:
        """The arguments of rows of an output."""
        columns = self._columns(rows, number)
        return list(zip(*columns, strict=True)) if columns else [()] * len(rows)

    def _columns(self, rows: Codes, number: int) -> list[list[Value]]:
        """The values of rows of an output, by column."""
        _, arity = self._engine.outputs[number]
        by_column = np.ascontiguousarray(rows[:, OUT_ARGS : OUT_ARGS + arity].T)
        return [self._engine.dictionary.values(column) for column in by_column]

    def _of_sign(self, block: Codes, sign: int) -> Tuples:
        rows: Tuples = []
        for number, predicate, mine in self._by_output(block, sign):
            rows += zip([predicate] * len(mine), *self._columns(mine, number), strict=True)
        return rows

    def _by_output(self, block: Codes, sign: int) -> Iterator[tuple[int, str, Codes]]:
        """The rows of each output that come (1) or go (-1), with its number and predicate."""
        chosen = block[block[:, OUT_SIGN] == sign]
        for number, (predicate, _) in enumerate(self._engine.outputs):
            yield (
                number,
                predicate,
                chosen if len(self._engine.outputs) == 1 else chosen[chosen[:, OUT_PREDICATE] == number],
            )

    def tables(self) -> dict[str, Any]:
        block, tables = self._all(), {}
        for number, (predicate, arity) in enumerate(self._engine.outputs):
            if number in self._hidden:
                continue
            mine = block if len(self._engine.outputs) == 1 else block[block[:, OUT_PREDICATE] == number]
            by_column = np.ascontiguousarray(mine.T)
            sign, until = by_column[OUT_SIGN], by_column[OUT_UNTIL]
            leading = {
                "time": pa.array(by_column[OUT_TIME]),
                "change": pa.array(sign.astype(np.int8)),
                "expires_at": decode_expiry(np.where(sign > 0, until, PROVISIONAL)),
            }
            dictionary = self._engine.dictionary
            args = {f"arg{i + 1}": decode(dictionary, by_column[OUT_ARGS + i]) for i in range(arity)}
            tables[predicate] = table_with(leading, args)
        return tables

    def _all(self) -> Codes:
        """The rows with their codes as they are now. Codes may change later, so do not keep this array."""
        if len(self._blocks) == 1:
            return self._blocks[0].rows
        blocks = [block.rows for block in self._blocks]
        return np.concatenate(blocks) if blocks else np.zeros((0, OUT_ARGS + self._engine.width), np.int64)


@njit(cache=True)
def _signed_rows(block: Codes, since: int, arities: Codes) -> Codes:
    """The rows from a time point on that have a sign. What lies beyond the arguments means nothing, and becomes 0."""
    number = 0
    for i in range(len(block)):
        number += block[i, OUT_TIME] >= since and block[i, OUT_SIGN] != 0
    rows = np.zeros((number, block.shape[1]), np.int64)
    at = 0
    for i in range(len(block)):
        if block[i, OUT_TIME] >= since and block[i, OUT_SIGN] != 0:
            for j in range(OUT_ARGS + arities[block[i, OUT_PREDICATE]]):
                if j != OUT_UNTIL:
                    rows[at, j] = block[i, j]
            at += 1
    return rows


def _expiries(until: Codes) -> Sequence[Expiry]:
    """Until when atoms are guaranteed."""
    times: list[int] = until.tolist()
    plain = len(until) and until.min() > PROVISIONAL and until.max() < FOREVER
    return times if plain else list(map(expiry, times))


@contextmanager
def _collector_waiting(rows: int) -> Iterator[None]:
    """Python's garbage collector waits while many rows are made: all of them are in use, and it would look at each of
    them several times (see decision 23)."""
    waits = rows >= _MANY and gc.isenabled()
    if waits:
        gc.disable()
    try:
        yield
    finally:
        if waits:
            gc.enable()


def _signed(change: Changes) -> Iterator[tuple[int, Atom]]:
    yield from ((1, atom) for atom in change.added)
    yield from ((-1, atom) for atom in change.removed)


def _tuples(atoms: Iterable[Atom]) -> Tuples:
    return [(a.predicate, *a.args) for a in atoms]  # type: ignore[arg-type]  # atoms of an answer are ground


def _net(time: int, steps: Iterable[Changes]) -> Changes:
    """The net effect of a series of changes at a time point. An atom that was added earlier and still holds is
    guaranteed at least for now, whatever was guaranteed then."""
    added: dict[Atom, Expiry] = {}
    removed: set[Atom] = set()
    for step in steps:
        for atom in step.removed:
            if atom in added:
                del added[atom]
            else:
                removed.add(atom)
        for atom in step.added:
            if atom in removed:
                removed.remove(atom)
            else:
                added[atom] = step.expires_at(atom)
    guaranteed = {atom: None if until is None else max(until, time) for atom, until in added.items()}
    return Changes(time, frozenset(added), frozenset(removed), guaranteed)
