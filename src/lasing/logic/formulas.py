"""Formulas (LARS, Definition 5), with variables, comparisons, aggregates and selections; and rules made of them.

Rule bodies use the same formulas: the plain literal `a always in [5]` is `Window(TimeWindow(5), Always(a))`.
Nodes are frozen and compare by meaning: offsets into the source text serve messages only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, assert_never

from lasing.logic.functions import AggregateFunction, Comparison
from lasing.logic.terms import Arithmetic, Term, Variable, variables_of
from lasing.logic.values import Value, value_text


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate applied to terms; ground where the terms are constants.

    >>> str(Atom("q", ("x2", 1, "a b")))
    'q(x2,1,"a b")'
    """

    predicate: str
    args: tuple[Term, ...] = ()
    offset: int = field(default=-1, compare=False, repr=False)

    @property
    def values(self) -> tuple[Value, ...]:
        """The arguments of a ground atom."""
        return tuple(arg for arg in self.args if not isinstance(arg, Variable | Arithmetic))

    def __str__(self) -> str:
        if not self.args:
            return self.predicate
        parts = [str(a) if isinstance(a, Variable | Arithmetic) else value_text(a) for a in self.args]
        return f"{self.predicate}({','.join(parts)})"


@dataclass(slots=True)
class _Draft:
    """An atom before it is frozen: it has the slots of one."""

    predicate: str
    args: tuple[Term, ...]
    offset: int = -1


def made_atom(predicate: str, args: tuple[Value, ...]) -> Atom:
    """Same as `Atom(predicate, args)` in half the time: a frozen object finds each slot by name before it is set.

    >>> made_atom("p", (1,)) == Atom("p", (1,))
    True
    """
    atom: Any = _Draft(predicate, args)
    atom.__class__ = Atom
    return atom  # type: ignore[no-any-return]  # it is one now


@dataclass(frozen=True, slots=True)
class Compare:
    """`left < right` and the like; `=` with an unbound variable on one side binds it."""

    operator: Comparison
    left: Term
    right: Term
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`#sum{terms : condition} operator bound`, over the distinct tuples of terms; `local` variables stay inside."""

    function: AggregateFunction
    terms: tuple[Term, ...]
    condition: tuple[Formula, ...]
    operator: Comparison
    bound: Term
    local: frozenset[Variable] = frozenset()
    offset: int = field(default=-1, compare=False, repr=False)

    @property
    def outside(self) -> tuple[Term, ...]:
        """The terms outside the braces."""
        return (self.bound,)

    @property
    def name(self) -> str:
        """The word before the braces, without its #."""
        return self.function


End = Literal["first", "last"]


@dataclass(frozen=True, slots=True)
class Select:
    """`(targets) = #last count {terms : condition}`: the targets are one of the `count` greatest distinct tuples of
    terms (`#first`: of the least ones); `local` variables stay inside."""

    end: End
    count: int
    targets: tuple[Term, ...]
    terms: tuple[Term, ...]
    condition: tuple[Formula, ...]
    local: frozenset[Variable] = frozenset()
    offset: int = field(default=-1, compare=False, repr=False)

    @property
    def outside(self) -> tuple[Term, ...]:
        """The terms outside the braces."""
        return self.targets

    @property
    def name(self) -> str:
        """The word before the braces, without its #."""
        return self.end


@dataclass(frozen=True, slots=True)
class Not:
    """¬φ"""

    body: Formula


@dataclass(frozen=True, slots=True)
class And:
    """φ ∧ ψ ∧ …"""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """φ ∨ ψ ∨ …"""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """φ → ψ"""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class At:
    """@T φ: T lies in the timeline and φ holds there."""

    time: Term
    body: Formula


@dataclass(frozen=True, slots=True)
class Sometime:
    """◇φ: φ holds at some time point of the timeline."""

    body: Formula


@dataclass(frozen=True, slots=True)
class Always:
    """□φ: the timeline has a time point, and φ holds at every one."""

    body: Formula


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The time points from `back` before the pivot to `ahead` after it; `back` None reaches to the start.

    If `ahead` is negative, the window ends before its pivot: `[5,-1]` has 5 back and -1 ahead, and may be empty near
    the start.
    """

    back: int | None
    ahead: int = 0
    step: int = 1


@dataclass(frozen=True, slots=True)
class TupleWindow:
    """The last `back` data facts and the next `ahead` ones, whatever their predicate."""

    back: int
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class PartitionWindow:
    """A tuple window on the facts of one predicate for each value of the arguments at `keys`.

    `keys` has, for each variable after `by`, its argument positions.
    """

    back: int
    ahead: int
    predicate: str
    keys: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class IntervalWindow:
    """The time points from `lo` to `hi`."""

    lo: Term
    hi: Term


WindowFunction = TimeWindow | TupleWindow | PartitionWindow | IntervalWindow


@dataclass(frozen=True, slots=True)
class Window:
    """⊞φ: φ is evaluated on the window; `full` takes it from the whole stream, not from the enclosing window."""

    function: WindowFunction
    body: Formula
    full: bool = False
    offset: int = field(default=-1, compare=False, repr=False)


Braces = Aggregate | Select
"""What ranges over the instances of a condition in braces."""
Formula = Atom | Compare | Braces | Not | And | Or | Implies | At | Sometime | Always | Window
Head = Atom | At
_Leaf = Atom | Compare


def ground_atom(predicate: str, *args: Value) -> Atom:
    """The ground atom of a predicate and its arguments."""
    return Atom(predicate, args)


def head_atom(head: Head) -> Atom:
    """The atom that a head derives, with or without a time."""
    if isinstance(head, Atom):
        return head
    assert isinstance(head.body, Atom)
    return head.body


def children(formula: Formula) -> tuple[Formula, ...]:
    """The direct subformulas."""
    match formula:
        case Atom() | Compare():
            return ()
        case Window() | Sometime() | Not() | At() | Always():  # the most common ones come first
            return (formula.body,)
        case Aggregate() | Select():
            return formula.condition
        case And() | Or():
            return formula.parts
        case Implies():
            return formula.left, formula.right
        case _:
            assert_never(formula)


def terms_of(formula: Formula) -> tuple[Term, ...]:
    """The terms of a formula itself, not those of its subformulas."""
    match formula:
        case Atom():
            return formula.args
        case Compare():
            return formula.left, formula.right
        case Aggregate() | Select():
            return (*formula.terms, *formula.outside)
        case At():
            return (formula.time,)
        case Window(IntervalWindow() as interval):
            return interval.lo, interval.hi
        case Not() | And() | Or() | Implies() | Sometime() | Always() | Window():
            return ()
        case _:
            assert_never(formula)


def map_terms(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """The formula with `change` applied to its own terms, not to those of its subformulas."""
    match formula:
        case Atom():
            return replace(formula, args=tuple(map(change, formula.args)))
        case Compare():
            return replace(formula, left=change(formula.left), right=change(formula.right))
        case Aggregate():
            return replace(formula, terms=tuple(map(change, formula.terms)), bound=change(formula.bound))
        case Select():
            targets = tuple(map(change, formula.targets))
            return replace(formula, terms=tuple(map(change, formula.terms)), targets=targets)
        case At():
            return replace(formula, time=change(formula.time))
        case Window(IntervalWindow() as interval):
            return replace(formula, function=IntervalWindow(change(interval.lo), change(interval.hi)))
        case Not() | And() | Or() | Implies() | Sometime() | Always() | Window():
            return formula
        case _:
            assert_never(formula)


def walk(formula: Formula) -> Iterator[Formula]:
    """A formula and all its subformulas, in the order in which they are written."""
    return iter(all_nodes((formula,)))


def all_nodes(formulas: Sequence[Formula]) -> list[Formula]:
    """Formulas and all their subformulas, in the order in which they are written."""
    found: list[Formula] = []
    stack = [*reversed(formulas)]
    while stack:
        node = stack.pop()
        found.append(node)
        if not isinstance(node, _Leaf):
            stack.extend(reversed(children(node)))
    return found


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """The atoms of a formula, in the order in which they are written."""
    return (node for node in all_nodes((formula,)) if isinstance(node, Atom))


def variables_in(formula: Formula) -> Iterator[Variable]:
    """Every occurrence of a variable in a formula, including those inside braces."""
    for node in walk(formula):
        for term in terms_of(node):
            yield from variables_of(term)


def offset_of(formula: Formula) -> int:
    """Where a formula begins in the source text; -1 if that is not known."""
    for node in walk(formula):
        match node:
            case Atom() | Compare() | Aggregate() | Select() | Window():
                if node.offset >= 0:
                    return node.offset
            case _:
                continue
    return -1


def map_children(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with `change` applied to its direct subformulas."""
    match formula:
        case Atom() | Compare():
            return formula
        case Aggregate() | Select():
            return replace(formula, condition=tuple(map(change, formula.condition)))
        case And() | Or():
            return replace(formula, parts=tuple(map(change, formula.parts)))
        case Implies():
            return Implies(change(formula.left), change(formula.right))
        case Not() | At() | Sometime() | Always() | Window():
            return replace(formula, body=change(formula.body))
        case _:
            assert_never(formula)


def map_formula(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with `change` applied to every node, subformulas first."""
    return change(map_children(formula, lambda part: map_formula(part, change)))
