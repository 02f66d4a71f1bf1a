"""A webhook: others POST messages to us. The answer 202 means that they are in the journal.

A body of `application/json` is one message, an object. Any other body is lines: `application/x-ndjson`, `text/csv`
(with `header=present`, the first line is left out), `text/plain`. Without room for more, the answer is 503 with
Retry-After. A body has a bound, and so has the number of clients.

A client may still be sending when it is refused. It gets its answer nevertheless: we take what it sends, and throw it
away, until it stops or has sent for too long.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lasing.connectors.live.journal import Received
from lasing.connectors.live.received import ReceivingSource
from lasing.connectors.live.secrets import Secret
from lasing.connectors.live.tls import TlsSettings, is_loopback, server_context, uses_tls
from lasing.errors import LasingError, fault

MOST_BODY_BYTES = 16 * 2**20
_MOST_CLIENTS = 64
_MOST_DIGITS = 18
_PATIENCE = 30.0
"""After how many seconds a client that says nothing is dropped."""
_RETRY_AFTER = 2
_LINGER = 5.0
"""For how many seconds without a byte we wait for what a refused client still sends, …"""
_LONGEST_LINGER = 30.0
"""… and for how many seconds in all."""
_WAIT_FOR_TURN = 1.0
"""How many seconds a client waits if there are too many, before it is asked to come later."""
_MOST_ASKED_TO_WAIT = 64
"""How many clients are asked to come later at the same time. Others get no answer."""
_CLOSE_WITHIN = 10.0
"""How many seconds a server that closes waits for answers that are on their way."""


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """Where to listen, and the token that clients must send, as `Authorization: Bearer …`."""

    host: str
    port: int
    path: str = "/"
    token: Secret | None = None
    tls: TlsSettings = field(default_factory=TlsSettings)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if uses_tls(self.host, self.tls) else 'http'}://{host}:{self.port}{self.path}"


class Webhook(ReceivingSource):
    """Listens for POST requests."""

    def __init__(self, address: HttpAddress, journal: Received, most_body_bytes: int = MOST_BODY_BYTES) -> None:
        super().__init__(f"{address} message ", journal)
        self.address, self.most_body_bytes = address, most_body_bytes
        self._server: _Server | None = None

    @property
    def port(self) -> int:
        """The port, also if the system has chosen it."""
        assert self._server is not None
        return int(self._server.server_address[1])

    def connect(self) -> None:
        address = self.address
        context = server_context(address.tls, str(address)) if uses_tls(address.host, address.tls) else None
        if not is_loopback(address.host):
            if context is None:
                self.report("W213", f"{address}: without TLS, others on the way can read and change what is sent")
            if address.token is None:
                note = 'token_env = "NAME" or token_file = "PATH"'
                self.report("W213", f"{address}: without a token, everyone who can reach it can send", note)
        try:
            server = self._server = _Server(self, context)
        except OSError as error:
            note = "does another program listen there? Choose another port"
            raise fault("E524", f"{address}: cannot listen there: {error.strerror or error}", note=note) from None
        self.in_thread(lambda: server.serve_forever(0.1), f"listens at {address}")

    def disconnect(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.dismiss()

    def accepted(self, payloads: list[bytes]) -> bool:
        """Keep messages, if there is room for them."""
        if self._failure is not None or self._closed.is_set() or not self._journal.has_room(0):
            return False
        try:
            self.receive(payloads)
        except LasingError as error:
            self.fail(error)
            return False
        return True


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, source: Webhook, context: ssl.SSLContext | None) -> None:
        self.source, self._context = source, context
        self._clients = threading.Semaphore(_MOST_CLIENTS)
        self.too_many: set[Any] = set()
        """The addresses of clients that are only asked to come later."""
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        host = source.address.host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, source.address.port), _Handler)

    def server_bind(self) -> None:
        """Without a look-up of our own name, which may take long."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.source.address.host, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._clients.acquire(timeout=_WAIT_FOR_TURN):
            with self._changed:
                if len(self.too_many) >= _MOST_ASKED_TO_WAIT:
                    self.shutdown_request(request)
                    return
                self.too_many.add(client_address)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            request.settimeout(_PATIENCE)
            if self._context is not None:
                request = self._context.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
            with self._changed:
                self._open.add(request)
            if self._context is not None:
                request.do_handshake()  # in the thread of the client, because it may take its time
            super().process_request_thread(request, client_address)
        except OSError as error:
            self.source.report("W212", f"{self.source.address}: a client was turned away: {error}")
            self.shutdown_request(request)
        finally:
            with self._changed:
                if client_address in self.too_many:
                    self.too_many.discard(client_address)
                else:
                    self._clients.release()
                self._open.discard(request)
                self._changed.notify_all()

    def dismiss(self) -> None:
        """Let clients have the answers that are on their way, and end their connections."""
        with self._changed:
            for client in self._open:
                with suppress(OSError):  # it has gone already
                    socket.socket.shutdown(client, socket.SHUT_RD)  # its thread reads the end of its requests
            self._changed.wait_for(lambda: not self._open, _CLOSE_WITHIN)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no problem of ours, and was not answered."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "lasing"
    sys_version = ""
    server: _Server
    _asks_first = False

    def parse_request(self) -> bool:
        self._asks_first = False
        return super().parse_request()

    def do_POST(self) -> None:
        source = self.server.source
        if self.client_address in self.server.too_many:
            return self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too many clients; send it again later")
        if self.path.partition("?")[0] != source.address.path:
            return self._refuse(HTTPStatus.NOT_FOUND, f"messages go to {source.address.path}")
        token = source.address.token
        if token is not None and not token.is_given(_bearer(self.headers.get("Authorization", ""))):
            return self._refuse(HTTPStatus.UNAUTHORIZED, "Authorization: Bearer TOKEN is missing or wrong")
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdecimal()):
            return self._refuse(HTTPStatus.LENGTH_REQUIRED, "Content-Length is missing")
        if len(length) > _MOST_DIGITS or int(length) > source.most_body_bytes:
            message = f"at most {source.most_body_bytes:,} bytes at a time"
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        if self._asks_first:
            self.send_response_only(HTTPStatus.CONTINUE)
            self.end_headers()
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return None  # the client has gone away in the middle
        kind = self.headers.get_content_type() if "Content-Type" in self.headers else "application/x-ndjson"
        try:
            payloads = _payloads(body, kind, str(self.headers.get_param("header") or ""))
        except ValueError as error:
            return self._answer(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        if payloads and not source.accepted(payloads):
            return self._answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "no room now; send it again later"})
        return self._answer(HTTPStatus.ACCEPTED, {"accepted": len(payloads)})

    def do_GET(self) -> None:
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "POST messages here")

    do_PUT = do_DELETE = do_PATCH = do_HEAD = do_GET  # noqa: N815

    def handle_expect_100(self) -> bool:
        """A client asks whether it should send its body: only if we want to read it."""
        self._asks_first = True
        return True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """What the library itself refuses: lines that are no HTTP, other methods, endless headers."""
        status = HTTPStatus(code)
        self.request_version = self.protocol_version  # what was asked may not say, and an answer has headers
        self._refuse(status, message or status.phrase)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the library's name
        """Requests are not printed."""

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self.close_connection = True  # there may be a body that nobody reads
        self._answer(status, {"error": message})
        self._linger()

    def _linger(self) -> None:
        """Throw away the rest of a request: a connection that is closed with unread bytes is reset, and the client may
        never see the answer."""
        end = time.monotonic() + _LONGEST_LINGER
        try:
            self.connection.shutdown(socket.SHUT_WR)
            while (left := end - time.monotonic()) > 0:
                self.connection.settimeout(min(left, _LINGER))
                if not self.connection.recv(2**16):
                    break
        except OSError:
            return  # the client has gone, and needs no answer

    def _answer(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        raw = json.dumps(content).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        if self.close_connection:
            self.send_header("Connection", "close")
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.send_header("Retry-After", str(_RETRY_AFTER))
        if status == HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "POST")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)


def _bearer(header: str) -> bytes:
    scheme, _, token = header.strip().partition(" ")
    return token.strip().encode("latin-1", errors="replace") if scheme.lower() == "bearer" else b""


def _payloads(body: bytes, kind: str, header: str) -> list[bytes]:
    """The messages in a body; a ValueError says what is wrong with it."""
    if kind == "application/json" or kind.endswith("+json"):
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not JSON: {error}; for JSON lines, the type is application/x-ndjson") from None
        if not isinstance(found, dict):
            raise ValueError("application/json is one object; for several, send JSON lines as application/x-ndjson")
        return [body.strip()]
    lines = [line.removesuffix(b"\r") for line in body.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    if kind == "text/csv" and header.lower() == "present":
        lines = lines[1:]
    return [line for line in lines if line.strip()]
