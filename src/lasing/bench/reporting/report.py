"""Write a run to files: a page with tables and pictures, and the cells as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from lasing.bench.measuring.records import Cell
from lasing.bench.reporting.machine import machine, versions
from lasing.bench.reporting.tables import in_full, markdown
from lasing.bench.run import Measured
from lasing.errors import fault

NO_PICTURES = "matplotlib is not installed, so there are no pictures: pip install 'lasing[bench]'"

HOW = """\
Unless an experiment says otherwise, contenders do the same work on the same stream, in turns within one process, after
a turn that does not count; first, a check makes sure that they return the same. A figure is the median over turns. A
ratio is taken within each turn, and the figure is the median of the ratios: bare times differ from machine to machine
and from hour to hour, ratios much less. Time points at which windows still fill do not count. Programs are parsed, and
facts are put into each contender's own form, before the clock runs. A dash, or a gap in a line, means that nothing was
measured; the note says why.

Streams are synthetic, and each program is small: these figures do not show what your program costs on your data. Nor
do they show memory, latency under load, or reading and writing, unless a table says so.
"""


@dataclass(frozen=True)
class Run:
    """Where, when and how it was measured."""

    date: str
    command: str
    quick: bool
    machine: Mapping[str, str]
    versions: Mapping[str, str]


def describe(names: Sequence[str], quick: bool) -> Run:
    """A run of these names that begins now, on this machine. It does not say where its files are written."""
    command = " ".join(("lasing bench", *names, *(("--quick",) if quick else ())))
    return Run(f"{datetime.now(UTC):%Y-%m-%d}", command, quick, machine(), versions())


@dataclass(frozen=True)
class Place:
    """Where a run is written: a page, and a folder for the rest."""

    page: Path
    folder: Path

    @classmethod
    def of(cls, out: Path) -> Place:
        """A folder, with the page `report.md` in it; or a page, with a folder of the same name beside it.

        >>> place = Place.of(Path("docs/benchmarks.md"))
        >>> place.page.as_posix(), place.folder.as_posix(), place.link("join.svg")
        ('docs/benchmarks.md', 'docs/benchmarks', 'benchmarks/join.svg')
        """
        return cls(out, out.with_suffix("")) if out.suffix == ".md" else cls(out / "report.md", out)

    def link(self, name: str) -> str:
        """The link from the page to a file in the folder."""
        return (self.folder / name).relative_to(self.page.parent).as_posix()


class BenchReport:
    """Keeps what was measured and, if there is a place, writes it there: cells at once, the rest at the end.

    After an interruption the page has what was measured until then.
    """

    def __init__(self, run: Run, place: Place | None) -> None:
        self.done: list[Measured] = []
        self._run = run
        self._place = place
        self._lines: IO[str] | None = None

    def __enter__(self) -> Self:
        if self._place is not None:
            try:
                self._place.folder.mkdir(parents=True, exist_ok=True)
                self._lines = (self._place.folder / "cells.jsonl").open("w", encoding="utf-8")
            except OSError as error:
                raise fault("E403", f"{self._place.folder} cannot be written: {error.strerror or error}") from None
            print(json.dumps(asdict(self._run), ensure_ascii=False), file=self._lines, flush=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lines is not None:
            self._lines.close()
        if self._place is not None and self.done:
            write(self._place, self._run, self.done)

    def add(self, cell: Cell) -> None:
        """Write a measured cell, as a JSON object with all its fields."""
        if self._lines is not None:
            print(json.dumps(asdict(cell), ensure_ascii=False), file=self._lines, flush=True)

    @property
    def lacks_pictures(self) -> bool:
        """Whether pictures are missing only because matplotlib is not installed."""
        return find_spec("matplotlib") is None and any(measured.figures for measured in self.done)


def write(place: Place, run: Run, done: Sequence[Measured]) -> None:
    """Write the page and the pictures."""
    pictures: set[str] = set()
    if find_spec("matplotlib") is not None:
        from lasing.bench.reporting.plots import colours, draw

        palette = colours(cell.contender for measured in done for cell in measured.cells)
        for measured in done:
            pictures.update(f.name for f in measured.figures if draw(f, measured.cells, palette, place.folder))
    place.page.write_text(page(place, run, done, pictures), encoding="utf-8")


def page(place: Place, run: Run, done: Sequence[Measured], pictures: set[str]) -> str:
    """The page as Markdown."""
    seconds = sum(measured.seconds for measured in done)
    extent = "quick: less was measured than in a full run" if run.quick else "full"
    facts = {
        "date": run.date,
        "command": f"`{run.command}`",
        "extent": extent,
        "took": duration(seconds),
        **run.machine,
        **run.versions,
    }
    parts = [
        "# Benchmarks\n",
        f"What `{run.command}` measured on {run.date}, in {duration(seconds)}.\n",
        "".join(f"- [{measured.title}](#{anchor(measured.title)}): {measured.question}\n" for measured in done),
        "## How it was measured\n",
        HOW,
        "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in facts.items()),
    ]
    if find_spec("matplotlib") is None and any(measured.figures for measured in done):
        parts.append(f"{NO_PICTURES}\n")
    for measured in done:
        parts += _chapter(place, measured, pictures)
    return "\n".join(parts)


def _chapter(place: Place, measured: Measured, pictures: set[str]) -> list[str]:
    parts = [f"## {measured.title}\n", f"{measured.question}\n"]
    if measured.missing:
        parts.append(f"**{measured.missing}**\n")
    if measured.sentences:
        parts.append("".join(f"- {sentence}\n" for sentence in measured.sentences))
    parts += [f"![{f.title}]({place.link(f'{f.name}.svg')})\n" for f in measured.figures if f.name in pictures]
    for section in measured.sections:
        parts += [f"### {section.title}\n", markdown(section)]
    if measured.cells:
        everything = markdown(in_full(measured.cells, measured.unit))
        parts.append(f"<details><summary>All figures, with quartiles</summary>\n\n{everything}\n</details>\n")
    if measured.seconds:
        parts.append(f"`lasing bench {measured.name}` took {duration(measured.seconds)}.\n")
    return parts


def anchor(title: str) -> str:
    """The anchor of a heading, as GitHub and most others form it.

    >>> anchor("A join, beside C++")
    'a-join-beside-c'
    """
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(7.4), duration(754)
    ('7 s', '12 min 34 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
