"""Corrections: answer at once, and evaluate again from the time point of a fact that comes late.

Three things are kept as far back as facts may still come: the facts, what was answered, and now and then a checkpoint
of the engine. For a late fact, the engine goes back to the last checkpoint before it, takes in all facts from there on
in order, and the difference between what it answers now and what it answered before is the correction. So in the end,
every time point has the answer of the sorted stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from lasing.connectors.rows import by_time
from lasing.engines.local.dictionary import Codes
from lasing.engines.local.execute import OUT_SIGN, OUT_TIME
from lasing.live.cores import Core, CoreState, CoreWithPast, Facts
from lasing.live.remembered import still_reached
from lasing.live.updates import Blocks, ChangeSource, Joined
from lasing.logic.answers import Changes
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run

_LEAST_FACTS, _WORDS_PER_FACT, _MOST_CHECKPOINTS = 64, 150, 8
"""A checkpoint costs about a nanosecond for each word, and evaluating a fact again some tenths of a microsecond. So
there is a checkpoint at most every so many facts, and few of them within the bound."""


@dataclass(slots=True)
class Known:
    """Facts that were taken in at a time point, and how the core encodes them."""

    time: int
    facts: Facts
    encoded: Any
    number: int


@dataclass(slots=True)
class Past:
    """What is kept of the past: facts in order of time, answers, and checkpoints of the core."""

    facts: list[Known] = field(default_factory=list)
    answers: list[tuple[int, ChangeSource]] = field(default_factory=list)
    """Changes, and the time point up to which they reach."""
    checkpoints: list[CoreState] = field(default_factory=list)
    since: int = 0
    """How many facts came after the last checkpoint."""
    origin: Origin | None = None
    """Where the program took the place of another one, as long as facts may still come for the time before."""

    def take_in(self, known: Known) -> None:
        """Note facts that came in order."""
        self.facts.append(known)
        self.since += known.number

    def insert(self, known: Known) -> None:
        """Note facts that came late, at their place: after those of the same time point."""
        place = len(self.facts)
        while place and self.facts[place - 1].time > known.time:
            place -= 1
        self.facts.insert(place, known)

    def prepare(self, core: CoreWithPast) -> None:
        """Take a checkpoint before time moves on, if enough facts came since the last one."""
        last = self.checkpoints[-1] if self.checkpoints else None
        if last is None or self.since >= self._pace(last):
            self.checkpoints.append(core.checkpoint())
            self.since = 0

    def _pace(self, last: CoreState) -> int:
        few = len(self.checkpoints) < _MOST_CHECKPOINTS // 2
        kept = 0 if few else sum(known.number for known in self.facts)
        return max(_LEAST_FACTS, last.words // _WORDS_PER_FACT, kept // _MOST_CHECKPOINTS)

    def is_worth_stopping(self, base: int, over: int) -> bool:
        """Whether to take a checkpoint at a time point while facts after `base` are evaluated again. No late fact will
        void it, while checkpoints close to now are voided by most late facts."""
        words = self.checkpoints[-1].words if self.checkpoints else 0
        enough, facts = max(_LEAST_FACTS, words // _WORDS_PER_FACT), 0
        for known in self.facts:  # in order of time
            if known.time > over:
                return False
            if known.time > base:
                facts += known.number
                if facts >= enough:
                    return True
        return False

    def stop_at(self, core: CoreWithPast) -> None:
        """Take a checkpoint on the way."""
        self.checkpoints.append(core.checkpoint())

    def forget(self, over: int) -> None:
        """No fact up to this time point can come any more: only the last checkpoint up to it is of use."""
        if self.origin is not None:
            if over >= self.origin.time - 1:
                self.origin.earlier = None
            if not self.checkpoints or self.checkpoints[0].time > over:
                return
            self.origin = None
        if len(self.checkpoints) < 2 or self.checkpoints[1].time > over:
            return
        while len(self.checkpoints) > 1 and self.checkpoints[1].time <= over:
            del self.checkpoints[0]
        oldest = self.checkpoints[0].time
        self.facts = [known for known in self.facts if known.time > oldest]
        self.answers = [known for known in self.answers if known[0] > oldest]

    def go_back(
        self, core: CoreWithPast, time: int, start: int, reopen: Callable[[int], Core]
    ) -> tuple[int, Core, list[tuple[int, Any]]]:
        """The core as it was at some time point before this one, and the facts that it has to take in again."""
        while self.checkpoints and self.checkpoints[-1].time >= time:
            self.checkpoints.pop()
        if self.checkpoints:
            last = self.checkpoints[-1]
            base, again = last.time, core.rewind(last, start, reopen)
        elif self.origin is not None:
            base, again = self.origin.time - 1, self.origin.begin(start)
        else:
            base, again = start - 1, reopen(start)
        if again is not core:  # its codes and checkpoints are its own
            self.checkpoints.clear()
            for known in self.facts:
                known.encoded = again.encode(known.time, known.facts)
        self.since = 0  # where facts come late, more of them will void a checkpoint of now
        return base, again, [(known.time, known.encoded) for known in self.facts if known.time > base]

    def answered(self, until: int, changes: ChangeSource) -> None:
        self.answers.append((until, changes))

    def forget_answers(self, base: int, since: int) -> list[ChangeSource]:
        """Forget the answers after a time point, which are evaluated again, and return those that can become others:
        those from `since` on."""
        place = len(self.answers)
        while place and self.answers[place - 1][0] > base:  # they are in order of time
            place -= 1
        old = [source for reached, source in self.answers[place:] if reached >= since]
        del self.answers[place:]
        return old


@dataclass(slots=True)
class Origin:
    """The time point at which a program took the place of another one, and what it got from it: the raw window, and
    what derived streams remember. `open` makes a core of these."""

    time: int
    window: list[Fact]
    runs: list[Run]
    open: Callable[[int, list[Fact], list[Run]], Core]
    earlier: Era | None

    def begin(self, start: int) -> Core:
        """The core as it was when the program took over."""
        return self.open(start, self.window, self.runs)


@dataclass(slots=True)
class Era:
    """The time for which a program answers: its core, what is kept of its past, and through that the era before."""

    program: Program
    core: CoreWithPast
    past: Past
    open: Callable[[int], Core]

    def late(self, time: int, facts: Facts, number: int, encoded: Any = None) -> Known:
        """Late facts in the form of the program that answers for their time point, which may refuse them."""
        origin = self.past.origin
        if origin is None or time >= origin.time:
            if encoded is not None:
                return Known(time, facts, encoded, number)
            used = _used(facts, self.program)
            return Known(time, used, self.core.encode(time, used), number)
        assert origin.earlier is not None, "facts for the time before can come"
        return origin.earlier.late(time, facts, number)

    def correct(self, late: Known, start: int, over: int | None) -> tuple[int, list[Changes]]:
        """Evaluate again from the time point of late facts: the start, and what is different at each time point. No
        fact will come for the time up to `over`."""
        past, until, origin, found = self.past, self.core.time, self.past.origin, list[Changes]()
        since = late.time
        if origin is not None and late.time < origin.time:
            earlier = origin.earlier
            assert earlier is not None, "facts for the time before can come"
            start, before = earlier.correct(late, start, over)
            found = [change for change in before if change.time < origin.time]
            origin.window = [fact for fact in earlier.core.window() if fact.time <= origin.time]
            origin.runs = list(still_reached(earlier.program, earlier.core.remembered(), origin.time))
            since = origin.time
            past.checkpoints.clear()
        else:
            past.insert(late)
            if late.time < start:  # they begin the timeline
                for time, atom in by_time(self.program.data):
                    if late.time <= time < start:
                        past.insert(Known(time, facts := [atom], self.core.encode(time, facts), 1))
                start = late.time
        base, again, parts = past.go_back(self.core, since, start, self.open)
        old = past.forget_answers(base, since)
        begun = again.holding() if origin is not None and base < origin.time else None
        if begun is None and over is not None and start <= over < since and past.is_worth_stopping(base, over):
            first = [part for part in parts if part[0] <= over]  # no fact will come for it: stop there on the way
            past.answered(over, again.push_batch(over, again.gathered(first)))
            past.stop_at(cast("CoreWithPast", again))
            parts = parts[len(first) :]
        changes = again.push_batch(until, again.gathered(parts))
        self.core = cast("CoreWithPast", again)
        changes = changes if begun is None else Joined([begun, changes])
        past.answered(until, changes)
        return start, found + corrections(old, changes, since, until)


def _used(facts: Facts, program: Program) -> Facts:
    """The facts that a program uses."""
    known = facts_of(program)
    if known.counts_all_facts:
        return facts
    if isinstance(facts, Mapping):
        return {predicate: frame for predicate, frame in facts.items() if predicate in known.arity}
    return [f for f in facts if (f.predicate if isinstance(f, Atom) else f[0]) in known.arity]


def corrections(old: Sequence[ChangeSource], new: ChangeSource, since: int, until: int) -> list[Changes]:
    """What is different at each time point from `since` to `until`: atoms that hold after all, and that do not."""
    events = _signed_difference(old, new, since)
    found: list[Changes] = []
    difference: Counter[Atom] = Counter()
    times = sorted(events)
    for i, time in enumerate(times):
        difference.update(events[time])
        added = frozenset(atom for atom, sign in difference.items() if sign > 0)
        removed = frozenset(atom for atom, sign in difference.items() if sign < 0)
        if added or removed:
            following = times[i + 1] if i + 1 < len(times) else until + 1
            found += (Changes(point, added, removed) for point in range(time, min(following, until + 1)))
    return found


def _signed_difference(old: Sequence[ChangeSource], new: ChangeSource, since: int) -> dict[int, Counter[Atom]]:
    """How often an atom comes more often than it goes, in the new changes less the old ones, by time."""
    events: dict[int, Counter[Atom]] = {}
    if isinstance(new, Blocks) and all(isinstance(source, Blocks) and source.engine is new.engine for source in old):
        for row, number in _changed_rows(old, new, since).items():  # type: ignore[arg-type]  # they are blocks
            words = np.frombuffer(row, np.int64).tolist()
            atom = new.engine.atom(words)
            events.setdefault(words[OUT_TIME], Counter())[atom] += number * words[OUT_SIGN]
        return events
    for sources, factor in (((new,), 1), (old, -1)):
        for change in (change for source in sources for change in source.changes() if change.time >= since):
            at = events.setdefault(change.time, Counter())
            at.update(dict.fromkeys(change.added, factor))
            at.update(dict.fromkeys(change.removed, -factor))
    return events


def _changed_rows(old: Sequence[Blocks], new: Blocks, since: int) -> Counter[bytes]:
    """Rows of output that are in one but not in the other, without their expiries."""
    found: Counter[bytes] = Counter()
    given = [(source.signed(since), sign) for source, sign in ((new, 1), *((source, -1) for source in old))]
    parts = [(part, sign) for part, sign in given if len(part)]
    if not parts or _are_as_before([part for part, sign in parts if sign < 0], [p for p, sign in parts if sign > 0]):
        return found
    rows = np.concatenate([part for part, _ in parts])
    signs = np.repeat([sign for _, sign in parts], [len(part) for part, _ in parts])
    for i in _unmatched(rows, signs).tolist():
        found[rows[i].tobytes()] += int(signs[i])
    return Counter({key: number for key, number in found.items() if number})


def _are_as_before(old: list[Codes], new: list[Codes]) -> bool:
    """Whether the rows are the same, in the same order: mostly, a late fact changes nothing that is seen."""
    if sum(map(len, old)) != sum(map(len, new)):
        return False
    return b"".join(part.tobytes() for part in old) == b"".join(part.tobytes() for part in new)


def _unmatched(rows: Any, signs: Any) -> Any:
    """The places of rows whose signs do not cancel out, by two sums of hashes: most rows are the same as before."""
    one, other = (np.full(len(rows), seed, np.uint64) for seed in _SEEDS)
    for column in np.ascontiguousarray(rows.T).view(np.uint64):
        one, other = (one ^ column) * _FACTORS[0], (other + column) * _FACTORS[1]
        one, other = one ^ (one >> np.uint64(29)), other ^ (other >> np.uint64(31))
    order = np.argsort(one, kind="stable")
    begins = np.flatnonzero(np.append(True, one[order][1:] != one[order][:-1]))
    number = np.add.reduceat(signs[order], begins)
    check = np.add.reduceat(signs[order].view(np.uint64) * other[order], begins)
    differs = np.repeat((number != 0) | (check != 0), np.diff(np.append(begins, len(rows))))
    return order[differs]


_SEEDS = (0x9E3779B97F4A7C15, 0x5851F42D4C957F2D)
_FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
