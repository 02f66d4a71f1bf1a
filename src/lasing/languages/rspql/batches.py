"""Windows that move after every m triples: `[ELEMENTS n STEP m]`, and C-SPARQL's batches, `[RANGE TRIPLES n]`.

    the k-th window of a stream has its triples k·m - n + 1 … k·m, and closes when the triple k·m comes

A window keeps its content until the next one closes. Triples are dropped when no later window can have them, so the
state has at most n triples, and those since the last window closed.

If several windows close at one time point, the query is evaluated once for each: evaluation i is about the i-th of
them. With two such windows, one may close less often than the other; its last content is then seen again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lasing.algebra.builder import Builder
from lasing.algebra.terms import call
from lasing.languages.rspql.graphs import BatchContent
from lasing.languages.rspql.numbering import Numbering, last_time, now, numbering
from lasing.logic.formulas import Atom, Compare, Formula, Not, Sometime, TimeWindow, Window
from lasing.logic.program import Signature
from lasing.logic.repeated import dependent, for_each
from lasing.logic.terms import NOW, Term, Variable

_TRIPLE = tuple(Variable(name) for name in "SPO")
_N, _TIME, _EACH, _CLOSED, _WAS, _SHOWN = (
    Variable(name) for name in ("N", "Time", "Each", "Closed", "Was", "Shown")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Closing:
    """The windows of one size and step on a stream."""

    size: int
    step: int
    numbering: Numbering
    at_hand: str
    """The triples that a window that closes now can have."""
    closed: str
    """How many windows have closed by now."""
    was: str
    """How many had closed before."""

    def counts(self) -> tuple[Formula, ...]:
        return Atom(self.was, (_WAS,)), Atom(self.closed, (_CLOSED,))

    def closes(self) -> tuple[Formula, ...]:
        """The literals that the window `Each` of this time point closes."""
        number = Atom(self.numbering.number, (_N, *_TRIPLE))
        last = Compare("=", call("mod", _N, self.step), 0)
        which = Compare("=", _EACH, call("-", call("div", _N, self.step), _WAS))
        return number, last, Atom(self.was, (_WAS,)), which


@dataclass(slots=True)
class Batches:
    """The windows of batches of all queries that run together; streams are numbered once."""

    builder: Builder
    remembered: list[Signature]
    _numbered: dict[str, Numbering] = field(default_factory=dict)
    _closings: dict[tuple[str, int, int], _Closing] = field(default_factory=dict)

    def closing(self, stream: str, size: int, step: int) -> _Closing:
        """The windows of a size and step on a stream."""
        if stream not in self._numbered:
            self._numbered[stream] = numbering(stream, self.builder, self.remembered)
        place = stream, size, step
        if place not in self._closings:
            self._closings[place] = self._added(stream, size, step)
        return self._closings[place]

    def _added(self, stream: str, size: int, step: int) -> _Closing:
        builder, counted = self.builder, self._numbered[stream]
        names = [builder.predicate(f"{stream}_{what}") for what in ("at_hand", "closed", "was", "kept", "floor")]
        at_hand, closed, was, kept, floor = names
        total, lowest = Variable("Total"), Variable("Floor")
        builder.rule(Atom(closed, (call("div", total, step),)), [Atom(counted.total, (total,))])
        builder.rule(Atom(was, (call("div", total, step),)), [Atom(counted.before, (total,))])
        row, rows = (_N, *_TRIPLE, _TIME), Atom(at_hand, (_N, *_TRIPLE, _TIME))
        used = [Compare(">=", call("mod", call("-", _N, 1), step), step - size)] if step > size else []
        builder.rule(rows, (Atom(counted.number, (_N, *_TRIPLE)), *used, now(Atom(stream, _TRIPLE), _TIME)))
        builder.rule(rows, [last_time(Atom(kept, row))])
        builder.rule(Atom(floor, (call("-", call("*", _CLOSED, step), size),)), [Atom(closed, (_CLOSED,))])
        builder.rule(Atom(kept, row), (rows, Atom(floor, (lowest,)), Compare(">", _N, lowest)))
        self.remembered.append(Signature(kept, len(row)))
        return _Closing(size, step, counted, at_hand, closed, was)


@dataclass(slots=True)
class Evaluations:
    """The evaluations of one query that has windows of batches.

    `period` is how often it reports besides, in time points: None if only batches count. If it is `fixed`, batches do
    not count at all: reports come at multiples of the period, with the last batch.
    """

    builder: Builder
    period: int | None
    fixed: bool
    remembered: list[Signature]
    domain: str = field(init=False)
    due: str = field(init=False)
    _seeds: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.domain, self.due = self.builder.predicate("evaluation"), self.builder.predicate("due")
        self.builder.taken.add(_EACH.name)  # it comes into the rules of the query
        self.builder.background.append(Atom(self.domain, (1,)))
        self._seeds.append(self.due)
        if self.period is not None:
            tests = [] if self.period == 1 else [Compare("=", call("mod", NOW, self.period), 0)]
            self.builder.rule(Atom(self.due, (1,)), tests)

    @property
    def each(self) -> Variable:
        """The variable that says which evaluation it is."""
        return _EACH

    def content(self, closing: _Closing) -> BatchContent:
        """The content of a window in each evaluation, and whether it has changed."""
        builder = self.builder
        shown, batch, changed = (builder.predicate(what) for what in ("shown", "batch", "closes"))
        last: Term = _CLOSED if self.fixed else call("min", call("+", _WAS, _EACH), _CLOSED)
        evaluation = Atom(self.domain, (_EACH,))
        builder.rule(
            Atom(shown, (_EACH, call("*", _SHOWN, closing.step))),
            (evaluation, *closing.counts(), Compare("=", _SHOWN, last)),
        )
        builder.rule(
            Atom(batch, (*_TRIPLE, _TIME, _EACH)),
            (
                Atom(shown, (_EACH, _SHOWN)),
                Atom(closing.at_hand, (_N, *_TRIPLE, _TIME)),
                Compare("<=", _N, _SHOWN),
                Compare(">", _N, call("-", _SHOWN, closing.size)),
            ),
        )
        if self.fixed:
            self._changed_since(closing, changed)
        else:
            more = Compare(">", _EACH, 1)
            builder.rule(Atom(self.domain, (_EACH,)), (*closing.closes(), more))
            builder.rule(Atom(self.due, (_EACH,)), closing.closes())
            builder.rule(Atom(changed, (_EACH,)), closing.closes())
        self._seeds += [batch, changed]
        return BatchContent(batch, changed)

    def _changed_since(self, closing: _Closing, changed: str) -> None:
        """Whether a batch has closed since the last report."""
        assert self.period is not None, "a fixed query has a period"
        then = Window(TimeWindow(self.period, -self.period), Sometime(Atom(closing.closed, (_CLOSED,))))
        body = (Atom(closing.closed, (_CLOSED,)), Compare(">", _CLOSED, 0), Not(then))
        self.builder.rule(Atom(changed, (1,)), body)
        self.remembered.append(Signature(closing.closed, 1))

    def repeat(self, first: int, results: tuple[str, ...]) -> frozenset[str]:
        """Let the rules from `first` on be evaluated as often as it takes. The results always say in which evaluation
        they hold. Returns the predicates with one more argument."""
        rules = self.builder.rules
        found = dependent(rules[first:], (*self._seeds, *results))
        rules[first:] = for_each(rules[first:], found, self.domain, _EACH)
        return found
