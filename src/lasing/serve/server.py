"""Run the server: in this thread until someone stops it, or in a thread of its own beside other work."""

from __future__ import annotations

import secrets
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lasing.connectors.live.secrets import Secret
from lasing.connectors.live.tls import is_loopback
from lasing.errors import Diagnostic, fault, warn
from lasing.serve.settings import Address, Settings

if TYPE_CHECKING:
    import uvicorn

    from lasing.serve.app import Watched

_SHORTEST_TOKEN = 16
_MOST_AT_ONCE = 100
_FAREWELL = 2
"""How many seconds open streams of events have to end when the server stops."""
_STARTING = 30.0


def need_server() -> None:
    """Fail if the libraries of the server are not installed."""
    for library in ("starlette", "uvicorn"):
        if find_spec(library) is None:
            raise fault("E780", f"{library} is not installed", note="the page needs it: pip install 'lasing[serve]'")


def checked_address(host: str, port: int, token: str | None, certificate: str = "", key: str = "") -> Address:
    """An address. If another machine can reach it, it has a token, given or made."""
    if token is not None and len(token) < _SHORTEST_TOKEN:
        note = f"use at least {_SHORTEST_TOKEN} characters, or let lasing choose one"
        raise fault("E782", "the token is too short to keep anyone out", note=note)
    if key and not certificate:
        raise fault("E521", "a key for TLS needs its certificate", note="--certificate FILE")
    if certificate:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key or None)
        except (OSError, ssl.SSLError) as error:
            raise fault("E521", f"{certificate} cannot be used for TLS: {error}") from None
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    return Address(host, port, None if token is None else Secret(token), certificate, key)


def cautions(address: Address) -> list[Diagnostic]:
    """A warning about what others on the way could read."""
    if is_loopback(address.host) or address.certificate:
        return []
    message = f"{address.scheme}://{address.netloc}: without TLS, others on the way can read the page and its token"
    return [Diagnostic("W213", message, note="give --certificate FILE and --key FILE, or use a tunnel such as ssh -L")]


def bound(address: Address) -> tuple[socket.socket, Address]:
    """A socket that listens, and the address with its port, which the system chooses if it is 0."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        note = "does another program listen there? --port 0 takes any port that is free"
        raise fault("E781", f"{address.host}:{address.port}: cannot listen there: {reason}", note=note) from None
    return listening, replace(address, port=listening.getsockname()[1])


def _server(settings: Settings, attached: Watched | None, opening: Any, ready: Callable[[], None]) -> uvicorn.Server:
    import uvicorn

    from lasing.serve.app import application

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

    config = uvicorn.Config(
        application(settings, attached, opening),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        limit_concurrency=_MOST_AT_ONCE,
        timeout_graceful_shutdown=_FAREWELL,
        ssl_certfile=settings.address.certificate or None,
        ssl_keyfile=settings.address.key or None,
    )
    return Server(config)


def serve(settings: Settings, say: Callable[[str], None], attached: Watched | None = None, opening: Any = None) -> None:
    """Serve the page until an interrupt; `say` gets its address once it can be opened."""
    need_server()
    listening, address = bound(settings.address)
    with listening:
        ready = replace(settings, address=address)
        _server(ready, attached, opening, lambda: say(address.url)).run([listening])


class Served:
    """A page that is served from a thread of its own. Leaving a `with` statement ends it, as `close()` does."""

    def __init__(
        self, url: str, server: uvicorn.Server, thread: threading.Thread, on_close: Callable[[], None]
    ) -> None:
        self.url = url
        """Where to open it, with the token if it needs one."""
        self._server, self._thread, self._on_close = server, thread, on_close

    def close(self) -> None:
        """End the page. What it looked at goes on."""
        self._server.should_exit = True
        self._thread.join()
        self._on_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Served({self.url.partition('?')[0]})"


def serve_in_thread(settings: Settings, attached: Any) -> Served:
    """Serve a page about something of this process."""
    need_server()
    warn(cautions(settings.address))
    listening, address = bound(settings.address)
    started = threading.Event()
    server = _server(replace(settings, address=address), attached, None, started.set)

    def run() -> None:
        with listening:
            server.run([listening])

    thread = threading.Thread(target=run, name="the page of lasing", daemon=True)
    thread.start()
    if not started.wait(_STARTING):
        server.should_exit = True
        raise fault("E781", f"{address.host}:{address.port}: the server did not start")
    return Served(address.url, server, thread, attached.close)
