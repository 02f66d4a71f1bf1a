"""`lasing run`: compute the answers of a program on streams."""

from __future__ import annotations

import os
import time as clock
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lasing.background import with_background
from lasing.cli.bad_rows import bad_rows_file
from lasing.cli.console import complain, complaining_if_interrupted, note, progress_bar, say
from lasing.cli.late import late_file
from lasing.cli.options import (
    INPUT_FORMATS,
    AllowedFolders,
    BadRowsOption,
    ClockOption,
    DataFiles,
    DelayOption,
    EntailmentRegimes,
    FunctionsModule,
    IdleOption,
    Language,
    LateOption,
    MaxAtoms,
    MaxBadRows,
    MaxMemory,
    MaxTime,
    Missing,
    TripleMappings,
    as_triples,
    choose,
    constants_of,
    outputs_from,
    read_sources,
    split_files,
    styled,
    time_option,
    timing_from,
)
from lasing.cli.output import output_format, refuse_overwriting, write_output
from lasing.cli.stats import print_stats
from lasing.connectors.arrow_alone import leave_pandas_out
from lasing.connectors.bad_rows import STOP
from lasing.connectors.csv import cell_value
from lasing.connectors.files import is_live
from lasing.connectors.missing import SKIP
from lasing.connectors.query_records import query_header, query_records, visible_arity
from lasing.connectors.sinks import (
    OUTPUT_FORMATS,
    RDF_OUTPUT,
    VIEWS,
    OutputFormat,
    ShowTime,
    Time,
    View,
    Written,
    header,
    model_records,
    records,
)
from lasing.connectors.sources import FileSource, Streams, followed
from lasing.connectors.tables import TIME
from lasing.engine_choice import ENGINES
from lasing.entailment import with_entailment
from lasing.errors import LasingError, LasingWarning, fault
from lasing.languages import read_program
from lasing.limits import limits_of
from lasing.logic.answers import Changes
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.checks.arity import arity
from lasing.logic.formulas import atoms_of
from lasing.logic.modules import functions_of_module
from lasing.logic.own import with_functions
from lasing.logic.program import Program
from lasing.logic.results import formed
from lasing.logic.splitting import has_several_answers
from lasing.session import Run

COMPILING = "compiling the engine's kernels for this program, which takes a few seconds; later runs reuse them"


def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM... [STREAM]...",
            help="Programs (.lars), queries (.rq .sparql .rspql .csparql .cqels) or event patterns "
            "(.tesla .dotr .etalis), and "
            "streams (.facts .csv .jsonl .parquet .trig .nq .nt .jsonld .jelly, - for standard input, or an address: "
            "tcp://HOST:PORT, unix:///PATH, mqtt://HOST/TOPIC, kafka://HOST/TOPIC, "
            "http://127.0.0.1:PORT/PATH to listen). The rows of a "
            "table are facts of the predicate that the file is named after, or of pred in pred=FILE or "
            "pred(column,…)=FILE.",
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
    view: Annotated[str, typer.Option("--as", metavar="VIEW", help=f"What to print: {', '.join(VIEWS)}.")] = "answers",
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"How to print it: {', '.join(OUTPUT_FORMATS)} [default: the ending of --output decides, else text].",
            show_default=False,
        ),
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file instead of standard output; .gz at the end of its name compresses it. Or send "
            "JSON lines to an address: tcp://HOST:PORT, unix:///PATH, mqtt://HOST/TOPIC, kafka://HOST/TOPIC, "
            "http://HOST:PORT/PATH.",
            show_default=False,
        ),
    ] = "",
    show: Annotated[
        str,
        typer.Option(
            "--show",
            metavar="P/N,...",
            help="Print only these predicates, such as p/1,q/2, whatever #show says.",
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
    time: Annotated[
        str,
        typer.Option(
            "--time",
            metavar="COLUMN",
            help="The time column of tables, the key of JSON-LD, or the property (an IRI) of RDF graphs.",
        ),
    ] = TIME,
    times: Annotated[
        str,
        typer.Option(
            "--times",
            metavar="STYLE",
            help="Print times as numbers, as dates (iso, which needs a #tick), or the way they came in (auto).",
        ),
    ] = "auto",
    graph_times: Annotated[
        str,
        typer.Option(
            "--graph-times",
            metavar="FILE",
            help="The times of named graphs: CSV with the columns graph and time, or RDF.",
            show_default=False,
        ),
    ] = "",
    mapping: TripleMappings = None,
    sort: Annotated[bool, typer.Option("--sort", help="Read the streams whole and sort them by time first.")] = False,
    delay: DelayOption = None,
    idle: IdleOption = "",
    late: LateOption = "",
    by_clock: ClockOption = False,
    corrections: Annotated[
        bool,
        typer.Option(
            "--corrections",
            help="Do not wait for late facts: print answers at once, with +, and when a fact comes late within "
            "--delay, what is different at earlier time points, with + and -.",
        ),
    ] = False,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="Read files and folders on as they grow; end with Ctrl-C."),
    ] = False,
    input_format: Annotated[
        str,
        typer.Option(
            "--input-format",
            metavar="FORMAT",
            help=f"The format of standard input and of addresses: {', '.join(INPUT_FORMATS)}.",
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
    max_atoms: MaxAtoms = None,
    max_memory: MaxMemory = None,
    max_time: MaxTime = None,
    missing: Missing = SKIP,
    bad_rows: BadRowsOption = STOP,
    max_bad_rows: MaxBadRows = None,
    stats: Annotated[
        bool,
        typer.Option("--stats", help="Print what each rule added and how long it took; that makes the run slower."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no warnings, no progress and no summary.")
    ] = False,
) -> None:
    """Run a program on streams and print its answers.

    Streams are merged by time; each must be in order, or out of order by at most --delay. Standard input, named pipes,
    addresses and, with --follow, files are read live: the answer of a time point is printed as soon as every stream has
    a later fact or has ended.

    \b
    lasing run hot.lars readings.facts
    lasing run hot.lars "temp(sensor,value)=readings.csv" --time ts --as changes
    sensor-gateway | lasing run hot.lars - --output hot.jsonl
    """
    choose("--as", view, VIEWS)
    choose("--input-format", input_format, INPUT_FORMATS)
    view_name: View = next(v for v in VIEWS if v == view)
    limits = limits_of(max_atoms, max_memory, max_time)
    programs, sources = split_files(files, time, input_format, language, follows=follow)
    if graph_times:
        sources = [replace(source, graph_times=Path(graph_times)) for source in sources]
    program = read_program(read_sources(programs, allow, data), constants_of(const or []), language)
    program = with_entailment(with_background(program, data), entail)
    program = with_functions(program, None if functions is None else functions_of_module(functions))
    if show:
        program = replace(program, outputs=outputs_from(show))
        if mistakes := findings(program, (arity,)):
            raise LasingError(mistakes)
    if follow:
        sources = [followed(source) for source in sources]
    timing = timing_from(delay, idle, late, by_clock, sources)
    if timing is not None and sort:
        raise typer.BadParameter("streams are sorted whole, or read with a delay", param_hint="--sort")
    inputs = [*programs, *(data or []), *(str(source.path) for source in sources)]
    refuse_overwriting(late, [*inputs, *([output] if output else [])], "--late")
    kept = "" if bad_rows in (STOP, SKIP) else bad_rows
    refuse_overwriting(kept, [*inputs, *filter(None, (output, late))], "--bad-rows")
    refuse_overwriting(output, inputs)
    out_format = output_format(form, output)
    if out_format in RDF_OUTPUT and (view != "answers" or has_several_answers(program)):
        raise typer.BadParameter(f"{out_format} has a graph for each time point: the one answer", param_hint="--format")
    if out_format in RDF_OUTPUT and any(output.form in ("rows", "truth") for output in program.outputs or ()):
        message = f"{out_format} is for graphs: this query has rows, or yes or no; CONSTRUCT has a graph"
        raise typer.BadParameter(message, param_hint="--format")
    program = styled(program, times)
    if quiet:
        warnings.simplefilter("ignore", LasingWarning)
    else:
        complain(findings(program, CAUTIONS))
    leave_pandas_out()
    begun = clock.monotonic()
    if corrections:
        from lasing.cli.corrections import Correction, run_with_corrections  # here, because it loads the kernels

        gaps = cell_value(missing), bad_rows, max_bad_rows
        settings = Correction(program, timing, view, engine, limits, *gaps, late, out_format, output, quiet)
        start, end = (time_option(option, text, program.tick) for option, text in (("--from", first), ("--to", last)))
        names = [f"arg{i}" for i in range(1, _arity(program) + 1)]
        run_with_corrections(settings, Streams(as_triples(sources, mapping)), start, end, names)
        return
    with (
        late_file(late, program) as on_late,
        bad_rows_file(bad_rows, max_bad_rows) as bad,
        progress_bar(0 if quiet else _size(sources)) as progress,
    ):
        start = time_option("--from", first, program.tick)
        end = time_option("--to", last, program.tick)
        live = any(is_live(source.path) for source in sources)
        answers = Run(
            program,
            Streams(as_triples(sources, mapping)),
            start,
            end,
            engine,
            sort,
            progress,
            warn=False,
            models=models,
            limits=limits,
            live=live,
            missing=cell_value(missing),
            bad_rows=bad,
            timing=timing,
            on_late=on_late,
        )
        if stats:
            answers.measure()
        answers.prepare(lambda: None if quiet else note(COMPILING))
        columns = _header(program, view_name, answers.several)
        batches = _batches(answers, program, view_name, models, _show_time(answers, out_format), out_format, columns)
        with complaining_if_interrupted(answers.diagnostics, quiet):
            write_output(batches, out_format, output, columns, quiet)
    if stats:
        print_stats(program, answers)
    if not quiet:
        complain(answers.diagnostics())
        report = answers.report
        number = f"{report.answers:,} answers, " if answers.several else ""
        say(
            f"{report.time_points:,} time points, {report.facts:,} facts in, {number}{report.atoms:,} atoms out, "
            f"{clock.monotonic() - begun:.1f} s"
        )


def _show_time(answers: Run, form: OutputFormat) -> ShowTime:
    """How to print times; only the first answer shows whether they came in as dates."""

    def show(time: int) -> Time:
        if answers.tick is None:
            return time
        return answers.tick.instant(time) if form == "parquet" else answers.tick.iso(time)

    return show


def _batches(
    answers: Run,
    program: Program,
    view: View,
    models: int | None,
    show_time: ShowTime,
    form: OutputFormat,
    header: list[str],
) -> Iterator[Written]:
    outputs = program.outputs
    queries = formed(outputs)
    if queries:
        alone = outputs is not None and len(outputs) == 1
        return query_records(answers.moments(), view, show_time, queries, alone)
    columns = answers.columns() if view == "changes" else None
    if columns is not None:
        from lasing.connectors.column_sinks import change_records  # here, because it loads Arrow

        return change_records(columns, show_time)
    steps = answers.steps() if view == "answers" else None
    if steps is not None and (form == "text" or form == "jsonl" or form == "csv"):
        from lasing.connectors.answer_lines import answer_lines

        return answer_lines(steps, show_time, form, len(header))
    if not answers.several:
        return records(answers.moments(), view, show_time)
    if view == "answers":
        return model_records(answers, models, show_time)
    return records(_exactly_one(answers.moments()), view, show_time)


def _exactly_one(moments: Iterator[Changes]) -> Iterator[Changes]:
    """The changes, up to the first time point without exactly one answer; its error gets a note about `--as`."""
    try:
        yield from moments
    except LasingError as error:
        d = error.diagnostics[0]
        if d.code != "E309":
            raise
        raise fault(d.code, d.message, note="--as answers prints any number of answers") from None


def _header(program: Program, view: View, several: bool) -> list[str]:
    """The columns of a table: those of the query, if it is the only output."""
    queries = formed(program.outputs)
    if len(queries) == 1 and program.outputs is not None and len(program.outputs) == 1:
        return query_header(view, program.outputs[0])
    if queries:
        shown = [visible_arity(o) if o.predicate in queries else o.arity for o in program.outputs or ()]
        return header(view, several, max(shown))
    return header(view, several, _arity(program))


def _arity(program: Program) -> int:
    """The greatest number of arguments in the output."""
    shown = program.output()
    literals = (f for rule in program.rules for f in (*rule.heads, *rule.body))
    atoms = (a for literal in literals for a in atoms_of(literal) if a.predicate in shown)
    return max([len(a.args) for a in atoms] + [output.arity for output in program.outputs or ()], default=0)


def _size(sources: list[FileSource]) -> int:
    return sum(s.path.stat().st_size for s in sources if os.path.isfile(s.path))
