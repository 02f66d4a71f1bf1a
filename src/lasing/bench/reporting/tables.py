"""Cells as tables: a row for each setting, a column for each contender, for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10
from statistics import median

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lasing.bench.measuring.records import Cell, Experiment

OUTPUTS = {"changes": "what changes", "answers": "all that holds"}
"""The kinds of output, in words."""
SHORT = 16
"""The greatest length of a note that is shown in the table itself, rather than below it."""


@dataclass(frozen=True)
class Section:
    """A table: its title, the names of its columns, its rows, and the notes below it.

    The columns from `figures` on hold figures, which a terminal aligns to the right.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: tuple[str, ...] = ()
    figures: int | None = None


def is_ours(contender: str) -> bool:
    """Whether a contender is our engine, in one form or another.

    >>> is_ours("our engine"), is_ours("lasing, strings"), is_ours("Laser")
    (True, True, False)
    """
    return contender.lower().startswith(("our engine", "ours", "lasing"))


def sections(experiment: Experiment, cells: Sequence[Cell]) -> list[Section]:
    """A table for each output."""
    outputs = list(dict.fromkeys(cell.output for cell in cells))
    return [_section(experiment, output, [cell for cell in cells if cell.output == output]) for output in outputs]


def in_full(cells: Sequence[Cell], unit: str) -> Section:
    """A row for each cell, with all its fields."""
    settings = _settings(cells)
    rows = tuple(
        (
            *(str(cell.settings.get(name, "")) for name in settings),
            cell.contender,
            cell.output,
            "" if cell.cost is None else figure(cell.cost),
            "" if cell.spread is None else f"{figure(cell.spread[0])} – {figure(cell.spread[1])}",
            "" if cell.ratio is None else times(cell.ratio),
            "" if cell.derived is None else _count(cell.derived),
            cell.note,
        )
        for cell in cells
    )
    columns = (*settings, "contender", "output", unit, "quartiles", "times ours", "derived atoms", "note")
    return Section("All figures", columns, rows)


def _section(experiment: Experiment, output: str, cells: Sequence[Cell]) -> Section:
    settings = _settings(cells)
    alike = {name: value for name, value in settings.items() if isinstance(value, (int, str))}
    varying = [name for name in settings if name not in alike]
    contenders = sorted(dict.fromkeys(cell.contender for cell in cells), key=lambda name: not is_ours(name))
    notes: dict[str, str] = {}
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    derived: dict[tuple[str, ...], str] = {}
    for cell in cells:
        row = tuple(_value(cell.settings.get(name, "")) for name in varying)
        rows.setdefault(row, {})[cell.contender] = _cell_text(cell, notes)
        if cell.derived is not None:
            derived.setdefault(row, _count(cell.derived))
    columns = (*varying, *contenders, *(("derived atoms",) if derived else ()))
    filled = tuple(
        (*row, *(texts.get(name, "") for name in contenders), *((derived.get(row, ""),) if derived else ()))
        for row, texts in rows.items()
    )
    where = ", ".join(f"{name} {_value(value)}" for name, value in alike.items())
    title = f"{experiment.title}: {OUTPUTS[output]}, in {experiment.unit}" + (f" ({where})" if where else "")
    below = (*_spread(cells), *(f"{mark} {note}" for note, mark in notes.items()))
    return Section(title, tuple(name.replace("_", " ") for name in columns), filled, below, len(varying))


def _settings(cells: Iterable[Cell]) -> dict[str, int | str | None]:
    """The names of all settings, each with its value if all cells share it."""
    values: dict[str, set[int | str | None]] = {}
    cells = list(cells)
    for cell in cells:
        for name in cell.settings:
            values.setdefault(name, set())
    for name, found in values.items():
        found.update(cell.settings.get(name) for cell in cells)
    return {name: next(iter(found)) if len(found) == 1 and len(cells) > 1 else None for name, found in values.items()}


def _value(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _count(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 or float(number).is_integer() else figure(number)


def _cell_text(cell: Cell, notes: dict[str, str]) -> str:
    """A cell as text; a long note goes below the table, under a mark."""
    text = ""
    if cell.cost is not None:
        ours = cell.ratio is None or (is_ours(cell.contender) and cell.ratio == 1)
        text = figure(cell.cost) if ours else f"{figure(cell.cost)} ({times(cell.ratio or 0)})"
    elif len(cell.note) <= SHORT:
        return cell.note or "–"
    if cell.note:
        text = f"{text} {notes.setdefault(cell.note, f'[{len(notes) + 1}]')}".strip()
    return text


def _spread(cells: Iterable[Cell]) -> Iterable[str]:
    """How far the quartiles are from the medians."""
    far = [
        max(cell.spread[1] - cell.cost, cell.cost - cell.spread[0]) / cell.cost
        for cell in cells
        if cell.cost and cell.spread
    ]
    if far:
        usual, worst = f"{median(far):.0%}", f"{max(far):.0%}"
        more = "" if usual == worst else f", in the worst cell within {worst}"
        yield f"Medians; the quartiles lie within {usual} of them{more}."


def figure(value: float) -> str:
    """A number with three significant digits.

    >>> figure(0.21345), figure(12.345), figure(1234.5), figure(0)
    ('0.213', '12.3', '1,234', '0')
    """
    return _digits(value, 3)


def times(ratio: float) -> str:
    """A ratio with two significant digits.

    >>> times(1), times(0.412), times(58.3), times(1234)
    ('1.0x', '0.41x', '58x', '1,234x')
    """
    return f"{_digits(ratio, 2)}x"


def _digits(value: float, digits: int) -> str:
    if value == 0 or (float(value).is_integer() and abs(value) >= 10 ** (digits - 1)):
        return f"{value:,.0f}"
    return f"{value:,.{max(0, digits - 1 - floor(log10(abs(value))))}f}"


def show(section: Section, console: Console) -> None:
    """Print a table to a terminal; if it is too wide, in parts, each with the settings and our engine."""
    console.print(section.title, style="bold", markup=False, highlight=False)
    natural, narrow = _widths(section, broken=False), _widths(section, broken=True)
    for columns in _parts(section, console.width):
        tight = section.figures is not None and _width(natural[number] for number in columns) > console.width
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1))
        for number in columns:
            name = section.columns[number]
            right = section.figures is not None and number >= section.figures
            table.add_column(
                escape(name),
                justify="right" if right else "left",
                style="bold" if right and is_ours(name) else "",
                width=narrow[number] if tight else None,
                overflow="fold",
                vertical="bottom",
            )
        for row in section.rows:
            table.add_row(*(escape(row[number]) for number in columns))
        console.print(table)
    for line in section.below:
        console.print(line, markup=False, highlight=False)
    console.print()


def _parts(section: Section, width: int) -> list[list[int]]:
    """The columns of each part, so that each row fits on one line.

    >>> wide = Section("", ("window", "our engine", "dictionaries", "clingo"), (("20", "1", "2", "3"),), figures=1)
    >>> _parts(wide, 100), _parts(wide, 40)
    ([[0, 1, 2, 3]], [[0, 1, 2], [0, 1, 3]])
    """
    everything, narrow = list(range(len(section.columns))), _widths(section, broken=True)
    if section.figures is None:
        return [everything]
    always = [n for n in everything if n < section.figures or (n == section.figures and is_ours(section.columns[n]))]
    parts = [list(always)]
    for number in everything[len(always) :]:
        if _width(narrow[n] for n in (*parts[-1], number)) > width and parts[-1] != always:
            parts.append(list(always))
        parts[-1].append(number)
    return parts


def _widths(section: Section, broken: bool) -> list[int]:
    """The width of each column: that of its longest cell, or of its name, which may be broken into words."""
    names = [name.split() if broken else [name] for name in section.columns]
    return [max(map(len, (*names[n], *(row[n] for row in section.rows)))) for n in range(len(names))]


def _width(columns: Iterable[int]) -> int:
    """The width of a table: each column has a space on either side, and one between it and the next."""
    return sum(width + 3 for width in columns) - 1


def markdown(section: Section) -> str:
    """A table as Markdown, with the notes below it, and without its title."""
    lines = [_line(section.columns), f"|{'---|' * len(section.columns)}", *map(_line, section.rows)]
    return "\n".join(lines) + "\n" + "".join(f"\n{line}\n" for line in section.below)


def _line(row: Iterable[str]) -> str:
    return f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |"
