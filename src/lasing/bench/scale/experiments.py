"""How the cost grows: with the window, the rate, the number of rules, unchanging facts, the depth of recursion.

Each experiment varies one setting over powers of ten and fixes the others. The sentences about a curve follow from its
slope.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lasing import reading
from lasing.bench.measuring.course import FULL, WINDOW, Course, Effort
from lasing.bench.measuring.records import Cell, Experiment, Figure
from lasing.bench.measuring.workloads import D, J, Workload, latest, negation, rules_by_constant
from lasing.bench.scale.slopes import Words, sentences
from lasing.bench.scale.stretches import OURS, Entry, Ready, measured, on_columns, on_dictionaries
from lasing.bench.scale.workloads import (
    LASTING_BOX,
    LONG_HELD,
    cut_tree,
    inertia,
    renewed_chain,
    rules_by_predicate,
    rules_by_threshold,
    switched_chain,
)
from lasing.engines.local.engine import LocalEngine

GIGABYTE = 1e9
MEMORY = 3 * GIGABYTE
"""The memory that the largest contender may take."""
PREPARATION = {"quick": 12.0, "full": 120.0}
"""The seconds that one contender may take to prepare."""

RATE = 10
RATE_OF_RULES = 100
DEEP_WINDOW, ENDLESS_WINDOW = 2_000, 1_000_000_000
LONG, BUSY = 1_000, 1_000
"""The window and the rate beyond which three turns are enough: their stretches are long."""
MOST_IN_DICTIONARIES = 10_000
"""The rate beyond which we leave out plain Python: its dictionaries would take several gigabytes."""

Settings = dict[str, int | str]
Make = Callable[[int], Workload]
"""A workload as a function of the growing number."""
Take = Callable[[Course, int], Ready]
"""A contender on a course, as a function of the length of a stretch."""


def sizes(effort: Effort, first: int, quick: int, full: int) -> list[int]:
    """Powers of ten up to the effort's limit; before them `first`, if it is not a power of ten.

    >>> sizes(FULL, 2, 100, 1000)
    [2, 10, 100, 1000]
    """
    last = full if effort.length >= FULL.length else quick
    powers = [10**i for i in range(9)]
    return sorted({first, *(p for p in powers if first <= p <= last)})


def laid_out(workload: Workload, rate: int, window: int, points: int, turns: int, warm: int | None = None) -> Course:
    """A course with a stretch of `points` time points for each turn and one more, after the windows have filled.

    Unlike `course`, this does not cache the program, which may have a million facts.
    """
    before = window + WINDOW if warm is None else warm
    stream = workload.stream(rate, window, before + (turns + 1) * points)
    return Course(reading.parse(workload.program(window)), stream, before)


def _on(take: Take, workload: Workload, rate: int, window: int, points: int, turns: int) -> Callable[[], Ready]:
    return lambda: take(laid_out(workload, rate, window, points, turns), points)


# -- the window ------------------------------------------------------------------------------------------------------

BY_WINDOW = {"diamond": D, "join": J, "box": LASTING_BOX, "remembered": LONG_HELD}


def window_entries(name: str, windows: Sequence[int], effort: Effort) -> list[Entry]:
    """Our engine returning changes and whole answers, and plain Python."""
    workload, entries = BY_WINDOW[name], []
    for window in windows:
        turns = min(effort.turns, 3) if window > LONG else effort.turns
        settings: Settings = {"workload": name, "window": window}
        points = max(100 * effort.length, window)
        few = max(2, min(points, 20_000 // window))  # a whole answer costs in proportion to the window
        whole: Take = partial(on_columns, output="answers")
        entries += [
            Entry(OURS, "changes", settings, _on(on_columns, workload, RATE, window, points, turns), turns),
            Entry(OURS, "answers", settings, _on(whole, workload, RATE, window, few, turns), turns),
        ]
        if name in BY_RATE:
            prepare = _on(on_dictionaries, workload, RATE, window, points, turns)
            entries.append(Entry("dictionaries", "changes", settings, prepare, turns))
    return entries


def windows(effort: Effort) -> list[int]:
    return sizes(effort, 1, 1_000, 10_000)


def window_cells(effort: Effort) -> Iterator[Cell]:
    for name in BY_WINDOW:
        yield from measured("scale-window", window_entries(name, windows(effort), effort), effort.turns)


WINDOW_WORDS = Words(
    "window", "the window", "the cost per atom", {"flat": "expiry costs the same however late it comes"}
)

# -- the rate --------------------------------------------------------------------------------------------------------

BY_RATE = {"diamond": D, "join": J}


def rate_entries(name: str, rates: Sequence[int], effort: Effort) -> list[Entry]:
    """Our engine and plain Python, at the rates for which the latter has enough memory."""
    workload, entries = BY_RATE[name], []
    for rate in rates:
        settings: Settings = {"workload": name, "rate": rate}
        points = max(WINDOW, 1_000 * effort.length // rate)
        turns = min(effort.turns, 3) if rate > BUSY else effort.turns
        prepare = _on(on_columns, workload, rate, WINDOW, points, turns)
        entries.append(Entry(OURS, "changes", settings, prepare, turns))
        if rate <= MOST_IN_DICTIONARIES:
            prepare = _on(on_dictionaries, workload, rate, WINDOW, points, turns)
            entries.append(Entry("dictionaries", "changes", settings, prepare, turns))
    return entries


def rates(effort: Effort) -> list[int]:
    return sizes(effort, 1, 1_000, 100_000)


def rate_cells(effort: Effort) -> Iterator[Cell]:
    for name in BY_RATE:
        yield from measured("scale-rate", rate_entries(name, rates(effort), effort), effort.turns)
        for rate in rates(effort):
            if rate > MOST_IN_DICTIONARIES:
                note = "left out: the dictionaries would take several gigabytes"
                yield Cell("scale-rate", "dictionaries", "changes", {"workload": name, "rate": rate}, note=note)


RATE_WORDS = Words(
    "rate",
    "the rate",
    "the cost per atom",
    {
        "falls": "the fixed cost of a time point is spread over more atoms",
        "flat": "an atom costs the same among many and among few",
    },
)

# -- rules -----------------------------------------------------------------------------------------------------------

BY_RULES: dict[str, Make] = {
    "V = c": partial(rules_by_constant, "="),
    "V > c": partial(rules_by_constant, ">"),
    "predicates": rules_by_predicate,
    "thresholds": rules_by_threshold,
}


def rules_entries(name: str, numbers: Sequence[int], effort: Effort) -> list[Entry]:
    """Our engine on the stream for each number of rules."""
    points = 50 * effort.length
    return [
        Entry(
            OURS,
            "changes",
            {"workload": name, "rules": number},
            _on(on_columns, BY_RULES[name](number), RATE_OF_RULES, WINDOW, points, effort.turns),
        )
        for number in numbers
    ]


def rules(effort: Effort) -> list[int]:
    """Starts at two: an atom fires about two of the rules that differ in constants."""
    return sizes(effort, 2, 1_000, 10_000)


def rules_cells(effort: Effort) -> Iterator[Cell]:
    for name in BY_RULES:
        yield from measured("scale-rules", rules_entries(name, rules(effort), effort), effort.turns)


RULES_WORDS = Words(
    "rules", "the number of rules", "the cost per atom", {"flat": "rules that an atom does not fire cost nothing"}
)

# -- rules, before they run ------------------------------------------------------------------------------------------


def plan_entries(name: str, numbers: Sequence[int]) -> list[Entry]:
    """The work before the first time point: parse the text, and make and lay out the plan."""

    def parsing(text: str, rules: int) -> Ready:
        return Ready(lambda _: reading.parse(text), rules)

    def planning(text: str, rules: int) -> Ready:
        program = reading.parse(text)
        return Ready(lambda _: LocalEngine(program, 0), rules)

    entries = []
    for number in numbers:
        text = BY_RULES[name](number).program(WINDOW)
        for step, prepare in {"parse": parsing, "plan": planning}.items():
            settings: Settings = {"workload": name, "step": step, "rules": number}
            entries.append(Entry(OURS, "changes", settings, partial(prepare, text, number)))
    return entries


def plan_cells(effort: Effort) -> Iterator[Cell]:
    for name in BY_RULES:
        yield from measured("scale-plan", plan_entries(name, rules(effort)), min(effort.turns, 3))


PLAN_WORDS = Words(
    "rules", "the number of rules", "the time per rule", {"flat": "the total time is proportional to it"}
)

# -- unchanging facts ------------------------------------------------------------------------------------------------

BY_STANDING: dict[str, Make] = {"negation": negation, "latest": latest, "inertia": inertia}


def standing_cells_of(
    name: str, numbers: Sequence[int], effort: Effort, memory: float = MEMORY, seconds: float | None = None
) -> Iterator[Cell]:
    """Our engine, up to the last number that is expected to stay within the limits of memory and preparation time.

    The needs of a larger number are predicted from those of smaller ones; one beyond a limit is not started.
    """
    limit = PREPARATION["full" if effort.length >= FULL.length else "quick"] if seconds is None else seconds
    points = 100 * effort.length
    entries: list[Entry] = []
    left: list[Cell] = []
    fewer, size, took = 1, 0.0, 0.0
    for number in numbers:
        settings: Settings = {"workload": name, "standing": number}
        more = number / fewer
        if why := _beyond(size * more, memory, took * more, limit):
            left.append(Cell("scale-standing", OURS, "changes", settings, note=f"left out: {why}"))
            continue
        begun = time.thread_time()
        course = laid_out(BY_STANDING[name](number), RATE, WINDOW, points, effort.turns, warm=2 * WINDOW)
        ready = on_columns(course, points, units=points)
        del course
        entries.append(Entry(OURS, "changes", settings, partial(_as_is, ready)))
        fewer, size, took = number, ready.size, time.thread_time() - begun
    yield from measured("scale-standing", entries, effort.turns)
    yield from left


def _as_is(ready: Ready) -> Ready:
    return ready


def _beyond(size: float, memory: float, seconds: float, limit: float) -> str:
    """Which limit is exceeded, if any."""
    if size > memory:
        return f"it would take about {size / GIGABYTE:.2g} GB, more than {memory / GIGABYTE:.2g} GB"
    if seconds > limit:
        return f"it would take about {seconds:.0f} s to prepare, more than {limit:.0f} s"
    return ""


def standing(effort: Effort) -> list[int]:
    return sizes(effort, 1_000, 100_000, 10_000_000)


def standing_cells(effort: Effort) -> Iterator[Cell]:
    for name in BY_STANDING:
        yield from standing_cells_of(name, standing(effort), effort)


STANDING_WORDS = Words(
    "standing", "the number of unchanging facts", "the cost per time point", {"flat": "unchanging facts cost nothing"}
)

# -- recursion -------------------------------------------------------------------------------------------------------

BY_LENGTH: dict[str, tuple[Make, int]] = {
    "renewed edge": (renewed_chain, DEEP_WINDOW),
    "switched edge": (switched_chain, ENDLESS_WINDOW),
    "cut edge": (cut_tree, ENDLESS_WINDOW),
}


def recursion_entries(name: str, lengths: Sequence[int], effort: Effort) -> list[Entry]:
    """Our engine on chains of edges; at each time point one edge is renewed, or comes or goes."""
    make, window = BY_LENGTH[name]
    entries = []
    for length in lengths:
        points = max(2 * length, 100 * effort.length)  # so that every edge of the chain is renewed twice

        def prepare(length: int = length, points: int = points) -> Ready:
            warm = 2 * length + WINDOW + 1  # the switched edge is present at the last of them
            return on_columns(laid_out(make(length), 1, window, points, effort.turns, warm), points, units=points)

        entries.append(Entry(OURS, "changes", {"workload": name, "length": length}, prepare))
    return entries


def lengths(effort: Effort, name: str) -> list[int]:
    return sizes(effort, 1, 100, 10_000 if name == "cut edge" else 1_000)


def recursion_cells(effort: Effort) -> Iterator[Cell]:
    for name in BY_LENGTH:
        yield from measured("scale-recursion", recursion_entries(name, lengths(effort, name), effort), effort.turns)


RECURSION_WORDS = Words(
    "length",
    "the chain",
    "the cost per changed edge",
    {
        "flat": "atoms derived beyond an edge cost nothing if they stay",
        "proportional": "each derived atom beyond the edge costs the same, however deep",
    },
)

# -- all of them -----------------------------------------------------------------------------------------------------


def _experiment(
    name: str,
    title: str,
    question: str,
    cells: Callable[[Effort], Iterator[Cell]],
    count: Callable[[Effort], int],
    words: Words,
    unit: str = "µs per atom",
    lines: tuple[str, ...] = ("workload",),
    x_label: str = "",
) -> Experiment:
    figure = Figure(name, title, words.x, x_label or words.x, unit, lines, slope=True)
    return Experiment(name, title, question, cells, count, (figure,), unit, partial(sentences, words=words))


SCALE: tuple[Experiment, ...] = (
    _experiment(
        "scale-window",
        "Longer windows",
        f"What does an atom cost as the window grows, at {RATE} atoms per time point?",
        window_cells,
        lambda effort: 10 * len(windows(effort)),
        WINDOW_WORDS,
        x_label="window, in time points",
    ),
    _experiment(
        "scale-rate",
        "Higher rates",
        f"What does an atom cost as more come at once, in a window of {WINDOW} time points?",
        rate_cells,
        lambda effort: 4 * len(rates(effort)),
        RATE_WORDS,
        x_label="atoms per time point",
    ),
    _experiment(
        "scale-rules",
        "More rules",
        f"What does an atom that fires one or two rules cost among more rules, at {RATE_OF_RULES} a time point?",
        rules_cells,
        lambda effort: 4 * len(rules(effort)),
        RULES_WORDS,
    ),
    _experiment(
        "scale-plan",
        "More rules, before they run",
        "What does it cost to parse and plan a rule among more rules?",
        plan_cells,
        lambda effort: 8 * len(rules(effort)),
        PLAN_WORDS,
        "µs per rule",
        ("workload", "step"),
    ),
    _experiment(
        "scale-standing",
        "More unchanging facts",
        f"What does a time point with {RATE} changes cost among more unchanging facts?",
        standing_cells,
        lambda effort: 3 * len(standing(effort)),
        STANDING_WORDS,
        "µs per time point",
        x_label="unchanging facts",
    ),
    _experiment(
        "scale-recursion",
        "Deeper recursion",
        "What does one changed edge cost in a longer chain, where each node is reached from the one before?",
        recursion_cells,
        lambda effort: sum(len(lengths(effort, name)) for name in BY_LENGTH),
        RECURSION_WORDS,
        "µs per changed edge",
        x_label="edges of the chain",
    ),
)
"""All curves. Our engine takes encoded columns tick by tick, and returns changes unless a curve says otherwise."""
