"""`lasing translate`: the rules of a program or a query."""

from __future__ import annotations

from typing import Annotated

import typer

from lasing.cli.options import AllowedFolders, Language, constants_of, read_sources
from lasing.cli.output import refuse_overwriting, write_whole
from lasing.languages import read_program, translated
from lasing.logic.rewrites import plain


def translate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM...",
            help="The programs (.lars), queries (.rq .sparql .rspql .csparql .cqels) or event patterns "
            "(.tesla .dotr .etalis), "
            "or - for standard input.",
            show_default=False,
        ),
    ],
    rewritten: Annotated[
        bool, typer.Option("--rewritten", help="Show the rules that the engines get: without nested formulas.")
    ] = False,
    const: Annotated[
        list[str] | None,
        typer.Option("--const", "-c", metavar="NAME=VALUE", help="Set a #const; can be repeated.", show_default=False),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file instead of standard output.",
            show_default=False,
        ),
    ] = "",
    allow: AllowedFolders = None,
    language: Language = None,
) -> None:
    """Print the rules of a program, a query or an event pattern.

    Queries and event patterns become rules; #include and #const are resolved, and durations are numbers of time points.
    What is printed is a program (.lars) with the same answers.

    \b
    lasing translate rooms.rq
    lasing translate hot.lars --const limit=30 -o hot30.lars
    """
    refuse_overwriting(output, files)
    program = read_program(read_sources(files, allow), constants_of(const or []), language)
    write_whole(translated(plain(program).program if rewritten else program, language), output)
