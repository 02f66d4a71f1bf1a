"""The command line: thin shells around a session. Results on standard output, everything else on standard error."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
import threading
import warnings
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from lasing.cli.console import complain, guarded_output, show_warning
from lasing.errors import LasingError

USAGE_CODES = frozenset(("E305", "E306", "E307", "E314", "E511", "E706"))
"""Errors in how the command was called, rather than in a program or in data."""

INTERRUPTED = 130

_RARELY = 50_000
"""How many objects Python makes before it looks for garbage. With its own 700, that is a tenth of the start."""

COMMANDS = {
    "run": "Run a program on streams and print its answers.",
    "query": "Answer a SPARQL query over files.",
    "check": "Find mistakes in a program and explain how it will run.",
    "explain": "Explain why an atom holds, or why it does not.",
    "show": "Draw a stream and what a program derives from it.",
    "fmt": "Format program files.",
    "translate": "Print the rules of a program or a query.",
    "pipeline": "Run a pipeline, on Spark or in one process.",
    "serve": "Serve a page to write programs, play streams and see why.",
    "lsp": "Serve an editor: mistakes, hover, completion, rename.",
    "bench": "Measure the speed of the engine on this machine.",
    "models": "Check whether a stream is a model, or find one.",
}
"""The commands, each in a module of its name, and what they do."""


class Commands(TyperGroup):
    """The commands by name. A command is loaded when it is called, which takes a third of the start of all of them."""

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:  # the message may suggest any of them
            if name not in self.commands:
                self.commands[name] = _loaded(name)
        return self.commands.get(cmd_name)


def _loaded(name: str) -> Any:
    found = getattr(import_module(f"lasing.cli.{name}"), name)
    if not isinstance(found, typer.Typer):
        command, found = found, typer.Typer(add_completion=False, rich_markup_mode=None)
        found.command()(command)
    made: Any = typer.main.get_command(found)
    made.name, made.short_help = name, COMMANDS[name]
    return made


app = typer.Typer(
    name="lasing",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


def command() -> NoReturn:
    """The entry point: `main`, and then the end of the process."""
    try:
        main()
    except SystemExit as end:
        if end.code is not None and not isinstance(end.code, int):
            raise
        code = end.code or 0
    else:
        code = 0
    if threading.active_count() > 1:  # Python waits for threads
        sys.exit(code)
    _leave_at_once(code)


def main() -> None:
    """Run the command that was called. Exit codes: 0 success, 1 an error in the program or the data, 2 wrong usage,
    130 interrupted."""
    warnings.showwarning = show_warning
    gc.set_threshold(_RARELY)
    try:
        with guarded_output():
            app(prog_name="lasing")
    except LasingError as error:
        complain(error.diagnostics)
        sys.exit(2 if any(d.code in USAGE_CODES for d in error.diagnostics) else 1)
    except KeyboardInterrupt:
        _leave_at_once(INTERRUPTED)
    except SystemExit as end:
        if end.code != INTERRUPTED:
            raise
        _leave_at_once(INTERRUPTED)


def _leave_at_once(code: int) -> NoReturn:
    """Exit without tearing down the interpreter and the heap: that takes a seventh of a small run, and after Ctrl-C
    longer than all the rest."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody is there to read it
            stream.flush()
    os._exit(code)
