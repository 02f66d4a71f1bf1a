"""All measurements of a run, as tables: each bar and whether it holds, and the workloads as ratios."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from lasing.bench.bars import BLOCKS, Line
from lasing.bench.course import FULL, QUICK
from lasing.bench.ratios import COLUMNS, ratios

RATIOS = "ratios"
NAMES = (*BLOCKS, RATIOS)
"""What can be asked for."""


@dataclass(frozen=True)
class Section:
    """A table: its title, the names of its columns, its rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def run_all(quick: bool = False, only: Sequence[str] = ()) -> list[Section]:
    """Measure all blocks, or those asked for; progress goes to standard error."""
    if unknown := set(only) - set(NAMES):
        raise ValueError(f"there is no {', '.join(sorted(unknown))} among {', '.join(NAMES)}")
    effort = QUICK if quick else FULL
    sections = []
    for name in NAMES:
        if only and name not in only:
            continue
        begun = time.monotonic()
        print(f"measuring {name} …", end="", file=sys.stderr, flush=True)
        if name == RATIOS:
            sections.append(Section("Others, as multiples of our engine", COLUMNS, tuple(ratios(effort))))
        else:
            title, measure = BLOCKS[name]
            rows = tuple(_cells(line) for line in measure(effort))
            sections.append(Section(title, ("what", "measured", "bar", "holds"), rows))
        print(f" {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return sections


def _cells(line: Line) -> tuple[str, ...]:
    holds = {True: "yes", False: "NO", None: "not measured"}[line.holds]
    return line.what, line.measured, line.bar, holds


def show(sections: Sequence[Section], console: Console) -> None:
    """Print the tables."""
    for section in sections:
        table = Table(*section.columns, title=section.title, title_justify="left")
        for row in section.rows:
            table.add_row(*row)
        console.print(table)
