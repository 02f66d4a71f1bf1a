"""Several streams, each with its own rows as they come: read in turn, or by a thread each.

Reading a pipe blocks until a row comes. If something else can happen in the meantime (a source becomes idle, the clock
moves on), each live stream is read by a thread of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Condition, Thread
from typing import Any

from lasing.connectors.files import OnBytesRead, is_live
from lasing.connectors.missing import Gaps
from lasing.connectors.rows import Arity
from lasing.connectors.sources import FileSource, Streams, recognized, stream_rows
from lasing.connectors.tables import Table
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact
from lasing.timeline.clock import Clock
from lasing.timeline.ticks import Instant, Tick

_MOST_WAITING = 4096
"""How many rows of a stream a thread reads ahead."""

_A_MOMENT = 0.005

Row = tuple[int, int, Atom]
"""A fact: its time point, its instant, and its atom."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A stream by its name; a `live` one may pause at any row."""

    name: str
    rows: Iterator[Row]
    live: bool


def stream_feeds(stream: Any, tick: Tick | None, progress: OnBytesRead | None, arity: Arity, gaps: Gaps) -> list[Feed]:
    """The streams of a run, one by one, in any order of time."""
    known = recognized(stream)
    parts: Sequence[Any] = known.streams if isinstance(known, Streams) else (known,)
    feeds: list[Feed] = []
    for part in parts:
        last = Instant()
        own = None if tick is None else replace(tick, last=last)
        rows = stream_rows(part, own, False, progress, arity, gaps, ordered=False)
        name, number = _name(part), sum(feed.name == _name(part) for feed in feeds)
        unit = None if tick is None else tick.microseconds
        feeds.append(Feed(f"{name} ({number + 1})" if number else name, _timed(rows, last, unit), _is_live(part)))
    return feeds


def _timed(rows: Iterator[Fact], last: Instant, unit: int | None) -> Iterator[Row]:
    for time, atom in rows:
        yield time, last.within(time, unit), atom


def _name(stream: Any) -> str:
    match stream:
        case FileSource(path, columns=columns):
            return columns.predicate or ("standard input" if str(path) == "-" else str(path))
        case Table(predicate=str() as predicate):
            return predicate
    return "the stream"


def _is_live(stream: Any) -> bool:
    if isinstance(stream, FileSource):
        return is_live(stream.path)
    return isinstance(stream, Iterator)


@dataclass(slots=True)
class _Queue:
    """The rows of a feed that a thread has read. `failure` is why there are no more, if that is an error."""

    rows: deque[Row] = field(default_factory=deque)
    ended: bool = False
    failure: BaseException | None = None


class Feeds:
    """The rows of feeds. With `in_threads`, live ones are read while the caller does something else."""

    def __init__(self, feeds: Iterable[Feed], clock: Clock, in_threads: bool) -> None:
        self._feeds = {feed.name: feed for feed in feeds}
        self._clock = clock
        self._changed = Condition()
        self._queues: dict[str, _Queue] = {}
        self._is_waiting = False
        if in_threads:
            for feed in self._feeds.values():
                if feed.live:
                    self._queues[feed.name] = queue = _Queue()
                    Thread(target=self._read, args=(feed, queue), daemon=True, name=f"reads {feed.name}").start()

    def running(self) -> list[str]:
        """The names of the feeds that have not ended."""
        return list(self._feeds)

    def lasting(self) -> bool:
        """Whether some feed that is not live has more rows, so that nothing needs to wait."""
        return any(name not in self._queues for name in self._feeds)

    def take(self, names: Sequence[str], until: int | None, ended: Callable[[str], None]) -> list[tuple[str, Row]]:
        """The next rows of these feeds: at least one, unless the clock gets to `until` before, or feeds end.

        A feed that ends is reported to `ended`, once all its rows have been taken."""
        for name in names:  # a file can be read at once
            if name not in self._queues:
                row = next(self._feeds[name].rows, None)
                if row is None:
                    self._end(name, ended)
                    return []
                return [(name, row)]
        with self._changed:
            self._is_waiting = True
            if not any(self._has_news(name) for name in names):
                if until is None or self._clock.now() < until:
                    self._clock.wait(self._changed, until)
                else:
                    self._changed.wait(_A_MOMENT)  # so that threads can read what has come in the meantime
            self._is_waiting = False
        found: list[tuple[str, Row]] = []
        for name in names:
            queue = self._queues[name]
            over, before = queue.ended, len(found)  # it ends with the take after its last rows
            while queue.rows:
                found.append((name, queue.rows.popleft()))
            if over and len(found) == before:
                if queue.failure is not None:
                    raise queue.failure
                self._end(name, ended)
        return found

    def _has_news(self, name: str) -> bool:
        queue = self._queues[name]
        return bool(queue.rows) or queue.ended

    def _end(self, name: str, ended: Callable[[str], None]) -> None:
        del self._feeds[name]
        self._queues.pop(name, None)
        ended(name)

    def _read(self, feed: Feed, queue: _Queue) -> None:
        """Read a feed to its end, in a thread."""
        try:
            for row in feed.rows:
                queue.rows.append(row)
                if self._is_waiting or len(queue.rows) >= _MOST_WAITING:
                    with self._changed:
                        self._changed.notify_all()
                        while len(queue.rows) >= _MOST_WAITING and not self._is_waiting:
                            self._changed.wait(0.01)
        except BaseException as failure:
            queue.failure = failure
        queue.ended = True
        with self._changed:
            self._changed.notify_all()
