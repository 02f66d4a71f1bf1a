"""`lasing fmt`: lay out all programs the same way."""

from __future__ import annotations

import sys
from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import typer

from lasing.cli.options import Language
from lasing.connectors.files import read_text, unwritable, whole_text
from lasing.errors import SourceText
from lasing.languages import format_program


def fmt(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="The programs, queries and event patterns to format; - reads standard input.",
            show_default=False,
        ),
    ],
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit with 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Change nothing; print what would change.")] = False,
    language: Language = None,
) -> None:
    """Format program files: one statement per line, or one literal per line where a statement is long; in queries, one
    clause or triple per line, and in event patterns one clause per line.

    Files are rewritten in place. Comments are kept. Only white space changes and, in queries and event patterns, the
    case of keywords.
    """
    changed = 0
    for file in files:
        if file == "-":
            text = whole_text(sys.stdin.buffer, "standard input")
            formatted = format_program(SourceText("standard input", text), language)
            if not (check or diff):
                typer.echo(formatted, nl=False)
                continue
        else:
            text = read_text(Path(file))
            formatted = format_program(SourceText(file, text, Path(file)), language)
        if formatted == text:
            continue
        changed += 1
        if diff:
            lines = unified_diff(text.splitlines(True), formatted.splitlines(True), file, f"{file} (formatted)")
            typer.echo("".join(lines), nl=False)
        elif check:
            typer.echo(f"would reformat {file}", err=True)
        else:
            _rewrite(Path(file), formatted)
            typer.echo(f"reformatted {file}", err=True)
    if check and changed:
        raise typer.Exit(1)


def _rewrite(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise unwritable(path, error) from None
