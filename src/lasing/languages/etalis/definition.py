"""The meaning of ETALIS, executed literally: slow, short, and the judge of the rules that a program becomes.

An *interpretation* I gives a set of intervals ⟨start, end⟩ of time points to each ground event. Events that come in
have the interval ⟨t, t⟩ of their time point t, if their values have the declared types. A pattern with values for its
variables has these intervals:

| pattern | its intervals |
|---|---|
| p SEQ q | ⟨s1, e2⟩ for ⟨s1, e1⟩ of p and ⟨s2, e2⟩ of q with e1 < s2 |
| p AND q | ⟨min(s1, s2), max(e1, e2)⟩ for ⟨s1, e1⟩ of p and ⟨s2, e2⟩ of q |
| p PAR q | the same, if max(s1, s2) < min(e1, e2) |
| p OR q | those of p, and those of q |
| p EQUALS q | those that both have |
| p MEETS q | ⟨s, e⟩ for ⟨s, m⟩ of p and ⟨m, e⟩ of q |
| p STARTS q | ⟨s, e⟩ of q, if p has some ⟨s, m⟩ with m < e |
| p FINISHES q | ⟨s, e⟩ of q, if p has some ⟨m, e⟩ with s < m |
| p DURING q | ⟨s2, e2⟩ of q, if p has some ⟨s1, e1⟩ with s2 < s1 and e1 < e2 |
| NOT(p).[q, r] | those of q SEQ r that are none of q SEQ p SEQ r |
| p.n | those of p SEQ … SEQ p, n times |
| (p).n | those of p with end - start <= n |
| p WHERE c | those of p, if the conditions c hold |

A rule `head <- pattern` gives the head the intervals of the pattern, for all values of its variables. A variable that
only occurs in the excluded part of a NOT is local to it: no value of it may give a match. So is one that just one side
of an OR inside the NOT has. A condition or an argument
without a value, such as one that divides by zero, makes that one instance fail.

I is built in the order in which intervals end: all events of a pattern lie within its interval. Among intervals that
end together, those that can end a NOT come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, assert_never

from lasing.events.declarations import has_type
from lasing.languages.etalis import syntax as ast
from lasing.languages.etalis.binding import bound
from lasing.languages.etalis.levels import levels, static_levels
from lasing.logic.formulas import Atom, Compare, Not
from lasing.logic.functions import holds
from lasing.logic.terms import Arithmetic, Term, Variable, evaluate, variables_of
from lasing.logic.values import Undefined, Value

Values = dict[Variable, Value]


class Interval(NamedTuple):
    """An event and one of its intervals."""

    name: str
    values: tuple[Value, ...]
    start: int
    end: int


class Match(NamedTuple):
    """Values of variables, an interval, and what remains to be decided when all variables have values."""

    values: Values
    start: int
    end: int
    open: tuple[ast.Condition | Excluded, ...] = ()


class Excluded(NamedTuple):
    """A NOT pattern, and the interval that must not be one of `first SEQ absent SEQ last`."""

    pattern: ast.Absence
    start: int
    end: int


def results(program: ast.EtalisProgram, stream: Iterable[Interval]) -> dict[int, frozenset[Interval]]:
    """The intervals of defined events, by the time point at which they end, from the first event to the last."""
    stream = list(stream)
    model = _Model(program)
    order = levels(program.rules)
    found: dict[int, frozenset[Interval]] = {}
    for now in range(min(i.end for i in stream), max(i.end for i in stream) + 1):
        for interval in stream:
            if interval.end == now and model.accepts(interval):
                model.intervals.setdefault(interval.name, set()).add(interval)
        new: set[Interval] = set()
        for level in sorted({*order.values()}):
            rules = [rule for rule in program.rules if order[rule.head.name] == level]
            while added := {i for rule in rules for i in model.fired(rule, now)} - new:
                new |= added
                for interval in added:
                    model.intervals.setdefault(interval.name, set()).add(interval)
        found[now] = frozenset(new)
    return found


class _Model:
    """An interpretation while it is built, and the static atoms."""

    def __init__(self, program: ast.EtalisProgram) -> None:
        self.program = program
        self.inputs = {event.name: event for event in program.inputs}
        self.intervals: dict[str, set[Interval]] = {}
        self.statics: dict[str, set[tuple[Value, ...]]] = {}
        order = static_levels(program.statics)
        for level in sorted({*order.values()}):
            rules = [rule for rule in program.statics if order[rule.head.predicate] == level]
            grown = True
            while grown:
                before = sum(map(len, self.statics.values()))
                for rule in rules:
                    for row in list(self._static_rows(rule)):
                        self.statics.setdefault(rule.head.predicate, set()).add(row)
                grown = sum(map(len, self.statics.values())) > before

    def accepts(self, interval: Interval) -> bool:
        """Whether a fact of the stream is an event."""
        declared = self.inputs.get(interval.name)
        return (
            declared is not None
            and len(declared.attributes) == len(interval.values)
            and all(has_type(v, a.type) for v, a in zip(interval.values, declared.attributes, strict=True))
        )

    def _static_rows(self, rule: ast.StaticRule) -> Iterator[tuple[Value, ...]]:
        for values in self._decided({}, rule.body):
            try:
                yield tuple(evaluate(term, values) for term in rule.head.args)
            except Undefined:
                continue

    def fired(self, rule: ast.EventRule, now: int) -> Iterator[Interval]:
        """The intervals that a rule gives to its head and that end now."""
        for match in self.matches(rule.pattern, {}):
            if match.end == now:
                for values in self._decided(match.values, match.open):
                    try:
                        head = tuple(evaluate(term, values) for term in rule.head.args)
                    except Undefined:
                        continue
                    yield Interval(rule.head.name, head, match.start, match.end)

    # -- patterns -----------------------------------------------------------------------------------------------------

    def matches(self, pattern: ast.Pattern, given: Values) -> Iterator[Match]:
        """All matches of a pattern, if some variables already have values."""
        match pattern:
            case ast.Event():
                for interval in self.intervals.get(pattern.name, ()):
                    yield from _unified(pattern, interval, given)
            case ast.Repetition():
                yield from self.matches(ast.written_out(pattern), given)
            case ast.Limited():
                length = self.program.points(pattern.length)
                yield from (m for m in self.matches(pattern.pattern, given) if m.end - m.start <= length)
            case ast.Where():
                for m in self.matches(pattern.pattern, given):
                    yield m._replace(open=(*m.open, *pattern.conditions))
            case ast.Absence():
                for m in self.matches(ast.Binary("SEQ", pattern.first, pattern.last), given):
                    yield m._replace(open=(*m.open, Excluded(pattern, m.start, m.end)))
            case ast.Binary("OR"):
                yield from self.matches(pattern.left, given)
                yield from self.matches(pattern.right, given)
            case ast.Binary():
                for p in self.matches(pattern.left, given):
                    for q in self.matches(pattern.right, p.values):
                        if both := _combined(pattern.operator, p, q):
                            yield Match(q.values, *both, (*p.open, *q.open))
            case _:
                assert_never(pattern)

    def _decided(self, values: Values, open_: tuple[ast.Condition | Excluded, ...]) -> Iterator[Values]:
        """The values of all variables with which everything that was open holds."""
        for i, condition in enumerate(open_):
            rest = (*open_[:i], *open_[i + 1 :])
            match condition:
                case Excluded():
                    continue  # after everything else, when all variables have values
                case Atom():
                    for row in self.statics.get(condition.predicate, ()):
                        event = ast.Event(condition.predicate, condition.args)
                        for m in _unified(event, Interval(condition.predicate, row, 0, 0), values):
                            yield from self._decided(m.values, (*rest, *m.open))
                    return
                case Compare("=", Variable() as target, source) if target not in values and _known(source, values):
                    yield from self._assigned(values, target, source, rest)
                    return
                case Compare("=", source, Variable() as target) if target not in values and _known(source, values):
                    yield from self._assigned(values, target, source, rest)
                    return
                case Compare() if _known(condition.left, values) and _known(condition.right, values):
                    try:
                        sides = evaluate(condition.left, values), evaluate(condition.right, values)
                    except Undefined:
                        return
                    if holds(condition.operator, *sides):
                        yield from self._decided(values, rest)
                    return
                case Not(Atom() as atom) if all(_known(t, values) or _local(t) for t in atom.args):
                    if not any(True for _ in self._decided(values, (atom,))):
                        yield from self._decided(values, rest)
                    return
                case _:
                    continue
        assert all(isinstance(condition, Excluded) for condition in open_), f"{open_} cannot be decided"
        if not any(self._happened(e, values) for e in open_ if isinstance(e, Excluded)):
            yield values

    def _assigned(
        self, values: Values, target: Variable, source: Term, rest: tuple[ast.Condition | Excluded, ...]
    ) -> Iterator[Values]:
        try:
            value = evaluate(source, values)
        except Undefined:
            return
        yield from self._decided(values | {target: value}, rest)

    def _happened(self, excluded: Excluded, values: Values) -> bool:
        pattern = excluded.pattern
        spoilt = ast.Binary("SEQ", ast.Binary("SEQ", pattern.first, pattern.absent), pattern.last)
        return any(
            (m.start, m.end) == (excluded.start, excluded.end) and any(True for _ in self._decided(m.values, m.open))
            for m in self.matches(spoilt, {v: value for v, value in values.items() if v in bound(spoilt)})
        )


def _combined(operator: ast.Operator, p: Match, q: Match) -> tuple[int, int] | None:
    """The interval of two matches under an operator, if there is one."""
    around = min(p.start, q.start), max(p.end, q.end)
    match operator:
        case "SEQ":
            return (p.start, q.end) if p.end < q.start else None
        case "AND" | "OR":
            return around
        case "PAR":
            return around if max(p.start, q.start) < min(p.end, q.end) else None
        case "EQUALS":
            return around if (p.start, p.end) == (q.start, q.end) else None
        case "MEETS":
            return (p.start, q.end) if p.end == q.start else None
        case "STARTS":
            return (q.start, q.end) if p.start == q.start and p.end < q.end else None
        case "FINISHES":
            return (q.start, q.end) if p.end == q.end and q.start < p.start else None
        case "DURING":
            return (q.start, q.end) if q.start < p.start and p.end < q.end else None
        case _:
            assert_never(operator)


def _unified(event: ast.Event, interval: Interval, given: Values) -> Iterator[Match]:
    """The match of an event with one of its intervals; arguments that must be computed remain open."""
    values = dict(given)
    later: list[ast.Condition] = []
    for term, value in zip(event.args, interval.values, strict=True):
        match term:
            case Variable():
                if values.setdefault(term, value) != value:
                    return
            case Arithmetic():
                later.append(Compare("=", value, term))
            case _:
                if term != value:
                    return
    yield Match(values, interval.start, interval.end, tuple(later))


def _known(term: Term, values: Mapping[Variable, Value]) -> bool:
    return all(variable in values for variable in variables_of(term))


def _local(term: Term) -> bool:
    return isinstance(term, Variable) and term.anonymous
