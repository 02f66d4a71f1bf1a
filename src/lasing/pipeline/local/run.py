"""Run a pipeline in this process: read, evaluate, write and save checkpoints, step by step.

    sources ── Part ──> Work ── Arrived ──> step ── tables ──> sinks
                                             │
                                           state ──> checkpoint, with the positions of sources and sinks

A step takes what the sources have, and evaluates the time points that are over. What happens between two checkpoints is
a batch. After a kill, the next run continues from the last checkpoint and does the rest again, with the same result.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event, Thread

import numpy as np

from lasing.connectors.arriving import MOMENT
from lasing.errors import Diagnostic, LasingError
from lasing.pipeline.config import AVAILABLE_NOW
from lasing.pipeline.described import Pipeline
from lasing.pipeline.local.badly import BadRowRules
from lasing.pipeline.local.checkpoints import Checkpoint, Checkpoints, Lock, Position, check_not_of_spark
from lasing.pipeline.local.disk import AGAIN, Disk
from lasing.pipeline.local.outlets import Outlets
from lasing.pipeline.local.parts import Part, RowSource
from lasing.pipeline.local.replacing import Reload, continued, lacking, not_taken
from lasing.pipeline.local.replay import replay
from lasing.pipeline.local.sources import source_of
from lasing.pipeline.local.work import Work
from lasing.pipeline.progress import BatchFigures, Progress
from lasing.pipeline.unsourced import unsourced
from lasing.spark.replacing import check_replacement, taken_over
from lasing.spark.shard import BatchResult, forget, step
from lasing.spark.state import ShardState
from lasing.spark.tables import times_of
from lasing.succession import Succession
from lasing.timeline.clock import Clock, WallClock
from lasing.timeline.delay import delay_of

MOST_ROWS = 1 << 18
"""About how many rows of a source a step takes."""
MOST_WAITING = 1 << 21
"""If more rows than this wait for a source, the others are not read until it has brought something."""
MOST_UNSAVED = 1 << 22
"""After so many rows of output there is a checkpoint, because Parquet files are in memory until then."""
_PAUSE = 0.01
"""How many seconds to wait if no source has anything."""
_SILENT = 100_000
"""How often, in microseconds, time may go on without facts."""
_GRACE = 5.0
"""How many seconds sinks have for what they hold, once someone asks to stop."""
_OFTEN = 0.2


def run_local(
    pipeline: Pipeline,
    progress: Progress,
    stop: Event | None = None,
    disk: Disk | None = None,
    clock: Clock | None = None,
    reload: Reload | None = None,
) -> None:
    """Run a pipeline to its end, or until `stop` is set. It continues from its checkpoint, if it has one. Whenever
    `reload` asks for it, its program is read again."""
    disk, clock = disk or Disk(), clock or WallClock()
    if pipeline.mode == "batch":
        replay(pipeline, progress, disk, clock)
        return
    folder = Path(pipeline.checkpoint)
    check_not_of_spark(folder)
    with Lock(folder, disk), Running(pipeline, progress, stop or Event(), disk, clock, reload) as running:
        try:
            running.run()
        except LasingError as error:
            raise LasingError([_continued(found) for found in error.diagnostics]) from None


_IN_IT = "they are in the checkpoint, and the next run delivers them"


def _continued(found: Diagnostic) -> Diagnostic:
    """A finding that ended a run, with what to do about it."""
    noted = found.note or ""
    return found if AGAIN in noted else replace(found, note="\n".join(filter(None, (noted, AGAIN))))


class Running:
    """A pipeline that runs."""

    def __init__(
        self,
        pipeline: Pipeline,
        progress: Progress,
        stop: Event,
        disk: Disk,
        clock: Clock,
        reload: Reload | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._progress = progress
        self._stop = stop
        self._reload = reload
        self._clock = clock
        self._disk = disk
        self._folder = Path(pipeline.checkpoint)
        self._live = pipeline.trigger != AVAILABLE_NOW
        self._pause = delay_of(pipeline.trigger, 1) / 1e6 if pipeline.trigger and self._live else 0.0
        self._every = delay_of(pipeline.checkpoint_every, 1) / 1e6
        self._bad = BadRowRules(pipeline, disk)
        journal = self._folder / "journal"
        self._sources: dict[str, RowSource] = {
            s.name: source_of(s, journal / s.name, clock, self._bad.of[s.name]) for s in pipeline.sources
        }
        self._columns = {name: s.columns() for name, s in self._sources.items()}
        self._work = Work(pipeline, self._columns, self._bad.of)
        self._task = self._work.task
        self._outlets = Outlets(pipeline, self._task, disk)
        if progress.watcher is not None:
            self._outlets.watching = progress.results
        self._checkpoints = Checkpoints(self._folder, disk)
        self._state = ShardState()
        self._positions: dict[str, Position] = {}
        self._number = 0
        self._changed = False
        self._saved = self._looked = time.monotonic()
        self._heard = dict.fromkeys(self._sources, clock.now())
        self._ticked = 0
        self._figures = BatchFigures(0)
        self._left: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._bad_before: Counter[str] = Counter()
        self._closing = ExitStack()

    def __enter__(self) -> Running:
        for source in self._sources.values():
            self._closing.callback(source.close)
        self._closing.callback(self._outlets.close)
        return self

    def __exit__(self, *_: object) -> None:
        forget(self._task)
        self._closing.close()

    # -- from beginning to end -------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run to the end of all sources, or until someone asks to stop."""
        ended = Event()
        watch = Thread(target=self._limit_stopping, args=(ended,), daemon=True, name="limits how long stopping takes")
        watch.start()
        try:
            self._go_on()
        except LasingError as error:
            if not (self._stop.is_set() and self._outlets.undelivered and error.diagnostics[0].code == "E525"):
                raise
            left = ", ".join(f"{number:,} lines for {name}" for name, number in self._outlets.undelivered.items())
            message = f"not delivered before the pipeline was stopped: {left}"
            self._progress.warned.append(Diagnostic("W214", message, note=f"{error.diagnostics[0].message}\n{_IN_IT}"))
        finally:
            ended.set()
            watch.join()

    def _limit_stopping(self, ended: Event) -> None:
        """Let sinks give up some time after a request to stop. What they hold is in the checkpoint."""
        while not ended.wait(_OFTEN):
            if self._stop.is_set():
                if not ended.wait(_GRACE):
                    self._outlets.give_up()
                return

    def _go_on(self) -> None:
        self._begin()
        while not self._stop.is_set():
            if self._reload is not None and self._reload.asked.is_set():
                self._read_again(self._reload)
            parts = self._take()
            self._advance(parts)
            if self._is_due():
                self._save()
            if not parts and all(source.finished() for source in self._sources.values()):
                self._advance({}, drain=True)
                break
            if not parts or self._pause:
                self._wait(parts)
        self._save()
        self._bad.check()
        self._progress.warned += self._bad.warnings()

    def _begin(self) -> None:
        """Continue from the last checkpoint, or begin with one that says that nothing has happened yet."""
        self._checkpoints.clear_unfinished()
        known = self._checkpoints.newest()
        if known is None:
            self._outlets.begin()
            for file in self._bad.files.values():
                file.start(None)
            self._start_sources({})
            self._write(ShardState())
            return
        self._task, history = continued(self._pipeline, self._task, self._columns, self._bad.of, known)
        self._number = known.number
        state = replace(known.state, heard={})  # nobody was silent while the pipeline did not run
        self._state = taken_over(self._task, 0, state)
        if history is not None:
            self._say_history(history)
            self._changed = True  # so that the next checkpoint belongs to the new program
        self._positions = dict(known.sources)
        self._outlets.resume(known, self._delivered())
        for name, file in self._bad.files.items():
            file.start(known.sinks.get(f"bad rows {name}"))
        self._start_sources(known.sources)
        self._mark_delivered()
        self._saved -= self._every  # what it was killed in is saved at once

    def _start_sources(self, positions: Mapping[str, Position]) -> None:
        for name, source in self._sources.items():
            source.start(positions.get(name), self._live)
            if name in positions:
                source.settled(positions[name])

    # -- another program -------------------------------------------------------------------------------------------

    def _read_again(self, reload: Reload) -> None:
        """Go on with the program as it is now in its file. If something is wrong with it, the old one goes on."""
        reload.asked.clear()
        try:
            pipeline = replace(self._pipeline, program=reload.read().program)
            work = Work(pipeline, self._columns, self._bad.of)
            if work.task.work == self._task.work:
                self._progress.say([Diagnostic("W607", "the program was read again, and has not changed")])
                return
            old = replace(self._task, replaces=None)
            history = check_replacement(old, work.task, pipeline.partial)
            task = replace(work.task, replaces=old)
            state = taken_over(task, 0, self._state)
        except LasingError as error:
            self._progress.say(not_taken(error))
            return
        self._save()  # what the old program said belongs to it
        self._progress.go_on_with(pipeline.program)
        forget(self._task)
        self._pipeline, self._work, self._task, self._state = pipeline, work, task, state
        self._outlets.use(task)
        if missing := list(unsourced(pipeline)):
            self._progress.say(missing)
        self._say_history(history)
        self._figures.evaluated_until = self._shown(state)
        self._changed = True
        self._save()

    def _say_history(self, history: Succession) -> None:
        state, after = self._state, history.complete_from
        if not state.has_begun or state.until is None:
            return
        self._progress.remark(f"the new program is used after time point {self._shown(state)}")
        shown = "" if after is None else self._shown(replace(state, until=state.until + after))
        self._progress.say(lacking(history, shown))

    # -- steps -----------------------------------------------------------------------------------------------------

    def _take(self) -> dict[str, Part]:
        """What the sources have; nothing from those that are far ahead of others."""
        found = {}
        for name in self._wanted():
            part = self._sources[name].take(MOST_ROWS)
            if part is not None:
                found[name] = part
                self._heard[name] = self._clock.now()
        return found

    def _wanted(self) -> list[str]:
        """The sources to read. If too much waits for some of them, only those."""
        names = list(self._sources)
        if len(names) == 1 or self._waiting() < MOST_WAITING:
            return names
        lasting = {p: name for p, name in self._work.sources.items() if not self._sources[name].finished()}
        closed = {p: self._state.closed.get(p) for p in lasting if not self._is_idle(p)}
        least = min((point for point in closed.values() if point is not None), default=None)
        slowest = [p for p, point in closed.items() if point is None] or [p for p, c in closed.items() if c == least]
        return [lasting[p] for p in slowest] or names

    def _waiting(self) -> int:
        until = self._state.until
        rows = 0
        for table in self._state.window.values():
            known = 0 if until is None else int(np.searchsorted(times_of(table), until, side="right"))
            rows += table.num_rows - known
        return rows

    def _is_idle(self, predicate: str) -> bool:
        longest, heard = self._task.idle.get(predicate), self._heard[self._work.sources[predicate]]
        return longest is not None and self._clock.now() - heard >= longest

    def _advance(self, parts: Mapping[str, Part], drain: bool = False) -> None:
        """Take in rows, evaluate what is over, and hand on the results."""
        begun, now = time.perf_counter(), self._clock.now()
        if now < self._ticked:  # the clock was set back
            self._ticked = now
            self._heard = {name: min(heard, now) for name, heard in self._heard.items()}
        beat = self._beat(parts, now)
        if not parts and not drain and beat is None and (not self._task.idle or now - self._ticked < _SILENT):
            return
        self._ticked = now
        arrived = [facts for name, part in parts.items() for facts in self._work.arrived(name, part)]
        take_in = step if beat is None else partial(step, beat=beat)
        result = take_in(self._task, 0, self._state, arrived, drain, now)
        moved = result.state.until != self._state.until or result.state.token != self._state.token
        self._state = result.state
        self._positions.update({name: part.position for name, part in parts.items()})
        self._changed = self._changed or bool(parts) or moved
        written = self._outlets.write(result)
        self._count(result, written, time.perf_counter() - begun)

    def _beat(self, parts: Mapping[str, Part], now: int) -> int | None:
        """The instant that time follows, if it follows the clock and no source has spoken for a moment."""
        if not self._pipeline.clock or not self._live:
            return None
        tick = self._pipeline.program.tick
        assert tick is not None, "checked when the file was read"
        pause = min(tick.microseconds, MOMENT)
        if now - self._ticked < min(pause, _SILENT) and not parts:
            return None
        quiet = all(now - heard >= pause for name, heard in self._heard.items() if name not in parts)
        return self._task.instant(now) if quiet and len(parts) < len(self._sources) else None

    def _wait(self, parts: Mapping[str, Part]) -> None:
        passed = time.monotonic() - self._looked
        self._stop.wait(max(0.0 if parts else _PAUSE, self._pause - passed))
        self._looked = time.monotonic()

    # -- checkpoints -----------------------------------------------------------------------------------------------

    def _is_due(self) -> bool:
        if not self._changed:
            return False
        return time.monotonic() - self._saved >= self._every or self._outlets.unsaved >= MOST_UNSAVED

    def _save(self) -> None:
        """Save a checkpoint, if anything has happened, and deliver what can be delivered only once that is safe."""
        if not self._changed:
            return
        begun = time.perf_counter()
        self._write(self._state)
        self._changed = False
        figures, now = self._figures, time.perf_counter()
        figures.state_seconds = now - begun
        figures.seconds += figures.state_seconds
        figures.batch = self._number
        self._progress.evaluated(figures, self._left, self._examples)
        self._progress.finished(figures.batch, figures.seconds)
        self._figures, self._left, self._examples = BatchFigures(0), Counter(), {}

    def _write(self, state: ShardState) -> None:
        sinks = self._outlets.flush() | {f"bad rows {name}": file.flush() for name, file in self._bad.files.items()}
        number = self._number + bool(self._checkpoints.numbers())
        made = Checkpoint(
            number,
            self._task.work,
            str(self._pipeline.program),
            state,
            dict(self._positions),
            sinks,
            self._outlets.unsent(),
            self._clock.now(),
        )
        self._figures.state_bytes = self._checkpoints.save(made, self._pipeline.keep)
        self._number = number
        self._outlets.deliver(number)
        if made.sent:
            self._mark_delivered()
        for name, position in self._positions.items():
            self._sources[name].settled(position)
        self._saved = time.monotonic()

    def _delivered(self) -> int:
        """The last batch whose lines are known to have been delivered."""
        path = self._folder / "delivered"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return int(text) if text.isdigit() else -1

    def _mark_delivered(self) -> None:
        self._disk.write(self._folder / "delivered", str(self._number).encode())

    def _count(self, result: BatchResult, written: Mapping[str, int], seconds: float) -> None:
        figures = self._figures
        figures.events += result.events
        figures.late += 0 if result.late is None else result.late.num_rows
        figures.rows = dict(Counter(figures.rows) + Counter(written))
        for predicate, columns in result.missing.items():
            known = figures.missing.setdefault(self._work.sources[predicate], {})
            for column, count in columns.items():
                known[column] = known.get(column, 0) + count
        known = self._bad.numbers()
        for source, number in (known - self._bad_before).items():
            figures.add_bad(source, number)
        self._bad_before = known
        figures.evaluated_until = self._shown(result.state)
        figures.waiting_for = [self._work.sources[predicate] for predicate in result.waiting_for]
        figures.engine_seconds += result.engine_seconds
        figures.seconds += seconds
        self._left += Counter(result.left_out)
        self._examples = {**result.examples, **self._examples}

    def _shown(self, state: ShardState) -> str:
        if not state.has_begun or state.until is None:
            return ""
        tick = self._pipeline.program.tick
        return tick.iso(state.until) if tick is not None and self._task.unit is not None else str(state.until)
