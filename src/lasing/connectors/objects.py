"""Rows as Python objects: (time, predicate, argument, …) or (time, Atom)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lasing.connectors.missing import Gaps
from lasing.connectors.rows import Arity, check_arity, is_missing, late, time_of, value_of
from lasing.errors import LasingError, Place, fault
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.logic.values import is_name
from lasing.timeline.ticks import Tick

STREAMS = (
    "a stream is text, a Path, a data frame, a Table, a dictionary from predicates to data frames\n"
    "and paths, or rows such as (36, 'temp', 's1', 70)"
)
_SOURCE = "row"
_MORE_ROWS = 1_000
"""In how many rows of a list, after a bad one, more errors are looked for."""


def object_rows(
    rows: Iterable[object], tick: Tick | None, ordered: bool, arity: Arity | None, gaps: Gaps
) -> Iterator[Fact]:
    """The facts of rows. If a bad row ends the run, the rows of a list after it are read for more errors; an iterator,
    which may be live, is not."""
    bad, maker, last = gaps.bad, _Rows(tick, ordered, arity, gaps), 0
    for number, row in enumerate(rows, 1):
        place = Place(_SOURCE, number, 1)
        try:
            fact = maker.fact(row, place)
        except LasingError as error:
            bad.take(error, Place(_SOURCE, number, 1, repr(row)))
            if bad.stopping:
                last = last or number + (_MORE_ROWS if isinstance(rows, Sequence) else 0)
            fact = None
        if bad.stopping and number >= last:
            break
        if fact is not None and not bad.stopping:
            bad.rows += 1
            yield fact
    bad.stop()


class _Rows:
    """Turns rows into facts, and watches their order."""

    def __init__(self, tick: Tick | None, ordered: bool, arity: Arity | None, gaps: Gaps) -> None:
        self._tick = tick
        self._ordered = ordered
        self._arity = arity
        self._gaps = gaps
        self._newest: int | None = None

    def fact(self, row: object, place: Place) -> Fact | None:
        """The fact of a row; None if a value is missing, or the program takes no such event."""
        time: object
        args: list[object]
        match row:
            case (time, Atom(predicate, values)) if is_name(predicate):
                args = list(values)
            case (time, predicate, *args):
                if not isinstance(predicate, str) or not is_name(predicate):
                    raise fault("E509", f"{predicate!r} is not a predicate's name", place)
            case _:
                raise fault("E510", f"{row!r} is not a row", place, STREAMS)
        gaps = self._gaps
        if is_missing(time) and gaps.skips:
            gaps.left_out["the stream", "time"] += 1
            return None
        point = time_of(time, self._tick, place)
        if self._newest is not None and point < self._newest and self._ordered:
            raise late(point, self._newest, place, self._tick)
        missing = [i for i, arg in enumerate(args) if is_missing(arg)]
        if missing and gaps.skips:
            self._follow(point)
            gaps.left_out[f"the facts of {predicate}", f"argument {missing[0] + 1}"] += 1
            return None
        args = [gaps.filler if i in missing else arg for i, arg in enumerate(args)] if missing else args
        atom = Atom(predicate, tuple([value_of(arg, place) for arg in args]))
        self._follow(point)
        return Fact(point, atom) if check_arity(atom, self._arity, lambda: place) else None

    def _follow(self, point: int) -> None:
        self._newest = point if self._newest is None else max(self._newest, point)
