"""Addresses of sockets: TCP and Unix, and how to connect to them or listen."""

from __future__ import annotations

import os
import socket
import ssl
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EACCES, ENAMETOOLONG, EPERM

from lasing.connectors.live.tls import TlsSettings, client_context, server_context, tls_failure, uses_tls
from lasing.errors import LasingError, fault

_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class SocketAddress:
    """Where a socket is: a host and a port, or the path of a Unix socket. TLS is for TCP, if it is asked for."""

    host: str = ""
    port: int = 0
    path: str = ""
    tls: TlsSettings = field(default_factory=TlsSettings)

    def __post_init__(self) -> None:
        if self.path and (self.host or uses_tls("localhost", self.tls)):
            raise fault("E524", f"{self}: a Unix socket has a path alone, and no TLS")
        if not self.path and not (self.host and 0 <= self.port <= 65535):
            raise fault("E524", f"{self}: TCP needs a host and a port from 1 to 65535")

    def __str__(self) -> str:
        if self.path:
            return f"unix://{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tcp://{host}:{self.port}"

    def connected(self) -> socket.socket:
        """A connection. Raises a LasingError if it will never succeed, and an OSError if it may succeed later."""
        found: socket.socket
        try:
            if self.path:
                found = socket.socket(socket.AF_UNIX)
                try:
                    found.settimeout(_PATIENCE)
                    found.connect(self.path)
                except BaseException:
                    found.close()
                    raise
                return found
            found = socket.create_connection((self.host, self.port), _PATIENCE)
        except OSError as error:
            if error.errno in (EACCES, EPERM, ENAMETOOLONG) or "too long" in str(error):
                raise fault("E520", f"{self}: {error.strerror or error}") from None
            raise
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if not uses_tls(self.host, self.tls, by_default=False):
            return found
        try:
            return client_context(self.tls, str(self)).wrap_socket(found, server_hostname=self.host)
        except ssl.SSLError as error:
            found.close()
            raise (tls_failure(error, str(self)) or error) from None
        except BaseException:
            found.close()
            raise

    def listening(self) -> socket.socket:
        """A socket that accepts connections. A Unix socket that nobody listens to any more is replaced."""
        try:
            if self.path:
                return self._listening_path()
            family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
            return socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            raise self._taken(error) from None

    def context(self) -> ssl.SSLContext | None:
        """The TLS of a server, if it has TLS."""
        return server_context(self.tls, str(self)) if uses_tls(self.host, self.tls, by_default=False) else None

    def _listening_path(self) -> socket.socket:
        if os.path.exists(self.path) and stat.S_ISSOCK(os.stat(self.path).st_mode):
            try:
                self.connected().close()
            except ConnectionRefusedError:
                os.unlink(self.path)  # a run that was killed has left it behind
            else:
                raise fault("E524", f"{self}: someone else listens there already")
        server = socket.socket(socket.AF_UNIX)
        try:
            server.bind(self.path)
            server.listen()
        except BaseException:
            server.close()
            raise
        return server

    def _taken(self, error: OSError) -> LasingError:
        note = "does another program listen there? Choose another port" if self.port else ""
        return fault("E524", f"{self}: cannot listen there: {error.strerror or error}", note=note)


def cut_off(connection: socket.socket) -> None:
    """End a connection that another thread may be waiting for."""
    with suppress(OSError):  # it is closed already
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # and not that of TLS, which is not for two threads


def reason(error: OSError) -> str:
    """Why a connection fails, in a few words."""
    if isinstance(error, TimeoutError):
        return "no answer"
    if isinstance(error, ConnectionAbortedError) and error.errno is None:
        return "it was given up"
    if isinstance(error, socket.gaierror):
        return "the name of the host is not known"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {error.reason or error}"
    return error.strerror or str(error) or type(error).__name__
