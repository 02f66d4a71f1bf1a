"""What has braces: aggregates `#count{X : p(X)} > 3`, and `(T, V) = #last 3 {U, W : p(W) at U in [5]}`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, cast

from lasing.errors import similar
from lasing.languages.lars.cursor import Cursor
from lasing.languages.lars.slips import AGGREGATES, SELECTIONS
from lasing.logic.formulas import Aggregate, End, Formula, Select
from lasing.logic.functions import COMPARISONS, AggregateFunction, Comparison
from lasing.logic.terms import Term


@dataclass(frozen=True, slots=True)
class Uncompared:
    """Braces before it is known what they are compared with: the word before them, without its #; for a selection, how
    many tuples it selects; what is inside."""

    name: str
    count: int
    terms: tuple[Term, ...]
    condition: tuple[Formula, ...]
    offset: int

    @property
    def selects(self) -> bool:
        return f"#{self.name}" in SELECTIONS


@dataclass(frozen=True, slots=True)
class Targets:
    """Several terms in parentheses: `(T, V)`."""

    terms: tuple[Term, ...]
    offset: int


def read_braces(
    c: Cursor, read_term: Callable[[Cursor], Term], read_formula: Callable[[Cursor], Formula]
) -> Uncompared:
    """`#count{ terms : literals }`, `#last 3 { terms : literals }`"""
    name, offset = c.text, c.offset
    known = (*AGGREGATES, *SELECTIONS)
    if name not in known:
        hint = similar(name, known)
        note = f"aggregates are {' '.join(AGGREGATES)}; tuples are selected by {' and '.join(SELECTIONS)}"
        c.fail("E109", f"{name} is not an aggregate", "\n".join(filter(None, (hint, note))))
    c.i += 1
    count = _count(c, name) if name in SELECTIONS and c.kind != "{" else 1
    c.expect("{", f"after {name}")
    c.enter()
    terms = [read_term(c)]
    while c.accept(","):
        terms.append(read_term(c))
    c.expect(":", f"after the terms of {name}")
    condition = [read_formula(c)]
    while c.accept(","):
        condition.append(read_formula(c))
    c.leave()
    c.expect("}", f"to close {name}")
    c.braces += 1
    return Uncompared(name[1:], count, tuple(terms), tuple(condition), offset)


def _count(c: Cursor, name: str) -> int:
    """How many tuples to select: a number, or a constant that is one."""
    note = f"such as: (T, V) = {name} 3 {{…}}; without a number, it selects one tuple"
    if c.kind not in ("NUMBER", "NAME"):
        c.fail_expected("a number of tuples or {", f"after {name}", note)
    number = c.environment.constants.get(c.text, c.text) if c.kind == "NAME" else c.text
    if isinstance(number, str) and c.kind == "NUMBER" and number.isdigit():
        number = int(number)
    if not isinstance(number, int) or not 0 < number < 2**31:
        c.fail("E118", f"{name} selects a whole number of tuples, at least one, not {c.text}", note)
    c.i += 1
    return number


def compared(
    c: Cursor, braces: Uncompared, operator: Comparison, other: Term | Targets, offset: int
) -> Aggregate | Select:
    """The braces, which come before a comparison with other terms."""
    targets = other.terms if isinstance(other, Targets) else (other,)
    if braces.selects:
        _expect_targets(c, braces, operator, targets, offset)
        end = cast(End, braces.name)
        return Select(end, braces.count, targets, braces.terms, braces.condition, frozenset(), braces.offset)
    if isinstance(other, Targets):
        fail_targets(c, other)
    function = cast(AggregateFunction, braces.name)
    return Aggregate(function, braces.terms, braces.condition, operator, other, frozenset(), braces.offset)


def fail_targets(c: Cursor, targets: Targets) -> NoReturn:
    """Several terms in parentheses go only with selections."""
    note = "only #first and #last give several values: (T, V) = #last{U, W : p(W) at U in [5]}"
    c.fail("E105", "several terms in parentheses", note, targets.offset)


def _expect_targets(
    c: Cursor, braces: Uncompared, operator: Comparison, targets: tuple[Term, ...], offset: int
) -> None:
    name = f"#{braces.name}"
    if operator != "=":
        opposite = COMPARISONS["="].opposite
        note = f"for the tuples that are not selected, write: not (T, V) = {name}{{…}}" if operator == opposite else ""
        c.fail(
            "E118",
            f"only = goes with {name}",
            note or "bind the values first, and compare them in another literal",
            offset,
        )
    if len(targets) != len(braces.terms):
        counts = [f"{len(terms)} term{'s' * (len(terms) != 1)}" for terms in (braces.terms, targets)]
        note = "each term in braces needs a term before =, in the same order; write _ for one that does not matter"
        c.fail(
            "E118", f"{name} selects tuples of {counts[0]}, but here are {counts[1]}", note, braces.offset, len(name)
        )
