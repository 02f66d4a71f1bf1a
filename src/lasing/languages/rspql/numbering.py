"""The triples of a stream, numbered from 1 in the order in which they come.

    number(N,S,P,O)   the triple is the N-th of the stream, and comes now
    before(N)         how many triples had come before now; a derived stream keeps the count
    total(N)          how many have come by now

A graph is a set, so the triples of one time point have no order. They are numbered by the digits of a digest, and equal
digests by the terms. Counting, for each triple, all triples before it would take time in proportion to the square of
their number. So triples are counted as in a tree whose branches are digits: before a triple come the branches to the
left of its own, on each of three levels, and then those triples of its leaf that have smaller terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from lasing.algebra.builder import Builder
from lasing.algebra.terms import call
from lasing.logic.formulas import Aggregate, At, Atom, Compare, Formula, Not, Sometime, TimeWindow, Window
from lasing.logic.program import Signature
from lasing.logic.terms import Term, Variable

_LEVELS = (1, 16, 256, 4096)
_LEAF = _LEVELS[-1]


def last_time(atom: Atom) -> Formula:
    """The literal that an atom of a derived stream held at the time point before this one."""
    return Window(TimeWindow(1, -1), Sometime(atom))


@dataclass(frozen=True, slots=True)
class Numbering:
    """The predicates that number the triples of a stream."""

    number: str
    before: str
    total: str


def now(triple: Atom, time: Variable) -> Formula:
    """The literal that a triple comes now, and when that is. `#now` would make idle time cost something."""
    return Window(TimeWindow(0), At(time, triple))


def numbering(stream: str, builder: Builder, remembered: list[Signature]) -> Numbering:
    """The rules that number the triples of a stream."""
    found = Numbering(*(builder.predicate(f"{stream}_{what}") for what in ("number", "before", "total")))
    key, rank = (builder.predicate(f"{stream}_{what}") for what in ("key", "rank"))
    triple = tuple(Variable(name) for name in "SPO")
    text, digest, number, old = (Variable(name) for name in ("Text", "Digest", "N", "Before"))
    values = (Compare("=", text, call("sort_text", *triple)), Compare("=", digest, call("digest", *triple)))
    builder.rule(Atom(key, (text, digest, *triple)), (Atom(stream, triple), *values))
    _ranks(key, rank, stream, builder)
    some = Variable("_#1")
    builder.rule(Atom(found.before, (number,)), [last_time(Atom(found.total, (number,)))])
    builder.rule(Atom(found.before, (0,)), [Not(last_time(Atom(found.total, (some,))))])
    count = Aggregate("count", (text,), (_key(key, text),), "=", number, frozenset((text, *_key_rest())))
    builder.rule(Atom(found.total, (call("+", old, number),)), (Atom(found.before, (old,)), count))
    body = (Atom(key, (text, digest, *triple)), Atom(rank, (text, number)), Atom(found.before, (old,)))
    builder.rule(Atom(found.number, (call("+", old, number), *triple)), body)
    remembered.append(Signature(found.total, 1))
    return found


def _key(key: str, text: Term) -> Atom:
    return Atom(key, (text, *_key_rest()))


def _key_rest() -> tuple[Variable, ...]:
    return tuple(Variable(name) for name in ("D", "S", "P", "O"))


def _ranks(key: str, rank: str, stream: str, builder: Builder) -> None:
    """The place of each key among all that come now, counted from 1."""
    digit, under, size, left = (builder.predicate(f"{stream}_{what}") for what in ("digit", "under", "size", "left"))
    builder.background += [Atom(digit, (low, high)) for low, high in pairwise(_LEVELS)]
    text, digest, low, level, parent, branch, other, count, other_text, left_of_it = (
        Variable(name)
        for name in ("Text", "Digest", "Low", "Level", "Parent", "Branch", "Other", "Count", "OtherText", "Left")
    )
    # under(Level, Parent, Branch, Text): on this level, the key is in this branch of that parent
    builder.rule(
        Atom(under, (level, call("mod", digest, low), call("mod", digest, level), text)),
        (Atom(key, (text, digest, *(Variable(name) for name in "SPO"))), Atom(digit, (low, level))),
    )
    members = (Atom(under, (level, parent, branch, other_text)),)
    counted = Aggregate("count", (other_text,), members, "=", count, frozenset((other_text,)))
    builder.rule(
        Atom(size, (level, parent, branch, count)), (Atom(under, (level, parent, branch, Variable("_#1"))), counted)
    )
    smaller = (Atom(size, (level, parent, other, count)), Compare("<", other, branch))
    summed = Aggregate("sum", (count, other), smaller, "=", left_of_it, frozenset((count, other)))
    builder.rule(
        Atom(left, (level, branch, left_of_it)), (Atom(size, (level, parent, branch, Variable("_#1"))), summed)
    )
    branches = (Atom(under, (level, other, branch, text)), Atom(left, (level, branch, left_of_it)))
    outside, inside = Variable("Outside"), Variable("Inside")
    before = Aggregate(
        "sum", (left_of_it, level), branches, "=", outside, frozenset((level, other, branch, left_of_it))
    )
    leaf = Variable("Leaf")
    same_leaf = (Atom(under, (_LEAF, parent, leaf, other_text)), Compare("<=", other_text, text))
    among = Aggregate("count", (other_text,), same_leaf, "=", inside, frozenset((other_text,)))
    builder.rule(
        Atom(rank, (text, call("+", outside, inside))), (Atom(under, (_LEAF, parent, leaf, text)), before, among)
    )
