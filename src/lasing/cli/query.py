"""`lasing query`: the answer of a query over files."""

from __future__ import annotations

import os
import time as clock
from pathlib import Path
from typing import Annotated

import typer

from lasing.cli.console import complain, note, progress_bar, say
from lasing.cli.options import AllowedFolders, EntailmentRegimes, MaxAtoms, MaxMemory, MaxTime, choose, read_sources
from lasing.cli.output import refuse_overwriting, write_whole
from lasing.cli.query_table import table_text, terminal_width
from lasing.cli.run import COMPILING
from lasing.cli.stats import print_stats
from lasing.connectors.files import PACKED
from lasing.engine_choice import ENGINES
from lasing.entailment import with_entailment
from lasing.errors import fault
from lasing.languages import SPARQL, read_program
from lasing.limits import limits_of
from lasing.querying import Answering, Result, static_output, with_graphs

ROW_FORMATS = ("table", "csv", "tsv", "json", "xml")
GRAPH_FORMATS = ("turtle", "ntriples", "nquads", "trig", "jsonld", "rdfxml")
FORMATS = (*ROW_FORMATS, *GRAPH_FORMATS)
ENDINGS = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".srj": "json",
    ".xml": "xml",
    ".srx": "xml",
    ".ttl": "turtle",
    ".nt": "ntriples",
    ".nq": "nquads",
    ".trig": "trig",
    ".jsonld": "jsonld",
    ".rdf": "rdfxml",
}


def query(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[DATA]... QUERY",
            help="The default graph (.ttl .nt .rdf .jsonld .trig .nq, each also with .gz), and the query (.rq .sparql, "
            "or - for standard input).",
            show_default=False,
        ),
    ],
    graph: Annotated[
        list[str] | None,
        typer.Option(
            "--graph",
            metavar="IRI=FILE",
            help="A named graph and its file; can be repeated. TriG and N-Quads bring their own.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"How to print it: {', '.join(FORMATS)} [default: the ending of --output decides, else table, or "
            "turtle for a graph].",
            show_default=False,
        ),
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file instead of standard output; .gz at the end of its name compresses it.",
            show_default=False,
        ),
    ] = "",
    entail: EntailmentRegimes = None,
    allow: AllowedFolders = None,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help=f"Run on this engine: auto, {', '.join(ENGINES)}.")
    ] = "auto",
    max_atoms: MaxAtoms = None,
    max_memory: MaxMemory = None,
    max_time: MaxTime = None,
    stats: Annotated[
        bool,
        typer.Option("--stats", help="Print what each rule added and how long it took; that makes the run slower."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no summary.")] = False,
) -> None:
    """Answer a SPARQL query over files.

    SELECT prints rows in the query's order, ASK prints yes or no, CONSTRUCT and DESCRIBE print a graph. The exit code
    is 0 whatever the answer is, also if it is no. For a query over streams, see lasing run.

    \b
    lasing query city.ttl rooms.rq
    lasing query city.ttl --graph http://ex.org/plan=plan.ttl rooms.rq -o rooms.csv
    echo 'ASK { ?s a <http://ex.org/Room> }' | lasing query city.ttl -
    """
    wanted = chosen_format(form, output)
    data, query_file = _split(files)
    graphs = dict(_named(option) for option in graph or ())
    refuse_overwriting(output, [*files, *graphs.values()])
    limits = limits_of(max_atoms, max_memory, max_time)
    program = read_program(read_sources([query_file], allow, [*data, *graphs.values()]), None, SPARQL.name)
    kind = static_output(program).form
    if wanted in GRAPH_FORMATS and kind != "graph":
        message = f"{wanted} is for the graphs of CONSTRUCT and DESCRIBE; this query has {_WHAT[kind]}"
        raise typer.BadParameter(message, param_hint="--format")
    begun = clock.monotonic()
    with progress_bar(0 if quiet else _size([*data, *graphs.values()])) as progress:
        program = with_entailment(with_graphs(program, data, graphs, progress), entail)
    answering = Answering(program, engine, limits)
    if stats:
        answering.run.measure()
    answering.run.prepare(lambda: None if quiet else note(COMPILING))
    result = answering.result()
    write_whole(text_of(result, wanted, to_file=bool(output)), output)
    complain(answering.findings)
    if stats:
        print_stats(program, answering.run)
    if not quiet:
        say(f"{_size_text(result)}from {program.background_size:,} facts, {clock.monotonic() - begun:.1f} s")


_WHAT = {"rows": "rows", "truth": "yes or no"}


def chosen_format(form: str, output: str) -> str:
    """The format that `--format` names, or that of the file's ending; empty if neither does."""
    if form:
        choose("--format", form, FORMATS)
        return form
    path = Path(output)
    ending = (path.with_suffix("") if path.suffix.lower() == PACKED else path).suffix.lower()
    if output and ending not in ENDINGS:
        raise fault(
            "E511",
            f"{output}: no format of results ends in {ending}" if ending else f"{output}: which format is this?",
            note=f"known endings are {' '.join(ENDINGS)}, each also with .gz; or name the --format",
        )
    return ENDINGS[ending] if output else ""


def text_of(result: Result, form: str, to_file: bool = False) -> str:
    """A result as text."""
    form = form or ("turtle" if result.form == "graph" else "table")
    if form == "table":
        if result.form == "truth":
            return "yes\n" if result else "no\n"
        return table_text(result, None if to_file else terminal_width())
    from lasing.connectors.rdf import results  # here, because it loads pyoxigraph

    if form in results.GRAPHS:
        return results.graph_text(result, form, result.prefixes)
    if result.form == "truth":
        return results.truth_text(bool(result), form)
    return results.rows_text(result.columns, result, form)


def _split(files: list[str]) -> tuple[list[str], str]:
    queries = [file for file in files if file == "-" or file.lower().endswith(SPARQL.endings)]
    if len(queries) != 1:
        known = " ".join(SPARQL.endings)
        if queries:
            raise typer.BadParameter(f"give one query, not {len(queries)}: {' '.join(queries)}")
        raise typer.BadParameter(f"no query: give a file that ends in {known}, or - for standard input")
    return [file for file in files if file != queries[0]], queries[0]


def _named(option: str) -> tuple[str, str]:
    name, equals, file = option.rpartition("=")  # an IRI may have = in it
    if not equals or not name or not file:
        raise typer.BadParameter(f"{option!r} is not of the form IRI=FILE", param_hint="--graph")
    return name, file


def _size(files: list[str]) -> int:
    return sum(os.path.getsize(file) for file in files if os.path.isfile(file))


def _size_text(result: Result) -> str:
    if result.form == "truth":
        return ""
    what = "row" if result.form == "rows" else "triple"
    return f"{len(result):,} {what}{'s'[: len(result) != 1]} "
