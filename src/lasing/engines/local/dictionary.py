"""Values and their codes (see `values`): one at a time, and in whole columns.

At the engine's speed the boundary is the larger cost, so columns of names pass it in bulk.

Codes change when values are forgotten (see `collect`), so nothing may hold them unseen. Outside of the arena there are
two places for them, and no third one:

- bare, inside of a `with dictionary.encoding()` or while a kernel runs: nothing is forgotten in there;
- in a `Coded`, which the dictionary knows, and renumbers.

Values are forgotten only on the way into an `encoding()` that is not inside of another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from lasing.engines.local.collect import mark, mark_rows, renumber, renumber_rows, wide_values
from lasing.engines.local.strings import Strings
from lasing.engines.local.texts import Texts
from lasing.engines.local.values import DOUBLE, INTEGER, NAMES, SMALL, WIDES, decode_wides, encode_wide
from lasing.logic.terms import Value

Codes = np.ndarray[Any, np.dtype[np.int64]]

_LEAST = 1 << 16
"""Up to so many values, none is ever forgotten."""
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


class Dictionary:
    """The codes of an engine's values. Wide values live in its arena, and so do constants, at `registers`.

    The text of names is kept for kernels where they may ask which of two comes first.
    """

    def __init__(self, arena: Codes, registers: Sequence[int] = (), ordered: bool = False) -> None:
        self._arena = arena
        self._registers = np.array(registers, np.int64)
        self._codes: dict[Value, int] = {}
        self.names: list[str] = []
        self._by_code: np.ndarray[Any, np.dtype[np.object_]] = np.empty(0, object)
        self._filled = 0
        self._wides: list[Value] = []
        self._arrow: Any = None
        self.strings = Strings()
        self._texts = Texts() if ordered else None
        self._limit = _LEAST
        self._held: list[ref[Coded]] = []  # cheaper than a WeakSet: the dead are left out from time to time
        self._most_held = _MOST_HELD
        self.bare = 0
        """How many are at work with bare codes."""
        self.collections = 0
        """How often values were forgotten."""

    # -- holding codes ---------------------------------------------------------------------------------------------

    def encoding(self) -> Dictionary:
        """Where values get codes, with `with`. What is to be kept of them must be in a `Coded` at the end."""
        return self

    def __enter__(self) -> Dictionary:
        if not self.bare and self._is_full():
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

    def _is_full(self) -> bool:
        """Whether there are so many values that it is time to look for those that nothing holds any more."""
        return len(self.names) + wide_values(self._arena) > self._limit

    def collect(self) -> None:
        """Forget the values that are in no row of the arena, no constant and no `Coded`; the others get new codes."""
        assert not self.bare, "somebody is at work with codes that would change their meaning"
        names = np.zeros(len(self.names), np.int64)
        wides = np.zeros(wide_values(self._arena), np.int64)
        held = [coded for known in self._held if (coded := known()) is not None]
        held.append(Coded(self._arena[self._registers].reshape(1, -1), 0))
        mark(self._arena, names, wides)
        for coded in held:
            mark_rows(coded.rows, coded.first, names, wides)
        kept = np.flatnonzero(names)
        numbers = [np.where(used == 1, np.cumsum(used) - 1, -1) for used in (names, wides)]
        renumber(self._arena, *numbers)
        for coded in held:
            renumber_rows(coded.rows, coded.first, *numbers)
        self._arena[self._registers] = held[-1].rows[0]
        self.names = [self.names[i] for i in kept.tolist()]
        self._codes = {name: NAMES + i for i, name in enumerate(self.names)}
        self._by_code, self._filled, self._arrow = np.empty(0, object), 0, None
        self._wides = self.values(np.arange(WIDES, WIDES + wide_values(self._arena)))
        self._codes |= {value: WIDES + i for i, value in enumerate(self._wides)}
        self.strings = Strings()
        self._texts = None if self._texts is None else Texts()
        self._limit = max(_LEAST, 2 * len(self._codes))
        self.collections += 1

    # -- values to codes -------------------------------------------------------------------------------------------

    def code(self, value: Value) -> int:
        """The code of a value."""
        assert self.bare, "codes are made inside of `encoding()`"
        code = self._codes.get(value)
        return self._new(value) if code is None else code

    def codes(self, values: Iterable[Value]) -> list[int]:
        """The codes of many values."""
        assert self.bare, "codes are made inside of `encoding()`"
        codes = list(map(self._codes.get, values := list(values)))
        if None in codes:
            return [self._new(value) if code is None else code for value, code in zip(values, codes, strict=True)]
        return codes  # type: ignore[return-value]  # there is no None

    def column(self, values: Sequence[Value]) -> Codes:
        """The codes of many names, most of which are known."""
        assert self.bare, "codes are made inside of `encoding()`"
        try:
            return np.fromiter(map(self._codes.__getitem__, values), np.int64, len(values))
        except KeyError:
            return np.array(self.codes(values), np.int64)

    def _new(self, value: Value) -> int:
        if isinstance(value, str):
            known = self._codes.get(value)  # it may be there twice among new values
            if known is not None:
                return known
            code = NAMES + len(self.names)
            self.names.append(value)
        elif isinstance(value, int) and -SMALL < value < SMALL:
            return value  # it is not remembered: it is its own code
        else:
            kind = INTEGER if isinstance(value, int) else DOUBLE
            bits = value if isinstance(value, int) else int(np.float64(value).view(np.int64))
            code = encode_wide(self._arena, kind, bits)
        self._codes[value] = code
        return code

    # -- codes to values -------------------------------------------------------------------------------------------

    def value(self, code: int) -> Value:
        """The value of a code."""
        if code < NAMES:
            return code
        if code < WIDES:
            return self.names[code - NAMES]
        if code - WIDES >= len(self._wides):  # those that are new, all at once
            self._wides += self.values(np.arange(WIDES + len(self._wides), WIDES + wide_values(self._arena)))
        return self._wides[code - WIDES]

    def values(self, codes: Codes) -> list[Value]:
        """The values of a column of codes."""
        most = codes.max() if codes.size else 0
        if most < NAMES:
            return list(codes.tolist())
        if most < WIDES and codes.min() >= NAMES:
            return list(self._names_by_code()[codes - NAMES].tolist())
        integers, doubles = self.numbers(codes)
        found = integers.astype(object)
        found[doubles] = integers[doubles].view(np.float64).astype(object)
        names = (codes >= NAMES) & (codes < WIDES)
        if names.any():
            found[names] = self._names_by_code()[codes[names] - NAMES]
        return list(found.tolist())

    def numbers(self, codes: Codes) -> tuple[Codes, np.ndarray[Any, np.dtype[np.bool_]]]:
        """The integers of a column of codes, or the bits of doubles, and which are doubles; of names, anything."""
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
        """An Arrow column of names, of which `most` is the greatest code.

        Text is taken from an array of all names, which is made longer when that costs little beside the names that are
        new since, or beside this column. So a few new names at every time point do not copy all others.
        """
        import pyarrow as pa  # here, because to load it, and pandas with it, takes a second

        if self._arrow is None:
            self._arrow = pa.array([], pa.string())
        known = len(self._arrow)
        if most - NAMES >= known:
            if known > 8 * (len(self.names) - known) and known > 32 * len(codes):
                return pa.array(self._names_by_code()[codes - NAMES], pa.string())
            self._arrow = pa.concat_arrays([self._arrow, pa.array(self.names[known:], pa.string())])
        return self._arrow.take(pa.array(codes - NAMES))

    def texts(self) -> Codes:
        """The text of all names, as kernels compare it; only where the program may ask for it."""
        if self._texts is None:
            return _NO_TEXTS
        return self._texts.of(self.names)


_NO_TEXTS: Codes = np.zeros(1, np.int64)
