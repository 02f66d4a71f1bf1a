"""A few facts or changes at a time, value by value.

Columns are faster for many rows, but each of NumPy's calls costs as much as several values. So up to `FEW` rows are
encoded and decoded in plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from lasing.connectors.rows import value_of
from lasing.engines.local.dictionary import Codes, Dictionary
from lasing.engines.local.engine import LocalEngine, expiry
from lasing.engines.local.execute import OUT_ARGS, OUT_PREDICATE, OUT_SIGN, OUT_TIME, OUT_UNTIL
from lasing.engines.local.values import NAMES, SMALL, TERMS
from lasing.logic.answers import Changes, Expiry
from lasing.logic.formulas import Atom
from lasing.logic.values import KINDS, Boxed, Value

FEW = 64

CHECKED = frozenset(kind for kind in KINDS if issubclass(kind, Boxed))
"""The classes of values that are checked when they are made."""
_KEYS = CHECKED | {str}
"""The classes whose values the dictionary knows under themselves. A number may be known as an equal one."""

Fact = tuple[object, ...]
Tuples = list[tuple[Value, ...]]


def encoded(
    facts: Sequence[object], time: int, width: int, numbers: Mapping[tuple[object, int], int], dictionary: Dictionary
) -> list[list[int]] | None:
    """Facts as rows of codes, given the numbers of predicates by their names and the lengths of their facts; None if
    one of the predicates has no number, or one of the facts is no tuple."""
    known, rows = dictionary.known, []
    for fact in facts:
        if type(fact) is not tuple:
            return None
        number = numbers.get((fact[0], len(fact)))
        if number is None:
            return None
        row = [time, number]
        for value in fact[1:]:
            kind = type(value)
            if kind is int and -SMALL < value < SMALL:
                row.append(value)
                continue
            code = known.get(value) if kind in _KEYS else None
            row.append(dictionary.code(value_of(value)) if code is None else code)
        if len(row) < width:
            row += [0] * (width - len(row))
        rows.append(row)
    return rows


def by_sign(engine: LocalEngine, block: Codes) -> tuple[Tuples, Tuples]:
    """The atoms that the rows of a block add and remove, as tuples, in the order of the outputs."""
    found: list[tuple[Tuples, Tuples]] = [([], []) for _ in engine.outputs]
    value = _decoder(engine.dictionary)
    for row in block.tolist():
        sign, number = row[OUT_SIGN], row[OUT_PREDICATE]
        if sign:
            predicate, arity = engine.outputs[number]
            found[number][sign < 0].append((predicate, *map(value, row[OUT_ARGS : OUT_ARGS + arity])))
    if len(found) == 1:
        return found[0]
    return [fact for added, _ in found for fact in added], [fact for _, removed in found for fact in removed]


def of(engine: LocalEngine, block: Codes, numbers: Collection[int], sign: int) -> Tuples:
    """The arguments of the atoms of some outputs that the rows of a block add (1) or remove (-1)."""
    value, ends = _decoder(engine.dictionary), {number: OUT_ARGS + engine.outputs[number][1] for number in numbers}
    return [
        tuple(map(value, row[OUT_ARGS : ends[row[OUT_PREDICATE]]]))
        for row in block.tolist()
        if row[OUT_SIGN] == sign and row[OUT_PREDICATE] in ends
    ]


def changes(engine: LocalEngine, block: Codes) -> list[Changes]:
    """The changes of each time point of a block, in order."""
    value, outputs, found = _decoder(engine.dictionary), engine.outputs, []
    added: dict[Atom, Expiry] = {}
    removed: list[Atom] = []
    now: int | None = None
    for row in block.tolist():
        if row[OUT_TIME] != now:
            if now is not None:
                found.append(Changes(now, frozenset(added), frozenset(removed), added))
            now, added, removed = row[OUT_TIME], {}, []
        if sign := row[OUT_SIGN]:
            predicate, arity = outputs[row[OUT_PREDICATE]]
            atom = Atom(predicate, tuple([c if c < NAMES else value(c) for c in row[OUT_ARGS : OUT_ARGS + arity]]))
            if sign < 0:
                removed.append(atom)
            else:
                added[atom] = expiry(row[OUT_UNTIL])
    if now is not None:
        found.append(Changes(now, frozenset(added), frozenset(removed), added))
    return found


def _decoder(dictionary: Dictionary) -> Callable[[int], Value]:
    """The function from codes to values."""
    names, other = dictionary.names, dictionary.value

    def value(code: int) -> Value:
        return code if code < NAMES else names[code - NAMES] if code < TERMS else other(code)

    return value
