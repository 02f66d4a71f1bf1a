"""The bars for events with intervals."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.bench.bars.blocks import Line
from lasing.bench.etalis.sequence import Sequence, automaton
from lasing.bench.measuring.contenders import columns
from lasing.bench.measuring.course import Course, Effort
from lasing.bench.measuring.turns import agree


def bars(effort: Effort) -> Iterator[Line]:
    """A sequence of three events against an automaton by hand. Both return the same matches at the same time."""
    for partial in (10, 100):
        setting = Sequence(partial)
        warm = 2 * setting.limit
        stream = setting.stream(warm + 30 * effort.length)
        c = Course(setting.program, stream, warm)
        ours, by_hand = columns(c.program, stream, annotated=True), automaton(stream, setting.limit)
        agree(ours, by_hand, stream.points)
        engine, python = c.race([ours, by_hand], effort)
        ratio = python.over(engine)
        what = f"SEQ of three events with a join, {partial} partial matches an event, against an automaton by hand"
        measured = f"{ratio:.1f}x ({c.per_atom(engine):.2f} and {c.per_atom(python):.2f} µs an event)"
        bar = "at least 5x faster" if partial == 100 else "no bar"
        yield Line(what, measured, bar, ratio >= 5 if partial == 100 else True)
