"""When `#first` or `#last` selects a tuple, if it is not known which tuples exist."""

from __future__ import annotations

from lasing.engines.asp.aggregates import Elements
from lasing.engines.asp.conditions import Condition, all_of, at_least, negation
from lasing.logic.formulas import Select
from lasing.logic.functions import selected, tuple_key
from lasing.logic.values import Value

Row = tuple[Value, ...]


def condition(formula: Select, row: Row, elements: Elements) -> Condition:
    """The condition under which a tuple is selected: it exists, and fewer than `count` better ones do."""
    if row not in elements:
        return False
    better = [(when, 1) for other, when in elements.items() if _is_better(formula, other, row)]
    return all_of((elements[row], negation(at_least(formula.count, better))))


def possible(formula: Select, elements: Elements) -> list[Row]:
    """All tuples that may be selected: those that certain ones do not leave out."""
    last = formula.end == "last"
    certain = selected(last, formula.count, (row for row, when in elements.items() if when is True))
    if len(certain) < formula.count:
        return list(elements)
    return [row for row in elements if not _is_better(formula, certain[-1], row)]


def _is_better(formula: Select, one: Row, other: Row) -> bool:
    """Whether a tuple is selected before another one."""
    if formula.end == "last":
        one, other = other, one
    return tuple_key(one) < tuple_key(other)
