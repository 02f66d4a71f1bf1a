"""Values and their codes (see `values`): one at a time, and in whole columns.

The engine is so fast that encoding and decoding cost more than evaluation, so columns of names are handled in bulk.

Codes change when values are forgotten (see `collect`), so the dictionary must know who holds them. Outside the arena,
codes may only be in three places:

- bare, inside a `with dictionary.encoding()` or while a kernel runs: nothing is forgotten there;
- in a `Coded`, which the dictionary knows and renumbers;
- in `UnreadOperands`, which the dictionary reads before it renumbers anything.

Values are forgotten only on entering an `encoding()` that is not inside another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from operator import is_not
from typing import Any
from weakref import WeakSet, ref

import numpy as np

from lasing.engines.local.answers import Answers, weakly
from lasing.engines.local.asking import ANSWER, PAIR, QUESTION, TEXTS, TOTAL, A
from lasing.engines.local.collect import (
    MADE,
    NO_VALUE,
    VALUE,
    mark,
    mark_answers,
    mark_rows,
    renumber,
    renumber_rows,
    wide_values,
)
from lasing.engines.local.memory import HI, WIDE
from lasing.engines.local.questions import Call, NoValue, Operands, compared, computed
from lasing.engines.local.strings import Strings
from lasing.engines.local.texts import Texts
from lasing.engines.local.totals import total_at, words_at
from lasing.engines.local.unread import UnreadOperands
from lasing.engines.local.values import (
    DOUBLE,
    INTEGER,
    NAMES,
    REASONS,
    SMALL,
    TERMS,
    UNDEFINED,
    WIDES,
    decode_wides,
    encode_doubles,
    encode_wide,
)
from lasing.logic.functions import concatenation
from lasing.logic.values import KINDS, Undefined, Value
from lasing.logic.values.constructed import Constructed, constructed, one_constructed
from lasing.logic.values.table import Coding

Codes = np.ndarray[Any, np.dtype[np.int64]]

_LEAST = 1 << 16
"""Up to this number of values, none is ever forgotten."""
_SEVERAL = 16
"""For fewer terms, looking for what they have in common takes longer than it saves."""
_MOST_HELD = 1 << 10


class Coded:
    """Rows whose columns from `first` on are codes. They change in place when the dictionary renumbers its values.

    `Dictionary.hold` makes them. A copy of some rows is bare again.
    """

    __slots__ = ("__weakref__", "first", "rows")

    def __init__(self, rows: Codes, first: int) -> None:
        self.rows = rows
        self.first = first

    def __len__(self) -> int:
        return len(self.rows)


class Read(dict[int, Value]):
    """The values of codes that are read one by one, as a function in C; what is not known is asked for."""

    def __init__(self, ask: Callable[[int], Value]) -> None:
        self._ask = ask

    def __missing__(self, code: int) -> Value:
        if code < NAMES:
            return code
        value = self[code] = self._ask(code)
        return value


class Dictionary:
    """The codes of an engine's values. Wide values live in its arena, and so do constants, at `registers`.

    The text of names is kept for kernels if they may ask which of two comes first. `functions` are those that kernels
    ask for; if one of them raises an exception, it goes to `keep`, and the kernels stop.
    """

    def __init__(
        self,
        arena: Codes,
        registers: Sequence[int] = (),
        ordered: bool = False,
        functions: Sequence[Call] = (),
        keep: Callable[[BaseException], None] | None = None,
    ) -> None:
        self._arena = arena
        self._words = arena.data  # its items are Python's integers, without a detour
        self._registers = np.array(registers, np.int64)
        self._codes: dict[Value, int] = {}
        self.names: list[str] = []
        self.terms: list[Value | Operands | None] = []
        """Values of other kinds than numbers and names; the code of the first is WIDES - 1, and so on downwards. None
        is a term that kernels have made, and that nobody has read yet (see `making`). There may be more of these."""
        self._functions = functions
        self.raised: list[BaseException] = []
        self._answers = Answers(
            arena,
            weakly(self._answer),
            keep or self.raised.append,
            [operands for _, operands in functions],
        )
        self._made = self._answers.made
        self._makes = {operands for f, operands in functions if f.makes and operands > 1}
        """The numbers of operands of which kernels make identifiers."""
        self.read = Read(weakly(self.value))
        self._by_code: np.ndarray[Any, np.dtype[np.object_]] = np.empty(0, object)
        self._filled = 0
        self._wides: list[Value] = []
        self._arrow: Any = None
        self.strings = Strings()
        self._texts = Texts() if ordered else None
        self._limit = _LEAST
        self._held: list[ref[Coded]] = []  # cheaper than a WeakSet: the dead are left out from time to time
        self._most_held = _MOST_HELD
        self._unread: WeakSet[UnreadOperands] = WeakSet()
        self.bare = 0
        """How many users are working with bare codes."""
        self.collections = 0
        """How often values were forgotten."""

    @property
    def known(self) -> Mapping[Value, int]:
        """The codes of all values that have one, except for small integers, and for terms that nobody has read yet."""
        return self._codes

    # -- holding codes ---------------------------------------------------------------------------------------------

    def encoding(self) -> Dictionary:
        """For `with`: values get codes inside. Codes to be kept must be in a `Coded` at the end."""
        return self

    def __enter__(self) -> Dictionary:
        if not self.bare and self._count() > self._limit:
            self.collect()
        self.bare += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.bare -= 1

    def hold(self, rows: Codes, first: int) -> Coded:
        """Rows whose columns from `first` on are codes, to be kept."""
        held = Coded(rows if rows.flags.c_contiguous else np.ascontiguousarray(rows), first)
        self._held.append(ref(held))
        if len(self._held) > self._most_held:
            self._held = [known for known in self._held if known() is not None]
            self._most_held = max(_MOST_HELD, 2 * len(self._held))
        return held

    def _count(self) -> int:
        """How many values there are, and answers that are no new terms."""
        words = self._words
        return len(self.names) + max(len(self._made), len(self._answers)) + words[words[WIDE] + HI]

    def settle(self) -> None:
        """Keep the values that are known now for long: look for unused ones only once there are twice as many."""
        self._limit = max(_LEAST, 2 * self._count())

    def collect(self) -> None:
        """Forget the values that are in no row of the arena, no constant and no `Coded`; the others get new codes."""
        assert not self.bare, "some code is working with codes that would change their meaning"
        while unread := list(self._unread):  # reading one may show others that are inside
            for operands in unread:
                operands.read_all()
                self._unread.discard(operands)
        known = len(self.names)
        self._take_made()
        names = np.zeros(known + len(self.terms), np.int64)  # the terms last, the newest first, as their codes are
        wides = np.zeros(wide_values(self._arena), np.int64)
        held = [coded for known in self._held if (coded := known()) is not None]
        held.append(Coded(self._arena[self._registers].reshape(1, -1), 0))
        mark(self._arena, names, wides)
        for coded in held:
            mark_rows(coded.rows, coded.first, names, wides)
        answers = self._living_answers(names, wides)
        kept = np.flatnonzero(names[:known])
        kept_terms = np.flatnonzero(names[known:][::-1])
        numbers = [_numbered(names[:known]), _numbered(wides)]
        if len(self.terms):
            terms = np.where(names[known:] == 1, _LAST_TERM - _numbered(names[known:][::-1])[::-1], -1)
            numbers[0] = np.concatenate([numbers[0], terms])
        renumber(self._arena, *numbers)
        for coded in held:
            renumber_rows(coded.rows, coded.first, *numbers)
        self._arena[self._registers] = held[-1].rows[0]
        self.names = [self.names[i] for i in kept.tolist()]
        self._codes = {name: NAMES + i for i, name in enumerate(self.names)}
        made = self._answers.keep(_renumbered(answers, numbers), kept_terms, *numbers)
        before, self.terms = self.terms, [None] * len(kept_terms)  # kernels know those that they have made
        for i in np.flatnonzero(~made).tolist():
            self.terms[i] = term = before[kept_terms[i]]
            assert term is not None, "what kernels have not made is known here"
            assert not isinstance(term, Operands), "kernels make all of them"
            self._codes[term] = WIDES - 1 - i
        self._by_code, self._filled, self._arrow = np.empty(0, object), 0, None
        self.read.clear()
        self._wides = []  # the arena knows them: a Python object is made only for those that someone asks for
        self.strings = Strings()
        self._texts = None if self._texts is None else Texts()
        self.settle()
        self.collections += 1

    def _living_answers(self, names: Codes, wides: Codes) -> Codes:
        """The answers about live values (see `mark_answers`). What they need is marked, so that it lives too."""
        rows = self._answers.rows
        kinds = np.where(rows[:, QUESTION] >= PAIR, VALUE, NO_VALUE)
        kinds[rows[:, QUESTION] == PAIR] = MADE
        asked = np.zeros_like(names)
        kept = np.zeros(len(rows), np.bool_)
        mark_answers(rows, kinds, kept, names, wides, asked, *self._made.marked())
        return rows[kept].copy()

    def _answer(self, question: int, a: int, b: int) -> int:
        """Answer a kernel. Nothing is forgotten in the meantime, because the kernel works with codes."""
        self.bare += 1
        try:
            if question == TOTAL:
                return self._total(a, b)
            if question == TEXTS:
                return self._concatenation(a, b)
            one = self._term(a)
            other = one if a == b else self._term(b)
            if question < PAIR:
                return compared(question, one, other)  # type: ignore[arg-type]  # only functions have operands
            found = computed(question, one, other, self._functions)  # type: ignore[arg-type]
            code = UNDEFINED - found.reason if isinstance(found, NoValue) else self._code_of_result(found)
            if self._texts is not None:
                self._texts.of(self.names)  # kernels may compare a new name at once
            return code
        finally:
            self.bare -= 1

    def _total(self, at: int, parts: int) -> int:
        """The code of the value of a sum, or why it has none."""
        try:
            return self._code_of_result(total_at(self._arena.ctypes.data, at, parts))
        except Undefined as why:
            return UNDEFINED - REASONS.index(str(why))

    def _concatenation(self, at: int, rows: int) -> int:
        """The code of the concatenation of rows, which come after the word that says how wide they are."""
        (width,) = words_at(self._arena.ctypes.data, at, 1)
        codes = np.array(words_at(self._arena.ctypes.data, at + 1, rows * width), np.int64).reshape(rows, width)
        columns = [self.values(column) for column in np.ascontiguousarray(codes.T)]
        try:
            code = self._code_of_result(concatenation(list(zip(*columns, strict=True))))
        except Undefined as why:
            return UNDEFINED - REASONS.index(str(why))
        if self._texts is not None:
            self._texts.of(self.names)
        return code

    def _term(self, code: int) -> Value | Operands:
        if NAMES <= code < TERMS:
            return self.names[code - NAMES]
        return self._term_of(WIDES - 1 - code) if TERMS <= code < WIDES else self.value(code)

    def _code_of_result(self, value: Value) -> int:
        code = self._codes.get(value)
        return self._add(value) if code is None else code

    # -- terms that kernels have made ------------------------------------------------------------------------------

    def _take_made(self) -> None:
        """Make places for the terms that kernels have made since."""
        if (number := len(self._made) - len(self.terms)) > 0:
            self.terms += [None] * number

    def _term_of(self, number: int) -> Value | Operands:
        """The term with a number."""
        known = self.terms[number] if number < len(self.terms) else None
        if known is None:
            self._take_made()
            known = self.terms[number] = self._read_one(number)
        return known

    def _read_one(self, number: int) -> Value | Operands:
        """The value of a term that kernels have made, or the operands of a pair."""
        if (pair := self._answers.pair(number)) is not None:
            before, last = self._term(pair[0]), self._term(pair[1])
            several = before.values if isinstance(before, Operands) else (before,)
            return Operands((*several, last))  # type: ignore[arg-type]  # pairs grow at the end
        function, *args = map(self.value, self._made.operands(number))
        return one_constructed(function, tuple(args))  # type: ignore[arg-type]  # kernels check

    def _terms_of(self, numbers: Codes) -> list[Value]:
        """The values of terms with these numbers, which are no pairs."""
        self._take_made()
        terms, wanted = self.terms, numbers.tolist()
        known = map(is_not, map(terms.__getitem__, wanted), repeat(None))
        if len(wanted) >= _SEVERAL and not any(known) and (np.diff(numbers) > 0).all():
            return self._to_read(numbers)  # new results of a rule, in the order in which they were made
        unread = dict.fromkeys([number for number in wanted if terms[number] is None])
        if len(unread) < _SEVERAL:
            for number in unread:
                terms[number] = self._read_one(number)
            return [terms[number] for number in wanted]
        made = dict(zip(unread, self._to_read(np.fromiter(unread, np.int64, len(unread))), strict=True))
        return [made[number] if number in made else terms[number] for number in wanted]

    def _to_read(self, numbers: Codes) -> list[Value]:
        """Identifiers that kernels have made, to be read when someone looks at them.

        They are not kept here: most are results, which are handed over once. Kept ones would all look long-lived to
        Python's garbage collector.
        """
        found: list[Value] = []
        places: list[Codes] = []
        for mine, rows in self._made.rows(numbers):
            unread = UnreadOperands(rows, self.values)
            self._unread.add(unread)
            found += constructed(unread, len(rows))
            places.append(mine)
        return found if len(places) == 1 else [found[i] for i in np.argsort(np.concatenate(places)).tolist()]

    # -- values to codes -------------------------------------------------------------------------------------------

    def code(self, value: Value) -> int:
        """The code of a value."""
        assert self.bare, "codes are made inside `encoding()`"
        code = self._codes.get(value)
        return self._new(value) if code is None else code

    def codes(self, values: Iterable[Value]) -> list[int]:
        """The codes of many values."""
        assert self.bare, "codes are made inside `encoding()`"
        codes = list(map(self._codes.get, values := list(values)))
        if None in codes:
            return [self._new(value) if code is None else code for value, code in zip(values, codes, strict=True)]
        return codes  # type: ignore[return-value]  # there is no None

    def column(self, values: Sequence[Value]) -> Codes:
        """The codes of many names, most of which are known."""
        assert self.bare, "codes are made inside `encoding()`"
        try:
            return np.fromiter(map(self._codes.__getitem__, values), np.int64, len(values))
        except KeyError:
            return np.array(self.codes(values), np.int64)

    def doubles(self, values: np.ndarray[Any, np.dtype[np.float64]]) -> Codes:
        """The codes of a column of finite doubles. No Python object is made for any of them."""
        assert self.bare, "codes are made inside `encoding()`"
        codes: Codes = encode_doubles(self._arena, values)
        return codes

    def _new(self, value: Value) -> int:
        known = self._codes.get(value)  # it may be there twice among new values
        return self._add(value) if known is None else known

    def _add(self, value: Value) -> int:
        """A code for a value that has none yet."""
        if isinstance(value, int) and -SMALL < value < SMALL:
            return value  # it is not stored: it is its own code
        match _CODINGS[type(value)]:
            case "name":
                code = NAMES + len(self.names)
                self.names.append(value)  # type: ignore[arg-type]  # it is of that kind
            case "term":
                depth = 0
                if isinstance(value, Constructed):
                    if 1 + len(value.args) in self._makes:
                        operands = [self._code_of_result(one) for one in (value.function, *value.args)]
                        code = self._codes[value] = self._made.code(operands)
                        return code
                    depth = value.depth
                self._take_made()
                code = WIDES - 1 - len(self.terms)
                self.terms.append(value)
                self._made.add(depth)
            case "itself":  # it is too large for that
                code = encode_wide(self._arena, INTEGER, value)  # type: ignore[arg-type]  # it is of that kind
            case "wide":
                code = encode_wide(self._arena, DOUBLE, int(np.float64(value).view(np.int64)))  # type: ignore[arg-type]
        self._codes[value] = code
        return code

    # -- codes to values -------------------------------------------------------------------------------------------

    def value(self, code: int) -> Value:
        """The value of a code."""
        if code < NAMES:
            return code
        if code < TERMS:
            return self.names[code - NAMES]
        if code < WIDES:
            return self._term_of(WIDES - 1 - code)  # type: ignore[return-value]  # operands are in no row
        if code - WIDES >= len(self._wides):  # those that are new, all at once
            self._wides += self.values(np.arange(WIDES + len(self._wides), WIDES + wide_values(self._arena)))
        return self._wides[code - WIDES]

    def values(self, codes: Codes) -> list[Value]:
        """The values of a column of codes."""
        most = codes.max() if codes.size else 0
        if most < NAMES:
            return list(codes.tolist())
        least = codes.min()
        if most == least < WIDES:  # a constant of a rule
            return [self.value(int(most))] * len(codes)
        if most < TERMS and least >= NAMES:
            return list(self._names_by_code()[codes - NAMES].tolist())
        if most < WIDES and least >= TERMS:
            return self._terms_of(WIDES - 1 - codes)
        integers, doubles = self.numbers(codes)
        found = integers.astype(object)
        found[doubles] = integers[doubles].view(np.float64).astype(object)
        names = (codes >= NAMES) & (codes < TERMS)
        if names.any():
            found[names] = self._names_by_code()[codes[names] - NAMES]
        terms = (codes >= TERMS) & (codes < WIDES)
        if terms.any():
            found[terms] = self._terms_of(WIDES - 1 - codes[terms])
        return list(found.tolist())

    def numbers(self, codes: Codes) -> tuple[Codes, np.ndarray[Any, np.dtype[np.bool_]]]:
        """The integers of a column of codes, or the bits of doubles, and which are doubles; anything for names."""
        return decode_wides(self._arena, np.ascontiguousarray(codes))

    def _names_by_code(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        known, number = self._filled, len(self.names)
        if number > len(self._by_code):
            larger = np.empty(2 * number, object)
            larger[:known] = self._by_code[:known]
            self._by_code = larger
        if number > known:
            self._by_code[known:number] = self.names[known:]
            self._filled = number
        return self._by_code

    def arrow_names(self, codes: Codes, most: int) -> Any:
        """An Arrow column of names, with `most` as the greatest code.

        Text is taken from an array of all names. It is extended when that costs little compared with the number of new
        names, or with this column. So a few new names at every time point do not copy all others.
        """
        import pyarrow as pa  # here, because loading it, and pandas with it, takes a second

        if self._arrow is None:
            self._arrow = pa.array([], pa.string())
        known = len(self._arrow)
        if most - NAMES >= known:
            if known > 8 * (len(self.names) - known) and known > 32 * len(codes):
                return pa.array(self._names_by_code()[codes - NAMES], pa.string())
            self._arrow = pa.concat_arrays([self._arrow, pa.array(self.names[known:], pa.string())])
        return self._arrow.take(pa.array(codes - NAMES))

    def texts(self) -> Codes:
        """The text of all names, as kernels compare it; only if the program may need it."""
        if self._texts is None:
            return _NO_TEXTS
        return self._texts.of(self.names)


_NO_TEXTS: Codes = np.zeros(2, np.int64)
_LAST_TERM = WIDES - 1 - NAMES
_CODINGS: dict[type, Coding] = {python: kind.coding for python, kind in KINDS.items()}


def _numbered(used: Codes) -> Codes:
    """New, consecutive numbers for what is used, and -1 for everything else."""
    numbers: Codes = np.where(used == 1, np.cumsum(used) - 1, -1)
    return numbers


def _renumbered(answers: Codes, numbers: Sequence[Codes]) -> Codes:
    """Answers with new codes. What is answered to a question before PAIR is not a code, even if it looks like one."""
    others = answers[:, QUESTION] < PAIR
    words = answers[others, ANSWER]
    renumber_rows(answers, A, *numbers)
    answers[others, ANSWER] = words
    return answers
