"""`lasing run --corrections`: print answers at once, and later what is different after all."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import typer

from lasing.cli.bad_rows import bad_rows_file
from lasing.cli.console import complain, complaining_if_interrupted, say
from lasing.cli.late import late_file
from lasing.cli.output import write_output
from lasing.connectors.feeds import Feed, Feeds, stream_feeds
from lasing.connectors.missing import Gaps, Missing
from lasing.connectors.sinks import OutputFormat, Record, ShowTime, Time, time_text
from lasing.connectors.sources import Streams
from lasing.errors import Diagnostic
from lasing.limits import Limits
from lasing.live.engine import Engine
from lasing.live.updates import Update
from lasing.logic.answers import Standing
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.results import formed
from lasing.logic.splitting import has_several_answers
from lasing.reports import Report, left_out
from lasing.timeline.clock import WallClock
from lasing.timeline.delay import Delay
from lasing.timeline.reorder import Late
from lasing.timeline.timing import Timing


@dataclass(slots=True)
class Arrival:
    """Facts of one time point that came together; `instant` is how far they move the time of their stream."""

    source: str
    time: int
    instant: int
    facts: list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Correction:
    """The options of a run with corrections."""

    program: Program
    timing: Timing | None
    view: str
    engine: str
    limits: Limits
    missing: Missing
    bad_rows: str
    max_bad_rows: float | None
    late: str
    form: OutputFormat
    output: str
    quiet: bool

    def checked(self) -> Timing:
        """How late facts may be; fails if answers cannot be corrected, or not in this form."""
        hint = "--corrections"
        if self.timing is None:
            raise typer.BadParameter("say how late facts may be: --delay 5s", param_hint=hint)
        if self.timing.follows_clock:
            raise typer.BadParameter("it does not follow the clock: leave out --clock", param_hint=hint)
        if self.view != "answers":
            raise typer.BadParameter(f"it prints signed answers, so --as {self.view} does not fit", param_hint=hint)
        if has_several_answers(self.program) or formed(self.program.outputs):
            raise typer.BadParameter("it is for programs with exactly one answer, not for queries", param_hint=hint)
        return self.timing


def run_with_corrections(
    given: Correction, stream: Streams, start: int | None, end: int | None, names: list[str]
) -> None:
    """Run a program, print signed answers, and at the end what was left out. `names` are the columns of arguments."""
    timing = given.checked()
    begun, program = clock.monotonic(), given.program.watching_dates()
    report = Report()
    with late_file(given.late, program) as write, bad_rows_file(given.bad_rows, given.max_bad_rows) as bad:
        gaps = Gaps(given.missing, bad=bad)
        feeds = stream_feeds(stream, program.tick, None, facts_of(program).arity, gaps)

        def set_aside(found: Late[Any]) -> None:
            for predicate, *args in found.facts:
                report.late.add(found, 1)
                if write is not None:
                    write(Late(found.source, found.time, found.closed_until, Atom(predicate, tuple(args))))

        engine = Engine(
            program,
            start,
            given.engine,  # type: ignore[arg-type]  # the engine checks it
            delay=delays_of(feeds, timing),
            idle=timing.idle,
            corrections=True,
            on_late=set_aside,
            max_atoms=given.limits.atoms,
            max_memory=given.limits.memory,
            max_time=given.limits.seconds,
        )

        def show(time: int) -> Time:
            tick = program.shown_tick()
            return time if tick is None else tick.instant(time) if given.form == "parquet" else tick.iso(time)

        def diagnostics() -> list[Diagnostic]:
            late = report.late.warnings("to accept later facts, a longer --delay")
            rejected = left_out(program, *engine.left_out(), engine.examples())
            return [*gaps.warnings(), *bad.warnings(), *late, *rejected]

        records = signed_answers(engine, feeds, end, report, show)
        with complaining_if_interrupted(diagnostics, given.quiet):
            write_output(records, given.form, given.output, ["time", "change", "predicate", *names], given.quiet)
        bad.check()
    if not given.quiet:
        complain(diagnostics())
        say(
            f"{report.time_points:,} time points, {report.facts:,} facts in, {report.atoms:,} atoms out, "
            f"{clock.monotonic() - begun:.1f} s"
        )


def delays_of(feeds: list[Feed], timing: Timing) -> dict[str, Delay]:
    """The delay of each stream."""
    named: Mapping[str, Delay] = timing.delay if isinstance(timing.delay, Mapping) else {}
    return {feed.name: named.get(feed.name, timing.others) for feed in feeds}


def signed_answers(
    engine: Engine, feeds: list[Feed], end: int | None, report: Report, show_time: ShowTime
) -> Iterator[list[Record]]:
    """For each time point, its answer as additions; and as corrections, additions and removals for earlier ones.

    Added up, the rows are the answers of the sorted streams.
    """
    standing, reached = Standing(), engine.time

    def printed(update: Update) -> list[Record]:
        nonlocal reached
        rows = [(c.time, sign, atom) for c in update.corrections for sign, atom in _signed(c)]
        steps = {step.time: step for step in update.steps()}
        start, now = engine.start, engine.time
        if start is None or now is None:
            return []
        if reached is not None and reached >= start and reached in steps:  # what is different now
            rows += ((reached, sign, atom) for sign, atom in _signed(steps[reached]))
            standing.apply(steps[reached])
        for time in range(start if reached is None else max(reached + 1, start), now + 1):
            if time in steps:
                standing.apply(steps[time])
            rows += ((time, "+", atom) for atom in standing.at(time).atoms)
        reached, report.time_points = now, now - start + 1
        report.atoms += sum(1 if sign == "+" else -1 for _, sign, _ in rows)
        records = [_record(time, sign, atom, show_time) for time, sign, atom in rows]
        return sorted(records, key=lambda record: (record.fields["time"], record.text[1:], record.text))

    for arrival in together(feeds):
        if end is not None and arrival.time > end:
            continue
        report.facts += len(arrival.facts)
        yield printed(engine.push_at(arrival.time, arrival.instant, arrival.facts, arrival.source))
    if end is not None:
        yield printed(engine.advance_to(end))


def together(feeds: list[Feed]) -> Iterator[Arrival]:
    """Facts of one time point that come one after the other, as far as nobody has to wait for the next one: so a time
    point is not answered again for each of its facts. Files are read side by side, by time."""
    source = Feeds(feeds, WallClock(), in_threads=True)
    reached: dict[str, float] = {feed.name: -inf for feed in feeds if not feed.live}
    group: Arrival | None = None
    while names := source.running():
        slowest = min((name for name in names if name in reached), key=lambda name: reached[name], default=None)
        for name, (time, instant, atom) in source.take(names if slowest is None else [slowest], None, _ended):
            fact = (atom.predicate, *atom.args)
            if name in reached:
                reached[name] = max(reached[name], time)
            if group is not None and (group.source, group.time) == (name, time):
                group.instant = max(group.instant, instant)
                group.facts.append(fact)
                continue
            if group is not None:
                yield group
            group = Arrival(name, time, instant, [fact])
        if group is not None and slowest is None:  # the next one may take its time
            yield group
            group = None
    if group is not None:
        yield group


def _ended(_: str) -> None:
    """A stream without more facts needs nothing here."""


def _signed(change: Any) -> Iterator[tuple[str, Atom]]:
    yield from (("+", atom) for atom in change.added)
    yield from (("-", atom) for atom in change.removed)


def _record(time: int, sign: str, atom: Atom, show_time: ShowTime) -> Record:
    shown = show_time(time)
    return Record({"time": shown, "change": sign}, atom, f"{sign}{atom} at {time_text(shown)}.\n")
