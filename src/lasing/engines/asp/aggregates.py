"""When an aggregate satisfies its comparison, if it is not known which of its elements exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from lasing.engines.asp.conditions import Condition, all_of, any_of, at_least, negation
from lasing.errors import LasingError, fault
from lasing.logic.formulas import Aggregate
from lasing.logic.functions import AGGREGATES, Comparison, aggregate, all_compare, holds
from lasing.logic.values import Undefined, Value, is_number, order_key

if TYPE_CHECKING:
    from lasing.engines.asp.unfolding import Unknowns

Elements = dict[tuple[Value, ...], Condition]
"""The possible tuples, each with the condition under which it exists."""

MOST_TRIED = 12
"""How many uncertain elements are tried in all combinations, if no shorter way is exact."""
MOST_VALUES = 10_000
"""How many values an aggregate may have if a variable is bound to its value."""
LARGEST_WEIGHT = 2**31 - 1
"""The largest number that clingo adds up."""


def condition(m: Unknowns, formula: Aggregate, bound: Value, elements: Elements) -> Condition:
    """The condition under which the aggregate compares with the bound as the formula requires."""
    certain = [row for row, when in elements.items() if when is True]
    if len(certain) == len(elements):
        value = aggregate(formula.function, certain)
        return value is not None and holds(formula.operator, value, bound)
    function, firsts = AGGREGATES[formula.function], [row[0] for row in elements]
    if function.weight == "one" and is_number(bound):
        return _sum_compares(formula.operator, bound, [(when, 1) for when in elements.values()])
    if function.weight == "first" and is_number(bound) and _summable(firsts):
        weights = [(when, row[0]) for row, when in elements.items() if isinstance(row[0], int)]
        return _sum_compares(formula.operator, bound, weights)
    if function.picks is not None and all_compare(firsts):
        return _extreme_compares(formula.operator, function.picks, bound, elements)
    return _tried(m, formula, bound, elements)


def values(formula: Aggregate, elements: Elements) -> Sequence[Value]:
    """All the values that the aggregate may have."""
    certain, function = sum(when is True for when in elements.values()), AGGREGATES[formula.function]
    if function.weight == "one":
        return range(certain, len(elements) + 1)
    firsts = [row[0] for row in elements]
    if certain == len(elements):
        value = aggregate(formula.function, elements)
        return () if value is None else (value,)
    if function.picks is not None:
        return list(dict.fromkeys(firsts))
    if function.weight == "first" and _summable(firsts):
        sums = {0}
        for row, when in elements.items():
            first = row[0]
            assert isinstance(first, int)
            sums = {s + first for s in sums} | (set() if when is True else sums)
            if len(sums) > MOST_VALUES:
                raise _too_many(formula)
        return sorted(sums)
    found: dict[Value, None] = {}
    for rows, _ in _combinations(formula, elements):
        try:
            value = aggregate(formula.function, rows)
        except Undefined:
            continue
        if value is not None:
            found[value] = None
    return list(found)


def _summable(firsts: Sequence[Value]) -> bool:
    return all(isinstance(first, int) for first in firsts) and sum(map(_size, firsts)) <= LARGEST_WEIGHT


def _size(value: Value) -> int:
    return abs(value) if isinstance(value, int) else 0


def _sum_compares(comparison: Comparison, bound: int | float, weights: Sequence[tuple[Condition, int]]) -> Condition:
    """Whether a sum of whole numbers compares with a bound that need not be whole."""
    whole = int(bound // 1)  # rounded down
    match comparison:
        case ">=":
            return at_least(whole + (whole < bound), weights)
        case ">":
            return at_least(whole + 1, weights)
        case "<":
            return negation(at_least(whole + (whole < bound), weights))
        case "<=":
            return negation(at_least(whole + 1, weights))
        case "=":
            if whole != bound:
                return False
            return all_of((at_least(whole, weights), negation(at_least(whole + 1, weights))))
        case "!=":
            return negation(_sum_compares("=", bound, weights))


def _extreme_compares(operator: Comparison, beyond: Comparison, bound: Value, elements: Elements) -> Condition:
    """For the least or greatest of elements that all compare with one another."""
    if operator in (beyond, f"{beyond}="):  # one element is enough
        return any_of(when for row, when in elements.items() if holds(operator, row[0], bound))
    found = []
    for value in dict.fromkeys(row[0] for row in elements):
        if holds(operator, value, bound):
            equal = any_of(when for row, when in elements.items() if row[0] == value)
            further = any_of(when for row, when in elements.items() if _is_beyond(beyond, row[0], value))
            found.append(all_of((equal, negation(further))))
    return any_of(found)


def _is_beyond(beyond: Comparison, one: Value, other: Value) -> bool:
    """Whether a least or greatest prefers one value to the other; for equal magnitudes, their order decides."""
    return order_key(one) < order_key(other) if beyond == "<" else order_key(other) < order_key(one)


def _tried(m: Unknowns, formula: Aggregate, bound: Value, elements: Elements) -> Condition:
    """Every combination of uncertain elements on its own; the instance fails if the aggregate has no value."""
    wanted: list[Condition] = []
    for rows, when in _combinations(formula, elements):
        try:
            value = aggregate(formula.function, rows)
        except Undefined:
            m.sound.append(negation(when))
            continue
        if value is not None and holds(formula.operator, value, bound):
            wanted.append(when)
    return any_of(wanted)


def _combinations(formula: Aggregate, elements: Elements) -> Iterator[tuple[list[tuple[Value, ...]], Condition]]:
    """Each possible set of elements, and the condition under which exactly these exist."""
    uncertain = [row for row, when in elements.items() if when is not True]
    if len(uncertain) > MOST_TRIED:
        raise _too_many(formula)
    for chosen in product((False, True), repeat=len(uncertain)):
        there = dict(zip(uncertain, chosen, strict=True))
        rows = [row for row in elements if there.get(row, True)]
        yield rows, all_of(elements[row] if yes else negation(elements[row]) for row, yes in there.items())


def _too_many(formula: Aggregate) -> LasingError:
    return fault(
        "E310",
        f"#{formula.function} ranges over too many atoms that may or may not hold",
        note=f"sums of whole numbers below {LARGEST_WEIGHT:,}, counts, least and greatest elements have no such limit; "
        f"other aggregates range over at most {MOST_TRIED} such atoms, and a sum has at most {MOST_VALUES:,} values",
    )
