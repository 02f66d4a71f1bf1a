"""The command line: thin shells around a session. Results on standard output, everything else on standard error."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import warnings
from typing import Annotated, NoReturn

import typer

from lasing.cli.bench import bench
from lasing.cli.check import check
from lasing.cli.console import complain, guarded_output, show_warning
from lasing.cli.explain import explain
from lasing.cli.fmt import fmt
from lasing.cli.lsp import lsp
from lasing.cli.models import models
from lasing.cli.pipeline import pipeline
from lasing.cli.query import query
from lasing.cli.run import run
from lasing.cli.serve import serve
from lasing.cli.show import show
from lasing.cli.translate import translate
from lasing.errors import LasingError

USAGE_CODES = frozenset(("E305", "E306", "E307", "E314", "E511", "E706"))
"""Errors in how the command was called, rather than in a program or in data."""

INTERRUPTED = 130

app = typer.Typer(
    name="lasing",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(short_help="Run a program on streams and print its answers.")(run)
app.command(short_help="Answer a SPARQL query over files.")(query)
app.command(short_help="Find mistakes in a program and explain how it will run.")(check)
app.command(short_help="Explain why an atom holds, or why it does not.")(explain)
app.command(short_help="Draw a stream and what a program derives from it.")(show)
app.add_typer(models, name="models", short_help="Check whether a stream is a model, or find one.")
app.command(short_help="Format program files.")(fmt)
app.command(short_help="Print the rules of a program or a query.")(translate)
app.command(short_help="Run a pipeline, on Spark or in one process.")(pipeline)
app.command(short_help="Serve a page to write programs, play streams and see why.")(serve)
app.command(short_help="Serve an editor: mistakes, hover, completion, rename.")(lsp)
app.command(short_help="Measure the speed of the engine on this machine.")(bench)


def _version(wanted: bool) -> None:
    if wanted:
        from lasing import __version__

        typer.echo(f"lasing {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """lasing is a stream reasoner: it evaluates rules with windows and time over streams of facts.

    \b
    lasing run hot.lars readings.facts      print what the rules derive at each time point
    lasing query city.ttl rooms.rq          answer a SPARQL query over files
    lasing check hot.lars                   look for mistakes first

    Each command explains itself: lasing run --help.
    """


def main() -> None:
    """The entry point. Exit codes: 0 success, 1 an error in the program or the data, 2 wrong usage, 130 interrupted."""
    warnings.showwarning = show_warning
    try:
        with guarded_output():
            app(prog_name="lasing")
    except LasingError as error:
        complain(error.diagnostics)
        sys.exit(2 if any(d.code in USAGE_CODES for d in error.diagnostics) else 1)
    except KeyboardInterrupt:
        _leave_at_once()
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        _leave_at_once()


def _leave_at_once() -> NoReturn:
    """Exit after Ctrl-C without tearing down the interpreter and a large heap, which takes longer than all the rest."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody is there to read it
            stream.flush()
    os._exit(INTERRUPTED)
