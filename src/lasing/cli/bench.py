"""`lasing bench`: what the engine costs on this machine, as tables."""

from __future__ import annotations

from typing import Annotated

import typer


def bench(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SECTION...",
            help="Of limit, tick, window, push, batch, standing, cooling, rules, memory, shell, ratios.",
            show_default=False,
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure less: about a minute.")] = False,
) -> None:
    """Measure the engine beside others: ratios of medians, taken in turns in one run.

    All sections are measured unless some are named. Tables go to standard output, progress to standard error.
    """
    from rich.console import Console

    from lasing.bench.report import NAMES, run_all, show  # here, because to load the kernels takes a second

    if unknown := [name for name in only or () if name not in NAMES]:
        raise typer.BadParameter(f"there is no {unknown[0]!r} among {', '.join(NAMES)}", param_hint="SECTION")
    show(run_all(quick, only or ()), Console())
