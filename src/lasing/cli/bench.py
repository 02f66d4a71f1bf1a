"""`lasing bench`: measure the engine and its competitors on this machine; print tables, pictures and a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from lasing.bench.run import Measured


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="What to measure; --list prints the names.", show_default=False),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Measure less, in under two minutes; Spark and peers only if you name them."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write the report, the figures and the pictures into this folder, or to PAGE.md and a folder PAGE.",
            show_default=False,
        ),
    ] = None,
    list_names: Annotated[
        bool,
        typer.Option("--list", help="Print each name, or those of the given groups, and what it measures; then exit."),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REV",
            help="Measure the named experiments here and at this commit, in turns, and print the ratio of each cell.",
            show_default=False,
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", min=1, help="With --against: how often to measure each version.")
    ] = 5,
) -> None:
    """Compare the engine with others on this machine, and print medians and ratios.

    Measures everything unless you name experiments. Tables go to standard output, progress to standard error.

    `peers` compares it with Flink SQL, Bytewax, Pathway, Polars, DuckDB and MeTeoR, which it installs on first use.
    """
    from rich.console import Console

    from lasing.bench import experiments  # here, because loading the kernels takes a second
    from lasing.bench.measuring.course import FULL, QUICK
    from lasing.bench.reporting.progress import ProgressBar
    from lasing.bench.reporting.report import NO_PICTURES, BenchReport, Place, describe
    from lasing.bench.run import measure

    try:
        selected = experiments.choose(names or (), quick)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="NAME") from None
    if list_names:
        questions = experiments.names(names or ())
        for name, question in questions.items():
            typer.echo(f"{name:<{max(map(len, questions))}}  {question}")
        return
    if against is not None:
        _compare(against, names or [], rounds, quick)
        return
    effort = QUICK if quick else FULL
    place = None if out is None else Place.of(out)
    console = Console() if sys.stdout.isatty() else Console(width=100)
    report = BenchReport(describe(names or (), quick), place)
    with report, ProgressBar(selected.count(effort)) as progress:
        for measured in measure(selected, effort, progress, report.add):
            report.done.append(measured)
            with progress.aside():
                _print(measured, console)
    if place is not None:
        print(f"wrote {place.page}", file=sys.stderr)
        if report.lacks_pictures:
            print(NO_PICTURES, file=sys.stderr)
    if any(measured.failed for measured in report.done):
        raise typer.Exit(1)


def _compare(rev: str, names: list[str], rounds: int, quick: bool) -> None:
    from rich.console import Console

    from lasing.bench.against import COLUMNS, SLOWER, compare
    from lasing.bench.reporting.tables import Section, show

    if not names:
        raise typer.BadParameter("name the experiments to compare; --list prints the names", param_hint="NAME")
    try:
        found = compare(rev, names, rounds, full=not quick)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--against") from None
    console = Console() if sys.stdout.isatty() else Console(width=120)
    show(Section(f"Costs here and at {rev}", COLUMNS, tuple(one.row() for one in found)), console)
    slower = [one for one in found if one.ratio > SLOWER]
    for one in slower:
        console.print(f"- slower: {one.name}, {one.ratio:.3f} times", markup=False, highlight=False)
    if slower:
        raise typer.Exit(1)
    console.print(f"No cell of {len(found)} is slower by more than 5 %.", markup=False, highlight=False)


def _print(measured: Measured, console: Console) -> None:
    from lasing.bench.reporting.tables import show

    for section in measured.sections:
        show(section, console)
    said = [f"{measured.title}: {measured.missing}"] if measured.missing else [f"- {s}" for s in measured.sentences]
    for sentence in said:
        console.print(sentence, markup=False, highlight=False)
    if said:
        console.print()
