"""`lasing explain`: why an atom holds at a time point, or why it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lasing.background import with_background
from lasing.cli.console import note
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
    read_sources,
    split_files,
    time_option,
)
from lasing.cli.output import refuse_overwriting, write_whole
from lasing.connectors.csv import cell_value
from lasing.connectors.sources import Streams
from lasing.connectors.tables import TIME
from lasing.entailment import with_entailment
from lasing.explain.as_json import explanation_json, why_not_json
from lasing.explain.branches import lines_of
from lasing.explain.explanation import Explanation
from lasing.explain.picture import picture
from lasing.explain.tree import branch_of, why_not_branch
from lasing.explain.why_not import WhyNot
from lasing.languages import read_program
from lasing.limits import limits_of
from lasing.logic.modules import functions_of_module
from lasing.logic.own import with_functions
from lasing.session import Run

FORMATS = ("text", "json", "svg")


def explain(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="PROGRAM... STREAM... ATOM",
            help="The program, its streams, and last what to explain: 'alarm(s3) at 41', or 'alarm(X)' for the end of "
            "the stream.",
            show_default=False,
        ),
    ],
    why_not: Annotated[
        bool, typer.Option("--why-not", help="Explain why the atom does not hold: what came closest, what was missing.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show several derivations, the shortest first, up to --limit.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Show at most N derivations.", min=1)] = 10,
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", help="Show N levels of rules [default: all].", min=1, show_default=False),
    ] = None,
    model: Annotated[
        int | None,
        typer.Option(
            "--model",
            metavar="N",
            help="Explain model N, as `lasing run` numbers them [default: the first one that has the atom].",
            min=1,
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"How to show it: {', '.join(FORMATS)} [default: the ending of --output decides, else text].",
            show_default=False,
        ),
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file instead of standard output.", show_default=False
        ),
    ] = "",
    start: Annotated[
        str,
        typer.Option(
            "--from", metavar="TIME", help="The start of the timeline [default: the first fact].", show_default=False
        ),
    ] = "",
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
    """Explain why an atom holds at a time point, or with --why-not, why it does not.

    A derivation goes from the atom back to the data: rules with the values of their variables, facts with the time
    until which they stay in their window, what negation looked for, and the members of aggregates.

    \b
    lasing explain fire.lars smoke.facts 'fire(kitchen) at 4'
    lasing explain fire.lars smoke.facts 'fire(hall) at 4' --why-not
    lasing explain fire.lars smoke.facts 'fire(X)' --all -o fire.svg
    """
    choose("--input-format", input_format, INPUT_FORMATS)
    *names, goal = files
    if not names:
        raise typer.BadParameter("give a program, its streams, and an atom", param_hint="PROGRAM... STREAM... ATOM")
    if Path(goal).is_file():
        raise typer.BadParameter(f"the atom comes last, such as 'alarm(s3) at 41', and {goal} is a file")
    wanted = _format(form, output)
    programs, sources = split_files(names, time, input_format, language)
    refuse_overwriting(output, names)
    program = read_program(read_sources(programs, allow), constants_of(const or []), language)
    program = with_entailment(with_background(program, data), entail)
    program = with_functions(program, None if functions is None else functions_of_module(functions))
    run = Run(
        program,
        Streams(as_triples(sources, mapping)),
        time_option("--from", start, program.tick),
        None,
        sort=sort,
        warn=False,
        missing=cell_value(missing),
        limits=limits_of(None, None, max_time),
    )
    if why_not:
        show_absence(run.why_not(goal, model=model), wanted, output, depth)
        return
    found = run.explain_all(goal, limit=limit if every else 1, model=model)
    show_explanations(found, every, depth, wanted, output)
    if every and len(found) == limit:
        note(f"there may be more derivations: --limit {limit} was reached")


def show_explanations(found: list[Explanation], every: bool, depth: int | None, form: str, output: str) -> None:
    """Write explanations: as a tree, as JSON (a list if `every` was asked for), or as a picture."""
    if form == "json":
        described = [explanation_json(explanation) for explanation in found]
        write_whole(json.dumps(described if every else described[0], indent=2, ensure_ascii=False) + "\n", output)
        return
    branches = [branch_of(explanation, depth) for explanation in found]
    if form == "svg":
        write_whole(picture(*branches), output)
    else:
        write_whole("\n\n".join("\n".join(lines_of(branch)) for branch in branches) + "\n", output)


def show_absence(answer: WhyNot, form: str, output: str, depth: int | None = None) -> None:
    """Write why an atom does not hold, in the same forms."""
    if form == "json":
        write_whole(json.dumps(why_not_json(answer), indent=2, ensure_ascii=False) + "\n", output)
    else:
        branch = why_not_branch(answer, depth)
        write_whole(picture(branch) if form == "svg" else "\n".join(lines_of(branch)) + "\n", output)


def _format(form: str, output: str) -> str:
    if not form and output:
        form = next((known for known in FORMATS if output.endswith(f".{known}")), "text")
    choose("--format", form or "text", FORMATS)
    return form or "text"
