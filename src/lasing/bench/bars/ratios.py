"""The workloads one by one: the time of other contenders as a multiple of our engine's.

Re-evaluation from scratch is measured only at a low rate, at which it ends; the others at a higher rate too.
"""

from __future__ import annotations

from collections.abc import Iterator

from lasing.bench.bars.dictionaries import dictionaries
from lasing.bench.bars.firings import NotOfThisShape
from lasing.bench.bars.limit import limit
from lasing.bench.measuring.contenders import columns, from_scratch
from lasing.bench.measuring.course import WINDOW, Course, Effort, course
from lasing.bench.measuring.turns import Contender, agree
from lasing.bench.measuring.workloads import B, C, D, J, R, Workload, latest, negation

COLUMNS = "workload", "rate", "ours, µs per atom", "from scratch", "dictionaries", "C++ loop"
RATIOS = "ratios"
LOW, HIGH = 2, 200
STANDING = 100


def ratios(effort: Effort) -> Iterator[tuple[str, ...]]:
    """Rows of the table."""
    for workload in (D, B, J, R, C, negation(STANDING), latest(STANDING)):
        yield _row(workload, LOW, course(workload, LOW, 20 * effort.length), effort)
    for workload in (D, J, R):
        yield _row(workload, HIGH, course(workload, HIGH, 60 * effort.length), effort)


def _row(workload: Workload, rate: int, c: Course, effort: Effort) -> tuple[str, ...]:
    ours = columns(c.program, c.stream)
    scratch = _from_scratch(c) if rate == LOW else "not at this rate"
    in_python = _dictionaries(c)
    others = [other for other in (scratch, in_python) if isinstance(other, Contender)]
    for other in others:
        if workload is not C:  # heads of C differ in shape: its changes are compared elsewhere
            agree(ours, other, c.stream.points)
    timings = {timing.name: timing for timing in c.race([ours, *others], effort)}
    baseline = timings[ours.name]

    def cell(other: Contender | str) -> str:
        return other if isinstance(other, str) else f"{timings[other.name].over(baseline):,.1f}x"

    cost = f"{c.per_atom(baseline):.2f}"
    return workload.name, str(rate), cost, cell(scratch), cell(in_python), _limit(workload, c, effort)


def _from_scratch(c: Course) -> Contender:
    return from_scratch(c.program, c.stream)


def _dictionaries(c: Course) -> Contender | str:
    try:
        return dictionaries(c.program, c.stream)
    except NotOfThisShape:
        return "not of this shape"


def _limit(workload: Workload, c: Course, effort: Effort) -> str:
    """The C++ loop, compared with our engine for the same output: new rows with the time until which they hold."""
    if workload is not J:
        return "for J only"
    loop = limit(WINDOW, c.stream)
    if loop is None:
        return "no g++ compiles it"
    ours = columns(c.program, c.stream, annotated=True)
    agree(ours, loop, c.stream.points)
    engine, cpp = c.race([ours, loop], effort)
    return f"{cpp.over(engine):.2f}x"
