"""Values and their codes (see `values`): one at a time, and in whole columns.

At the engine's speed the boundary is the larger cost, so columns of names pass it in bulk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lasing.engines.local.collect import mark, mark_codes, renumber, renumber_codes, wide_values
from lasing.engines.local.strings import Strings
from lasing.engines.local.values import DOUBLE, INTEGER, NAMES, SMALL, WIDES, decode_wide, encode_wide
from lasing.logic.terms import Value

Codes = np.ndarray[Any, np.dtype[np.int64]]

_LEAST = 1 << 16
"""Up to so many values, none is ever forgotten."""


class Dictionary:
    """The codes of an engine's values. Wide values stand in its arena. The order of names is kept where it matters."""

    def __init__(self, arena: Codes, ordered: bool) -> None:
        self._arena = arena
        self._ordered = ordered
        self._codes: dict[Value, int] = {}
        self.names: list[str] = []
        self._by_code: np.ndarray[Any, np.dtype[np.object_]] = np.empty(0, object)
        self._filled = 0
        self._arrow: Any = None
        self.strings = Strings()
        self._ranks = np.zeros(1, np.int64)
        self._limit = _LEAST

    def code(self, value: Value) -> int:
        """The code of a value."""
        code = self._codes.get(value)
        return self._new(value) if code is None else code

    def codes(self, values: Iterable[Value]) -> list[int]:
        """The codes of many values."""
        codes = list(map(self._codes.get, values := list(values)))
        if None in codes:
            return [self._new(value) if code is None else code for value, code in zip(values, codes, strict=True)]
        return codes  # type: ignore[return-value]  # there is no None

    def column(self, values: Sequence[Value]) -> Codes:
        """The codes of many names, most of which are known."""
        try:
            return np.fromiter(map(self._codes.__getitem__, values), np.int64, len(values))
        except KeyError:
            return np.array(self.codes(values), np.int64)

    def _new(self, value: Value) -> int:
        if isinstance(value, str):
            known = self._codes.get(value)  # it may stand twice among new values
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

    def value(self, code: int) -> Value:
        """The value of a code."""
        if code < NAMES:
            return code
        if code < WIDES:
            return self.names[code - NAMES]
        kind, bits = decode_wide(self._arena, code)
        return bits if kind == INTEGER else float(np.int64(bits).view(np.float64))

    def values(self, codes: Codes) -> Sequence[Value]:
        """The values of a column of codes."""
        if not codes.size or codes.max() < NAMES:
            return list(codes.tolist())
        if codes.min() >= NAMES and codes.max() < WIDES:
            return list(self._names_by_code()[codes - NAMES].tolist())
        return [self.value(code) for code in codes.tolist()]

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

    def arrow_names(self) -> Any:
        """The names, by their numbers, as an Arrow array."""
        import pyarrow as pa  # here, because to load it, and pandas with it, takes a second

        if self._arrow is None:
            self._arrow = pa.array([], pa.string())
        known = len(self._arrow)
        if known < len(self.names):
            self._arrow = pa.concat_arrays([self._arrow, pa.array(self.names[known:], pa.string())])
        return self._arrow

    @property
    def is_full(self) -> bool:
        """Whether there are so many values that it is time to look for those that nothing holds any more."""
        return len(self.names) + wide_values(self._arena) > self._limit

    def collect(self, held: Iterable[Codes]) -> None:
        """Forget the values that stand in no row and not among the codes that somebody else holds, and give all the
        others new codes, also there."""
        names = np.zeros(len(self.names), np.int64)
        wides = np.zeros(wide_values(self._arena), np.int64)
        mark(self._arena, names, wides)
        for codes in held:
            mark_codes(codes, names, wides)
        kept = np.flatnonzero(names)
        numbers = [np.where(used == 1, np.cumsum(used) - 1, -1) for used in (names, wides)]
        renumber(self._arena, *numbers)
        for codes in held:
            renumber_codes(codes, *numbers)
        self.names = [self.names[i] for i in kept.tolist()]
        self._codes = {name: NAMES + i for i, name in enumerate(self.names)}
        self._codes |= {self.value(code): code for code in range(WIDES, WIDES + wide_values(self._arena))}
        self._by_code, self._filled, self._arrow = np.empty(0, object), 0, None
        self.strings = Strings()
        self._ranks = np.zeros(1, np.int64)
        self._limit = max(_LEAST, 2 * len(self._codes))

    def ranks(self) -> Codes:
        """The place of each name in the order by code point; made anew when there are new names."""
        if self._ordered and len(self.names) > self._ranks.shape[0] - 1:
            self._ranks = np.zeros(len(self.names) + 1, np.int64)
            order = sorted(range(len(self.names)), key=self.names.__getitem__)
            self._ranks[order] = np.arange(len(order))
        return self._ranks
