"""A minimal MQTT 3.1.1 broker: it accepts a client, and sends it messages on request."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress


class Broker:
    """Listens on its own port; `send` waits for a subscriber."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self._subscribed = threading.Event()
        self._client: socket.socket | None = None
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()

    def send(self, topic: str, payload: bytes) -> None:
        assert self._subscribed.wait(1800)
        name = topic.encode()
        body = struct.pack("!H", len(name)) + name + payload
        assert self._client is not None
        self._client.sendall(b"\x30" + _length(len(body)) + body)

    def close(self) -> None:
        for each in (self._client, self._server):
            if each is not None:
                with suppress(OSError):  # it may be closed at the other end
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        self._serving.join(5)

    def _serve(self) -> None:
        try:
            self._client, _ = self._server.accept()
            while True:
                kind, body = self._packet()
                if kind == 1:  # CONNECT
                    self._client.sendall(b"\x20\x02\x00\x00")
                elif kind == 8:  # SUBSCRIBE
                    self._client.sendall(b"\x90\x03" + body[:2] + b"\x01")
                    self._subscribed.set()
                elif kind == 12:  # PINGREQ
                    self._client.sendall(b"\xd0\x00")
        except OSError:  # the test has closed us, or the client has gone
            return

    def _packet(self) -> tuple[int, bytes]:
        assert self._client is not None
        first = self._read(1)[0]
        length = shift = 0
        while True:
            part = self._read(1)[0]
            length |= (part & 127) << shift
            shift += 7
            if not part & 128:
                return first >> 4, self._read(length)

    def _read(self, size: int) -> bytes:
        assert self._client is not None
        found = b""
        while len(found) < size:
            more = self._client.recv(size - len(found))
            if not more:
                raise OSError("closed")
            found += more
        return found


def _length(number: int) -> bytes:
    found = b""
    while True:
        number, part = number >> 7, number & 127
        found += bytes([part | (128 if number else 0)])
        if not number:
            return found
