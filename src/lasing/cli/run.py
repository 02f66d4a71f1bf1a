"""`lasing run`: answers of a program on streams."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TextIO, assert_never

import typer

from lasing.cli.console import complain, patience, progress_bar, say, standard_output
from lasing.cli.options import (
    INPUT_FORMATS,
    MaxAtoms,
    MaxMemory,
    MaxTime,
    choose,
    constants_of,
    read_sources,
    signatures_of,
    split_files,
    time_option,
)
from lasing.connectors.files import unwritable
from lasing.connectors.rows import merged
from lasing.connectors.sinks import (
    ENDINGS,
    OUTPUT_FORMATS,
    VIEWS,
    OutputFormat,
    Record,
    ShowTime,
    View,
    header,
    model_records,
    records,
    write_csv,
    write_jsonl,
    write_parquet,
    write_text,
)
from lasing.connectors.sources import FileSource, stream_rows
from lasing.connectors.tables import TIME
from lasing.engine_choice import ENGINES
from lasing.errors import LasingError, fault
from lasing.languages.lars.reader import read_program
from lasing.limits import limits_of
from lasing.logic.answers import Changes
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.checks.arity import arity
from lasing.logic.formulas import atoms_of
from lasing.logic.program import Program
from lasing.session import Run, arity_of
from lasing.timeline.ticks import Tick


def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM... [STREAM]...",
            help="Programs (.lars) and streams (.facts .csv .jsonl .parquet, or - for standard input). "
            "For tables, pred=FILE or pred(column,…)=FILE says what the rows mean.",
            show_default=False,
        ),
    ],
    first: Annotated[
        str,
        typer.Option(
            "--from", metavar="TIME", help="First time point [default: the first fact's].", show_default=False
        ),
    ] = "",
    last: Annotated[
        str,
        typer.Option("--to", metavar="TIME", help="Last time point [default: the last fact's].", show_default=False),
    ] = "",
    view: Annotated[str, typer.Option("--as", metavar="VIEW", help=f"What to print: {', '.join(VIEWS)}.")] = "answers",
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"How to print it: {', '.join(OUTPUT_FORMATS)} [default: text, or by the ending of --output].",
            show_default=False,
        ),
    ] = "",
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
    show: Annotated[
        str,
        typer.Option(
            "--show",
            metavar="P/N,...",
            help="Print these predicates, such as p/1,q/2; overrides #show.",
            show_default=False,
        ),
    ] = "",
    models: Annotated[
        int | None,
        typer.Option(
            "--models",
            metavar="K",
            min=1,
            help="At most this many answer streams at each time point [default: all].",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[str, typer.Option("--engine", metavar="NAME", help=f"auto, {', '.join(ENGINES)}.")] = "auto",
    time: Annotated[str, typer.Option("--time", metavar="COLUMN", help="The column of the time, in tables.")] = TIME,
    times: Annotated[
        str,
        typer.Option("--times", metavar="STYLE", help="Print times as numbers, or as dates: iso (needs a #tick)."),
    ] = "numbers",
    sort: Annotated[bool, typer.Option("--sort", help="Sort the streams by time first.")] = False,
    input_format: Annotated[
        str,
        typer.Option("--input-format", metavar="FORMAT", help="Format of standard input: facts, csv, jsonl."),
    ] = "facts",
    const: Annotated[
        list[str] | None,
        typer.Option("--const", "-c", metavar="NAME=VALUE", help="Set a #const; may be repeated.", show_default=False),
    ] = None,
    max_atoms: MaxAtoms = None,
    max_memory: MaxMemory = None,
    max_time: MaxTime = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No warnings, no progress, no summary.")] = False,
) -> None:
    """Answer a program on streams.

    Streams are merged by time. Standard input is read live: the answer of a time point is printed as soon as a later
    fact, or the end, shows that it is complete.
    """
    choose("--as", view, VIEWS)
    choose("--times", times, ("numbers", "iso"))
    choose("--input-format", input_format, INPUT_FORMATS)
    view_name: View = next(v for v in VIEWS if v == view)
    limits = limits_of(max_atoms, max_memory, max_time)
    programs, sources = split_files(files, time, input_format)
    program = read_program(read_sources(programs), constants_of(const or []))
    if show:
        program = replace(program, show=signatures_of(show))
        if mistakes := findings(program, (arity,)):
            raise LasingError(mistakes)
    _refuse_overwriting(output, [*programs, *(str(source.path) for source in sources)])
    out_format = _output_format(form, output)
    tick = _tick_for(times, program.tick)
    if not quiet:
        complain(findings(program, CAUTIONS))
    begun = clock.monotonic()
    with progress_bar(0 if quiet else _size(sources)) as progress:
        known = arity_of(program)
        rows = merged([stream_rows(source, program.tick, sort, progress, known) for source in sources])
        start = time_option("--from", first, program.tick)
        end = time_option("--to", last, program.tick)
        answers = Run(program, rows, start, end, engine, warn=False, models=models, limits=limits)
        with patience("compiling the engine's kernels, once: about a minute", quiet):
            answers.prepare()
        batches = _batches(answers, view_name, models, tick.iso if tick else int)
        names = header(view_name, answers.several, _arity(program))
        if output:
            try:
                _write_file(batches, out_format, Path(output), names)
            except OSError as error:
                raise unwritable(Path(output), error) from None
        else:
            with standard_output() as out:
                _write(batches, out_format, out, names)
    if not quiet:
        complain(answers.diagnostics())
        report = answers.report
        number = f"{report.answers:,} answers, " if answers.several else ""
        say(
            f"{report.time_points:,} time points, {report.facts:,} facts in, {number}{report.atoms:,} atoms out, "
            f"{clock.monotonic() - begun:.1f} s"
        )


def _refuse_overwriting(output: str, inputs: list[str]) -> None:
    if output and any(Path(output).resolve() == Path(name).resolve() for name in inputs):
        raise typer.BadParameter(f"{output} is one of the inputs, and would be lost", param_hint="--output")


def _output_format(form: str, output: str) -> OutputFormat:
    chosen = form or (ENDINGS.get(Path(output).suffix.lower(), "text") if output else "text")
    choose("--format", chosen, OUTPUT_FORMATS)
    if chosen == "parquet" and not output:
        raise typer.BadParameter("Parquet needs a file: --output answers.parquet", param_hint="--format")
    return next(f for f in OUTPUT_FORMATS if f == chosen)


def _tick_for(times: str, tick: Tick | None) -> Tick | None:
    if times == "numbers":
        return None
    if tick is None:
        raise typer.BadParameter("the program has no #tick, so its times have no dates", param_hint="--times")
    return tick


def _batches(answers: Run, view: View, models: int | None, show_time: ShowTime) -> Iterator[list[Record]]:
    if not answers.several:
        return records(answers.moments(), view, show_time)
    if view == "answers":
        return model_records(answers, models, show_time)
    return records(_exactly_one(answers.moments()), view, show_time)


def _exactly_one(moments: Iterator[Changes]) -> Iterator[Changes]:
    """The changes, up to where there is not exactly one answer, with a note for the command line."""
    try:
        yield from moments
    except LasingError as error:
        d = error.diagnostics[0]
        if d.code != "E309":
            raise
        raise fault(d.code, d.message, note="--as answers prints any number of answers") from None


def _arity(program: Program) -> int:
    """The greatest number of arguments in the output."""
    shown = program.output()
    literals = (f for rule in program.rules for f in (*rule.heads, *rule.body))
    atoms = (a for literal in literals for a in atoms_of(literal) if a.predicate in shown)
    return max([len(a.args) for a in atoms] + [s.arity for s in program.show or ()], default=0)


def _write_file(batches: Iterator[list[Record]], form: OutputFormat, path: Path, names: list[str]) -> None:
    """Write beside the file and put it in place when all is well, so that a failure leaves the old one as it was."""
    if path.exists() and not path.is_file():  # a device or a pipe
        with path.open("w", encoding="utf-8", newline="") as file:
            _write(batches, form, file, names)
        return
    part = path.with_name(path.name + ".part")
    try:
        if form == "parquet":
            write_parquet(batches, part, names)
        else:
            with part.open("w", encoding="utf-8", newline="") as file:
                _write(batches, form, file, names)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write(batches: Iterator[list[Record]], form: OutputFormat, out: TextIO, names: list[str]) -> None:
    match form:
        case "text":
            write_text(batches, out)
        case "jsonl":
            write_jsonl(batches, out)
        case "csv":
            write_csv(batches, out, names)
        case "parquet":
            raise AssertionError("Parquet is written to a path, not to a text stream")
        case _:
            assert_never(form)


def _size(sources: list[FileSource]) -> int:
    return sum(s.path.stat().st_size for s in sources if s.path.is_file())
