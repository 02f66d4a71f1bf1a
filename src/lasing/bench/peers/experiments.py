"""What do the jobs cost in systems that users would pick instead? Each run is a process, from CSV to CSV.

A job runs on two streams, one long and one short. The slope of the line through both is what a reading costs; where it
meets no readings at all is the start-up. The results of all contenders are compared before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.records import Cell, Experiment
from lasing.bench.measuring.turns import DisagreementError
from lasing.bench.peers.bytewax import BYTEWAX
from lasing.bench.peers.contenders import FailedError, Peer, Runner, Took, ours, runner
from lasing.bench.peers.duckdb import DUCKDB
from lasing.bench.peers.environments import NotInstalledError, provide
from lasing.bench.peers.flink import FLINK
from lasing.bench.peers.jobs import JOBS, Job, Rows, write_streams
from lasing.bench.peers.meteor import METEOR
from lasing.bench.peers.pathway import PATHWAY
from lasing.bench.peers.polars import POLARS
from lasing.bench.peers.pyreason import PYREASON
from lasing.bench.reporting.tables import is_ours

NAME, OURS, OURS_IN_FULL = "peers", "lasing", "lasing, answers"
ALL_PEERS: tuple[Peer, ...] = (FLINK, BYTEWAX, PATHWAY, POLARS, DUCKDB, METEOR, PYREASON)
OUR_SECONDS = (400, 20_000)

READING, READING_BY_CLOCK = "a reading, µs of the processor", "a reading, µs by the clock"
START, START_BY_CLOCK = "the start, s of the processor", "the start, s by the clock"
FIGURES = (READING, READING_BY_CLOCK, START, START_BY_CLOCK)

TURNS_QUICKLY, TURNS = 1, 3
"""A run of Flink takes a quarter of a minute before it reads anything, so there are fewer turns than elsewhere."""


@dataclass(frozen=True)
class Entry:
    """A contender at work on a job, and the lengths of its streams."""

    runner: Runner
    seconds: tuple[int, int]


@dataclass
class Streams:
    """Generated streams by length, each in its own folder."""

    folder: Path
    _written: dict[int, dict[str, int]] = field(default_factory=dict)

    def at(self, seconds: int) -> Path:
        """The folder of a stream."""
        folder = self.folder / str(seconds)
        if seconds not in self._written:
            folder.mkdir()
            self._written[seconds] = write_streams(folder, seconds)
        return folder

    def readings(self, job: Job, seconds: int) -> int:
        """The rows that a job reads of a stream."""
        self.at(seconds)
        return sum(self._written[seconds][stream] for stream in job.streams)


def cells(effort: Effort) -> Iterator[Cell]:
    """Cells of all peers, each in its own environment."""
    runners, missing = provided(ALL_PEERS)
    effort = replace(effort, turns=TURNS if effort.length > 1 else TURNS_QUICKLY)
    mine = ours(OURS), ours(OURS_IN_FULL, "answers")
    yield from measured(mine, OUR_SECONDS, ALL_PEERS, runners, missing, effort)


def provided(peers: Sequence[Peer]) -> tuple[dict[str, Runner], dict[str, str]]:
    """A runner for each peer by its name, or why there is none. A peer that can do no job is not installed."""
    runners, missing = {}, {}
    for peer in peers:
        if set(JOBS) <= set(peer.cannot):
            continue
        try:
            environment = provide((*peer.requirements, *peer.more()))
        except NotInstalledError as error:
            missing[peer.name] = str(error)
        else:
            runners[peer.name] = runner(peer, environment)
    return runners, missing


def measured(
    mine: Sequence[Runner],
    seconds: tuple[int, int],
    peers: Sequence[Peer],
    runners: Mapping[str, Runner],
    missing: Mapping[str, str],
    effort: Effort,
) -> Iterator[Cell]:
    """The cells of all jobs: for each contender its four figures, or why there are none."""
    with TemporaryDirectory() as name:
        streams = Streams(Path(name))
        for job in JOBS.values():
            entries = [Entry(one, _lengths(seconds, effort)) for one in mine]
            notes: dict[str, str] = {}
            for peer in peers:
                why = peer.cannot.get(job.name, missing.get(peer.name, ""))
                if why:  # in the column that it has for other jobs
                    notes[runners[peer.name].name if peer.name in runners else peer.name] = why
                else:
                    entries.append(Entry(runners[peer.name], _lengths(peer.seconds, effort)))
            notes |= check(job, entries, streams)
            entries = [entry for entry in entries if entry.runner.name not in notes]
            yield from _cells(job, entries, streams, effort.turns, notes)


def _lengths(seconds: tuple[int, int], effort: Effort) -> tuple[int, int]:
    short, long = seconds
    return short, long * effort.length


def check(job: Job, entries: Sequence[Entry], streams: Streams) -> dict[str, str]:
    """Run each contender on its shorter stream; returns which failed, and why.

    `DisagreementError` if one's result differs from ours, which comes first.
    """
    mine, *others = entries
    wanted: dict[int, Rows] = {}
    failed: dict[str, str] = {}
    for entry in others:
        length = entry.seconds[0]
        if length not in wanted:
            wanted[length] = _result(job, mine.runner, streams, length)
        try:
            found = _result(job, entry.runner, streams, length)
        except FailedError as error:
            failed[entry.runner.name] = str(error)
            continue
        if found != wanted[length]:
            raise DisagreementError(
                f"{job.title}: only {mine.runner.name} has {_some(wanted[length] - found)}, "
                f"and only {entry.runner.name} {_some(found - wanted[length])}"
            )
    return failed


def _result(job: Job, contender: Runner, streams: Streams, seconds: int) -> Rows:
    out = streams.folder / f"result{contender.suffix}"
    contender.run(job, streams.at(seconds), out)
    return contender.read(job, out, contender.columns(job), seconds)


def _some(rows: Rows) -> list[tuple[str | int | float, ...]]:
    return sorted(rows, key=str)[:3]


def _cells(
    job: Job, entries: Sequence[Entry], streams: Streams, turns: int, notes: Mapping[str, str]
) -> Iterator[Cell]:
    """Contenders take turns, each on its short stream and then on its long one."""
    taken: dict[str, list[tuple[Took, Took]]] = {entry.runner.name: [] for entry in entries}
    failed = dict(notes)
    for _ in range(turns):
        for entry in entries:
            name, runs = entry.runner.name, []
            out = streams.folder / f"result{entry.runner.suffix}"
            if name not in failed:
                try:
                    runs = [entry.runner.run(job, streams.at(seconds), out) for seconds in entry.seconds]
                except FailedError as error:
                    failed[name] = str(error)
                else:
                    taken[name].append((runs[0], runs[1]))
    sizes = {e.runner.name: tuple(streams.readings(job, seconds) for seconds in e.seconds) for e in entries}
    found = {name: lines(runs, *sizes[name]) for name, runs in taken.items() if name not in failed}
    for figure in FIGURES:
        settings = {"job": job.title, "cost of": figure}
        for name in dict.fromkeys((*taken, *failed)):
            if name in failed:
                yield Cell(NAME, name, "answers", settings, note=failed[name])
            else:
                yield _cell(name, settings, found[name][figure], found[OURS][figure] if OURS in found else [])


def lines(runs: Sequence[tuple[Took, Took]], short: int, long: int) -> dict[str, list[float]]:
    """The figures of each turn: slope and start of the line through both runs.

    >>> found = lines([(Took(2.0, 1.0), Took(5.0, 2.5))], 1_000, 2_000)
    >>> found[READING], found[START]
    ([1500.0], [-0.5])
    """
    figures: dict[str, list[float]] = {figure: [] for figure in FIGURES}
    sides: tuple[tuple[str, str, Callable[[Took], float]], ...] = (
        (READING, START, lambda took: took.processor),
        (READING_BY_CLOCK, START_BY_CLOCK, lambda took: took.clock),
    )
    for first, second in runs:
        for reading, start, of in sides:
            slope = (of(second) - of(first)) / (long - short)
            figures[reading].append(slope * 1e6)
            figures[start].append(of(first) - slope * short)
    return figures


def _cell(name: str, settings: Mapping[str, int | str], costs: Sequence[float], own: Sequence[float]) -> Cell:
    if median(costs) <= 0:
        return Cell(NAME, name, "answers", settings, note="less than the noise of this run")
    low, middle, high = (float(q) for q in np.percentile(costs, (25, 50, 75)))
    ratios = [cost / one for cost, one in zip(costs, own, strict=True) if one > 0] if own else []
    return Cell(NAME, name, "answers", settings, middle, (low, high), median(ratios) if ratios else None)


def sentences(found: list[Cell]) -> list[str]:
    """Whether a reading costs Flink ten times as much as us, and which contenders are faster than we are."""
    said = []
    for job in JOBS.values():
        costs = {
            cell.contender: cell
            for cell in found
            if cell.settings["job"] == job.title and cell.settings["cost of"] == READING and cell.ratio is not None
        }
        flink = next((cell for name, cell in costs.items() if name.startswith(FLINK.name)), None)
        if flink is not None and flink.ratio is not None:
            reached = "reached" if flink.ratio >= 10 else "not reached"
            said.append(f"{job.title}: a reading costs Flink {flink.ratio:.2g}x (bar: 10x, {reached}).")
        batch = tuple(peer.name for peer in ALL_PEERS if peer.batch)
        faster = [
            f"{name}{' (batch)' if name.startswith(batch) else ''} {1 / cell.ratio:.2g}x"
            for name, cell in costs.items()
            if cell.ratio is not None and 0 < cell.ratio < 1 and not is_ours(name)
        ]
        if faster:
            said.append(f"{job.title}: faster than lasing are {', '.join(faster)}.")
    return said


PEERS: tuple[Experiment, ...] = (
    Experiment(
        NAME,
        "What users would pick instead",
        "What do four jobs cost in Flink, Bytewax, Pathway, Polars, DuckDB, MeTeoR and PyReason, CSV to CSV?",
        cells,
        lambda _: len(JOBS) * len(FIGURES) * (2 + len(ALL_PEERS)),
        unit="the unit of each row",
        sentences=sentences,
    ),
)
"""The experiment with all peers."""
