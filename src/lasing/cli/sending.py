"""`--output` with an address: results are sent to it, as the sinks of pipelines send theirs."""

from __future__ import annotations

from collections.abc import Callable
from secrets import token_hex
from threading import Timer
from time import monotonic

import typer

from lasing.cli.console import note
from lasing.connectors.live.address import sink_at
from lasing.connectors.live.protocol import LiveSink
from lasing.connectors.sinks import OutputFormat
from lasing.errors import LasingError, fault

CONTENT_TYPES: dict[OutputFormat, str] = {
    "jsonl": "application/x-ndjson",
    "text": "text/plain",
    "ntriples": "application/n-triples",
    "nquads": "application/n-quads",
    "jsonld": "application/x-ndjson",
}
"""The formats that can be sent, because each result is a line, and what HTTP calls them."""
_JSON = ("jsonl", "jsonld")
_OFTEN, _MOST_LINES = 1.0, 10_000
"""How often to wait until everything has arrived: after so many seconds, or lines."""
_GRACE = 5.0
"""How many seconds there are for the rest, once a run has failed or was interrupted."""


def sent_format(form: str, output: str) -> OutputFormat:
    """The format in which to send results: JSON lines, unless another one is named."""
    for known in CONTENT_TYPES:
        if form in ("", known):
            return known
    message = f"{form} cannot be sent to {output}: a result is not a line; there are {', '.join(CONTENT_TYPES)}"
    raise typer.BadParameter(message, param_hint="--format")


class SentLines:
    """A text file, as far as those who write results need one, whose lines are sent. What is written between two
    flushes is a batch."""

    def __init__(self, sink: LiveSink) -> None:
        self._sink = sink
        self._text: list[str] = []
        self._batch = self._lines = 0
        self._settled = monotonic()
        self.has_failed = False
        """Whether the sink has refused something, or given up."""

    def write(self, text: str) -> None:
        self._text.append(text)

    def flush(self) -> None:
        """Send what was written."""
        lines = "".join(self._text).encode().split(b"\n")[:-1]
        self._text.clear()
        if lines:
            self._try(lambda: self._sink.write(self._batch, lines))
            self._batch, self._lines = self._batch + 1, self._lines + len(lines)
        if self._lines >= _MOST_LINES or (self._lines and monotonic() - self._settled >= _OFTEN):
            self.settle()

    def settle(self) -> None:
        """Wait until everything has arrived."""
        self._try(self._sink.flush)
        self._lines, self._settled = 0, monotonic()

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except LasingError as error:
            self.has_failed = True
            found = error.diagnostics[0]
            if found.code != "E525":
                raise
            keeps = "a run does not keep what is not delivered; a pipeline does, and delivers it after a restart"
            raise fault("E525", found.message, note=keeps) from None


def send_output(write: Callable[[SentLines], None], form: OutputFormat, url: str, quiet: bool) -> None:
    """Send what `write` writes to an address. If the run fails, what was known by then is sent."""
    sink = sink_at(url, f"run-{token_hex(4)}", CONTENT_TYPES[form], form in _JSON)
    try:
        sink.start(None)
        out = SentLines(sink)
        try:
            write(out)
        except BaseException:
            if not out.has_failed:
                _send_rest(out, sink)
                if not quiet:
                    note(f"{url} has the results up to where the run stopped")
            raise
        out.flush()
        out.settle()
    finally:
        sink.close()


def _send_rest(out: SentLines, sink: LiveSink) -> None:
    limit = Timer(_GRACE, sink.give_up)
    limit.start()
    try:
        out.flush()
        out.settle()
    finally:
        limit.cancel()
