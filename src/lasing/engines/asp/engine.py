"""From time point to time point: data comes in, the answer streams at that time point come out."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Protocol

from lasing.engines.asp.conditions import TimedAtom
from lasing.engines.asp.grounding import Ground, Grounding
from lasing.engines.asp.memory import Memory
from lasing.engines.asp.retention import Retention
from lasing.engines.asp.solver import Model, Solver
from lasing.engines.asp.unfolding import Unknowns, possible_values
from lasing.engines.reference.stream import Args, Derived, Stream
from lasing.engines.reference.structure import background_of
from lasing.limits import Watch
from lasing.logic.answers import Answer, Changes
from lasing.logic.dependencies import stratify
from lasing.logic.examples import Examples
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, Formula
from lasing.logic.idle import settling
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run
from lasing.logic.splitting import Split
from lasing.timeline.intervals import Interval


class Below(Protocol):
    """An engine for stratified programs."""

    @property
    def dropped_heads(self) -> int: ...

    @property
    def failures(self) -> Counter[tuple[int, str]]: ...

    @property
    def examples(self) -> Examples: ...

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Changes]: ...
    def recall(self, time: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> Changes: ...
    def remembered(self) -> Iterable[Run]: ...


class AspEngine:
    """Finds all answer streams of a program at each time point, or the first `limit` of them.

    `below` runs the part of the program that is decided; what it derives holds in every answer stream.
    """

    def __init__(
        self,
        split: Split,
        start: int,
        below: Below | None = None,
        limit: int = 0,
        watch: Watch | None = None,
    ) -> None:
        self._watch = watch or Watch()
        self._split = split
        self._below = below
        above = split.above
        strata = stratify(above)
        self._grounding = Grounding(above, strata)
        self._output = split.whole.output()
        self._memory = Memory(above, above.remembered() & (facts_of(above).derived | split.helpers), start)
        self._solver = Solver(self._grounding.component, self._is_asked, limit, self._watch)
        self._background = background_of(above.all_background())
        self._timeline = Interval(start, None)
        self._data = Retention(above, start)
        self._used = _predicates_read(above)
        self._settling = settling(above)
        self._orders: dict[object, tuple[Formula, ...]] = {}
        self._helpers: dict[str, dict[Args, None]] = {}  # in order of arrival
        self._decided: set[Atom] = set()
        self._last = start - 1
        self._busy = self._changed_at = start
        self._models: tuple[frozenset[Atom], ...] | None = None
        self._dropped = 0
        self._failures: Counter[tuple[int, str]] = Counter()
        self._examples: Examples = {}

    @property
    def dropped_heads(self) -> int:
        """How many atoms were derived for times before the start."""
        return self._dropped + (self._below.dropped_heads if self._below else 0)

    @property
    def failures(self) -> Counter[tuple[int, str]]:
        """Instances without a value, by rule of the whole program and reason."""
        found = Counter({(self._split.above_origin[i], why): n for (i, why), n in self._failures.items()})
        if self._below is not None:
            for (i, why), n in self._below.failures.items():
                found[self._split.below_origin[i], why] += n
        return found

    @property
    def examples(self) -> Examples:
        """One such instance for each rule and reason."""
        below = {} if self._below is None else self._below.examples
        found = {(self._split.below_origin[i], why): example for (i, why), example in below.items()}
        return found | {(self._split.above_origin[i], why): example for (i, why), example in self._examples.items()}

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Answer]:
        """The answers at all time points up to this one at which they may differ, given its new data."""
        arrived = list(dict.fromkeys(atoms))
        changes: dict[int, Changes] = {}
        if self._below is not None:
            changes = {change.time: change for change in self._below.advance(time, arrived)}
        relevant = self._relevant(arrived)
        first = self._last + 1 if time > self._last else time
        for now in self._due(first, time, sorted(at for at, change in changes.items() if change), bool(relevant)):
            self._memory.pass_to(now)
            if now in changes:
                self._take(changes[now])
            if now == time:
                self._add(now, relevant)
            yield self._answer(now)
        self._last = time

    def _due(self, first: int, time: int, changed: list[int], facts: bool) -> Iterator[int]:
        """The time points from `first` to `time` at which the answers may differ from those before. `changed` has those
        at which something changes below, and `facts` says whether any come at `time`."""
        now = first
        while now <= time:
            if self._settling is not None and self._settling.settled(now - 1, self._busy, self._changed_at):
                following = bisect_left(changed, now)
                now = changed[following] if following < len(changed) else time if facts else time + 1
            if now <= time:
                yield now
            now += 1

    def recall(self, time: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> Answer:
        """Add past data, and what derived streams remember, and return what holds at a time point, without evaluating
        earlier ones."""
        self._recall(time, facts, runs)
        return self._answer(time)

    def worlds(self, time: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> list[Model]:
        """The same, with all derived atoms of the part above in each model, in the order of the answer's models."""
        self._recall(time, facts, runs)
        ground = self.ground(time)
        found = self._solver.models(ground.rules, time)
        return [model | ground.certain for _, model in self._shown(time, ground, found)]

    def _recall(self, time: int, facts: Iterable[Fact], runs: Iterable[Run]) -> None:
        past, known = list(facts), list(runs)
        if self._below is not None:
            self._take(self._below.recall(time, past, known))
        for at, group in groupby(past, key=itemgetter(0)):
            self._add(at, self._relevant(atom for _, atom in group))
        self._memory.restore(known, time)
        self._last = self._changed_at = time

    def remembered(self) -> Iterable[Run]:
        """What derived streams remember."""
        return self._memory.runs(self._last) if self._below is None else self._below.remembered()

    def _relevant(self, atoms: Iterable[Atom]) -> list[Atom]:
        return [atom for atom in atoms if self._used is None or atom.predicate in self._used]

    def _add(self, time: int, atoms: Iterable[Atom]) -> None:
        for atom in atoms:
            self._data.add(Fact(time, atom))
            self._busy = max(self._busy, time)

    def _take(self, change: Changes) -> None:
        """Apply what has changed below, in the same order in every run, so that the first answers are the same too."""
        if change:
            self._changed_at = change.time
        helpers = self._split.helpers
        for atom in change.removed:
            if atom.predicate in helpers:
                del self._helpers[atom.predicate][atom.values]
        for atom in sorted((a for a in change.added if a.predicate in helpers), key=str):
            self._helpers.setdefault(atom.predicate, {})[atom.values] = None
        self._decided.difference_update(a for a in change.removed if a.predicate in self._output)
        self._decided.update(a for a in change.added if a.predicate in self._output)

    def _answer(self, now: int) -> Answer:
        ground = self.ground(now)
        found = self._solver.models(ground.rules, now)
        if self._memory.streams:
            held = {(a.predicate, a.args) for a in (*ground.certain, *(found[0] if found else ())) if a.ahead == 0}
            held |= {(p, args) for p in self._memory.streams for args in self._data.facts.at(now, p)}
            if self._memory.take(now, held):
                self._changed_at = now
        answer = Answer(now, tuple(shown for shown, _ in self._shown(now, ground, found)))
        if answer.models != self._models:
            self._models, self._changed_at = answer.models, now
        return answer

    def _shown(self, now: int, ground: Ground, found: Iterable[Model]) -> list[tuple[frozenset[Atom], Model]]:
        """What is shown of each model, in the order of that."""
        certain = self._decided | {Atom(a.predicate, a.args) for a in filter(self._is_shown, ground.certain)}
        certain |= {Atom(p, args) for p in self._output for args in self._data.facts.at(now, p)}
        shown = (
            (frozenset(certain | {Atom(a.predicate, a.args) for a in filter(self._is_shown, model)}), model)
            for model in found
        )
        return sorted(shown, key=lambda each: sorted(map(str, each[0])))

    def _is_shown(self, atom: TimedAtom) -> bool:
        return atom.ahead == 0 and atom.predicate in self._output

    def _is_asked(self, atom: TimedAtom) -> bool:
        return atom.ahead == 0 and (atom.predicate in self._output or atom.predicate in self._memory.streams)

    def ground(self, now: int) -> Ground:
        """The instances of the rules above, and what certainly holds."""
        self._data.forget(now)
        derived, certain = Derived(), set[TimedAtom]()
        for predicate, rows in self._helpers.items():
            for args in rows:
                derived.add(now, predicate, args)
                certain.add(TimedAtom(0, predicate, args))
        m = Unknowns(
            Stream(self._timeline, self._data.facts, derived, remembered=self._memory.atoms),
            self._background,
            now,
            self._orders,
            values=possible_values,
            certain=certain,
            watch=self._watch,
        )
        ground, dropped = self._grounding.ground(m)
        self._dropped += dropped
        for (rule, _), reason in m.failures.items():
            self._failures[rule, reason] += 1
        self._examples = {**m.examples, **self._examples}
        return ground


def _predicates_read(program: Program) -> frozenset[str] | None:
    """The predicates whose facts matter; None if a tuple window counts all of them."""
    facts = facts_of(program)
    return None if facts.counts_all_facts else facts.derived | facts.read
