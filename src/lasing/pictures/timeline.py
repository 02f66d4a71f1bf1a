"""A timeline: what is in the stream, what is derived, and what the windows of a moment see, as a value.

It can be drawn (`drawn.py`), or made a chart of Altair (`chart.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lasing.connectors.files import unwritable
from lasing.errors import fault
from lasing.timeline.ticks import Tick, time_text

if TYPE_CHECKING:
    import altair

Kind = Literal["data", "derived", "possible"]
"""Facts of the stream; atoms of the answer; for programs with several answers, atoms of only some of them."""

ENDINGS = (".svg", ".html", ".json")
"""What a timeline can be saved as: our own picture, or a chart of Altair, as a page or as Vega-Lite."""


@dataclass(frozen=True, slots=True)
class Item:
    """An atom from one time point to another: `key` is its first argument, `rest` the others, `text` all of it."""

    kind: Kind
    key: str
    rest: str
    text: str
    since: int
    until: int
    seen: bool = False
    """Whether it is a fact that a window of the chosen moment sees."""


@dataclass(frozen=True, slots=True)
class Shade:
    """A window of the chosen moment: how it is written, and from when to when it looks."""

    window: str
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Lane:
    """A predicate, its atoms in order of time, and the windows through which rules look at it."""

    predicate: str
    items: tuple[Item, ...]
    shades: tuple[Shade, ...] = ()


@dataclass(frozen=True, slots=True)
class Timeline:
    """The lanes of a program on a stream, from `start` to `end`; `at` is the chosen moment.

    `svg()` draws it, `to_altair()` makes a chart to zoom and hover over, `save(path)` writes either to a file. A
    notebook shows the drawing.
    """

    start: int
    end: int
    lanes: tuple[Lane, ...]
    at: int | None = None
    tick: Tick | None = None
    """If times came in as dates: how long a time point is."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Facts of predicates that no rule looks at, which have no lane: how many there are."""

    def svg(self, width: int = 960) -> str:
        """The timeline as a picture of this width, in pixels."""
        from lasing.pictures.drawn import drawn

        return drawn(self, width)

    def to_altair(self) -> altair.VConcatChart:
        """The timeline as a chart of Altair, which has every atom, however many there are."""
        from lasing.pictures.chart import chart

        return chart(self)

    def save(self, path: str | Path) -> None:
        """Write the timeline to a file: .svg is our own drawing; .html and .json are a chart of Altair."""
        text = self.text(str(path))
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise unwritable(Path(path), error) from None

    def text(self, name: str, width: int = 960) -> str:
        """What a file of this name gets: its ending decides."""
        ending = Path(f"timeline{name}").suffix.lower()
        if ending not in ENDINGS:
            raise fault("E771", f"{name} has no ending of a timeline", note=f"timelines end in {', '.join(ENDINGS)}")
        if ending == ".svg":
            return self.svg(width)
        from lasing.pictures.chart import chart_text

        return chart_text(self, ending)

    def time_text(self, time: int) -> str:
        return time_text(time, self.tick)

    @property
    def title(self) -> str:
        """What the timeline shows, in one sentence."""
        facts = sum(item.kind == "data" for lane in self.lanes for item in lane.items)
        atoms = sum(item.kind != "data" for lane in self.lanes for item in lane.items)
        span = f"from {self.time_text(self.start)} to {self.time_text(self.end)}"
        moment = "" if self.at is None else f", with the windows of {self.time_text(self.at)}"
        return f"Timeline {span}: {_counted(facts, 'fact')}, {_counted(atoms, 'interval')} of derived atoms{moment}"

    def _repr_html_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        lanes = ", ".join(lane.predicate for lane in self.lanes)
        return f"Timeline(start={self.start}, end={self.end}, lanes=[{lanes}])"


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
