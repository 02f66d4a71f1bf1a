"""Arguments that several commands share: programs and streams, times, constants, predicates."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lasing.background import files_of
from lasing.connectors.csv import cell_value
from lasing.connectors.files import read_text, whole_text
from lasing.connectors.live.address import is_address
from lasing.connectors.rdf.mapped import Mapped
from lasing.connectors.rdf.mapping import TripleMapping, read_mapping
from lasing.connectors.sources import FORMATS, FileSource, file_source, mapped
from lasing.entailment import REGIMES
from lasing.errors import LasingError, SourceText, similar
from lasing.languages import ENDINGS, NAMES, is_program
from lasing.logic.program import Output, Program
from lasing.logic.values import Value, is_name
from lasing.timeline.delay import Delay
from lasing.timeline.ticks import Dates, Tick, parse_time
from lasing.timeline.timing import Timing

INPUT_FORMATS = ("facts", "csv", "jsonl", "ntriples", "jsonld")
"""The possible formats of standard input."""

TIMES = ("auto", "numbers", "iso")
"""How to print times: as they came in, as numbers, as dates."""


DataFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="FILE",
        help="Background: RDF (.ttl .nt .rdf .jsonld .trig .nq) or facts (.lars); pred=FILE names its triples; can be "
        "repeated.",
        show_default=False,
    ),
]
EntailmentRegimes = Annotated[
    list[str] | None,
    typer.Option(
        "--entail",
        metavar="REGIME",
        help=f"Derive what triples entail, by {', '.join(REGIMES[1:])}, or the rules of a file; can be repeated.",
        show_default=False,
    ),
]
AllowedFolders = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="FOLDER",
        help="Let programs name files of this folder, in #include and FROM, not only of their own; can be repeated.",
        show_default=False,
    ),
]
FunctionsModule = Annotated[
    str | None,
    typer.Option(
        "--functions",
        metavar="MODULE",
        help="A Python module with the functions that the program calls as @f(X).",
        show_default=False,
    ),
]
MaxAtoms = Annotated[
    int | None,
    typer.Option(
        "--max-atoms",
        metavar="N",
        help="Stop if one time point derives more atoms [default: 5,000,000].",
        show_default=False,
    ),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        help="Stop if the engine needs more memory, such as '2 GB' [default: half of the machine's].",
        show_default=False,
    ),
]
MaxTime = Annotated[
    str | None,
    typer.Option(
        "--max-time",
        metavar="TIME",
        help="Stop if the run takes longer, such as '30 s' or '5 min' [default: no limit].",
        show_default=False,
    ),
]

Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        metavar="RULE",
        help="What to do about a row that lacks a value: skip it, stop with an error, or take this VALUE instead.",
    ),
]
DelayOption = Annotated[
    list[str] | None,
    typer.Option(
        "--delay",
        metavar="[NAME=]TIME",
        help="How much out of order facts may come, such as 5s, 2min or 3 (time points): they wait that long. With "
        "NAME=, those of NAME=FILE; can be repeated.",
        show_default=False,
    ),
]
IdleOption = Annotated[
    str,
    typer.Option(
        "--idle",
        metavar="TIME",
        help="Go on without a live stream that has been silent for so long, such as 30s [default: wait for it].",
        show_default=False,
    ),
]
ClockOption = Annotated[
    bool,
    typer.Option(
        "--clock",
        help="When no fact comes, let time pass by the clock, less the --delay: what should have happened is then "
        "noticed while nothing happens.",
    ),
]
LateOption = Annotated[
    str,
    typer.Option(
        "--late",
        metavar="FILE",
        help="Write facts that come too late for --delay to this file, as JSON lines.",
        show_default=False,
    ),
]
BadRowsOption = Annotated[
    str,
    typer.Option(
        "--bad-rows",
        metavar="stop|skip|FILE",
        help="What to do about rows that cannot be read: stop, skip them, or skip them and write them to a file, as "
        "JSON lines.",
    ),
]
MaxBadRows = Annotated[
    float | None,
    typer.Option(
        "--max-bad-rows",
        metavar="SHARE",
        min=0,
        max=1,
        help="Stop anyway if more than this share of rows is bad, such as 0.05 [default: no limit].",
        show_default=False,
    ),
]
TripleMappings = Annotated[
    list[str] | None,
    typer.Option(
        "--mapping",
        metavar="[NAME=]FILE",
        help="Turn the rows of tables into RDF triples, as this file (TOML) says; with NAME=, those of NAME=TABLE; "
        "can be repeated.",
        show_default=False,
    ),
]


def _known_language(name: str | None) -> str | None:
    if name is not None:
        choose("--language", name, NAMES)
    return name


Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="NAME",
        callback=_known_language,
        help=f"The language of the programs: {', '.join(NAMES)} [default: by the ending of the file].",
        show_default=False,
    ),
]


def choose(option: str, value: str, choices: tuple[str, ...]) -> None:
    """Fail if the value of an option is not one of its choices."""
    if value not in choices:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(choices)}", param_hint=option)


def time_option(option: str, text: str, tick: Tick | None) -> int | None:
    """The time point that an option gives: a number, or with a tick a date; None if it is not given."""
    try:
        return parse_time(text, tick) if text else None
    except LasingError as error:
        d = error.diagnostics[0]
        raise typer.BadParameter(f"{d.message} ({d.note})", param_hint=option) from None


def styled(program: Program, times: str) -> Program:
    """The program with times printed as `--times` says: as numbers, as dates, or as they came in."""
    choose("--times", times, TIMES)
    if program.tick is None:
        if times == "iso":
            raise typer.BadParameter("the program has no #tick, so its times have no dates", param_hint="--times")
        return program
    dates = Dates(seen=times == "iso", decided=times != "auto")
    return replace(program, tick=replace(program.tick, dates=dates), dated=program.dated and times == "auto")


def split_files(
    files: list[str],
    time: str,
    input_format: str,
    language: str | None = None,
    need_program: bool = True,
    follows: bool = False,
) -> tuple[list[str], list[FileSource]]:
    """The programs among the arguments, and the streams.

    If `--language` is given, a file with neither a program's nor a stream's ending is a program too.
    """
    programs = [file for file in files if is_program(file) or (language is not None and not _is_stream(file))]
    if need_program and not programs:
        endings = " ".join(FORMATS)
        known = " ".join(ENDINGS)
        raise typer.BadParameter(f"no program: give a file that ends in {known} (streams end in {endings})")
    streams = [file for file in files if file not in programs]
    if sum(file == "-" or file.endswith("=-") for file in streams) > 1:
        raise typer.BadParameter("standard input can be read only once")
    return programs, [stream_file(file, time, input_format, follows=follows) for file in streams]


def _is_stream(file: str) -> bool:
    """Whether an argument names a stream: standard input, a predicate with its file, or a file in a known format."""
    return (
        file == "-"
        or "=" in file
        or is_address(file)
        or Path(file).is_dir()
        or any(ending in Path(file.lower()).suffixes for ending in FORMATS)
    )


def stream_file(
    file: str, time: str, input_format: str, option: str | None = None, follows: bool = False
) -> FileSource:
    """The stream that an argument or option names."""
    try:
        return file_source(file, time, input_format, follows)
    except LasingError as error:
        d = error.diagnostics[0]
        if d.code == "E401":
            raise
        raise typer.BadParameter(f"{d.message} ({d.note})", param_hint=option) from None


def timing_from(
    delays: list[str] | None, idle: str, late: str, clock: bool, sources: list[FileSource]
) -> Timing | None:
    """How late facts may be, from the options; None if they must come in order."""
    if not delays and not idle and not late and not clock:
        return None
    names = [source.columns.predicate for source in sources if source.columns.predicate is not None]
    named: dict[str, Delay] = {}
    others: Delay = 0
    for text in delays or ():
        name, equals, after = text.rpartition("=")
        delay: Delay = int(after) if re.fullmatch("[0-9]{1,18}", after.strip()) else after
        if not equals:
            others = delay
        elif name.strip() in names:
            named[name.strip()] = delay
        else:
            note = similar(name.strip(), names) or f"name it: {name.strip()}=FILE"
            raise typer.BadParameter(f"no stream is called {name.strip()} ({note})", param_hint="--delay")
    return Timing(named, idle or None, others=others, follows_clock=clock)


def as_triples(sources: list[FileSource], mappings: list[str] | None) -> tuple[FileSource | Mapped, ...]:
    """The streams, with the rows of tables turned into triples: by the mapping of their name, or by the one without a
    name."""
    known: dict[str | None, TripleMapping] = {}
    names = [source.columns.predicate for source in sources if source.columns.predicate is not None]
    for argument in mappings or ():
        before, equals, after = argument.partition("=")
        name, file = (before.strip(), after) if equals and is_name(before.strip()) else (None, argument)
        if name in known:
            whose = "without a name" if name is None else f"for {name}"
            raise typer.BadParameter(f"there are two mappings {whose}; such as NAME=FILE", param_hint="--mapping")
        if name is not None and name not in names:
            note = similar(name, names) or f"name the table: {name}=FILE"
            raise typer.BadParameter(f"no stream is called {name} ({note})", param_hint="--mapping")
        known[name] = read_mapping(Path(file))
    found: list[FileSource | Mapped] = []
    for source in sources:
        how = known.get(source.columns.predicate, known.get(None))
        is_table = source.format in ("csv", "jsonl", "parquet")
        found.append(mapped(source, how) if how is not None and is_table else source)
    return tuple(found)


def read_sources(paths: list[str], allowed: list[str] | None = None, data: list[str] | None = None) -> list[SourceText]:
    """The texts of program files; `-` is standard input. They may name files in their folders, in allowed ones, and
    those of the data that is given beside them."""
    folders = (*map(Path, allowed or ()), *files_of(data))
    return [
        SourceText("standard input", whole_text(sys.stdin.buffer, "standard input"), allowed=folders)
        if path == "-"
        else SourceText(path, read_text(Path(path)), Path(path), folders)
        for path in paths
    ]


def constants_of(definitions: list[str]) -> dict[str, Value]:
    """`name=value` pairs."""
    result: dict[str, Value] = {}
    for definition in definitions:
        name, equals, value = definition.partition("=")
        if not equals or not is_name(name.strip()):
            raise typer.BadParameter(f"{definition!r} is not of the form name=value", param_hint="--const")
        result[name.strip()] = cell_value(value.strip())
    return result


def outputs_from(text: str) -> tuple[Output, ...]:
    """`p/1,q/2`"""
    result = []
    for part in text.split(","):
        name, slash, arity = part.strip().partition("/")
        if not slash or not is_name(name) or not re.fullmatch("[0-9]{1,9}", arity):
            raise typer.BadParameter(f"{part.strip()!r} is not of the form predicate/arity", param_hint="--show")
        result.append(Output.unnamed(name, int(arity)))
    return tuple(result)
