"""`lasing show`: a timeline of a stream and of what a program derives from it, as a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lasing.background import with_background
from lasing.cli.console import complain
from lasing.cli.options import (
    INPUT_FORMATS,
    AllowedFolders,
    DataFiles,
    EntailmentRegimes,
    FunctionsModule,
    Language,
    MaxTime,
    Missing,
    TripleMappings,
    as_triples,
    choose,
    constants_of,
    outputs_from,
    read_sources,
    split_files,
    time_option,
)
from lasing.cli.output import refuse_overwriting, write_whole
from lasing.connectors.csv import cell_value
from lasing.connectors.sources import Streams
from lasing.connectors.tables import TIME
from lasing.engine_choice import ENGINES
from lasing.entailment import with_entailment
from lasing.errors import LasingError
from lasing.languages import read_program
from lasing.limits import limits_of
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.checks.arity import arity
from lasing.logic.modules import functions_of_module
from lasing.logic.own import with_functions
from lasing.pictures.timeline import ENDINGS
from lasing.session import Run


def show(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM... [STREAM]...",
            help="Programs, queries or event patterns, and streams, as for lasing run.",
            show_default=False,
        ),
    ],
    first: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="TIME",
            help="The first time point [default: that of the first fact].",
            show_default=False,
        ),
    ] = "",
    last: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="TIME",
            help="The last time point [default: that of the last fact].",
            show_default=False,
        ),
    ] = "",
    at: Annotated[
        str,
        typer.Option(
            "--at",
            metavar="TIME",
            help="Shade the windows of this time point, with their facts.",
            show_default=False,
        ),
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file instead of standard output: .svg is a picture, .html a page to zoom and hover "
            "over, .json its Vega-Lite (the last two need Altair).",
            show_default=False,
        ),
    ] = "",
    width: Annotated[int, typer.Option("--width", metavar="PIXELS", min=320, help="The width of the picture.")] = 960,
    shown: Annotated[
        str,
        typer.Option(
            "--show",
            metavar="P/N,...",
            help="Show only these derived predicates, such as p/1,q/2, whatever #show says.",
            show_default=False,
        ),
    ] = "",
    models: Annotated[
        int | None,
        typer.Option(
            "--models",
            metavar="K",
            min=1,
            help="Find at most this many answers at each time point [default: all].",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help=f"Run on this engine: auto, {', '.join(ENGINES)}.")
    ] = "auto",
    time: Annotated[str, typer.Option("--time", metavar="COLUMN", help="The column with the time, in tables.")] = TIME,
    mapping: TripleMappings = None,
    sort: Annotated[bool, typer.Option("--sort", help="Sort the streams by time first.")] = False,
    missing: Missing = "skip",
    input_format: Annotated[
        str,
        typer.Option(
            "--input-format",
            metavar="FORMAT",
            help=f"The format of standard input: {', '.join(INPUT_FORMATS)}.",
        ),
    ] = "facts",
    const: Annotated[
        list[str] | None,
        typer.Option("--const", "-c", metavar="NAME=VALUE", help="Set a #const; can be repeated.", show_default=False),
    ] = None,
    data: DataFiles = None,
    entail: EntailmentRegimes = None,
    functions: FunctionsModule = None,
    allow: AllowedFolders = None,
    language: Language = None,
    max_time: MaxTime = None,
) -> None:
    """Draw a stream and what a program derives from it, along the time.

    Each predicate has a lane: facts are dots, and derived atoms are bars for as long as they hold. With --at, you see
    what the windows of the rules reach at a time point, and which facts are in them.

    \b
    lasing show fire.lars smoke.facts -o fire.svg
    lasing show fire.lars smoke.facts --at 4 -o fire.svg
    lasing show alerts.rq temps.nt -o alerts.html
    """
    choose("--input-format", input_format, INPUT_FORMATS)
    if output and Path(output).suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{output} does not end in {', '.join(ENDINGS)}", param_hint="--output")
    programs, sources = split_files(files, time, input_format, language)
    refuse_overwriting(output, [*programs, *(data or []), *(str(source.path) for source in sources)])
    program = read_program(read_sources(programs, allow), constants_of(const or []), language)
    program = with_entailment(with_background(program, data), entail)
    program = with_functions(program, None if functions is None else functions_of_module(functions))
    if shown:
        program = replace(program, outputs=outputs_from(shown))
        if mistakes := findings(program, (arity,)):
            raise LasingError(mistakes)
    complain(findings(program, CAUTIONS))
    run = Run(
        program,
        Streams(as_triples(sources, mapping)),
        time_option("--from", first, program.tick),
        time_option("--to", last, program.tick),
        engine,
        sort=sort,
        warn=False,
        models=models,
        missing=cell_value(missing),
        limits=limits_of(None, None, max_time),
    )
    timeline = run.show(time_option("--at", at, program.tick))
    write_whole(timeline.text(output or ".svg", width), output)
