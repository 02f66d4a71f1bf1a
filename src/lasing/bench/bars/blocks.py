"""The bars that the engine should clear, and the measurement of each.

A block measures what belongs together, and yields it line by line. Unless a block says otherwise, the engine takes
encoded columns tick by tick, and returns what is added and removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time, thread_time
from typing import get_args

import numpy as np

from lasing.bench.bars.commands import commands, of_processes, starts
from lasing.bench.bars.limit import limit
from lasing.bench.measuring.contenders import (
    batches,
    columns,
    pushed,
    pushed_arrow,
    pushed_tuples,
    pushed_unread,
    state_at_the_end,
)
from lasing.bench.measuring.course import WINDOW, Effort, course, side_by_side
from lasing.bench.measuring.turns import agree, take_turns
from lasing.bench.measuring.workloads import (
    ARGS,
    TWENTY_JOINS,
    C,
    D,
    J,
    Operator,
    R,
    latest,
    negation,
    rules_by_constant,
)


@dataclass(frozen=True)
class Line:
    """A bar, what was measured, and whether it holds; None if it could not be measured, and `measured` says why."""

    what: str
    measured: str
    bar: str
    holds: bool | None


def against_cpp(effort: Effort) -> Iterator[Line]:
    """J and the C++ loop. Both return new rows with the time until which they hold, and must return the same ones."""
    for rate, points in ((200, 100), (800, 60)):
        c = course(J, rate, points * effort.length)
        ours, loop = columns(c.program, c.stream, annotated=True), limit(WINDOW, c.stream)
        what, bar = f"J, r = {rate}, n = {WINDOW}, annotated", "at most 3x the C++ loop"
        if loop is None:
            yield Line(what, "no g++ compiles the loop", bar, None)
            continue
        agree(ours, loop, c.stream.points)
        engine, cpp = c.race([ours, loop], effort)
        ratio = engine.over(cpp)
        measured = f"{ratio:.2f}x ({c.per_atom(engine):.2f} and {c.per_atom(cpp):.2f} µs per atom)"
        yield Line(what, measured, bar, ratio <= 3)


def one_atom_a_tick(effort: Effort) -> Iterator[Line]:
    """The least that a tick costs, with one rule and with many."""
    courses = [course(workload, 1, 1000 * effort.length) for workload in (J, TWENTY_JOINS)]
    timings = side_by_side(courses, effort)
    for rules, bar, timing in zip(("one rule", "20 different join rules"), (10, 80), timings, strict=True):
        tick = timing.step * 1e6
        yield Line(f"J, r = 1, {rules}: median tick", f"{tick:.1f} µs", f"at most {bar} µs", tick <= bar)


def one_fact_a_push(effort: Effort) -> Iterator[Line]:
    """What one atom with one rule costs without a call from Python, and what one fact costs in a push."""
    size = 1000
    c = course(J, 1, size * effort.length, warm=size)
    inside = batches(c.program, c.stream, size, "in the kernel", annotated=False)
    (timing,) = take_turns([inside], effort.length + 1, 1, effort.turns, thread_time)
    tick = timing.total / (size * effort.length) * 1e6
    what = "J, r = 1: a tick without a call from Python, processor time"
    yield Line(what, f"{tick:.2f} µs", "at most 1.5 µs", tick <= 1.5)
    c = course(J, 1, size * effort.length)
    contenders = [make(c.program, c.stream) for make in (pushed_unread, pushed, pushed_tuples)]
    timings = take_turns(contenders, c.stream.points, c.warm, effort.turns, thread_time)
    for form, timing in zip(("an update", "changes as atoms", "changes as tuples"), timings, strict=True):
        push = timing.step * 1e6
        what = f"J, r = 1, Engine.push of one fact: {form}, processor time"
        yield Line(what, f"{push:.1f} µs", "at most 8 µs", push <= 8)


def growing_window(effort: Effort) -> Iterator[Line]:
    """The same rate in a window four times as long, in which an atom still joins about four."""
    small, large = 20, 80
    short, long = side_by_side(
        [course(J, 10, 500 * effort.length, window, warm=2 * large) for window in (small, large)], effort
    )
    ratio = long.over(short)
    yield Line(f"J, r = 10, n = {small} → {large}: growth of cost", f"{ratio:.2f}x", "at most 1.2x", ratio <= 1.2)


def pushing(effort: Effort) -> Iterator[Line]:
    """Through the public API: strings in, changes out; in processor time, of all threads."""
    c = course(J, 800, 40 * effort.length)
    contenders = [make(c.program, c.stream) for make in (pushed, pushed_tuples, pushed_arrow)]
    for contender in contenders:
        agree(columns(c.program, c.stream), contender, WINDOW + 5)
    timings = take_turns(contenders, c.stream.points, c.warm, effort.turns, process_time)
    forms = "changes as atoms", "changes as tuples", "Arrow in and out"
    for form, bar, timing in zip(forms, (6, 2.5, 1), timings, strict=True):
        cost = c.per_atom(timing)
        what = f"J, r = 800, n = {WINDOW}, Engine.push: {form}, processor time"
        yield Line(what, f"{cost:.2f} µs per atom", f"at most {bar} µs per atom", cost <= bar)


def in_batches(effort: Effort) -> Iterator[Line]:
    """Many time points at once; annotated, as for files and shards."""
    rate, size, steps = 200, 100 * effort.length, 3
    millions = {J: 2, R: 1, D: 8}
    courses = [course(workload, rate, size * steps, warm=0) for workload in millions]
    contenders = [batches(c.program, c.stream, size, w.name) for w, c in zip(millions, courses, strict=True)]
    timings = take_turns(contenders, steps, 1, effort.turns)
    for timing, bar in zip(timings, millions.values(), strict=True):
        speed = rate * size * (steps - 1) / timing.total / 1e6
        what = f"{timing.name}, r = {rate}, n = {WINDOW}, {size} time points at once, annotated"
        yield Line(what, f"{speed:.1f} million atoms/s", f"at least {bar} million", speed >= bar)


def standing_rows(effort: Effort) -> Iterator[Line]:
    """A hundred times as many unchanging rows, with the same number of changes."""
    for name, workload in {"N": negation, "M": latest}.items():
        courses = [course(workload(standing), 10, 150 * effort.length) for standing in (1_000, 100_000)]
        few, many = side_by_side(courses, effort)
        ratio = many.over(few)
        what = f"{name}, 1,000 → 100,000 unchanging rows, 10 changes per time point: growth"
        yield Line(what, f"{ratio:.2f}x ({few.step * 1e6:.0f} µs a tick at first)", "at most 1.5x", ratio <= 1.5)


def cooling(effort: Effort) -> Iterator[Line]:
    """The cooling program: times in heads, `always`, negation."""
    c = course(C, 200, 150 * effort.length)
    (timing,) = c.race([columns(c.program, c.stream)], effort)
    cost = c.per_atom(timing)
    yield Line(f"C, r = 200, n = {WINDOW}", f"{cost:.2f} µs per atom", "at most 1 µs per atom", cost <= 1)


def many_rules(effort: Effort) -> Iterator[Line]:
    """A thousand rules, on the same stream as one of them."""
    operators: tuple[Operator, ...] = get_args(Operator)
    for operator in operators:
        workloads = rules_by_constant(operator, only=2), rules_by_constant(operator)
        one, thousand = side_by_side([course(w, 200, 20 * effort.length) for w in workloads], effort)
        ratio = thousand.over(one)
        what = f"1,000 rules that differ in V {operator} c and the head; an atom fires about two of them"
        yield Line(what, f"{ratio:.1f}x", "at most 5x one rule", ratio <= 5)


def memory(effort: Effort) -> Iterator[Line]:
    """The engine's state, divided by the pairs of p in the window and the pairs of q that hold."""
    rate = 800
    c = course(J, rate, 40 * effort.length)
    size, derived = state_at_the_end(c.program, c.stream)
    live = len(np.unique(c.stream.rows[-rate * (WINDOW + 1) :, ARGS:], axis=0))
    per_atom = size / (live + derived)
    measured = f"{per_atom:.0f} bytes ({live:,} of p, {derived:,} of q)"
    yield Line(f"J, r = {rate}, n = {WINDOW}: memory per live atom", measured, "at most 250 bytes", per_atom <= 250)


def shell(effort: Effort) -> Iterator[Line]:
    """What a person waits for at the shell."""
    with TemporaryDirectory() as folder:
        timings = take_turns(commands(Path(folder)), steps=1, warm=0, turns=effort.turns)
    for timing, bar in zip(timings, (0.5, 1.5), strict=True):
        seconds = timing.total
        yield Line(f"{timing.name}, a small program", f"{seconds:.2f} s", f"at most {bar} s", seconds <= bar)


def first_minute(effort: Effort) -> Iterator[Line]:
    """What a program with one rule costs on a machine that has never run it, and afterwards, in processor time."""
    with TemporaryDirectory() as folder:
        first, later = starts(Path(folder))
        timings = [*take_turns([first], 1, 0, 1, of_processes), *take_turns([later], 1, 0, effort.turns, of_processes)]
    for timing, bar in zip(timings, (12, 0.7), strict=True):
        what = f"{timing.name} of a program with one rule, processor time"
        yield Line(what, f"{timing.total:.2f} s", f"at most {bar} s", timing.total <= bar)


def rdf_streams(effort: Effort) -> Iterator[Line]:
    """CityBench's first query at 1,000 graphs a second over 100,000 triples, beside pyoxigraph on each window."""
    if find_spec("pyoxigraph") is None or find_spec("rdflib") is None:
        yield Line(
            "CityBench's first query", "not installed: pip install 'lasing[rdf]'", "at most 300 µs a graph", None
        )
        return
    from lasing.bench.city.citybench import citybench

    for costs in citybench(effort):
        for way, cost in (("tick by tick", costs.ticks), ("in batches, from a file", costs.batches)):
            yield Line(f"{costs.setting}: {way}", f"{cost:.1f} µs a graph", "at most 300 µs a graph", cost <= 300)
        ways = (
            (f"tick by tick ({costs.windows:,.1f} µs a graph)", costs.ratio),
            (f"in batches (with {costs.parsing:.1f} µs of parsing)", costs.ratio_in_batches),
        )
        for way, ratio in ways:
            what = f"{costs.setting}: pyoxigraph on each window"
            yield Line(what, f"{ratio:,.1f}x ours {way}", "at least 20x ours", ratio >= 20)


def event_patterns(effort: Effort) -> Iterator[Line]:
    """Event patterns over enriched graphs: the scenarios of the DOTR paper."""
    if find_spec("pyoxigraph") is None or find_spec("rdflib") is None:
        missing = "not installed: pip install 'lasing[rdf]'"
        yield Line("the default scenario of DOTR", missing, "at most 0.2 ms a graph", None)
        return
    from lasing.bench.dotr.bars import bars

    yield from bars(effort)


def intervals(effort: Effort) -> Iterator[Line]:
    """Sequences of events with intervals, beside an automaton by hand."""
    from lasing.bench.etalis.bars import bars

    yield from bars(effort)


BLOCKS: dict[str, tuple[str, Callable[[Effort], Iterator[Line]]]] = {
    "limit": ("A join, beside C++", against_cpp),
    "tick": ("The least that a tick costs", one_atom_a_tick),
    "one": ("One fact", one_fact_a_push),
    "window": ("Longer windows", growing_window),
    "push": ("Strings in, changes out", pushing),
    "batch": ("Many time points at once", in_batches),
    "standing": ("Unchanging rows", standing_rows),
    "cooling": ("The cooling program", cooling),
    "rules": ("Many rules", many_rules),
    "memory": ("Memory", memory),
    "citybench": ("CityBench's first query, over RDF streams", rdf_streams),
    "events": ("Event patterns, in the scenarios of DOTR", event_patterns),
    "etalis": ("Events with intervals, in ETALIS", intervals),
    "shell": ("At the shell", shell),
    "first": ("The first minute", first_minute),
}
"""All blocks by name."""
