"""The bars for event patterns: what a graph costs in the scenarios of the DOTR paper.

Everything is prepared once and measured in turns: processor time, from facts of Python values to triples. A growth is
the ratio of two medians of the same turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from lasing.bench.bars.blocks import Line
from lasing.bench.dotr.city import CitySetting
from lasing.bench.dotr.experiments import (
    DEFAULT,
    LONG,
    LOOPS,
    STRETCH,
    Found,
    Scenario,
    all_agree,
    busy,
    contenders,
    prepared,
    same_results,
)
from lasing.bench.dotr.live import Live
from lasing.bench.dotr.sensors import WINDOW, BySensor
from lasing.bench.measuring.course import FULL, Effort
from lasing.bench.measuring.records import Cell
from lasing.bench.scale.stretches import OURS, Entry, Ready, measured


@dataclass(frozen=True)
class Sizes:
    """How far the bars go: further in a full run."""

    triples: int
    datalog: int


def bars(effort: Effort) -> Iterator[Line]:
    """All bars for event patterns."""
    yield from _scenarios(effort)
    yield from _growths(effort)
    yield from _constants(effort)
    yield from _long_pattern(effort)


def _scenarios(effort: Effort) -> Iterator[Line]:
    settings: dict[str, tuple[Scenario, int]] = {
        "the default scenario": (DEFAULT, 200),
        "1,000 rules, all of which fire": (replace(DEFAULT, rules=1_000), 300),
        "CityBench's first query, one journey, 1,000 graphs a second": (CitySetting("Q1", "one journey", 1_000), 300),
        "CityBench's second query, one journey, 1,000 graphs a second": (CitySetting("Q2", "one journey", 1_000), 150),
    }
    for setting, _ in settings.values():
        is_long = isinstance(setting, CitySetting) and effort.length < FULL.length
        all_agree(replace(setting, rate=setting.rate // 10) if is_long else setting)  # a shorter window to fill
    prepare = {
        name: partial(prepared, setting, contenders(setting)[OURS], effort.turns)
        for name, (setting, _) in settings.items()
    }
    for name, cost in _costs(prepare, effort).items():
        most = settings[name][1]
        yield Line(name, f"{cost / 1000:.3f} ms a graph", f"at most {most / 1000:g} ms a graph", cost <= most)


def _growths(effort: Effort) -> Iterator[Line]:
    sizes = Sizes(1_000_000, 100_000) if effort.length >= FULL.length else Sizes(30_000, 3_000)
    settings = {
        "triples, few": replace(DEFAULT, triples=1_000),
        "triples, many": replace(DEFAULT, triples=sizes.triples),
        "rules, few": replace(DEFAULT, datalog=1_000),
        "rules, many": replace(DEFAULT, datalog=sizes.datalog),
    }
    prepare = {
        name: partial(prepared, setting, contenders(setting)[OURS], effort.turns) for name, setting in settings.items()
    }
    costs = _costs(prepare, effort)
    for name, what, last, most in (
        ("triples", "triples of background", sizes.triples, 1.2),
        ("rules", "Datalog rules", sizes.datalog, 3.0),
    ):
        growth = costs[f"{name}, many"] / costs[f"{name}, few"]
        measured_text = f"{growth:.2f}x ({costs[f'{name}, few']:.0f} µs a graph at first)"
        yield Line(f"1,000 → {last:,} {what}: growth of cost", measured_text, f"at most {most:g}x", growth <= most)


def _constants(effort: Effort) -> Iterator[Line]:
    costs = _costs({str(n): partial(_by_sensor, BySensor(n), effort.turns) for n in (1, 1_000)}, effort)
    growth = costs["1000"] / costs["1"]
    what = "1,000 rules of TESLA that differ only in constants, of which an event concerns one"
    yield Line(what, f"{growth:.2f}x one rule ({costs['1']:.0f} µs an event)", "at most 1.5x one rule", growth <= 1.5)


def _by_sensor(setting: BySensor, turns: int) -> Ready:
    live, first = Live(setting.program), WINDOW + 1
    stream = setting.events(first + STRETCH * (turns + 1))
    for t in range(first):
        live.step(t, stream[t])

    def go(number: int) -> None:
        for t in range(first + number * STRETCH, first + (number + 1) * STRETCH):
            live.step(t, stream[t])

    return Ready(go, STRETCH)


def _long_pattern(effort: Effort) -> Iterator[Line]:
    for name, setting in busy(effort).items():
        make = contenders(setting)
        found: dict[str, Found] = {OURS: [], LOOPS: []}
        prepare = {who: partial(prepared, setting, make[who], effort.turns, found[who]) for who in found}
        costs = _costs(prepare, effort)
        same_results(setting, found)
        ratio = costs[LOOPS] / costs[OURS]
        graphs = f"{setting.window:,} graphs and {setting.rooms} rooms in the window"
        what = f"a pattern of {LONG} events, {name}: {graphs}, against nested loops"
        yield Line(what, f"{ratio:.1f}x ({costs[OURS]:.0f} µs a graph)", "at least 5x faster", ratio >= 5)


def _costs(prepare: Mapping[str, Callable[[], Ready]], effort: Effort) -> dict[str, float]:
    """Microseconds of a graph, by name."""
    entries = [Entry(name, "changes", {}, ready) for name, ready in prepare.items()]
    cells: list[Cell] = measured("dotr", entries, effort.turns)
    return {cell.contender: cell.cost or 0.0 for cell in cells}
