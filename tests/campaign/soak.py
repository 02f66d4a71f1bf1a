"""A long run with ever-new names, late rows and reloads of the program: memory and cost must stay flat.

Two things are soaked, each in a process of its own: `Engine`, with `push` and `replace`, and a pipeline with
`engine = "local"`, the command itself, which follows growing files and reads its program again on a hang-up. Memory is
the resident memory of the process. Cost is processor time per fact, in units of a yardstick: a fixed piece of work that
is measured beside each sample, because a machine with other work to do takes more processor time for the same thing.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from lasing import Engine
from lasing.limits import resident

WHAT = ("engine", "pipeline")
MOST = 1.1
"""How much more the last tenth may take than the second."""
SAMPLES = 200
RELOADS = 60
DELAY = 3
PROGRAMS = tuple(
    f"""
#input reading/2.
#input opened/2.
hot(S) :- reading(S, V) in [20], V > {limit}.
alarm(S, D) :- reading(S, V) in [20], opened(S, D) in [20], V > 50.
quiet(S) :- opened(S, D) in [20], not reading(S, 7) in [20].
"""
    for limit in (90, 80)
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A moment of a soak: how many facts there were until then, their processor time, and the resident memory."""

    facts: int
    seconds: float
    memory: int
    yardstick: float
    """How many seconds the yardstick took at this moment."""


@dataclass(frozen=True, slots=True)
class Tenth:
    """The figures of a tenth: microseconds of processor time per fact, the same in thousandths of the yardstick, and
    the most megabytes."""

    micros: float
    cost: float
    memory: float


@dataclass(frozen=True, slots=True)
class Soaked:
    """The figures of the tenths of a run."""

    facts: int
    tenths: tuple[Tenth, ...]
    late: int
    reloads: int

    @property
    def cost_ratio(self) -> float:
        return self.tenths[9].cost / self.tenths[1].cost

    @property
    def memory_ratio(self) -> float:
        return self.tenths[9].memory / self.tenths[1].memory

    def __str__(self) -> str:
        second, last = self.tenths[1], self.tenths[9]
        return (
            f"{self.facts:,} facts, {self.late:,} late, {self.reloads} reloads; second and last tenth: "
            f"{second.micros:.2f} and {last.micros:.2f} µs a fact, by the yardstick {self.cost_ratio:.2f}x; "
            f"{second.memory:.0f} and {last.memory:.0f} MB, {self.memory_ratio:.2f}x"
        )


Figures = tuple[list[Sample], int, int]
"""The samples of a run, the number of late facts that were set aside, and how often the program changed."""


def soaked(samples: list[Sample], late: int, reloads: int) -> Soaked:
    """What the samples of a run say."""
    facts = samples[-1].facts
    tenths = []
    for tenth in range(10):
        first, last = facts * tenth // 10, facts * (tenth + 1) // 10
        inside = [sample for sample in samples if first <= sample.facts <= last]
        assert len(inside) >= 2, f"{len(samples)} samples are too few to compare tenths"
        spent, done = inside[-1].seconds - inside[0].seconds, inside[-1].facts - inside[0].facts
        yardstick = median(sample.yardstick for sample in inside)
        tenths.append(
            Tenth(spent / done * 1e6, spent / done / yardstick * 1e3, max(sample.memory for sample in inside) / 1e6)
        )
    return Soaked(facts, tuple(tenths), late, reloads)


def yardstick() -> float:
    """How many seconds of processor time a fixed piece of work takes now: dictionaries, texts and arrays."""
    begun = time.thread_time()
    known: dict[str, int] = {}
    for number in range(20_000):
        known[f"s{number}"] = number
    numbers = np.arange(200_000) * 7 % 100_003
    assert int(np.sort(numbers)[0]) == 0
    assert sum(known.values()) == 199_990_000
    return time.thread_time() - begun


def soak(what: str, facts: int, folder: Path, shown: Callable[[int], None]) -> Soaked:
    """Soak the engine or a pipeline; `shown` is told how many facts are done."""
    return soaked(*(soak_engine(facts, shown) if what == "engine" else soak_pipeline(facts, folder, shown)))


# -- the engine --------------------------------------------------------------------------------------------------------

PER_POINT = 100


def soak_engine(facts: int, shown: Callable[[int], None]) -> Figures:
    """Feed an engine in a process of its own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=feed, args=(facts, there))
    process.start()
    there.close()
    samples: list[Sample] = []
    late = reloads = 0
    while True:
        try:
            sample, late, reloads = here.recv()
        except EOFError:
            break
        samples.append(sample)
        shown(sample.facts)
    process.join()
    assert process.exitcode == 0, f"it ended with {process.exitcode}"
    assert samples[-1].facts >= facts, f"it ended after {samples[-1].facts:,} facts"
    return samples, late, reloads


def feed(most: int, to: Connection) -> None:
    """Feed an engine. Five readings have the same name, which never comes again; every tenth time point gets a late
    fact in time, every fiftieth one that is too late, and the program changes every sixtieth of the run."""
    late = reloads = done = number = point = 0

    def count(_: Any) -> None:
        nonlocal late
        late += 1

    engine = Engine(PROGRAMS[0], start=0, delay=DELAY, on_late=count)
    spent, changes = 0.0, 0
    every, next_sample = max(1, most // PER_POINT // RELOADS), 0
    while done < most:
        point += 1
        facts: list[tuple[str, str, int | str]] = []
        for _ in range(PER_POINT - 1):
            number += 1
            facts.append(("reading", f"s{number // 5}", number * 7 % 100))
        facts.append(("opened", f"s{number // 5}", f"d{point}"))
        begun = time.process_time()
        update = engine.push(point, facts)
        changes += len(update.added) + len(update.removed)
        if point % 10 == 0:
            engine.push(point - 2, [("reading", f"s{number // 5}", 99)])
            done += 1
        if point % 50 == 0:
            engine.push(point - DELAY - 2, [("reading", f"s{number // 5}", 99)])
            done += 1
        if point % every == 0:
            reloads += 1
            engine.replace(PROGRAMS[reloads % 2])
        spent += time.process_time() - begun
        done += len(facts)
        if done >= next_sample:
            to.send((Sample(done, spent, resident(), yardstick()), late, reloads))
            next_sample += most // SAMPLES
    assert late == point // 50, f"{late} of {point // 50} late facts were set aside"
    assert changes > most // 100, "it derived hardly anything"
    to.send((Sample(done, spent, resident(), yardstick()), late, reloads))


# -- a pipeline --------------------------------------------------------------------------------------------------------

_BLOCK = 10_000
_MOST_AHEAD = 1_000_000
"""How many rows may have been written that the pipeline has not read yet."""
_PER_POINT = 1000
_EVERY_LATE = 100
TEXT = f"""
program = "soak.lars"
engine = "local"
view = "changes"
checkpoint = "state"
checkpoint_every = "{{every}}"
keep = 3
delay = {DELAY}
[sources.reading]
format = "csv"
path = "reading.csv"
schema = "time bigint, s string, v bigint"
[sources.opened]
format = "csv"
path = "opened.csv"
schema = "time bigint, s string, d string"
[sinks.hot]
format = "file"
path = "hot.jsonl"
most_bytes = 10000000
keep = 2
[sinks.alarm]
format = "file"
path = "alarm.jsonl"
most_bytes = 10000000
keep = 2
[sinks.quiet]
format = "file"
path = "quiet.jsonl"
most_bytes = 10000000
keep = 2
[late]
format = "file"
path = "late.jsonl"
most_bytes = 10000000
keep = 2
"""


def soak_pipeline(facts: int, folder: Path, shown: Callable[[int], None]) -> Figures:
    """Let files grow that a pipeline follows."""
    program = folder / "soak.lars"
    program.write_text(PROGRAMS[0])
    every = "1 sec" if facts > 10_000_000 else "50 ms"  # so that short runs have enough samples too
    (folder / "soak.toml").write_text(TEXT.format(every=every))
    said, metrics = folder / "said", folder / "metrics.jsonl"
    command = [sys.executable, "-m", "lasing", "pipeline", str(folder / "soak.toml"), "--quiet"]
    samples: list[Sample] = []
    with (
        said.open("wb") as printed,
        (folder / "reading.csv").open("wb") as readings,
        (folder / "opened.csv").open("wb") as opened,
        metrics.open("a+", encoding="utf-8") as reported,
    ):
        readings.write(b"time,s,v\n")
        opened.write(b"time,s,d\n")
        readings.flush()
        opened.flush()
        process = subprocess.Popen([*command, "--metrics", str(metrics)], stdout=printed, stderr=printed)
        try:
            known, late, reloads = _Metrics(reported), 0, 0
            blocks, ahead = _blocks(facts), max(2 * _BLOCK, min(_MOST_AHEAD, facts // 100))
            written, over = 0, False
            while known.events < facts:
                if not over and written - known.events < ahead:
                    try:
                        written += _write(next(blocks), readings, opened)
                    except StopIteration:
                        over = True
                else:
                    time.sleep(0.01)
                assert process.poll() is None, f"it ended with {process.poll()}: {said.read_text()}"
                if known.read():
                    samples.append(
                        Sample(known.events, _processor_seconds(process.pid), _resident(process.pid), yardstick())
                    )
                    shown(known.events)
                    if known.events >= (reloads + 1) * facts // RELOADS:
                        reloads += 1
                        changed = folder / "changed.lars"
                        changed.write_text(PROGRAMS[reloads % 2])
                        changed.rename(program)
                        process.send_signal(signal.SIGHUP)
            late = known.late
            process.send_signal(signal.SIGTERM)
            assert process.wait(900) == 0, said.read_text()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    assert known.events == facts, f"{known.events:,} facts arrived, of {facts:,}"
    assert "is not used" not in said.read_text(), said.read_text()
    reloads -= said.read_text().count("has not changed")  # two requests came so close together that they became one
    assert late == facts // _BLOCK, f"{late} late facts were set aside, of {facts // _BLOCK}"
    return samples, late, reloads


class _Metrics:
    """What a pipeline has reported so far."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._rest = ""
        self.events = self.late = 0

    def read(self) -> bool:
        """Whether anything is new."""
        *lines, self._rest = (self._rest + self._file.read()).split("\n")
        for line in lines:
            batch = json.loads(line)
            self.events += batch["events"]
            self.late += batch["late"]
        return bool(lines)


def _blocks(facts: int) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Rows in the order of their arrival: every five readings have a new name; one in a hundred comes late, within the
    delay; and one in each block too late."""
    assert facts % _BLOCK == 0, f"the number of facts must be a multiple of {_BLOCK:,}"
    points = _BLOCK // _PER_POINT
    for block in range(facts // _BLOCK):
        first = block * _BLOCK
        numbers = np.arange(first, first + _BLOCK - points)
        times = DELAY * 2 + block * points + np.arange(len(numbers)) * points // len(numbers)
        times[_EVERY_LATE - 1 :: _EVERY_LATE] -= 2
        times[-1] -= DELAY + 3
        names = np.char.add("s", (numbers // 5).astype(str))
        readings = pa.table({"time": times, "s": names, "v": numbers * 7 % 100})
        moments = DELAY * 2 + block * points + np.arange(points)
        some = np.char.add("s", (first // 5 + np.arange(points) * (_PER_POINT // 5)).astype(str))
        ids = np.char.add("d", moments.astype(str))
        yield readings, pa.table({"time": moments, "s": some, "d": ids})


_UNQUOTED = pacsv.WriteOptions(include_header=False, quoting_style="none")


def _write(tables: tuple[pa.Table, pa.Table], *files: IO[bytes]) -> int:
    for table, file in zip(tables, files, strict=True):
        pacsv.write_csv(table, file, _UNQUOTED)
        file.flush()
    return sum(table.num_rows for table in tables)


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
