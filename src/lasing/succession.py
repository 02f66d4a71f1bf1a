"""What the raw window of a running program lacks for another program that is to take its place.

The answers of a program at t depend on its raw window at t, and on what its derived streams remember. A running
program has kept what it needs itself. Another one may look back further, or on other predicates: this module says on
which, and for how long its answers can differ from those that it would give if it had run from the beginning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lasing.errors import Diagnostic, Place
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, Formula, PartitionWindow, Window, all_nodes, atoms_of, offset_of
from lasing.logic.lookback import Lookback, formula_lookback, lookback
from lasing.logic.narrowing import narrowed_rules
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, Rule
from lasing.logic.runs import reach_of_streams
from lasing.raw_window import Coverage, coverage

_NEVER = math.inf


@dataclass(frozen=True, slots=True)
class Lack:
    """What the raw window lacks for a literal, a derived stream, or the data in a program's text.

    `after` is how many time points after the change the answers do not depend on it any more: None if that never
    happens, or not because of time alone.
    """

    what: str
    why: str
    after: int | None
    place: Place | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Succession:
    """Whether a program can take the place of another one at a time point with complete answers.

    `lacks` says what is not there; it is empty, and this is true, if nothing is. `complete_from` is the first time
    point from which answers are certain to be those of the new program on the whole stream; None if there is none.
    """

    time: int
    lacks: tuple[Lack, ...] = ()
    complete_from: int | None = 0

    def __bool__(self) -> bool:
        return not self.lacks

    def __str__(self) -> str:
        if not self.lacks:
            return "the raw window has everything that the program looks back on"
        return "\n".join((*map(str, self.lacks), self.outlook()))

    def outlook(self, shown: Mapping[int, str] | None = None) -> str:
        """From when on answers are complete, in words."""
        if self.complete_from is None:
            return "there is no time point from which answers are certain to be complete"
        text = (shown or {}).get(self.complete_from, str(self.complete_from))
        return f"answers are complete from time point {text} on"

    def diagnostics(self, code: str, note: str) -> Iterator[Diagnostic]:
        """A finding for each lack; the last one has a note that says what to do."""
        for lack in self.lacks:
            last = lack is self.lacks[-1]
            yield Diagnostic(code, str(lack), lack.place, note if last else "")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a running program has kept.

    `points` is how many time points ago its timeline began, None if that is not known. `streamed` names the predicates
    that can be in the stream, None if it can be any; `dropped` those whose facts came and were not kept.
    """

    program: Program
    points: int | None = None
    streamed: frozenset[str] | None = None
    dropped: frozenset[str] = frozenset()
    time: int = 0

    @property
    def coverage(self) -> Coverage:
        return coverage(self.program)

    def since_the_start(self, points: int | None) -> bool:
        """Whether so many time points before now reach back to the start."""
        return points is None or (self.points is not None and self.points <= points)


def succession(kept: Kept, new: Program, earlier: Iterable[Lack] = ()) -> Succession:
    """What a program lacks if it takes the place of the running one. `earlier` has what the running one lacks itself.

    >>> from lasing.languages import read_program
    >>> from lasing.errors import SourceText
    >>> old, new = (read_program([SourceText("p", f"q(X) :- p(X) in [{n}].")]) for n in (5, 8))
    >>> print(succession(Kept(old, 100, time=100), new))
    p(X) in [8]: it looks back 8 time points, and the facts of the last 5 time points are kept
    answers are complete from time point 103 on
    """
    by_literal = _Literals(kept, new)
    found = [*by_literal.lacks(), *_of_streams(kept, new), *_of_data(kept, new), *earlier]
    if not found:
        return Succession(kept.time, (), kept.time)
    streams: dict[str, float] = {}
    for lack in _of_streams(kept, new):
        streams[lack.what] = max(_span(lack), streams.get(lack.what, 0.0))
    after = max([_longest(new, by_literal.after_of_rules, streams), *map(_span, found)])
    return Succession(kept.time, tuple(dict.fromkeys(found)), None if after == _NEVER else kept.time + int(after))


def _span(lack: Lack) -> float:
    return _NEVER if lack.after is None else float(lack.after)


# -- facts -------------------------------------------------------------------------------------------------------------


class _Literals:
    """What literals lack of the facts of the stream."""

    def __init__(self, kept: Kept, new: Program) -> None:
        self._kept = kept
        self._has = kept.coverage
        old = facts_of(kept.program)
        self._named = old.read | old.streamed | old.derived
        self._facts = facts_of(new)
        self._new = new
        self.after_of_rules: dict[int, float] = {}
        """For how many time points each rule lacks something."""

    def lacks(self) -> list[Lack]:
        found: dict[Lack, None] = {}
        for number, rule in enumerate(narrowed_rules(self._new)):
            for literal in rule.body:
                for lack in self._of(literal, rule):
                    found.setdefault(lack)
                    self.after_of_rules[number] = max(_span(lack), self.after_of_rules.get(number, 0.0))
        return list(found)

    def _of(self, literal: Formula, rule: Rule) -> Iterator[Lack]:
        back = formula_lookback(literal, self._facts.only_derived)
        what, place = formula_text(literal), rule.place(offset_of(literal))
        read = {atom.predicate for atom in atoms_of(literal)}
        unknown = sorted(predicate for predicate in read if self._is_unknown(predicate))
        if unknown:
            after = None if back.points is None or back.facts or back.per_key else back.points + 1
            names = " and ".join(unknown)
            yield Lack(what, f"the facts of {names} were not kept, because no rule used them", after, place)
        streamed = read - self._facts.only_derived
        if not back.facts and not (streamed if self._kept.streamed is None else streamed & self._kept.streamed):
            return
        points, has = back.points, self._has
        if not self._kept.since_the_start(has.points):
            assert has.points is not None
            if points is None or points > has.points:
                after = None if points is None else points - has.points
                yield Lack(what, f"it looks back {Lookback(points)}, and {_last(has.points)} are kept", after, place)
        yield from self._of_counts(literal, back, what, place)

    def _of_counts(self, literal: Formula, back: Lookback, what: str, place: Place | None) -> Iterator[Lack]:
        has, whole = self._has, self._kept.since_the_start(self._has.points)
        if back.facts and has.predicates is not None and not self._has_all_inputs():
            yield Lack(
                what, "it counts facts of all predicates, and those that no rule used were not kept", None, place
            )
        elif back.facts > has.facts and not whole:
            known = f"the last {has.facts} are kept" if has.facts else f"those of {_last(has.points)} are kept"
            yield Lack(what, f"it counts the last {back.facts} facts, and {known}", None, place)
        if not back.per_key or whole:
            return
        for node in all_nodes((literal,)):
            if isinstance(node, Window) and isinstance(node.function, PartitionWindow):
                window = node.function
                number = has.by_key.get(f"{window.predicate} by {window.keys}", 0)
                if window.back > number:
                    why = f"it counts the last {window.back} facts of {window.predicate} for each key"
                    yield Lack(what, f"{why}, and {f'{number} are' if number else 'they are not'} kept", None, place)

    def _has_all_inputs(self) -> bool:
        return self._kept.streamed is not None and self._kept.streamed <= self._named

    def _is_unknown(self, predicate: str) -> bool:
        """Whether facts of a predicate may have come that were not kept."""
        facts, kept = self._facts, self._kept
        if predicate in self._named or predicate in facts.only_derived or not self._new.takes(predicate):
            return False
        if kept.streamed is not None:
            return predicate in kept.streamed
        return predicate not in facts.background or predicate in kept.dropped


def _last(points: int | None) -> str:
    return f"the facts of the last {Lookback(points)}" if points else "the facts of the last time point"


def _of_data(kept: Kept, new: Program) -> Iterator[Lack]:
    """The data in the text of the new program for time points that have passed."""
    known = set(kept.program.data)
    passed = [fact for fact in new.data if fact.time <= kept.time and fact not in known]
    if passed:
        back = lookback(new)
        bounded = back.points is not None and not back.facts and not back.per_key
        after = max(fact.time for fact in passed) + (back.points or 0) + 1 - kept.time if bounded else None
        if after is None or after > 0:
            number = f"{len(passed):,} fact{'s'[: len(passed) != 1]}"
            yield Lack("data in the program", f"{number} at time points that have passed", after)


# -- what is remembered ------------------------------------------------------------------------------------------------


def _of_streams(kept: Kept, new: Program) -> Iterator[Lack]:
    """What derived streams do not remember, or remember otherwise."""
    has = kept.coverage.streams
    places = {stream.predicate: new.place_of(stream) for stream in new.streams}
    for stream, reach in reach_of_streams(new).items():
        if reach == 0 or (kept.points is not None and kept.points < 0):
            continue
        place = places.get(stream)
        if stream not in kept.program.remembered():
            yield Lack(stream, "it was not a derived stream, so nothing of it is remembered", reach, place)
            continue
        known = has.get(stream, 0)
        if not kept.since_the_start(known):
            assert known is not None
            if reach is None or reach > known:
                why = f"it is remembered for {Lookback(known)}, and the program looks back {Lookback(reach)}"
                yield Lack(stream, why, None if reach is None else reach - known, place)
        if _definition(kept.program, stream) != _definition(new, stream):
            yield Lack(stream, "it is remembered as the old rules derived it", reach, place)


def _definition(program: Program, predicate: str) -> object:
    """The rules and background that a predicate rests on. Two programs with the same derive the same for it."""
    rules: dict[str, list[Rule]] = {}
    for rule in program.rules:
        for atom in rule.head_atoms():
            rules.setdefault(atom.predicate, []).append(rule)
    seen, waiting = {predicate}, [predicate]
    found: set[Rule] = set()
    while waiting:
        for rule in rules.get(waiting.pop(), ()):
            found.add(rule)
            read = {atom.predicate for literal in rule.body for atom in atoms_of(literal)} - seen
            seen |= read
            waiting += read
    background: set[object] = {atom for atom in program.background if atom.predicate in seen}
    background |= {str(table) for table in program.tables if table.predicate in seen}
    return found, background, program.remembered() & seen


# -- for how long ------------------------------------------------------------------------------------------------------


def _longest(new: Program, after_of_rules: Mapping[int, float], streams: Mapping[str, float]) -> float:
    """For how many time points some answer may lack something: what a stream derived meanwhile is remembered longer."""
    reach, remembered = reach_of_streams(new), new.remembered()
    after: dict[str, float] = {}
    for _ in range(2 * len(facts_of(new).arity) + 2):
        changed = False
        for number, rule in enumerate(new.rules):
            found = max([after_of_rules.get(number, 0.0), *_of_body(rule, after, reach, remembered, streams)])
            for head in rule.head_atoms():
                if found > after.get(head.predicate, 0.0):
                    after[head.predicate], changed = found, True
        if not changed:
            return max([*after.values(), *after_of_rules.values()], default=0.0)
    return _NEVER  # a stream rests on its own past, and so does what it lacks


def _of_body(
    rule: Rule,
    after: Mapping[str, float],
    reach: Mapping[str, int | None],
    remembered: frozenset[str],
    streams: Mapping[str, float],
) -> Iterator[float]:
    atoms: Iterable[Atom] = (atom for literal in rule.body for atom in atoms_of(literal))
    for predicate in {atom.predicate for atom in atoms}:
        known = after.get(predicate, 0.0)
        if predicate in remembered:
            longer = reach.get(predicate, 0)
            yield streams.get(predicate, 0.0)
            if known:
                yield _NEVER if longer is None else known + longer
        else:
            yield known
