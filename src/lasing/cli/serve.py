"""`lasing serve`: a page in the browser to write programs, play streams, and see why."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from lasing.cli.console import complain, note
from lasing.cli.options import (
    AllowedFolders,
    DataFiles,
    EntailmentRegimes,
    FunctionsModule,
    Language,
    TripleMappings,
    as_triples,
    constants_of,
    split_files,
)
from lasing.cli.page_options import CertificateOption, HostOption, KeyOption, PortOption, TokenFile, address_from
from lasing.connectors.files import is_live, read_text
from lasing.connectors.tables import TIME
from lasing.languages import examine, front_end
from lasing.limits import limits_of
from lasing.logic.modules import functions_of_module
from lasing.serve.server import cautions, need_server
from lasing.serve.server import serve as serve_page
from lasing.serve.settings import Bounds, Given, NamedFile, Settings
from lasing.serve.texts import NAME, Noting


def serve(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PROGRAM] [STREAM]...",
            help="The program in the editor at first, and streams to choose from, as for lasing run.",
            show_default=False,
        ),
    ] = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
    token_file: TokenFile = "",
    certificate: CertificateOption = "",
    key: KeyOption = "",
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    time: Annotated[str, typer.Option("--time", metavar="COLUMN", help="The time column of tables.")] = TIME,
    mapping: TripleMappings = None,
    const: Annotated[
        list[str] | None,
        typer.Option("--const", "-c", metavar="NAME=VALUE", help="Set a #const; can be repeated.", show_default=False),
    ] = None,
    data: DataFiles = None,
    entail: EntailmentRegimes = None,
    functions: FunctionsModule = None,
    allow: AllowedFolders = None,
    language: Language = None,
    max_text: Annotated[str, typer.Option("--max-text", metavar="SIZE", help="The longest program.")] = "200 kB",
    max_stream: Annotated[
        str, typer.Option("--max-stream", metavar="SIZE", help="The largest stream that the page can send.")
    ] = "16 MB",
    max_time: Annotated[
        str, typer.Option("--max-time", metavar="TIME", help="Stop what computes longer, such as one step.")
    ] = "10 s",
    max_memory: Annotated[
        str, typer.Option("--max-memory", metavar="SIZE", help="Stop what needs more memory.")
    ] = "1 GB",
    max_sessions: Annotated[
        int, typer.Option("--max-sessions", metavar="N", min=1, help="How many pages can run at the same time.")
    ] = 8,
) -> None:
    """Serve a page in the browser: write a program, play a stream, and see what holds, when, and why.

    Only this machine can open the page, unless --host says otherwise. The page cannot read files; programs can include
    only what the program on the command line includes, and what --allow adds.

    \b
    lasing serve
    lasing serve hot.lars readings.facts --open
    """
    need_server()
    given, opening = _given(files or [], time, mapping, const, data, entail, functions, allow, language)
    address = address_from(host, port, token_file, certificate, key)
    seconds = limits_of(max_time=max_time).seconds
    assert seconds is not None, "it has a default"
    bounds = Bounds(
        text=limits_of(max_memory=max_text).bytes,
        stream=limits_of(max_memory=max_stream).bytes,
        seconds=seconds,
        memory=limits_of(max_memory=max_memory).bytes,
        sessions=max_sessions,
    )
    complain(cautions(address))

    def say(url: str) -> None:
        note(f"open {url} in a browser; Ctrl-C ends it")
        if show:
            webbrowser.open(url)

    serve_page(Settings(bounds, given, address), say, opening=opening)


def _given(
    files: list[str],
    time: str,
    mapping: list[str] | None,
    const: list[str] | None,
    data: list[str] | None,
    entail: list[str] | None,
    functions: str | None,
    allow: list[str] | None,
    language: str | None,
) -> tuple[Given, dict[str, Any] | None]:
    """What the command line gives to each program of the page, and the program that the editor has at first."""
    programs, sources = split_files(files, time, "facts", language, need_program=False)
    if len(programs) > 1:
        raise typer.BadParameter("the editor has one program; it may #include others", param_hint="PROGRAM")
    if live := [source for source in sources if is_live(source.path)]:
        message = f"{live[0].path} is read only once; the page reads streams again, to explain what was before"
        raise typer.BadParameter(message, param_hint="STREAM")
    as_triples(sources, mapping)  # a mistake in a mapping is an error now, not in the page
    if functions is not None:
        functions_of_module(functions)
    arguments = [file for file in files if file not in programs]
    streams = tuple(
        NamedFile(Path(source.path).name, argument.removesuffix(str(source.path)) + os.path.abspath(source.path))
        for argument, source in zip(arguments, sources, strict=True)
    )
    readable: tuple[str, ...] = ()
    opening = None
    if programs:
        path = Path(programs[0])
        source = Noting(NAME, read_text(path), path, tuple(map(Path, allow or ())))
        program, _ = examine([source], constants_of(const or []), language)
        language = front_end([source], language).name
        included = [str(one.path) for one in program.sources if one.path not in (None, path)]
        readable = (*included, *map(str, source.noted))
        opening = {"title": path.name, "language": language, "program": source.text}
    given = Given(
        folder=os.getcwd(),
        program=programs[0] if programs else "",
        language=language or "lars",
        readable=readable,
        allow=tuple(allow or ()),
        streams=streams,
        time=time,
        mappings=tuple(mapping or ()),
        data=tuple(data or ()),
        entail=tuple(entail or ()),
        functions=functions or "",
        constants=tuple(const or ()),
    )
    constants_of(list(given.constants))
    return given, opening
