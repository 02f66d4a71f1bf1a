"""`lasing run --stats`: what each rule added and how long it took, and what the engine holds at the end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lasing.cli.console import note
from lasing.logic.program import Program
from lasing.session import Run

if TYPE_CHECKING:
    from lasing.engines.local.figures import RuleFigures  # this loads the kernels

_LONGEST = 60


def print_stats(program: Program, answers: Run) -> None:
    """Print the figures of a run to standard error: rules and relations, the slowest first."""
    measured = answers.measured
    if measured is None:
        note("no statistics: only the local engine measures its rules, and this program runs on another engine")
        return
    rules = sorted(measured.rules(), key=lambda figures: -figures.seconds)
    rows = [(str(f.rule + 1), f"{f.rows:,}", _time(f.seconds), _text(program, f)) for f in rules]
    _print(("rule", "rows added", "time", ""), rows)
    kept = sorted(measured.relations(), key=lambda figures: -figures.seconds)
    _print(("relation", "rows now", "time"), [(f"<{f.name}>", f"{f.rows:,}", _time(f.seconds)) for f in kept])


def _text(program: Program, figures: RuleFigures) -> str:
    """A rule, and how many others its figures are for."""
    text = _short(str(program.rules[figures.rule]))
    others = [number + 1 for number in figures.others]
    if not others:
        return text
    last = f"rule {others[0]}" if len(others) == 1 else f"{len(others):,} rules, {others[0]} to {max(others)}"
    return f"{text} (and {last}: they differ only in constants)"


def _print(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in header:
        table.add_column(name, justify="left" if name in ("", "relation") else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console(stderr=True, highlight=False, markup=False, width=None if sys.stderr.isatty() else 120).print(table)


def _time(seconds: float) -> str:
    return "" if seconds == 0 else f"{seconds * 1e3:,.3f} ms"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
