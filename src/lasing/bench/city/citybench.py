"""What a graph costs our engine, tick by tick and in batches, and pyoxigraph on the content of each window.

Costs are processor time. Reports come every second, as CityBench has it, or with every graph. pyoxigraph's store is
brought up to date with what enters and leaves the window, and has the window's content once, although the query has two
windows on the stream. Tick by tick, both get objects: facts, or quads. In batches, both read N-Triples from a file.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyoxigraph import Quad, QuerySolutions, RdfFormat, Store, parse

from lasing.bench.city.workload import RANGE, RATE, City, Journeys, program, window_query
from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.turns import Contender, DisagreementError, Step, Timing, take_turns
from lasing.connectors.rdf.terms import value_of_term
from lasing.live.engine import Engine
from lasing.logic.results import Row, rows_of
from lasing.session import run

CHECKED = 10
"""How many reports are compared."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Microseconds of a graph: of our engine, tick by tick and in batches, and of pyoxigraph, which also parses it.

    `ratio` is pyoxigraph's cost divided by ours tick by tick, the median over turns.
    """

    setting: str
    ticks: float
    batches: float
    windows: float
    parsing: float
    ratio: float

    @property
    def ratio_in_batches(self) -> float:
        """pyoxigraph's cost with parsing, divided by ours from a file."""
        return (self.windows + self.parsing) / self.batches


def citybench(effort: Effort) -> Iterator[Costs]:
    """One journey or all of them, reports every second or with every graph."""
    seconds = 3 * effort.length
    city = City(RANGE + seconds * RATE)
    reports: dict[tuple[Journeys, int], int] = {
        ("one journey", RATE): seconds,
        ("one journey", 1): 200,
        ("every journey", RATE): seconds,
        ("every journey", 1): 30,
    }
    for (journeys, step), number in reports.items():
        setting, more = Setting(city, journeys, step), 1 if step == RATE else 10
        setting.check(min(number, CHECKED))
        contenders = [
            Contender("our engine", partial(_pushing, setting, more)),
            Contender("pyoxigraph", partial(_querying, setting)),
        ]
        mine, other = take_turns(contenders, number, 0, effort.turns, time.process_time)
        often = "every second" if step == RATE else "with every graph"
        yield Costs(
            f"{journeys}, a report {often}",
            mine.total / (number * more * step) * 1e6,
            setting.in_batches(effort.turns),
            other.total / (number * step) * 1e6,
            _parsing(city, effort.turns),
            other.over(mine) * more,
        )


def _pushing(setting: Setting, more: int) -> Step:
    """Our engine takes `more` time points in each step: enough of them to measure."""
    live = Live(setting)
    return lambda number: [live.push(point) for point in range(number * more, (number + 1) * more)]


def _parsing(city: City, turns: int) -> float:
    """Microseconds in which pyoxigraph parses a graph."""
    lines = "".join(f"{t.subject} {t.predicate} {t.object} .\n" for triples in city.triples for t in triples).encode()

    def parse_all(_: int) -> int:
        return sum(1 for _ in parse(lines, RdfFormat.N_TRIPLES))

    (found,) = take_turns([Contender("parsing", lambda: parse_all)], 1, 0, turns, time.process_time)
    return found.total / city.graphs * 1e6


def _querying(setting: Setting) -> Step:
    return OnWindows(setting).report


@dataclass(frozen=True)
class Setting:
    """The query over a city, with windows that move every `step` milliseconds."""

    city: City
    journeys: Journeys
    step: int

    @property
    def first(self) -> int:
        """The first time point whose windows are full."""
        return RANGE // self.step

    def graphs(self, point: int) -> slice:
        """The graphs of a time point."""
        return slice(point * self.step, (point + 1) * self.step)

    def check(self, reports: int) -> None:
        """Raise `DisagreementError` unless both report the same rows."""
        ours, theirs = Live(self), OnWindows(self)
        for number in range(reports):
            ours.push(number)
            mine: Counter[Row] = Counter(ours.rows())
            other: Counter[Row] = Counter(tuple(map(value_of_term, row)) for row in theirs.report(number))
            if mine != other or not other:
                raise DisagreementError(
                    f"{self.journeys}, report {number}: only ours has {list((mine - other).elements())[:3]}, and only "
                    f"pyoxigraph {list((other - mine).elements())[:3]}, of {other.total()} rows"
                )

    def in_batches(self, turns: int) -> float:
        """Microseconds of a graph in a run over a file of N-Triples, reading included; its start is not."""
        checked, known = program(self.journeys, self.step), self.city.known

        def whole(path: Path) -> int:
            columns = run(checked, path, start=0, end=self.city.graphs // self.step - 1, data=known).columns()
            return sum(map(len, columns or ()))

        with TemporaryDirectory() as folder:
            files = [Path(folder) / "first.nt", Path(folder) / "all.nt"]
            for path, graphs in zip(files, (1, self.city.graphs), strict=True):
                with path.open("w", encoding="utf-8") as file:
                    file.writelines(self.city.lines(self.step, graphs))
            contenders = [Contender(path.stem, partial(_once, whole, path)) for path in files]
            empty, full = take_turns(contenders, 1, 0, turns, time.process_time)
        return Timing("", full.seconds - empty.seconds).total / self.city.graphs * 1e6


def _once(whole: Callable[[Path], int], path: Path) -> Step:
    return lambda _: whole(path)


@dataclass
class Live:
    """Our engine with full windows: facts in, changes out, as tuples."""

    setting: Setting
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        setting = self.setting
        self._program = program(setting.journeys, setting.step)
        self.engine = Engine(self._program, start=0, data=setting.city.known)
        facts = [[fact for one in setting.city.facts[setting.graphs(t)] for fact in one] for t in range(self._points)]
        self._facts = facts
        for point in range(setting.first):
            self.engine.push(point, facts[point])

    @property
    def _points(self) -> int:
        return self.setting.city.graphs // self.setting.step

    def push(self, number: int) -> Any:
        point = self.setting.first + number
        return self.engine.push(point, self._facts[point]).rows()

    def rows(self) -> list[Row]:
        """The rows that hold."""
        (output,) = self._program.outputs or ()
        return rows_of(output, self.engine.answer().atoms)


@dataclass
class OnWindows:
    """pyoxigraph: a query on the content of each window."""

    setting: Setting
    store: Store = field(default_factory=Store)

    def __post_init__(self) -> None:
        setting = self.setting
        self._query = window_query(setting.journeys)
        self.store.extend(Quad(t.subject, t.predicate, t.object) for t in setting.city.background)
        self.store.extend(quad for one in setting.city.quads[:RANGE] for quad in one)

    def report(self, number: int) -> list[tuple[Any, ...]]:
        """The rows of a report; then the store moves on to the next window."""
        found = self.store.query(self._query)
        assert isinstance(found, QuerySolutions)
        rows = list(map(tuple, found))
        point, setting = self.setting.first + number, self.setting
        self.store.extend(quad for one in setting.city.quads[setting.graphs(point)] for quad in one)
        for one in setting.city.quads[setting.graphs(number)]:
            for quad in one:
                self.store.remove(quad)
        return rows
