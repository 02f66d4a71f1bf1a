"""Literals as relations.

`p` is the relation of p now; every window on p has a relation of its own, with rows (args), or (args, T) if the time is
needed. Four sources of truth about p flow into it, each in its own way:

- *facts*, through a feed: a fact at u is a row while u lies in the window;
- what rules derive *at T*: the rows (args, T) of `p @`, while T lies in the window;
- what rules derive *now*: it has the time of evaluation, which a window that ends before now does not have;
- *background*: it has every time point, and the window's clock enumerates these.

What held of a derived stream is remembered as runs of time points, and every window over it recalls these.

If p is guaranteed, guaranteed rules do all this. If p is counted, stages of the counted plane do it; for the literals
inside a recursion of the counted plane, see `inside`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from lasing.logic.formulas import (
    Always,
    At,
    Atom,
    Formula,
    IntervalWindow,
    PartitionWindow,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
)
from lasing.logic.tables import FactTable
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import Value
from lasing.plan.build import PlanDraft, columns, copies, stamp_rule, untimed, view_rule
from lasing.plan.nodes import Clock, Derive, Feed, Load, Lookup, PlanRule, Test
from lasing.plan.operators import Box, FactPoints, Gate, LastFacts, Recall, Stamp
from lasing.plan.relations import POINT, Relation, Span
from lasing.timeline.limits import LIMIT

MOST_COLUMNS = 20
"""How many columns a relation has room for, beside a time."""


class Unplanned(Exception):  # noqa: N818 -- no error: another engine takes over
    """The program has something that cannot be planned."""


class NestedFormula(Unplanned):
    """The program has a formula that can neither be planned nor rewritten."""


@dataclass(frozen=True)
class Predicates:
    """What is known about the predicates: their arity, and which are derived now, derived `at T`, and counted."""

    arity: dict[str, int]
    now_heads: frozenset[str]
    at_heads: frozenset[str]
    counted: frozenset[str]
    background: dict[str, list[tuple[Value, ...]]]
    streams: frozenset[str] = frozenset()
    """What is derived of these is remembered. They are all counted."""
    tables: dict[str, list[FactTable]] = field(default_factory=dict)
    """More background. Every predicate here is also in `background`, perhaps without rows."""
    no_facts: frozenset[str] = frozenset()
    """The predicates that no fact of a stream has."""


class Views(Protocol):
    """Relations of what holds for a predicate: now, in a window, in a window with the time, always in a window."""

    @property
    def draft(self) -> PlanDraft: ...
    def in_background(self, predicate: str) -> bool: ...
    def derived(self, predicate: str) -> Relation: ...
    def timed(self, predicate: str) -> Relation: ...
    def now(self, predicate: str) -> Relation: ...
    def within(self, predicate: str, span: Span) -> Relation: ...
    def at(self, predicate: str, span: Span | None) -> Relation: ...
    def always(self, predicate: str, span: Span) -> Relation: ...
    def last(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation: ...
    def last_within(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation: ...
    def last_always(self, predicate: str, facts: int) -> Relation: ...


def access(views: Views, literal: Formula, tests: list[Test]) -> tuple[Relation, tuple[Term, ...]]:
    """The relation of a literal without `not`, and the arguments to look it up with."""
    match literal:
        case Atom(predicate, args):
            return views.now(predicate), args
        case At(time, Atom(predicate, args)):
            return views.at(predicate, None), (*args, time)
        case Window(TimeWindow() as window, Sometime(Atom(predicate, args))):
            return views.within(predicate, _span(window)), args
        case Window(TimeWindow() as window, At(time, Atom(predicate, args))):
            return views.at(predicate, _span(window)), (*args, time)
        case Window(TimeWindow() as window, Always(Atom(predicate, args))):
            return views.always(predicate, _span(window)), args
        # At the newest time point no fact is ahead: `#3,+2` is `#3`.
        case Window(TupleWindow(facts), Sometime(Atom(predicate, args))):
            return _at_any_time(views, views.last_within(predicate, facts, None), args)
        case Window(TupleWindow(facts), At(time, Atom(predicate, args))):
            return views.last(predicate, facts, None), (*args, time)
        case Window(TupleWindow(facts), Always(Atom(predicate, args))):
            return views.last_always(predicate, facts), args
        case Window(PartitionWindow(facts, _, _, keys), Sometime(Atom(predicate, args))):
            return _at_any_time(views, views.last_within(predicate, facts, _positions(keys)), args)
        case Window(PartitionWindow(facts, _, _, keys), At(time, Atom(predicate, args))):
            return views.last(predicate, facts, _positions(keys)), (*args, time)
        case Window(IntervalWindow(), Sometime(Atom(predicate)) | At(_, Atom(predicate))) if views.in_background(
            predicate
        ):
            raise Unplanned("background in a window between two times")
        case Window(IntervalWindow(lo, hi), Sometime(Atom(predicate, args))):
            return views.at(predicate, None), (*args, _between(views, lo, hi, views.draft.variable("time"), tests))
        case Window(IntervalWindow(lo, hi), At(time, Atom(predicate, args))):
            return views.at(predicate, None), (*args, _between(views, lo, hi, time, tests))
        case Window(IntervalWindow()):
            raise NestedFormula("always, in a window between two times")
        case _:
            raise NestedFormula("a nested formula")


def _span(window: TimeWindow) -> Span:
    """The window as the engine represents it. Nested windows add up, and may look too far ahead for it."""
    if window.ahead >= LIMIT:
        raise Unplanned("nested windows that together look ahead beyond 2^59")
    return Span(window.back, window.ahead, window.step)


def _at_any_time(views: Views, relation: Relation, args: tuple[Term, ...]) -> tuple[Relation, tuple[Term, ...]]:
    """A relation (args) unchanged; for a relation (args, T), with any T."""
    return relation, args if relation.arity == len(args) else (*args, views.draft.variable())


def _between(views: Views, lo: Term, hi: Term, time: Term, tests: list[Test]) -> Term:
    """The time, plus tests that it lies between two others, which must be whole numbers."""
    time = views.draft.simple(time, tests)
    for end in (lo, hi):
        if not isinstance(end, int):
            tests.append(Test("=", end, Arithmetic("div", (end, 1))))
    tests += [Test("<=", lo, time), Test("<=", time, hi)]
    return time


def _positions(keys: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return tuple(i for positions in keys for i in positions)


@dataclass
class Outside:
    """Literals outside counted recursions."""

    predicates: Predicates
    draft: PlanDraft = field(default_factory=PlanDraft)

    def in_background(self, predicate: str) -> bool:
        return predicate in self.predicates.background

    def derived(self, predicate: str) -> Relation:
        """`p` without background: its facts of now, and what is derived for now. This is the output."""
        counted = predicate in self.predicates.counted
        relation, new = self.draft.relation(predicate, self.predicates.arity[predicate], counted)
        if new and not counted:
            if predicate not in self.predicates.no_facts:
                self.draft.feeds.append(Feed(predicate, relation, POINT, timed=False))
            self._take_timed(predicate, relation, POINT, keep_time=False)
        return relation

    def timed(self, predicate: str) -> Relation:
        """What is derived for a predicate `at T`: rows (args, T)."""
        counted = predicate in self.predicates.counted
        return self.draft.relation(f"{predicate} @", self.predicates.arity[predicate] + 1, counted)[0]

    def now(self, predicate: str) -> Relation:
        """`p`"""
        if predicate not in self.predicates.background:
            return self.derived(predicate)
        counted = predicate in self.predicates.counted
        relation, new = self.draft.relation(f"{predicate} or background", self.predicates.arity[predicate], counted)
        if new and counted:
            either = copies(relation, self.derived(predicate), self.background(predicate, None))
            self.draft.stages.append(Derive(either, (relation,)))
        elif new:
            self._put_background(predicate, relation, None)
            self.draft.guaranteed += copies(relation, self.derived(predicate))
        return relation

    def within(self, predicate: str, span: Span) -> Relation:
        """`p in [w]`"""
        if span == POINT:
            return self.now(predicate)
        draft, known = self.draft, self.predicates
        if predicate in known.streams:
            return self._or_background(predicate, self.recalled(predicate, span, "in"), span)
        counted = predicate in known.counted
        relation, new = draft.relation(f"{predicate} in {span}", known.arity[predicate], counted)
        if not new:
            return relation
        if counted:
            rules = list(copies(relation, self.facts(predicate, span, timed=False)))
            if not span.waits:
                rules += copies(relation, self.derived(predicate))
            elif predicate in known.now_heads and span.has_now:
                rules += untimed(relation, self.gated(self._stamped(predicate), span))
            if predicate in known.at_heads:
                rules += untimed(relation, self.gated(self.timed(predicate), span))
            if predicate in known.background:
                rules += copies(relation, self.background(predicate, span))
            draft.stages.append(Derive(tuple(rules), (relation,)))
            return relation
        draft.feeds.append(Feed(predicate, relation, span, timed=False))
        self._put_background(predicate, relation, span)
        self._take_timed(predicate, relation, span, keep_time=False)
        if predicate in known.now_heads and span.has_now:
            if span.step == 1:
                draft.guaranteed += copies(relation, self.derived(predicate))
            else:
                self._take_stamped(predicate, relation, span, keep_time=False)
        return relation

    def at(self, predicate: str, span: Span | None, background: bool = True) -> Relation:
        """`p at T in [w]`, and `p at T` without a window: rows (args, T)."""
        draft, known = self.draft, self.predicates
        counted = predicate in known.counted
        background = background and predicate in known.background
        name = f"{predicate} at {span or ''}".strip() + (" or background" if background else "")
        if predicate in known.streams and not background:
            return self.recalled(predicate, span or Span(None), "at")
        relation, new = draft.relation(name, known.arity[predicate] + 1, counted)
        if not new:
            return relation
        if counted:
            if predicate in known.streams:
                rules = list(copies(relation, self.recalled(predicate, span or Span(None), "at")))
            else:
                rules = list(copies(relation, self.facts(predicate, span, timed=True)))
                if predicate in known.now_heads and (span is None or span.has_now):
                    rules += copies(relation, self.gated(self._stamped(predicate), span))
                if predicate in known.at_heads:
                    rules += copies(relation, self.gated(self.timed(predicate), span))
            if background:
                rules.append(self._background_at(predicate, relation, self._clock(span), watched=True))
            draft.stages.append(Derive(tuple(rules), (relation,)))
            return relation
        draft.feeds.append(Feed(predicate, relation, span, timed=True))
        self._take_timed(predicate, relation, span, keep_time=True)
        if predicate in known.now_heads and (span is None or span.has_now):
            self._take_stamped(predicate, relation, span, keep_time=True)
        if background:
            draft.guaranteed.append(self._background_at(predicate, relation, self._clock(span), watched=False))
        return relation

    def always(self, predicate: str, span: Span) -> Relation:
        """`p always in [w]`"""
        if span == POINT:
            return self.now(predicate)
        if predicate in self.predicates.streams and span.ahead <= 0:
            return self._or_background(predicate, self.recalled(predicate, span, "always"), span)
        relation, new = self.draft.relation(f"{predicate} always {span}", self.predicates.arity[predicate], True)
        if new:
            source = self.draft.watched(self.at(predicate, span, background=False))
            self.draft.stages.append(Box(source, relation, span))
        return self._or_background(predicate, relation, span)

    def last(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation:
        """`p at T in [#n]`, `p at T in [#n by X]`: rows (args, T)."""
        source = self._last(predicate, facts, keys)
        if predicate not in self.predicates.background:
            return source
        relation, new = self.draft.relation(f"{source.name} or background", source.arity, True)
        if new:
            times = self._fact_points(facts) if keys is None else self._clock(None)
            background = self._background_at(predicate, relation, times, watched=True)
            self.draft.stages.append(Derive((*copies(relation, source), background), (relation,)))
        return relation

    def last_within(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation:
        """`p in [#n]`, `p in [#n by X]`: rows (args), or (args, T)."""
        source = self._last(predicate, facts, keys)
        if predicate not in self.predicates.background:
            return source
        relation, new = self.draft.relation(f"{source.name} sometime", source.arity - 1, True)
        if new:
            self.draft.stages.append(Derive(untimed(relation, source), (relation,)))
        return self._or_background(predicate, relation, None)

    def last_always(self, predicate: str, facts: int) -> Relation:
        """`p always in [#n]`"""
        source = self._last(predicate, facts, None)
        relation, new = self.draft.relation(f"{source.name} always", source.arity - 1, True)
        if new:
            self.draft.stages.append(Box(source, relation, facts))
        return self._or_background(predicate, relation, None)

    # -- sources of truth -----------------------------------------------------------------------------------------

    def runs(self, predicate: str) -> Relation:
        """When a derived stream held: rows (args, begin, length)."""
        arity = self.predicates.arity[predicate] + 2
        if arity > MOST_COLUMNS:
            raise Unplanned(f"a derived stream of more than {MOST_COLUMNS - 2} arguments")
        return self.draft.relation(f"runs of {predicate}", arity)[0]

    def recalled(self, predicate: str, span: Span, how: Literal["in", "always", "at"], past: bool = False) -> Relation:
        """A window over a derived stream, without background. If `past`, without what holds now.

        Everything that held is in its runs, facts included, since facts are part of the answer of their time point.
        """
        assert how != "always" or not (past or span.ahead > 0), "such windows are boxes over times"
        past = past or span.ahead < 0
        name = f"{predicate} remembered {how} {span}" + (" before now" if past else "")
        arity = self.predicates.arity[predicate] + (how == "at")
        relation, new = self.draft.relation(name, arity, True)
        if new:
            recall = Recall(self.runs(predicate), relation, span, how, past)
            (self.draft.recalls if past else self.draft.stages).append(recall)
        return relation

    def facts(self, predicate: str, span: Span | None, timed: bool) -> Relation:
        """The facts of a predicate alone, watched."""
        name = f"facts of {predicate}{' at' if timed else ' in'} {span or '*'}"
        relation, new = self.draft.relation(name, self.predicates.arity[predicate] + timed)
        if new:
            self.draft.feeds.append(Feed(predicate, relation, span, timed))
        return self.draft.watched(relation)

    def _last(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation:
        name = f"{predicate} #{facts}" + (f" by {keys}" if keys is not None else "")
        relation, new = self.draft.relation(name, self.predicates.arity[predicate] + 1, True)
        if new:
            self.draft.stages.append(LastFacts(predicate, relation, facts, keys))
            if keys is None:
                self.draft.counts_facts = max(self.draft.counts_facts, facts)
        return relation

    def _take_timed(self, predicate: str, relation: Relation, span: Span | None, keep_time: bool) -> None:
        """A rule from what is derived `at T`, while T lies in the window."""
        if predicate in self.predicates.at_heads:
            self.draft.guaranteed.append(view_rule(relation, self.timed(predicate), span, keep_time))

    def _take_stamped(self, predicate: str, relation: Relation, span: Span | None, keep_time: bool) -> None:
        """A rule from what holds now, whose time is now."""
        stamped, new = self.draft.relation(f"{predicate} @ now", self.predicates.arity[predicate] + 1)
        if new:
            self.draft.guaranteed.append(stamp_rule(stamped, self.derived(predicate)))
        self.draft.guaranteed.append(view_rule(relation, stamped, span, keep_time))

    def _stamped(self, predicate: str) -> Relation:
        """What holds now of a counted predicate, with the time."""
        relation, new = self.draft.relation(f"{predicate} @ now", self.predicates.arity[predicate] + 1, True)
        if new:
            self.draft.stages.append(Stamp(self.derived(predicate), relation))
        return relation

    def gated(self, source: Relation, span: Span | None) -> Relation:
        """Counted rows (args, T) while T lies in the window."""
        if span is None:
            return source
        relation, new = self.draft.relation(f"{source.name} gated {span}", source.arity, True)
        if new:
            self.draft.stages.append(Gate(source, relation, span))
        return relation

    def background(self, predicate: str, span: Span | None) -> Relation:
        """Background as a relation of its own, watched."""
        waits = span is not None and span.waits
        name = f"{predicate} of background" + (f" in {span}" if waits else "")
        relation, new = self.draft.relation(name, self.predicates.arity[predicate])
        if new:
            self._put_background(predicate, relation, span)
        return self.draft.watched(relation)

    def background_at(self, predicate: str, span: Span | None) -> Relation:
        """Background at the time points of a window, as a relation of its own: rows (args, T)."""
        relation, new = self.draft.relation(
            f"{predicate} of background at {span or ''}".strip(), self.predicates.arity[predicate] + 1
        )
        if new:
            self.draft.guaranteed.append(self._background_at(predicate, relation, self._clock(span), watched=False))
        return self.draft.watched(relation)

    def _put_background(self, predicate: str, relation: Relation, span: Span | None) -> None:
        rows = self.predicates.background.get(predicate, [])
        self.draft.background += [(relation, row, span) for row in rows]
        self.draft.loads += [Load(relation, table, span) for table in self.predicates.tables.get(predicate, ())]

    def _clock(self, span: Span | None) -> Relation:
        """The time points of a window."""
        clock, new = self.draft.relation(f"time points {span or ''}".strip(), 1)
        if new:
            self.draft.clocks.append(Clock(clock, span))
        return clock

    def _fact_points(self, facts: int) -> Relation:
        """The time points of the window of the last facts."""
        relation, new = self.draft.relation(f"time points #{facts}", 1, True)
        if new:
            self.draft.stages.append(FactPoints(relation, facts))
            self.draft.counts_facts = max(self.draft.counts_facts, facts)
        return relation

    def _background_at(self, predicate: str, head: Relation, clock: Relation, watched: bool) -> PlanRule:
        """Background at some time points."""
        rows, new = self.draft.relation(f"{predicate} of background", self.predicates.arity[predicate])
        if new:
            self._put_background(predicate, rows, None)
        if watched:
            self.draft.watched(clock)
            self.draft.watched(rows)
        args, time = columns(rows.arity), Variable("T")
        return PlanRule(head, (*args, time), (Lookup(clock, (time,)), Lookup(rows, args)))

    def _or_background(self, predicate: str, relation: Relation, span: Span | None) -> Relation:
        if predicate not in self.predicates.background:
            return relation
        either, new = self.draft.relation(f"{relation.name} or background", relation.arity, True)
        if new:
            rules = copies(either, relation, self.background(predicate, span))
            self.draft.stages.append(Derive(rules, (either,)))
        return either
