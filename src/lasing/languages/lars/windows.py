"""The contents of a window's brackets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from lasing.languages.lars.cursor import Cursor
from lasing.logic.formulas import (
    Always,
    At,
    Atom,
    Formula,
    IntervalWindow,
    PartitionWindow,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
    WindowFunction,
)
from lasing.logic.terms import Term, Variable, evaluate, mentions_now, variables_of
from lasing.logic.values import Undefined, Value, is_text
from lasing.timeline.limits import BEYOND, LIMIT
from lasing.timeline.ticks import MILLISECONDS


@dataclass(frozen=True, slots=True)
class PartitionBy:
    """A tuple window `by` variables, before their atom is known."""

    back: int
    ahead: int
    by: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Brackets:
    """The contents of `[…]`."""

    function: WindowFunction | PartitionBy
    full: bool


ReadTerm = Callable[[Cursor], Term]
AsTime = Callable[[Cursor, Term, int], Term]


def read_window(c: Cursor, read_term: ReadTerm, as_time: AsTime) -> Brackets:
    """`[5]`, `[+5]`, `[3,+1]`, `[5,-1]`, `[5 step 2]`, `[#3]`, `[#3,+2]`, `[#1 by X]`, `[T..U]`, `[*]`, `[*,-1]`; each
    also with `full`."""
    c.expect("[", "to open a window")
    full = c.accept_word("full")
    function: WindowFunction | PartitionBy
    if c.accept("*"):
        function = TimeWindow(None, _before_now(c, read_term, None))
    elif c.kind in ("#", "DIRECTIVE") or (c.kind == "#now" and c.kinds[c.i + 1] in ("]", ",", "NAME")):
        function = _tuple_window(c, read_term)
    elif c.accept("+"):
        ahead = _size(c, read_term)
        function = TimeWindow(0, ahead, _step(c, read_term))
    else:
        function = _time_or_interval_window(c, read_term, as_time)
    if not c.accept("]"):
        note = "windows are [5] [+5] [3,+1] [5,-1] [5 step 2] [#3] [#3,+2] [#1 by X] [T..U] [*] [*,-1] [full 5]"
        if c.kind == "NAME" and c.kinds[c.i - 1] == "NUMBER":
            note = f"units are {' '.join(MILLISECONDS)}"
        c.fail_expected("]", "to close the window", note)
    return Brackets(function, full)


def attach_window(c: Cursor, brackets: Brackets, body: Formula, offset: int) -> Window:
    """⊞ with its formula; a partition window finds its variables in the formula's atom."""
    match brackets.function:
        case PartitionBy() as partition:
            return Window(_partition_window(c, partition, body), body, brackets.full, offset)
        case TimeWindow() | TupleWindow() | PartitionWindow() | IntervalWindow() as function:
            return Window(function, body, brackets.full, offset)
        case _:
            assert_never(brackets.function)


def _tuple_window(c: Cursor, read_term: ReadTerm) -> TupleWindow | PartitionBy:
    start = c.offset
    if c.kind != "#":
        back = _constant_size(c)
    else:
        c.i += 1
        back = _size(c, read_term, None)
    if c.kind == "," and c.kinds[c.i + 1] == "-":
        c.i += 1
        c.fail("E107", "a tuple window ends now or later", "only a time window can end before now: [5,-1]")
    ahead = _ahead(c, read_term, "+", None)
    if back == 0:
        c.fail(
            "E107",
            "a tuple window holds at least one fact",
            "#1 is the last fact",
            start,
            c.offsets[c.i - 1] - start + 1,
        )
    if not c.accept_word("by"):
        return TupleWindow(back, ahead)
    by = [_by_variable(c)]
    while c.accept(","):
        by.append(_by_variable(c))
    return PartitionBy(back, ahead, tuple(by))


def _constant_size(c: Cursor) -> int:
    """`#n`, where n is a constant: it is a single token."""
    name = c.text[1:]
    value = c.environment.constants.get(name)
    if value is None:
        c.fail("E107", f"{name} is not a constant", f"give the number of facts, or define it: #const {name} = 3.")
    if not isinstance(value, int) or value < 0:
        c.fail("E107", f"{name} is {value}, but a window needs a whole number, zero or more")
    c.i += 1
    return value


def _by_variable(c: Cursor) -> Variable:
    if c.kind != "VARIABLE" or c.text == "_":
        c.fail_expected("a variable of the atom", "after by")
    c.i += 1
    return Variable(c.texts[c.i - 1], c.offsets[c.i - 1])


def _time_or_interval_window(c: Cursor, read_term: ReadTerm, as_time: AsTime) -> TimeWindow | IntervalWindow:
    start = c.i
    first = read_term(c)
    if c.kind == "..":
        lo = as_time(c, first, start)
        c.i += 1
        second = c.i
        return IntervalWindow(lo, as_time(c, read_term(c), second))
    back = _whole(c, first, start)
    if c.kind == "," and c.kinds[c.i + 1] == "-":
        ahead = _before_now(c, read_term, back)
    else:
        ahead = _ahead(c, read_term, "+ or -")
    return TimeWindow(back, ahead, _step(c, read_term))


def _before_now(c: Cursor, read_term: ReadTerm, back: int | None) -> int:
    """`,-1` in `[5,-1]`: how far ahead of now the window ends, which is never positive; 0 if nothing is written."""
    if not c.accept(","):
        return 0
    minus = c.offset
    c.expect("-", "before the end of a window")
    ago = _size(c, read_term)
    if back is not None and ago > back:
        length = c.offsets[c.i - 1] + len(c.texts[c.i - 1]) - minus
        c.fail(
            "E107",
            f"this window begins {back} time points ago and ends {ago} ago, before it begins",
            "write the earlier end first: [5,-1] has the time points from 5 ago to 1 ago",
            minus,
            length,
        )
    return -ago


def _ahead(c: Cursor, read_term: ReadTerm, signs: str, longest: int | None = LIMIT) -> int:
    if not c.accept(","):
        return 0
    if not c.accept("+"):
        c.fail_expected(signs, "before the end of a window")
    return _size(c, read_term, longest)


def _step(c: Cursor, read_term: ReadTerm) -> int:
    if not c.accept_word("step"):
        return 1
    start = c.i
    step = _size(c, read_term)
    if step == 0:
        c.fail("E107", "a window steps by at least one time point", offset=c.offsets[start])
    return step


def _size(c: Cursor, read_term: ReadTerm, longest: int | None = LIMIT) -> int:
    start = c.i
    return _whole(c, read_term(c), start, longest)


def _whole(c: Cursor, term: Term, start: int, longest: int | None = LIMIT) -> int:
    """The size that a term without variables gives."""
    offset = c.offsets[start]
    length = c.offsets[c.i - 1] + len(c.texts[c.i - 1]) - offset
    if any(variables_of(term)) or mentions_now(term):
        c.fail(
            "E107",
            f"a window's size is a number, not {'#now' if mentions_now(term) else 'a variable'}",
            "for a window between two times write [T..U]",
            offset,
            length,
        )
    try:
        value = evaluate(term, {})
    except Undefined as reason:
        c.fail("E107", f"this window's size has no value: {reason}", "", offset, length)
    if is_text(value):
        c.fail(
            "E107",
            f"{value} is not a constant",
            f"give a number, or define it: #const {value} = 5.",
            offset,
            length,
        )
    if not isinstance(value, int) or value < 0:
        note = "a window that ends before now says first how far it reaches back: [5,-1]" if _is_negative(value) else ""
        c.fail("E107", f"a window's size is a whole number, zero or more, not {value}", note, offset, length)
    if longest is not None and value >= longest:
        note = "for everything since the start write [*]"
        c.fail("E107", f"a window of {value} time points {BEYOND}", note, offset, length)
    return value


def _is_negative(value: Value) -> bool:
    return isinstance(value, int) and value < 0


def _partition_window(c: Cursor, partition: PartitionBy, body: Formula) -> PartitionWindow:
    match body:
        case Atom() as atom:
            pass
        case Sometime(Atom() as atom) | At(_, Atom() as atom):
            pass
        case Always():
            note = "use it with in or at: p(X) in [#1 by X]"
            c.fail("E204", "a partition window does not go with always", note, partition.by[0].offset)
        case _:
            note = "a partition window takes the last facts of one predicate: p(X,Y) in [#1 by X]"
            c.fail("E205", "a partition window needs a single atom", note, partition.by[0].offset)
    keys = []
    for variable in partition.by:
        positions = tuple(i for i, arg in enumerate(atom.args) if arg == variable)
        if not positions:
            message = f"{variable} is not an argument of {atom.predicate}"
            c.fail(
                "E205",
                message,
                "after by, write variables of the window's atom",
                variable.offset,
                len(variable.name),
            )
        keys.append(positions)
    return PartitionWindow(partition.back, partition.ahead, atom.predicate, tuple(keys))
