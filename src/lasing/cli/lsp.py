"""`lasing lsp`: a language server for editors."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from lasing.cli.options import AllowedFolders
from lasing.errors import fault


def lsp(
    allow: AllowedFolders = None,
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak over standard input and output (the default).")] = True,
) -> None:
    """Serve an editor over standard input and output, by the Language Server Protocol.

    It shows mistakes while you type, what is known about rules and predicates, definitions and references; it renames,
    completes and formats. Your editor starts it. Needs: pip install 'lasing[lsp]'
    """
    del stdio  # many editors pass it; there is no other way to speak
    if find_spec("pygls") is None:
        raise fault("E794", "pygls is not installed", note="the language server needs it: pip install 'lasing[lsp]'")
    from lasing import __version__
    from lasing.lsp.server import make_server

    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(2, sys.stdout.fileno())  # nothing else may write between the messages
        make_server(__version__, tuple(map(Path, allow or ()))).start_io(stdout=out)
