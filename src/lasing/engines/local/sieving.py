"""Rules of one literal as a sieve: their tests become ranges of columns, and these a tree (see `operators.sieve`)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lasing.engines.local.operators import sieve, variants
from lasing.engines.local.operators.operation import Layout, span_words
from lasing.engines.local.pointers import kernel_address
from lasing.engines.local.values import SMALL
from lasing.logic.functions import COMPARISONS
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.plan.nodes import Feed, PlanRule, Test
from lasing.plan.relations import Relation

LEAST, GREATEST = 1 - SMALL, SMALL - 1


@dataclass(frozen=True, slots=True)
class _Range:
    """The small integers that a column may have."""

    column: int
    low: int = LEAST
    high: int = GREATEST

    def __contains__(self, other: _Range) -> bool:
        return self.column == other.column and self.low <= other.low and other.high <= self.high


@dataclass
class _Node:
    """The rows in a range: what they give, and smaller ranges in it."""

    range: _Range | None
    gives: list[list[int]] = field(default_factory=list)
    inner: list[_Node] = field(default_factory=list)

    def add(self, ranges: Sequence[_Range], give: list[int]) -> None:
        """Let rows in all these ranges give something."""
        if not ranges:
            self.gives.append(give)
            return
        first, *rest = ranges
        for node in self.inner:
            assert node.range is not None, "only the root has no range"
            if first in node.range:
                node.add(rest if first == node.range else ranges, give)
                return
        self.inner.append(_Node(first))
        self.inner[-1].add(rest, give)

    def words(self, at: int) -> list[int]:
        """Its words, if they begin at that place of the arena."""
        found = [] if self.range is None else [self.range.column, self.range.low, self.range.high, 0, 0]
        for give in self.gives:
            found += give
        for node in self.inner:
            found += node.words(at + len(found))
        if self.range is not None:
            found[sieve.ELSE] = at + len(found)
        return found


def put_sieves(
    layout: Layout,
    feeds: Sequence[Feed],
    passing: Iterable[Relation],
    applied: Mapping[Relation, Sequence[tuple[PlanRule, int]]],
    not_into: Container[Relation],
) -> list[tuple[Relation, list[int], int]]:
    """For each passing relation of which a sieve can take rules together: what then begins with it, and where the list
    of its rules one by one is. `applied` has rules with their own variants. No head may be in `not_into`."""
    found = []
    untimed = {feed.relation for feed in feeds if not feed.timed}
    for relation in passing:
        places = [place for _, place in applied.get(relation, ())]
        instead = _sieved(layout, relation, relation not in untimed, applied.get(relation, ()), not_into)
        if instead is not None:
            found.append((relation, instead, layout.put([len(places), *places])))
    return found


def _sieved(
    layout: Layout,
    relation: Relation,
    timed: bool,
    applied: Sequence[tuple[PlanRule, int]],
    not_into: Container[Relation],
) -> list[int] | None:
    """A sieve, and the variants of rules that do not fit in. None if the sieve would have no more than one rule."""
    fitting = [(rule, place) for rule, place in applied if rule.head not in not_into and _fits(rule, timed)]
    if len(fitting) < 2:
        return None
    root, columns = _Node(None), relation.arity
    ranges = {place: _ranges(rule) for rule, place in fitting}
    for rule, place in sorted(fitting, key=lambda pair: _order(ranges[pair[1]])):
        if all(one.low <= one.high for one in ranges[place]):
            root.add(ranges[place], _give(layout, rule, columns if timed else None))
    tested = sorted({one.column for found in ranges.values() for one in found})
    places = [place for _, place in fitting]
    heads = [layout.words[place + variants.HEAD] for place in places]
    firsts = {head: i for i, head in reversed([*enumerate(heads)])}
    members = [w for i, place in enumerate(places) for w in (place, 0, int(firsts[heads[i]] == i))]
    nodes = root.words(len(layout.words))
    words = {
        variants.HEAD: heads[0],
        variants.CHANGED: layout.at(relation),
        variants.SIGN: 1,
        variants.RULE: layout.words[places[0] + variants.RULE],
        variants.KERNEL: kernel_address(sieve.sieve),
        sieve.FIRST_NODE: layout.put(nodes),
        sieve.TESTED: layout.put([len(tested), *tested]),
        sieve.MEMBERS: layout.put([len(places), *members]),
    }
    words[sieve.END_NODE] = words[sieve.FIRST_NODE] + len(nodes)
    variant = layout.put([words.get(i, 0) for i in range(variants.VARIANT)])
    return [variant, *(place for _, place in applied if place not in places)]


def _fits(rule: PlanRule, timed: bool) -> bool:
    """Whether a rule only compares columns with small integers, and asks whether the current time is in a window."""
    (lookup,) = rule.lookups
    args = lookup.args
    if rule.timed or rule.stamps or len(set(args)) < len(args) or not all(isinstance(arg, Variable) for arg in args):
        return False
    if any(isinstance(arg, Arithmetic) or (isinstance(arg, Variable) and arg not in args) for arg in rule.args):
        return False
    if rule.within is not None:
        time, span = rule.within
        if not timed or time != args[-1] or span.step > 1 or span.ahead < 0:
            return False
    return all(_bounds(test, args) is not None for test in rule.tests)


def _bounds(test: Test, args: Sequence[Term]) -> _Range | None:
    """The range of a column that a test leaves; None if it is no such test."""
    left, right, comparison = test.left, test.right, test.comparison
    if not isinstance(left, Variable):
        left, right, comparison = right, left, COMPARISONS[comparison].flipped
    if test.negated or left not in args or type(right) is not int or abs(right) >= SMALL - 1:
        return None
    column = args.index(left)
    match comparison:
        case "<":
            return _Range(column, high=right - 1)
        case "<=":
            return _Range(column, high=right)
        case ">":
            return _Range(column, low=right + 1)
        case ">=":
            return _Range(column, low=right)
        case "=":
            return _Range(column, right, right)
        case _:
            return None


def _ranges(rule: PlanRule) -> list[_Range]:
    """The range of each column that a rule tests, by columns."""
    args = rule.lookups[0].args
    found: dict[int, _Range] = {}
    for test in rule.tests:
        one = _bounds(test, args)
        assert one is not None, "the rule fits"
        before = found.get(one.column, one)
        found[one.column] = _Range(one.column, max(one.low, before.low), min(one.high, before.high))
    return [found[column] for column in sorted(found)]


def _order(ranges: Sequence[_Range]) -> list[int]:
    """By this, wide ranges come before those that lie in them."""
    return [one.low - one.high for one in ranges]


def _give(layout: Layout, rule: PlanRule, columns: int | None) -> list[int]:
    """The node for the head of a rule whose literal has that many columns, the last of which is the current time."""
    args = rule.lookups[0].args
    origin: list[int] = []
    same = True
    for arg in rule.args:
        if isinstance(arg, Variable):
            column = args.index(arg)
            same = same and columns is not None and column == columns - 1
            origin += [variants.FROM_CHANGED, column]
        else:
            assert not isinstance(arg, Arithmetic), "the rule fits"
            origin += [variants.FROM_REGISTER, layout.constant(arg)]
    at_most = sieve.ANY_TIME if rule.within is None else span_words(rule.within[1])[0]
    last = sieve.NOT_YET if same else sieve.EACH_ROW
    return [sieve.GIVES, layout.at(rule.head), layout.put(origin), at_most, last]
