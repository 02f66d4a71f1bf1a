"""`lasing models`: model checking and satisfiability, of programs and of formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated

import typer

from lasing.cli.console import complain, standard_output
from lasing.cli.options import (
    INPUT_FORMATS,
    AllowedFolders,
    FunctionsModule,
    Language,
    Missing,
    choose,
    constants_of,
    read_sources,
    split_files,
    stream_file,
    styled,
    time_option,
)
from lasing.connectors.csv import cell_value
from lasing.connectors.missing import SKIP, Gaps
from lasing.connectors.rows import merged
from lasing.connectors.sources import FileSource, stream_rows
from lasing.connectors.tables import TIME
from lasing.errors import Diagnostic, SourceText, similar
from lasing.languages import read_program, read_question
from lasing.logic.facts import facts_of
from lasing.logic.formulas import atoms_of
from lasing.logic.modules import functions_of_module
from lasing.logic.program import Fact, Program
from lasing.logic.question import Question
from lasing.timeline.ticks import Tick

models = typer.Typer(
    help="Check whether a stream is an answer stream of a program, or whether a formula holds; or find such a stream.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PROGRAM... [STREAM]...",
        help="Programs (.lars) and streams, as for lasing run. With --formula, programs provide background facts, "
        "constants and the tick.",
        show_default=False,
    ),
]
At = Annotated[str, typer.Option("--at", metavar="TIME", help="Evaluate at this time point.", show_default=False)]
From = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="TIME",
        help="Where the timeline starts [default: at the first fact].",
        show_default=False,
    ),
]
To = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="TIME",
        help="Where the timeline ends, for a formula [default: at the last fact, or --at].",
        show_default=False,
    ),
]
Formula = Annotated[
    str,
    typer.Option("--formula", "-f", metavar="TEXT", help="Use this formula instead of a program.", show_default=False),
]
TimeColumn = Annotated[str, typer.Option("--time", metavar="COLUMN", help="The time column of tables.")]
Sort = Annotated[bool, typer.Option("--sort", help="Read the streams whole and sort them by time first.")]
InputFormat = Annotated[
    str, typer.Option("--input-format", metavar="FORMAT", help="The format of standard input: facts, csv, jsonl.")
]
Const = Annotated[
    list[str] | None,
    typer.Option("--const", "-c", metavar="NAME=VALUE", help="Set a #const; can be repeated.", show_default=False),
]

Times = Annotated[
    str,
    typer.Option(
        "--times",
        metavar="STYLE",
        help="Print times as numbers, as dates (iso, which needs a #tick), or the way they came in (auto).",
    ),
]


@models.command(short_help="Check a stream against a program or a formula.")
def check(
    at: At,
    files: Files = None,
    interpretation: Annotated[
        str,
        typer.Option(
            "--interpretation",
            "-i",
            metavar="FILE",
            help="The stream to check: the data up to --at and every derived fact, each with its time.",
            show_default=False,
        ),
    ] = "",
    formula: Formula = "",
    first: From = "",
    last: To = "",
    time: TimeColumn = TIME,
    times: Times = "auto",
    sort: Sort = False,
    input_format: InputFormat = "facts",
    const: Const = None,
    functions: FunctionsModule = None,
    missing: Missing = SKIP,
    allow: AllowedFolders = None,
    language: Language = None,
) -> None:
    """Check whether a stream is an answer stream of a program, or whether a formula holds in a stream.

    Prints yes, or no and the reasons, one per line. The exit code is 0 for yes and 1 for no.

    \b
    lasing models check tram.lars tram.facts --interpretation guess.facts --at 42
    lasing models check tram.facts --formula "tram(T,_) in [3] and not jam(b)" --at 42
    """
    choose("--input-format", input_format, INPUT_FORMATS)
    programs, streams = split_files(files or [], time, input_format, language, need_program=not formula)
    texts, constants, gaps = read_sources(programs, allow), constants_of(const or []), Gaps(cell_value(missing))
    own = None if functions is None else functions_of_module(functions)
    from lasing.models import Verdict, holds
    from lasing.models import check as check_program

    if formula:
        if interpretation:
            raise typer.BadParameter("with --formula, give the stream as an argument", param_hint="--interpretation")
        question = read_question(texts, constants, SourceText("formula", formula), language=language)
        beside = question.program
        known = facts_of(Program(() if question.formula is None else (question.formula,), beside.background)).arity
        streamed: set[str] = set()
        verdict = Verdict(
            holds(
                formula,
                _noted(_rows(streams, beside.tick, sort, known, gaps), streamed),
                time=_needed("--at", at, beside.tick),
                start=time_option("--from", first, beside.tick),
                end=time_option("--to", last, beside.tick),
                background=texts,
                constants=constants,
                functions=own,
            )
        )
        complain(_misspelt(question, streamed))
    else:
        _refuse("--to", last, "the timeline of a program has no end")
        if not interpretation:
            note = "name the file of the stream to check, or give a --formula"
            raise typer.BadParameter(note, param_hint="--interpretation")
        program = styled(read_program(texts, constants, language), times)
        known = facts_of(program).arity
        claimed = stream_file(interpretation, time, input_format, "--interpretation")
        if str(claimed.path) == "-" and any(str(stream.path) == "-" for stream in streams):
            raise typer.BadParameter("standard input can be read only once", param_hint="--interpretation")
        verdict = check_program(
            program,
            stream_rows(claimed, program.tick, True, None, known, gaps),
            _rows(streams, program.tick, sort, known, gaps),
            time=_needed("--at", at, program.tick),
            start=time_option("--from", first, program.tick),
            functions=own,
        )
    complain(gaps.warnings())
    _print(str(verdict))
    if not verdict:
        raise typer.Exit(1)


@models.command(short_help="Find a stream that fits a program or a formula.")
def sat(
    at: At,
    files: Files = None,
    formula: Formula = "",
    atoms: Annotated[
        str | None,
        typer.Option(
            "--atoms",
            metavar="ATOMS",
            help="Use only these atoms, such as: p(a), q. For a program, they limit what may be derived "
            "[default: no limit]; for a formula, they are what the stream is made of [default: its own atoms].",
            show_default=False,
        ),
    ] = None,
    first: From = "",
    last: To = "",
    time: TimeColumn = TIME,
    times: Times = "auto",
    sort: Sort = False,
    input_format: InputFormat = "facts",
    const: Const = None,
    functions: FunctionsModule = None,
    missing: Missing = SKIP,
    allow: AllowedFolders = None,
    language: Language = None,
) -> None:
    """Find an answer stream of a program, or a stream in which a formula holds.

    Prints its facts, or unsatisfiable. The exit code is 0 if there is one and 1 if there is none.

    \b
    lasing models sat tram.lars tram.facts --at 42
    lasing models sat --formula "p in [3] and not q" --atoms "p, q" --from 0 --to 5 --at 3
    """
    choose("--input-format", input_format, INPUT_FORMATS)
    programs, streams = split_files(files or [], time, input_format, language, need_program=not formula)
    texts, constants, gaps = read_sources(programs, allow), constants_of(const or []), Gaps(cell_value(missing))
    own = None if functions is None else functions_of_module(functions)
    from lasing.models import answer_stream, satisfiable

    if formula:
        if streams:
            raise typer.BadParameter("sat looks for a stream in which the formula holds: do not give one")
        named = None if atoms is None else SourceText("atoms", atoms)
        beside = styled(read_question(texts, constants, SourceText("formula", formula), named, language).program, times)
        tick = beside.tick
        found = satisfiable(
            formula,
            atoms,
            time=_needed("--at", at, tick),
            start=time_option("--from", first, tick),
            end=time_option("--to", last, tick),
            background=texts,
            constants=constants,
            functions=own,
        )
        found = None if found is None else replace(found, tick=beside.shown_tick())
    else:
        _refuse("--to", last, "the timeline of a program has no end")
        program = styled(read_program(texts, constants, language), times)
        found = answer_stream(
            program,
            _rows(streams, program.tick, sort, facts_of(program).arity, gaps),
            atoms,
            time=_needed("--at", at, program.tick),
            start=time_option("--from", first, program.tick),
            constants=constants,
            functions=own,
        )
    complain(gaps.warnings())
    _print("unsatisfiable" if found is None else str(found) or "% no facts")
    if found is None:
        raise typer.Exit(1)


def _rows(
    streams: list[FileSource], tick: Tick | None, sort: bool, arity: Mapping[str, int], gaps: Gaps
) -> Iterator[Fact]:
    return merged([stream_rows(stream, tick, sort, None, arity, gaps) for stream in streams])


def _noted(rows: Iterator[Fact], seen: set[str]) -> Iterator[Fact]:
    """The rows; adds their predicates to `seen`."""
    for row in rows:
        seen.add(row[1].predicate)
        yield row


def _misspelt(question: Question, streamed: set[str]) -> list[Diagnostic]:
    """Predicates of a formula that no fact has, but whose spelling is close to one that a fact has."""
    program, rule = question.program, question.formula
    known = streamed | {a.predicate for a in program.background} | {f.atom.predicate for f in program.data}
    found: dict[str, Diagnostic] = {}
    for atom in (atom for literal in (rule.body if rule else ()) for atom in atoms_of(literal)):
        if rule and atom.predicate not in known and (hint := similar(atom.predicate, known)):
            message = f"no fact has the predicate {atom.predicate}"
            place = rule.place(atom.offset, len(atom.predicate))
            found.setdefault(atom.predicate, Diagnostic("W101", message, place, hint))
    return list(found.values())


def _needed(option: str, text: str, tick: Tick | None) -> int:
    time = time_option(option, text, tick)
    if time is None:
        raise typer.BadParameter("which time point?", param_hint=option)
    return time


def _refuse(option: str, value: str, why: str) -> None:
    if value:
        raise typer.BadParameter(why, param_hint=option)


def _print(text: str) -> None:
    with standard_output() as out:
        out.write(f"{text}\n")
