"""POST lines to a server, in batches.

The header `Idempotency-Key` is the same when a batch is sent again, after a failure or a restart. Answers 2xx mean that
the batch has arrived. After 408, 425, 429 and 5xx, and while the server cannot be reached, it is sent again, with
growing pauses that are at least as long as `Retry-After` says. All other answers are refusals.
"""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.ids import message_id
from lasing.connectors.live.protocol import GAVE_UP, Position
from lasing.connectors.live.secrets import Secret
from lasing.connectors.live.sockets import cut_off, reason
from lasing.connectors.live.tls import TlsSettings, client_context, tls_failure, unprotected, uses_tls
from lasing.errors import Diagnostic, LasingError, fault, warn

_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504, 507, 509, 520, 521, 522, 523, 524, 598, 599}
_LONGEST_RETRY_AFTER = 600.0
_CONNECT_WITHIN = 10.0
_ANSWER_WITHIN = 30.0
_BODY_BYTES = 2**20
_MOST_LINES = 10_000


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """Where to send: `host`, `port` and `path`; the token goes into `Authorization: Bearer …`."""

    host: str
    port: int
    path: str = "/"
    content_type: str = "application/x-ndjson"
    token: Secret | None = None
    tls: TlsSettings = field(default_factory=TlsSettings)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if uses_tls(self.host, self.tls) else 'http'}://{host}:{self.port}{self.path}"


class HttpSink:
    """Sends lines as they are written; `write` returns when they have arrived. It gives up after `patience` seconds."""

    def __init__(self, target: HttpTarget, name: str, patience: float = 600.0, backoff: Backoff | None = None) -> None:
        self._target, self._name, self._patience = target, name, patience
        self._backoff = backoff or Backoff()
        self._connection: http.client.HTTPConnection | None = None
        self._given_up = threading.Event()

    def start(self, position: Position | None) -> Position:
        target = self._target
        self._context = client_context(target.tls, str(target)) if uses_tls(target.host, target.tls) else None
        warn(unprotected(target.host, target.tls, str(target)))
        return position

    def write(self, batch: int, lines: Sequence[bytes]) -> None:
        begin = 0
        while begin < len(lines):
            end, size = begin, 0
            while end < len(lines) and end - begin < _MOST_LINES and (end == begin or size < _BODY_BYTES):
                size += len(lines[end]) + 1
                end += 1
            self._send(b"\n".join(lines[begin:end]) + b"\n", message_id(self._name, batch, begin))
            begin = end

    def flush(self) -> Position:
        return None  # what was written has arrived

    def give_up(self) -> None:
        self._given_up.set()
        self._backoff.stop()
        connection = self._connection
        if connection is not None and connection.sock is not None:
            cut_off(connection.sock)

    def close(self) -> None:
        self._backoff.stop()
        self._hang_up()

    def _send(self, body: bytes, identity: str) -> None:
        """Send a body until it has arrived."""
        begun, asked = monotonic(), 0.0
        while True:
            try:
                status, answer, asked = self._post(body, identity)
                if 200 <= status < 300:
                    self._backoff.succeeded()
                    return
                if status not in _TRY_AGAIN:
                    raise _refusal(self._target, status, answer)
                why = f"answers {status}"
            except ssl.SSLError as error:
                self._hang_up()
                if (failure := tls_failure(error, str(self._target))) is not None:
                    raise failure from None
                why = f"cannot be reached: {reason(error)}"
            except (OSError, http.client.HTTPException) as error:
                self._hang_up()
                why = f"cannot be reached: {reason(error) if isinstance(error, OSError) else type(error).__name__}"
            if self._given_up.is_set():
                raise fault("E525", f"{self._target} {why}", note=GAVE_UP)
            if monotonic() - begun >= self._patience:
                raise fault("E525", f"{self._target} {why}, for {self._patience:.0f} s", note=GAVE_UP)
            if self._backoff.failures == 0:
                warn([Diagnostic("W212", f"{self._target} {why}", note="trying again, with growing pauses")])
            if not self._backoff.pause(asked):
                raise fault("E525", f"{self._target} {why}", note=GAVE_UP)

    def _post(self, body: bytes, identity: str) -> tuple[int, str, float]:
        """The status, the beginning of the answer, and how many seconds to wait before another attempt."""
        target = self._target
        if self._connection is None:
            if self._context is not None:
                self._connection = http.client.HTTPSConnection(
                    target.host, target.port, timeout=_CONNECT_WITHIN, context=self._context
                )
            else:
                self._connection = http.client.HTTPConnection(target.host, target.port, timeout=_CONNECT_WITHIN)
            self._connection.connect()
            self._connection.sock.settimeout(_ANSWER_WITHIN)
        if self._given_up.is_set():  # it could not be cut off before it was there
            raise ConnectionAbortedError
        headers = {"Content-Type": target.content_type, "Idempotency-Key": identity, "User-Agent": "lasing"}
        if target.token is not None:
            headers["Authorization"] = f"Bearer {target.token.reveal()}"
        self._connection.request("POST", target.path, body, headers)
        response = self._connection.getresponse()
        answer = response.read(2**16)
        if response.read(1) or response.will_close:
            self._hang_up()
        text = answer[:200].decode(errors="replace").strip() if answer else ""
        place = response.getheader("Location") or ""
        return response.status, place or text, _seconds(response.getheader("Retry-After") or "")

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _seconds(retry_after: str) -> float:
    """How long `Retry-After` asks to wait: it has seconds, or a date.

    >>> _seconds("3"), _seconds(""), _seconds("Thu, 01 Jan 1970 00:00:00 GMT"), _seconds("999999")
    (3.0, 0.0, 0.0, 600.0)
    """
    text = retry_after.strip()
    if text.isdecimal():
        return min(float(text), _LONGEST_RETRY_AFTER)
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return 0.0
    left = (until if until.tzinfo else until.replace(tzinfo=UTC)) - datetime.now(UTC)
    return min(max(0.0, left.total_seconds()), _LONGEST_RETRY_AFTER)


def _refusal(target: HttpTarget, status: int, answer: str) -> LasingError:
    said = f": {answer}" if answer else ""
    match status:
        case 401 | 403:
            note = "is the token right?" if target.token else 'it may want a token: token_env = "NAME"'
        case 404 | 405:
            note = "is the path right?"
        case 413:
            note = "it does not take bodies of up to 1 MiB"
        case _ if 300 <= status < 400:
            note = "redirections are not followed; give the address that it names"
        case _:
            note = "the server must accept the same lines after a restart"
    return fault("E520", f"{target} refuses: {status}{said}", note=note)
