"""Lines from TCP and Unix sockets: connect to a server, or listen for clients.

A server that is gone, or not there yet, is tried again, with growing pauses. A line that was cut off when a connection
ended is dropped and reported, because half a number would be a wrong number. Sockets have no acknowledgements: what a
sender had sent and we had not yet received when we were killed is lost.
"""

from __future__ import annotations

import socket
import ssl

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.journal import Received
from lasing.connectors.live.lines import Lines
from lasing.connectors.live.received import ReceivingSource
from lasing.connectors.live.sockets import SocketAddress, reason
from lasing.connectors.live.tls import tls_failure
from lasing.errors import LasingError

_BLOCK = 1 << 16
_A_MOMENT = 0.2
_MOST_CLIENTS = 256


class SocketSource(ReceivingSource):
    """Connects to a server, and reads lines from it. Unless it should `reconnect`, it ends with the connection."""

    def __init__(
        self, address: SocketAddress, journal: Received, reconnect: bool = True, backoff: Backoff | None = None
    ) -> None:
        super().__init__(f"{address} line ", journal)
        self._address, self._reconnect = address, reconnect
        self._backoff = backoff or Backoff()

    def connect(self) -> None:
        self.in_thread(self._run, f"reads {self._address}")

    def disconnect(self) -> None:
        self._backoff.stop()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                connection = self._address.connected()
            except OSError as error:
                if self._backoff.failures == 0:
                    self.report("W212", f"{self._address} cannot be reached yet: {reason(error)}", _TRYING)
                if not self._backoff.pause():
                    return
                continue
            with connection:
                why = _read(self, connection, str(self._address), self._backoff)
            if not self._reconnect:
                self.end()
                return
            if self._closed.is_set():
                return
            if self._backoff.failures == 0:
                self.report("W212", f"{self._address} {why}", _TRYING)
            if not self._backoff.pause():
                return


class SocketServer(ReceivingSource):
    """Listens, and reads lines from everyone who connects. It never ends by itself."""

    def __init__(self, address: SocketAddress, journal: Received) -> None:
        super().__init__(f"{address} line ", journal)
        self._address = address
        self._server: socket.socket | None = None
        self._clients = 0

    @property
    def port(self) -> int:
        """The port, also if the system has chosen it."""
        assert self._server is not None
        return int(self._server.getsockname()[1])

    def connect(self) -> None:
        self._context = self._address.context()
        self._server = self._address.listening()
        self._server.settimeout(_A_MOMENT)
        self.in_thread(self._accept, f"listens at {self._address}")

    def disconnect(self) -> None:
        """The threads notice by themselves."""

    def close(self) -> None:
        super().close()
        if self._server is not None:
            self._server.close()

    def _accept(self) -> None:
        assert self._server is not None
        while not self._closed.is_set():
            try:
                client, _ = self._server.accept()
            except TimeoutError:
                continue
            if self._clients >= _MOST_CLIENTS:
                self.report("W212", f"{self._address}: a client was turned away: there are {_MOST_CLIENTS} already")
                client.close()
                continue
            self._clients += 1
            self.in_thread(lambda client=client: self._serve(client), f"reads a client of {self._address}")

    def _serve(self, client: socket.socket) -> None:
        try:
            if self._context is not None:
                client.settimeout(10.0)
                client = self._context.wrap_socket(client, server_side=True)
            with client:
                _read(self, client, str(self._address), None)
        except OSError as error:  # a client that cannot shake hands is its own problem, and not that of the others
            self.report("W212", f"{self._address}: a client was turned away: {reason(error)}")
            client.close()
        except LasingError as error:
            if error.diagnostics[0].code != "E507":
                raise
            self.report("W212", f"a client of {error.diagnostics[0].message}; the rest of what it sends is not read")
        finally:
            self._clients -= 1


_TRYING = "trying again, with growing pauses"


def _read(source: ReceivingSource, connection: socket.socket, name: str, backoff: Backoff | None) -> str:
    """Read lines to the end of a connection; what has ended it."""
    lines, why = Lines(name), "has closed the connection"
    connection.settimeout(_A_MOMENT)
    while source.wait_for_room():
        try:
            raw = connection.recv(_BLOCK)
        except TimeoutError:
            continue
        except ssl.SSLError as error:
            if (failure := tls_failure(error, name)) is not None and backoff is not None:
                raise failure from None
            why = f"has lost the connection: {reason(error)}"
            break
        except OSError as error:
            why = f"has lost the connection: {reason(error)}"
            break
        if not raw:
            break
        if found := lines.add(raw):
            source.receive(found)
            if backoff is not None:
                backoff.succeeded()
    if rest := lines.rest():
        source.report("W212", f"{name}: a line was cut off after {len(rest):,} bytes, and is left out")
    return why
