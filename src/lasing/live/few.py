"""A few facts or changes at a time, value by value.

Columns are faster for many rows, but each of NumPy's calls costs as much as several values. So up to `FEW` rows are
encoded and decoded in plain Python.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from lasing.connectors.rows import value_of
from lasing.engines.local.dictionary import Codes, Dictionary
from lasing.engines.local.engine import LocalEngine, expiry
from lasing.engines.local.execute import PROVISIONAL
from lasing.engines.local.memory import FOREVER
from lasing.engines.local.values import SMALL
from lasing.logic.answers import Changes, Expiry
from lasing.logic.formulas import Atom, made_atom
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
    outputs, value = engine.outputs, engine.dictionary.read.__getitem__
    found: list[tuple[Tuples, Tuples]] = [([], []) for _ in outputs]
    for _, number, sign, _, *args in block.tolist():
        if sign:
            predicate, arity = outputs[number]
            found[number][sign < 0].append((predicate, *map(value, args[:arity])))
    if len(found) == 1:
        return found[0]
    return [fact for added, _ in found for fact in added], [fact for _, removed in found for fact in removed]


def of(engine: LocalEngine, block: Codes, numbers: Collection[int], sign: int) -> Tuples:
    """The arguments of the atoms of some outputs that the rows of a block add (1) or remove (-1)."""
    value, arities = engine.dictionary.read.__getitem__, {number: engine.outputs[number][1] for number in numbers}
    return [
        tuple(map(value, args[: arities[number]]))
        for _, number, its, _, *args in block.tolist()
        if its == sign and number in arities
    ]


def changes(engine: LocalEngine, block: Codes) -> list[Changes]:
    """The changes of each time point of a block, in order."""
    value, outputs, found = engine.dictionary.read.__getitem__, engine.outputs, []
    added: dict[Atom, Expiry] = {}
    removed: list[Atom] = []
    now: int | None = None
    for time, number, sign, until, *args in block.tolist():
        if time != now:
            if now is not None:
                found.append(Changes(now, frozenset(added), frozenset(removed), added))
            now, added, removed = time, {}, []
        if sign:
            predicate, arity = outputs[number]
            atom = made_atom(predicate, tuple(map(value, args[:arity])))
            if sign < 0:
                removed.append(atom)
            else:
                added[atom] = until if PROVISIONAL < until < FOREVER else expiry(until)
    if now is not None:
        found.append(Changes(now, frozenset(added), frozenset(removed), added))
    return found
