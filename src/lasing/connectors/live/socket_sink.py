"""Send lines to a TCP or Unix socket.

A socket has no acknowledgements: the system takes lines before the other side has them. So when a connection is lost,
everything since the last flush is sent again on the next one, and each line has an id that lets the receiver drop what
it had. Before a flush, whether the other side has closed is checked; lines that are on the way at that moment and never
arrive are lost, and only an answer of the receiver could tell.
"""

from __future__ import annotations

import ssl
import threading
from collections.abc import Sequence
from socket import socket
from time import monotonic

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.ids import ID_KEY, message_id, with_id
from lasing.connectors.live.protocol import GAVE_UP, Position
from lasing.connectors.live.sockets import SocketAddress, cut_off, reason
from lasing.connectors.live.tls import tls_failure
from lasing.errors import Diagnostic, fault, warn


class SocketSink:
    """Connects to a server and sends it lines. It gives up after `patience` seconds without a connection."""

    def __init__(
        self,
        address: SocketAddress,
        name: str,
        id_key: str | None = ID_KEY,
        patience: float = 600.0,
        backoff: Backoff | None = None,
    ) -> None:
        self._address, self._name, self._id_key, self._patience = address, name, id_key, patience
        self._backoff = backoff or Backoff()
        self._connection: socket | None = None
        self._since_flush: list[bytes] = []
        self._given_up = threading.Event()

    def start(self, position: Position | None) -> Position:
        return position

    def write(self, batch: int, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        named = (with_id(line, message_id(self._name, batch, i), self._id_key) for i, line in enumerate(lines))
        raw = b"".join(line + b"\n" for line in named)
        self._since_flush.append(raw)
        self._send([raw])

    def flush(self) -> Position:
        if self._since_flush:
            self._send([])
            self._since_flush = []
        return None

    def give_up(self) -> None:
        self._given_up.set()
        self._backoff.stop()
        connection = self._connection
        if connection is not None:
            cut_off(connection)

    def close(self) -> None:
        self._backoff.stop()
        self._hang_up()

    def _send(self, parts: list[bytes]) -> None:
        begun = monotonic()
        while True:
            try:
                if self._connection is None:
                    self._connection = self._address.connected()
                    self._connection.settimeout(self._patience)
                    if self._given_up.is_set():  # it could not be cut off before it was there
                        raise ConnectionAbortedError
                    parts = self._since_flush  # the other side may have nothing of it, or a part
                for part in parts:
                    self._connection.sendall(part)
                if not self._is_closed(self._connection):
                    self._backoff.succeeded()
                    return
                why = "has closed the connection"
            except ssl.SSLError as error:
                if (failure := tls_failure(error, str(self._address))) is not None:
                    raise failure from None
                why = f"has lost the connection: {reason(error)}"
            except OSError as error:
                why = f"cannot be reached: {reason(error)}"
            self._hang_up()
            if self._given_up.is_set():
                raise fault("E525", f"{self._address} {why}", note=GAVE_UP)
            if monotonic() - begun >= self._patience:
                raise fault("E525", f"{self._address} {why}, for {self._patience:.0f} s", note=GAVE_UP)
            if self._backoff.failures == 0:
                warn([Diagnostic("W212", f"{self._address} {why}", note="trying again, with growing pauses")])
            if not self._backoff.pause():
                raise fault("E525", f"{self._address} {why}", note=GAVE_UP)

    def _is_closed(self, connection: socket) -> bool:
        """Whether the other side has hung up. What it says is not read by anyone."""
        connection.settimeout(0.0)
        try:
            while connection.recv(4096):
                pass
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        finally:
            connection.settimeout(self._patience)
        return True

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
