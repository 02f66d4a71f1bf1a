"""What does a graph cost an event pattern? Section 5 of the DOTR paper: the default scenario by phase, and sweeps.

All contenders take facts of Python values and return triples. Before they are timed, they must have the same results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Protocol, get_args

from lasing.bench.dotr import siddhi
from lasing.bench.dotr.by_hand import Dictionaries, NestedLoops
from lasing.bench.dotr.city import CityByHand, CitySetting
from lasing.bench.dotr.live import Live
from lasing.bench.dotr.phases import PAPER, PHASES, Phases
from lasing.bench.dotr.workloads import Fact, Policy, Setting, Triple
from lasing.bench.measuring.course import FULL, Effort
from lasing.bench.measuring.records import Cell, Experiment, Figure
from lasing.bench.measuring.turns import DisagreementError
from lasing.bench.scale.slopes import Words, sentences
from lasing.bench.scale.stretches import OURS, Entry, Ready, measured

BY_HAND, LOOPS, SIDDHI = "dictionaries", "nested loops", "Siddhi"
UNIT = "µs per graph"
STRETCH = 200
"""The graphs of a stretch."""
CHECKED = 100
"""The graphs whose results are compared, after the windows are full."""
MOST_COMPARED = 1_000
"""Windows with more graphs than this are compared only once they are full, in the stretch that does not count."""
LONG = 10
"""The events of the longest pattern."""
BUSY = {
    "each, busy": Setting(rules=1, policy="each", rate=100, seconds=30, rooms=150),
    "each, very busy": Setting(rules=1, policy="each", rate=1_000, seconds=10, rooms=500),
}
"""Many readings and many rooms: a window has 3,000 or 10,000 graphs, and about two readings of an event in a room."""

Settings = Mapping[str, int | str]
Scenario = Setting | CitySetting


class Patterns(Protocol):
    """A contender: the triples of the results at a time point, for a graph."""

    def step(self, t: int, graph: list[Fact]) -> list[Triple]: ...


Make = Callable[[], Patterns]
Found = list[Counter[tuple[tuple[str, str], ...]]]
"""The results of each graph."""


def contenders(setting: Scenario) -> dict[str, Make]:
    """Who can do the work of a setting."""
    found: dict[str, Make] = {OURS: lambda: Live(setting.program)}
    if isinstance(setting, CitySetting):
        return found | {BY_HAND: partial(CityByHand, setting)}
    found[BY_HAND] = partial(Dictionaries, setting)
    if setting.policy == "each":
        found[LOOPS] = partial(NestedLoops, setting)
    if not siddhi.missing() and siddhi.takes(setting):
        found[SIDDHI] = partial(siddhi.Siddhi, setting)
    return found


def all_agree(setting: Scenario, graphs: int = CHECKED) -> None:
    """Raise `DisagreementError` unless all contenders have the same results, identifiers aside."""
    made = {name: make() for name, make in contenders(setting).items()}
    stream = setting.graphs(setting.window + graphs)
    same_results(
        setting, {name: [results(one.step(t, graph)) for t, graph in enumerate(stream)] for name, one in made.items()}
    )


def results(triples: Sequence[Triple]) -> Counter[tuple[tuple[str, str], ...]]:
    """The graphs of results: what is said about each identifier, without the identifier."""
    about: dict[object, list[tuple[str, str]]] = {}
    for subject, name, value in triples:
        about.setdefault(subject, []).append((str(name), str(value)))
    return Counter(tuple(sorted(one)) for one in about.values())


def prepared(
    setting: Scenario, make: Make, turns: int, found_first: Found | None = None, stretch: int = STRETCH
) -> Ready:
    """A contender whose windows are full, in stretches of graphs.

    `found_first` gets the results of the first stretch, which does not count.
    """
    one, first = make(), setting.window + 1
    stream = setting.graphs(first + stretch * (turns + 1))
    found = 0
    for t in range(first):
        found = len(one.step(t, stream[t]))

    def go(number: int) -> None:
        for t in range(first + number * stretch, first + (number + 1) * stretch):
            triples = one.step(t, stream[t])
            if number == 0 and found_first is not None:
                found_first.append(results(triples))

    return Ready(go, stretch, found)


def same_results(setting: Scenario, found: Mapping[str, Found]) -> None:
    """Raise `DisagreementError` unless contenders had the same results, graph by graph."""
    for name, theirs in found.items():
        for number, (one, other) in enumerate(zip(found[OURS], theirs, strict=True)):
            if one != other:
                only, missing = list((other - one).elements())[:2], list((one - other).elements())[:2]
                message = f"only {name} has {only}, and only {OURS} has {missing}"
                raise DisagreementError(f"{setting}: in graph {number}, {message}")


def race(name: str, swept: Sequence[tuple[Settings, Scenario]], effort: Effort) -> list[Cell]:
    """A cell for each contender in each setting, once their results have been the same."""
    entries, found = [], list[tuple[Scenario, dict[str, Found]]]()
    for named, setting in swept:
        if setting.window <= MOST_COMPARED:
            all_agree(setting)
        found.append((setting, {}))
        for contender, make in contenders(setting).items():
            mine = found[-1][1].setdefault(contender, [])
            entries.append(Entry(contender, "changes", named, partial(prepared, setting, make, effort.turns, mine)))
    cells = measured(name, entries, effort.turns)
    for setting, by_contender in found:
        same_results(setting, by_contender)
    return [replace(cell, derived=None) for cell in cells]


# -- sweeps ----------------------------------------------------------------------------------------------------------

DEFAULT = Setting()
Sweep = Callable[[Effort], list[tuple[Settings, Setting]]]


def _many(effort: Effort, quick: Sequence[int], full: Sequence[int]) -> Sequence[int]:
    return full if effort.length >= FULL.length else quick


def by_background(effort: Effort) -> list[tuple[Settings, Setting]]:
    sizes = _many(effort, (1_000, 30_000), (1_000, 10_000, 100_000, 1_000_000))
    return [({"policy": "last", "triples": size}, replace(DEFAULT, triples=size)) for size in sizes]


def by_datalog(effort: Effort) -> list[tuple[Settings, Setting]]:
    sizes = _many(effort, (1, 1_000), (1, 10, 100, 1_000, 10_000, 100_000))
    return [({"policy": "last", "rules": size}, replace(DEFAULT, datalog=size)) for size in sizes]


def by_rules(effort: Effort) -> list[tuple[Settings, Setting]]:
    sizes = _many(effort, (1, 100, 1_000), (1, 10, 100, 1_000))
    return [({"policy": "last", "rules": size}, replace(DEFAULT, rules=size)) for size in sizes]


def by_window(effort: Effort) -> list[tuple[Settings, Setting]]:
    sizes = _many(effort, (10, 100), (10, 30, 100, 300))
    return [({"policy": "last", "seconds": size}, replace(DEFAULT, seconds=size)) for size in sizes]


def by_rate(effort: Effort) -> list[tuple[Settings, Setting]]:
    sizes = _many(effort, (1, 10), (1, 10, 100))
    return [({"policy": "last", "rate": size}, replace(DEFAULT, rate=size)) for size in sizes]


def by_length(effort: Effort) -> list[tuple[Settings, Setting]]:
    """Patterns of more events. Their windows grow with them, so that each event stays as frequent in a window."""
    found: list[tuple[Settings, Setting]] = []
    policies: tuple[Policy, ...] = get_args(Policy)
    for policy in policies:
        for length in _many(effort, (2, 3, 5), (2, 3, 4, 5, 7, LONG)):
            setting = replace(DEFAULT, length=length, policy=policy, seconds=10 * (length - 1), rules=1)
            found.append(({"policy": policy, "events": length}, setting))
    found += [({"policy": name, "events": LONG}, setting) for name, setting in busy(effort).items()]
    return found


def busy(effort: Effort) -> dict[str, Setting]:
    """The longest pattern with many readings: in a full run, also with very many, through which loops take long."""
    chosen = BUSY if effort.length >= FULL.length else dict(list(BUSY.items())[:1])
    return {name: replace(setting, length=LONG) for name, setting in chosen.items()}


def sweep_cells(name: str, sweep: Sweep, effort: Effort) -> Iterator[Cell]:
    yield from race(name, sweep(effort), effort)


def city_settings(effort: Effort) -> list[tuple[Settings, CitySetting]]:
    rates = _many(effort, (10, 100), (1, 10, 100, 1_000))
    return [
        ({"query": query, "journeys": journeys, "rate": rate}, CitySetting(query, journeys, rate))
        for query in ("Q1", "Q2")
        for journeys in ("one journey", "every journey")
        for rate in rates
    ]


def city_cells(effort: Effort) -> Iterator[Cell]:
    yield from race("dotr-city", city_settings(effort), effort)


# -- phases ----------------------------------------------------------------------------------------------------------


def phase_cells(effort: Effort) -> Iterator[Cell]:
    """A cell for each phase, and one for the paper's figure beside it."""
    steps = STRETCH * effort.length
    phases = Phases(DEFAULT, steps * (effort.turns + 1))
    turns = [phases.spent(steps) for _ in range(effort.turns + 1)][1:]
    for phase in PHASES:
        costs = sorted(turn[phase] / steps * 1e6 for turn in turns)
        low, high = costs[len(costs) // 4], costs[-1 - len(costs) // 4]
        yield Cell("dotr-phases", OURS, "changes", {"phase": phase}, median(costs), (low, high))
        yield Cell("dotr-phases", "DOTR, on the paper's machine", "changes", {"phase": phase}, PAPER[phase])


MAPPING = (
    "Here, all phases are one plan: knowledge update is what is no rule and no operation (giving codes to terms, "
    "moving to the next time point), reasoning the Datalog rules, queries the rules of the SELECTs, input translation "
    "keeping their rows as events, event processing windows, selection and the rules of patterns, and output "
    "translation making triples from codes. The clock that measures rules and operations takes time itself: the sum is "
    "more than a graph takes without it."
)
"""What the phases of the paper are here."""


def phase_sentences(cells: list[Cell]) -> list[str]:
    ours = {cell.settings["phase"]: cell.cost or 0.0 for cell in cells if cell.contender == OURS}
    total = sum(ours.values())
    shares = ", ".join(f"{phase} {cost / total:.0%}" for phase, cost in ours.items())
    return [
        f"A graph takes {total:.0f} µs with all phases measured, and {sum(PAPER.values()) / 1000:.2f} ms in the paper.",
        f"Of that: {shares}.",
        MAPPING,
    ]


def city_sentences(cells: list[Cell]) -> list[str]:
    found = []
    for cell in cells:
        if cell.contender == OURS and cell.settings["rate"] == 1_000 and cell.cost is not None:
            query, journeys = cell.settings["query"], cell.settings["journeys"]
            found.append(f"{query}, {journeys}: {cell.cost / 1000:.3f} ms a graph at 1,000 graphs per second.")
    return found


def without_siddhi(cells: Sequence[Cell]) -> list[str]:
    """That Siddhi was no contender, if it cannot be."""
    why = "" if any(cell.contender == SIDDHI for cell in cells) else siddhi.missing()
    return [f"Siddhi was not measured: {why}."] if why else []


def length_sentences(cells: list[Cell]) -> list[str]:
    found = without_siddhi(cells)
    for cell in cells:
        if cell.contender in (BY_HAND, LOOPS) and cell.settings["events"] == LONG and cell.ratio is not None:
            where = f"{LONG} events, {cell.settings['policy']}"
            found.append(f"{where}: {cell.contender} take {cell.ratio:.2g}x the time of {OURS}.")
    return found


def _sweep(name: str, title: str, question: str, sweep: Sweep, words: Words) -> Experiment:
    figure = Figure(name, title, words.x, words.what.removeprefix("the "), UNIT, slope=True)
    return Experiment(
        name,
        title,
        question,
        partial(sweep_cells, name, sweep),
        lambda effort: sum(len(contenders(setting)) for _, setting in sweep(effort)),
        (figure,),
        UNIT,
        lambda cells: [*sentences(cells, words), *without_siddhi(cells)],
    )


DOTR: tuple[Experiment, ...] = (
    Experiment(
        "dotr-phases",
        "Event patterns, by phase",
        "Where does the time of a graph go in the default scenario of the DOTR paper?",
        phase_cells,
        lambda _: 2 * len(PHASES),
        unit=UNIT,
        sentences=phase_sentences,
    ),
    _sweep(
        "dotr-background",
        "Event patterns over more background",
        "What does a graph cost as the background grows?",
        by_background,
        Words("triples", "the background", "the cost per graph", {"flat": "a reading finds its room by a lookup"}),
    ),
    _sweep(
        "dotr-datalog",
        "Event patterns with more Datalog rules",
        "What does a graph cost as there are more Datalog rules?",
        by_datalog,
        Words("rules", "the number of Datalog rules", "the cost per graph", {"flat": "rules of one shape are a table"}),
    ),
    Experiment(
        "dotr-length",
        "Longer event patterns",
        "What does a graph cost as patterns have more events, with `last` and with `each`?",
        partial(sweep_cells, "dotr-length", by_length),
        lambda effort: sum(len(contenders(setting)) for _, setting in by_length(effort)),
        (
            Figure(
                "dotr-length",
                "Longer event patterns",
                "events",
                "events in a pattern",
                UNIT,
                panels="policy",
                slope=True,
            ),
        ),
        UNIT,
        length_sentences,
    ),
    _sweep(
        "dotr-rules",
        "More event patterns",
        "What does a graph cost as there are more rules, all of which fire?",
        by_rules,
        Words(
            "rules", "the number of rules", "the cost per graph", {"proportional": "a graph has a result for each rule"}
        ),
    ),
    _sweep(
        "dotr-window",
        "Event patterns over longer windows",
        "What does a graph cost as windows get longer?",
        by_window,
        Words("seconds", "the window", "the cost per graph", {}),
    ),
    _sweep(
        "dotr-rate",
        "Event patterns at higher rates",
        "What does a graph cost as more of them come in a second?",
        by_rate,
        Words("rate", "the rate", "the cost per graph", {}),
    ),
    Experiment(
        "dotr-city",
        "CityBench as event patterns",
        "What does a graph cost in CityBench's first two queries, as event patterns?",
        city_cells,
        lambda effort: 2 * len(city_settings(effort)),
        (
            Figure(
                "dotr-city",
                "CityBench's first two queries as event patterns",
                "rate",
                "graphs per second",
                UNIT,
                lines=("journeys",),
                panels="query",
                slope=True,
            ),
        ),
        UNIT,
        city_sentences,
    ),
)
"""The experiments of the paper."""
