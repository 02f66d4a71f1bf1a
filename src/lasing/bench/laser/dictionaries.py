"""The Laser paper's five programs in plain Python, each written by hand for its rule, and incremental.

At each time point a program returns, for each head by its number, what is added and what is removed, or all that holds.
A fact with one argument is an integer, one with two is a pair.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from typing import Any, Protocol

from lasing.bench.laser.peers import comparable_row
from lasing.bench.laser.workloads import DIFFERENT, Task
from lasing.bench.measuring.records import OutputKind
from lasing.bench.measuring.turns import ChangedRows, Contender, Step
from lasing.bench.measuring.workloads import ARGS, PREDICATE, Stream

DICTIONARIES = "dictionaries"

Row = int | tuple[int, ...]
Changes = list[tuple[int, Sequence[Row], Sequence[Row]]]
"""A head's number, what is added, what is removed."""
Pair = tuple[int, int]
Arrived = list[list[Any]]
"""The new facts of each predicate, pairs or integers."""


class ByHand(Protocol):
    """A program with its state."""

    def tick(self, t: int, arrived: Arrived) -> Changes:
        """What changes at a time point."""

    def answer(self) -> Changes:
        """All that holds, as what is added."""


class Diamond:
    """q(A,B) :- p(A,B) in [w]."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._last: dict[Row, int] = {}
        self._arrived: deque[list[Row]] = deque()

    def tick(self, t: int, arrived: Arrived) -> Changes:
        """A pair leaves when its last arrival falls out of the window."""
        (pairs,) = arrived
        last = self._last
        added = []
        for pair in pairs:
            if pair not in last:
                added.append(pair)
            last[pair] = t
        self._arrived.append(pairs)
        removed = []
        if len(self._arrived) > self._window + 1:
            over = t - self._window - 1
            for pair in self._arrived.popleft():
                if last.get(pair) == over:
                    del last[pair]
                    removed.append(pair)
        return [(0, added, removed)]

    def answer(self) -> Changes:
        """All pairs."""
        return [(0, list(self._last), ())]


class Box:
    """q(X) :- p(X) always in [w]."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._since: dict[Row, int] = {}
        self._held: set[Row] = set()

    def tick(self, t: int, arrived: Arrived) -> Changes:
        """A value's run ends at the first time point at which the value does not come."""
        since, begin = self._since, max(0, t - self._window)
        self._since = {x: since.get(x, t) for x in arrived[0]}
        held = {x for x, first in self._since.items() if first <= begin}
        added, removed = held - self._held, self._held - held
        self._held = held
        return [(0, list(added), list(removed))]

    def answer(self) -> Changes:
        """All values that hold."""
        return [(0, list(self._held), ())]


class Join:
    """q(A,C) :- p(A,B) in [w], p(B,C) in [w]."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._p: dict[Pair, int] = {}  # until when a pair holds
        self._q: dict[Pair, int] = {}
        self._p_ends: defaultdict[int, list[Pair]] = defaultdict(list)  # pairs by the time when they may be over
        self._q_ends: defaultdict[int, list[Pair]] = defaultdict(list)
        self._by_first: defaultdict[int, set[int]] = defaultdict(set)
        self._by_second: defaultdict[int, set[int]] = defaultdict(set)

    def changed(self, t: int, arrived: list[Pair]) -> tuple[list[Pair], list[Pair]]:
        """What is added, and what is removed."""
        p, q, q_ends = self._p, self._q, self._q_ends
        by_first, by_second = self._by_first, self._by_second
        added, removed = [], []
        for pair in self._p_ends.pop(t, ()):
            if p[pair] < t:
                del p[pair]
                a, b = pair
                _discard(by_first, a, b)
                _discard(by_second, b, a)
        until = t + self._window
        ends = self._p_ends[until + 1]
        for pair in arrived:
            if p.get(pair) == until:
                continue  # twice at one time point
            p[pair] = until
            ends.append(pair)
            a, b = pair
            by_first[a].add(b)
            by_second[b].add(a)
            # q(a,C) :- p(a,b), p(b,C).  q(A,b) :- p(A,a), p(a,b).
            met = [((a, c), p[b, c]) for c in by_first.get(b, ())] + [((z, b), p[z, a]) for z in by_second.get(a, ())]
            for derived, end in met:
                before = q.get(derived)
                if before is None:
                    added.append(derived)
                elif before >= end:
                    continue
                q[derived] = end
                q_ends[end + 1].append(derived)
        for pair in q_ends.pop(t, ()):
            if q[pair] < t:  # unless it was derived again just now
                del q[pair]
                removed.append(pair)
        return added, removed

    def tick(self, t: int, arrived: Arrived) -> Changes:
        """The changes of the one head."""
        return [(0, *self.changed(t, arrived[0]))]

    def answer(self) -> Changes:
        """All pairs."""
        return [(0, list(self._q), ())]

    @property
    def held(self) -> list[Pair]:
        """All pairs."""
        return list(self._q)


def _discard(index: defaultdict[int, set[int]], key: int, member: int) -> None:
    found = index[key]
    found.discard(member)
    if not found:
        del index[key]


class Rules:
    """A join for each predicate."""

    def __init__(self, window: int, rules: int) -> None:
        self._joins = [Join(window) for _ in range(rules)]

    def tick(self, t: int, arrived: Arrived) -> Changes:
        """The changes of each head."""
        return [(i, *join.changed(t, arrived[i])) for i, join in enumerate(self._joins)]

    def answer(self) -> Changes:
        """All pairs of each head."""
        return [(i, join.held, ()) for i, join in enumerate(self._joins)]


STEAM, LIQUID, IS_STEAM, IS_LIQUID, ALARM, NORMAL, FREEZE, VERY_HOT, VERY_COLD = range(9)
HERE: tuple[Row, ...] = ((),)
"""The row of an atom without arguments."""


class Cooling:
    """Figure 4 of the paper; the answer has steam and the like at all times of the window."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._before: dict[int, set[int]] = {STEAM: set(), LIQUID: set()}
        self._since: dict[int, int | None] = {STEAM: None, LIQUID: None}
        self._states = {IS_STEAM: False, IS_LIQUID: False, ALARM: False, NORMAL: False, FREEZE: False}
        self._rows: dict[int, deque[tuple[int, list[Row]]]] = {STEAM: deque(), LIQUID: deque()}  # (V,T), by times
        self._times: dict[int, deque[int]] = {h: deque() for h in (IS_STEAM, IS_LIQUID, VERY_HOT, VERY_COLD)}

    def tick(self, t: int, arrived: Arrived) -> Changes:
        """What began to hold at this time point, and what ceased to."""
        over = t - self._window
        temps = set(arrived[0])
        steam, liquid = {v for v in temps if v >= 100}, {v for v in temps if 1 <= v < 100}
        changes: Changes = []
        lasting = {}
        for head, values in ((STEAM, steam), (LIQUID, liquid)):
            before = self._before[head]
            changes.append((head, list(values - before), list(before - values)))
            self._before[head] = values
            since = self._since[head] = None if not values else t if self._since[head] is None else self._since[head]
            lasting[head] = since is not None and since <= max(0, over)
            rows = self._rows[head]
            rows.append((t, [(v, t) for v in values]))
            if rows[0][0] < over:
                rows.popleft()
        alarm, normal = lasting[STEAM], lasting[LIQUID]
        states = {IS_STEAM: bool(steam), IS_LIQUID: bool(liquid), ALARM: alarm, NORMAL: normal}
        states[FREEZE] = not alarm and not normal
        for head, holds in states.items():
            if holds != self._states[head]:
                changes.append((head, HERE if holds else (), () if holds else HERE))
        self._states = states
        hot, cold = any(v >= 150 for v in steam), 1 in liquid
        for head, holds in ((IS_STEAM, bool(steam)), (IS_LIQUID, bool(liquid)), (VERY_HOT, hot), (VERY_COLD, cold)):
            times = self._times[head]
            added, removed = [], []
            if holds:
                times.append(t)
                added.append(t)
            if times and times[0] < over:
                removed.append(times.popleft())
            if head in (VERY_HOT, VERY_COLD):
                changes.append((head, added, removed))
        return changes

    def answer(self) -> Changes:
        """All atoms, those with a time at all their times."""
        answer: Changes = []
        for head, points in self._rows.items():
            rows: list[Row] = []
            for _, of_time in points:
                rows += of_time
            answer.append((head, rows, ()))
        answer += [(head, list(times), ()) for head, times in self._times.items()]
        answer += [(head, HERE, ()) for head in (ALARM, NORMAL, FREEZE) if self._states[head]]
        return answer


def by_hand(task: Task) -> ByHand:
    """The program for a task. Copies of a rule are written once."""
    match task.shape:
        case "diamond":
            return Diamond(task.window)
        case "box":
            return Box(task.window)
        case "cooling":
            return Cooling(task.window)
    return Rules(task.window, task.rules) if task.kind == DIFFERENT else Join(task.window)


def dictionaries(task: Task, output: OutputKind, stream: Stream) -> Contender:
    """The program as a contender."""
    arrivals = [_arrived(stream, t) for t in range(stream.points)]

    def start() -> Step:
        program = by_hand(task)
        if output == "changes":
            return lambda t: program.tick(t, arrivals[t])

        def answer(t: int) -> Changes:
            program.tick(t, arrivals[t])
            return program.answer()

        return answer

    return Contender(DICTIONARIES, start, _changed_rows)


def _arrived(stream: Stream, t: int) -> Arrived:
    """The facts of a time point by predicate."""
    arrived: Arrived = [[] for _ in stream.predicates]
    arities = list(stream.predicates.values())
    for row in stream.rows[stream.bounds[t] : stream.bounds[t + 1]].tolist():
        predicate = row[PREDICATE]
        arrived[predicate].append(row[ARGS] if arities[predicate] == 1 else tuple(row[ARGS:]))
    return arrived


def _changed_rows(changes: Changes) -> ChangedRows:
    counted: ChangedRows = Counter()
    for head, added, removed in changes:
        for sign, rows in ((1, added), (-1, removed)):
            counted.update(comparable_row(head, sign, row if isinstance(row, tuple) else (row,)) for row in rows)
    return counted
