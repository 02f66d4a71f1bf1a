"""`lasing bench`: what the engine costs on this machine, beside others, as tables, pictures and a report."""

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
        typer.Option("--quick", help="Measure less, in under two minutes; Spark only where it is named."),
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
        bool, typer.Option("--list", help="Print the names, and what each measures, and exit.")
    ] = False,
) -> None:
    """Measure the engine beside others on this machine, and print medians and ratios.

    Everything is measured unless some experiments are named. Tables go to standard output, progress to standard error.
    """
    from rich.console import Console

    from lasing.bench import experiments  # here, because to load the kernels takes a second
    from lasing.bench.course import FULL, QUICK
    from lasing.bench.progress import Progress
    from lasing.bench.report import NO_PICTURES, Place, Report, describe
    from lasing.bench.run import measure

    if list_names:
        questions = experiments.names()
        for name, question in questions.items():
            typer.echo(f"{name:<{max(map(len, questions))}}  {question}")
        return
    try:
        plan = experiments.choose(names or (), quick)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="NAME") from None
    effort = QUICK if quick else FULL
    place = None if out is None else Place.of(out)
    console = Console() if sys.stdout.isatty() else Console(width=100)
    report = Report(describe(names or (), quick), place)
    with report, Progress(plan.count(effort)) as progress:
        for measured in measure(plan, effort, progress, report.tell):
            report.done.append(measured)
            with progress.aside():
                _print(measured, console)
    if place is not None:
        print(f"wrote {place.page}", file=sys.stderr)
        if report.lacks_pictures:
            print(NO_PICTURES, file=sys.stderr)
    if any(measured.failed for measured in report.done):
        raise typer.Exit(1)


def _print(measured: Measured, console: Console) -> None:
    from lasing.bench.tables import show

    for section in measured.sections:
        show(section, console)
    said = [f"{measured.title}: {measured.missing}"] if measured.missing else [f"- {s}" for s in measured.sentences]
    for sentence in said:
        console.print(sentence, markup=False, highlight=False)
    if said:
        console.print()
