"""`lasing pipeline`: run the sources, program and sinks that a file describes, on Spark or in this process."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Annotated, Any

import typer

from lasing.cli.console import complain, note
from lasing.cli.page_options import CertificateOption, HostOption, KeyOption, PortOption, TokenFile, address_from
from lasing.connectors.bad_rows import SKIP, STOP
from lasing.errors import LasingWarning
from lasing.logic.partition import Partition, not_streamed, partition
from lasing.pipeline.formats import LOCAL
from lasing.reports import counted


def pipeline(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.toml", help="The file that describes the pipeline.", show_default=False)
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Check the file and the program without starting anything.")
    ] = False,
    metrics: Annotated[
        Path | None,
        typer.Option(
            "--metrics", metavar="FILE", help="Append one line of JSON per batch to this file.", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not report batches.")] = False,
    replace: Annotated[
        Path | None,
        typer.Option(
            "--replace",
            metavar="NEW",
            help="Continue from the checkpoint with this program, in place of the one that the file names.",
            show_default=False,
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Replace it even if the checkpoint lacks facts that NEW looks back on.")
    ] = False,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="TIME",
            help="Print what held at an earlier time point that the checkpoints have; run nothing.",
            show_default=False,
        ),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Print what comes (+), goes (-) and stays (=) with --replace NEW, or between two --at; run nothing.",
        ),
    ] = False,
    explain: Annotated[
        str,
        typer.Option(
            "--explain",
            metavar="ATOM",
            help="Print why an atom holds, from the checkpoint: 'alarm(s3)' at the last time point, 'alarm(s3) at 41' "
            "or --at at an earlier one; run nothing.",
            show_default=False,
        ),
    ] = "",
    why_not: Annotated[bool, typer.Option("--why-not", help="With --explain: print why it does not hold.")] = False,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="FORMAT", help="How to print --at: text, jsonl or csv; --explain: text, json or svg."
        ),
    ] = "text",
    page: Annotated[
        bool, typer.Option("--serve", help="Serve a page that shows batches, state, lateness and the last results.")
    ] = False,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
    token_file: TokenFile = "",
    certificate: CertificateOption = "",
    key: KeyOption = "",
) -> None:
    """Run a pipeline: a TOML file names the sources, the program and the sinks.

    It runs on Spark or, with engine = "local" in the file, in this process alone.

    A stream that was stopped, by Ctrl-C or by a failure, continues from its checkpoint. Progress is shown as a table
    on a terminal, and line by line elsewhere.
    """
    from lasing.pipeline.config import read_pipeline

    described = read_pipeline(file, replace, partial)
    complain(described.cautions)
    if explain:
        from lasing.cli.pipeline_past import explain_past

        if diff:
            raise typer.BadParameter("it cannot be combined with --explain", param_hint="--diff")
        explain_past(described, explain, at or [], why_not, form)
        return
    if why_not:
        raise typer.BadParameter("it is about --explain ATOM", param_hint="--why-not")
    if at or diff:
        from lasing.cli.pipeline_past import show_past

        show_past(described, at or [], diff, form)
        return
    if partial and replace is None:
        raise typer.BadParameter("it is about --replace NEW", param_hint="--partial")
    if check:
        from lasing.pipeline.run import cautions

        complain(cautions(described))
        typer.echo(_describe(described))
        return
    from lasing.pipeline.progress import Progress
    from lasing.pipeline.unsourced import unsourced

    if not quiet:
        complain(unsourced(described))
    stop = Event()
    is_local = described.engine == LOCAL
    with warnings.catch_warnings():
        warnings.showwarning = _show
        with (
            Progress(described.program, metrics, quiet, starts_spark=not is_local) as progress,
            _served(page, described.program, progress, host, port, token_file, certificate, key),
        ):
            if is_local:
                from lasing.connectors.arrow_alone import leave_pandas_out

                leave_pandas_out()
                from lasing.pipeline.local.replacing import Reload
                from lasing.pipeline.local.run import run_local

                asked = Event()
                reload = Reload(asked, lambda: read_pipeline(file, replace))
                with _listening(stop, asked):
                    run_local(described, progress, stop, reload=reload)
            else:
                _run_on_spark(described, progress, stop)
    complain(progress.diagnostics())
    if progress.total.late:
        print(f"{progress.total.late:,} late facts are in {_where(described.late)}", file=sys.stderr)
    if progress.total.bad and (kept := sorted(_kept(described))):
        print(f"{progress.total.bad_rows:,} bad rows were left out; see {', '.join(kept)}", file=sys.stderr)
    if not quiet:
        print(progress.summary(), file=sys.stderr)
    if stop.is_set():
        print(f"stopped; run it again to continue from {described.checkpoint}", file=sys.stderr)
    if replace is not None:
        print(f"the checkpoint belongs to {replace} now: name it as the program in {file}", file=sys.stderr)


@contextmanager
def _served(page: bool, program: Any, progress: Any, host: str, port: int, *security: str) -> Iterator[None]:
    """A page about the pipeline, while it runs."""
    if not page:
        yield
        return
    from lasing.serve.pipelines import WatchedPipeline
    from lasing.serve.server import serve_in_thread
    from lasing.serve.settings import Settings

    watching = WatchedPipeline(program)
    progress.watcher = watching
    with serve_in_thread(Settings(address=address_from(host, port, *security)), watching) as served:
        note(f"open {served.url} in a browser")
        yield


def _run_on_spark(described: Any, progress: Any, stop: Event) -> None:
    from lasing.pipeline.run import open_session, run_pipeline
    from lasing.spark.session import stop as stop_spark

    try:
        open_session(described)
        with _listening(stop):  # only now, because Spark has installed its own handler
            run_pipeline(described, progress, stop)
    finally:
        stop_spark()


@contextmanager
def _listening(stop: Event, asked: Event | None = None) -> Iterator[None]:
    """Stop the pipeline on an interrupt or a request to terminate; a second one ends it at once. On a hang-up, ask for
    the program to be read again, as other services do with their settings."""

    def ask(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    handlers: dict[int, Callable[[int, FrameType | None], None]] = {signal.SIGINT: ask, signal.SIGTERM: ask}
    if asked is not None and hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = lambda _number, _frame: asked.set()
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _show(message: Warning | str, category: type[Warning], *_place: Any, **_more: Any) -> None:
    if issubclass(category, LasingWarning):
        print(message, file=sys.stderr, flush=True)


def _kept(described: Any) -> set[str]:
    """The folders to which bad rows go."""
    return {described.bad_rows_in(source) for source in described.sources} - {STOP, SKIP}


def _where(sink: Any) -> str:
    return _place(sink) or "the console"


def _place(table: Any) -> str:
    """Where a source reads or a sink writes: a file, a topic or an address."""
    given = table.given
    address = f"{given['host']}:{given['port']}" if "port" in given and "topic" not in given else given.get("host", "")
    if table.format == "http":
        return f"{address}{given.get('path', '/')}"
    return str(given.get("path") or given.get("topic") or address)


def _describe(described: Any) -> str:
    from lasing.spark.inputs import specification

    streams = [specification(source.fact)[0] for source in described.sources]
    replicated = frozenset(described.replicate)
    found = partition(described.program, replicated, not_streamed(described.program, streams))
    shards = "by key" if isinstance(found, Partition) else f"one: {found.why}"
    rules = counted(len(described.program.rules), "rule")
    lines = [
        f"program     {rules}, {counted(described.program.background_size, 'background fact')}",
        f"mode        {described.mode}, as {described.view}",
        *([f"shards      {shards}"] if described.engine != LOCAL else ["engine      local, in one process"]),
        *(f"source      {source.fact} from {source.format} {_place(source)}".rstrip() for source in described.sources),
        *(f"sink        {sink.output} to {sink.format} {_place(sink)}".rstrip() for sink in described.sinks),
        f"late facts  to {described.late.format} {_where(described.late)}",
        *(f"bad rows    to {folder}" for folder in sorted(_kept(described))),
        *(["clock       time also passes when no fact comes"] if described.clock else []),
        f"checkpoint  {described.checkpoint or 'none'}",
        *([_checkpoints(described)] if described.engine == LOCAL and described.checkpoint else []),
        f"trigger     {described.trigger or 'as soon as there is data'}",
        *([f"spark       {described.master}"] if described.engine != LOCAL else []),
    ]
    return "\n".join(lines)


def _checkpoints(described: Any) -> str:
    return f"            every {described.checkpoint_every}, the last {described.keep} are kept"
