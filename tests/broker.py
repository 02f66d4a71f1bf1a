"""A minimal MQTT broker, for one subscriber at a time and any number of publishers; versions 3.1.1 and 5.

It remembers what its subscriber has not acknowledged, and sends that again when the subscriber comes back.
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass

_DEADLINE = 1800.0


@dataclass(frozen=True, slots=True)
class Published:
    """A message that a client has published: its topic, its content, and the user properties of MQTT 5."""

    topic: str
    payload: bytes
    properties: bytes


class Broker:
    """Listens on its own port; `send` waits for a subscriber.

    `password` is what clients must give; `answer` is what every connection is answered; with `certificate`, it has TLS.
    """

    def __init__(
        self,
        password: str | None = None,
        answer: int = 0,
        topic_answer: int = 1,
        certificate: str | None = None,
        port: int = 0,
    ) -> None:
        self._server = socket.create_server(("127.0.0.1", port))
        self.port: int = self._server.getsockname()[1]
        self._password, self._answer, self._topic_answer = password, answer, topic_answer
        self._context = None
        if certificate is not None:
            self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self._context.load_cert_chain(certificate)
        self._changed = threading.Condition()
        self._subscriber: _Client | None = None
        self._clients: list[_Client] = []
        self._closed = False
        self._next = 0
        self.unacknowledged: dict[int, bytes] = {}
        self.published: list[Published] = []
        self.subscriptions = 0
        self.acknowledges = True
        """Whether publishers get acknowledgements."""
        self._serving = threading.Thread(target=self._serve, daemon=True)
        self._serving.start()

    def send(self, topic: str, payload: bytes, quality: int = 0) -> None:
        """Send a message to the subscriber. With quality 1, it is kept until it is acknowledged."""
        name = topic.encode()
        with self._changed:
            assert self._changed.wait_for(
                lambda: self._subscriber is not None or (quality == 1 and self._next > 0), 1800
            )
            body = struct.pack("!H", len(name)) + name
            if quality == 1:
                self._next += 1
                body += struct.pack("!H", self._next)
                self.unacknowledged[self._next] = body + payload
            if self._subscriber is not None:
                with suppress(OSError):  # then it comes back and gets it again
                    self._subscriber.send(0x30 | quality << 1, body + payload)

    def wait_for(self, condition: object) -> None:
        """Wait until something is so, with what has come."""
        assert callable(condition)
        with self._changed:
            assert self._changed.wait_for(condition, _DEADLINE)

    def drop_clients(self) -> None:
        """Lose all connections."""
        with self._changed:
            dropped, self._clients, self._subscriber = self._clients, [], None
        for client in dropped:
            client.close()

    def close(self) -> None:
        self._closed = True
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.drop_clients()
        self._serving.join(5)

    def _serve(self) -> None:
        while not self._closed:
            try:
                connection, _ = self._server.accept()
            except OSError:  # the test has closed us
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        try:
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            client = _Client(connection)
            with self._changed:
                self._clients.append(client)
            while True:
                self._answer_to(client, *client.packet())
        except OSError:
            pass  # the test has closed us, or the client has gone
        finally:
            connection.close()

    def _answer_to(self, client: _Client, first: int, body: bytes) -> None:
        match first >> 4:
            case 1:  # CONNECT
                client.version = body[6]
                wrong = self._password is not None and not body.endswith(_text(self._password))
                refused = (0x86 if client.version == 5 else 4) if wrong else self._answer
                known = bool(self._next) and not refused and not body[7] & 2
                client.send(0x20, bytes([known, refused]) + client.no_properties())
                if known:
                    self._take_subscriber(client)
            case 3:  # PUBLISH
                size = struct.unpack_from("!H", body)[0]
                topic, at = body[2 : 2 + size].decode(), 2 + size
                number = body[at : at + 2] if first & 6 else b""
                at += len(number)
                properties = b""
                if client.version == 5:  # their length is one byte here
                    properties, at = body[at + 1 : at + 1 + body[at]], at + 1 + body[at]
                with self._changed:
                    self.published.append(Published(topic, body[at:], properties))
                    self._changed.notify_all()
                if number and self.acknowledges:
                    client.send(0x40, number)
            case 4:  # PUBACK
                with self._changed:
                    self.unacknowledged.pop(struct.unpack_from("!H", body)[0], None)
                    self._changed.notify_all()
            case 8:  # SUBSCRIBE
                client.send(0x90, body[:2] + client.no_properties() + bytes([self._topic_answer]))
                self.subscriptions += 1
                self._take_subscriber(client)
            case 12:  # PINGREQ
                client.send(0xD0, b"")

    def _take_subscriber(self, client: _Client) -> None:
        with self._changed:
            self._subscriber = client
            for body in self.unacknowledged.values():
                client.send(0x3A, body)  # once more
            self._changed.notify_all()


class _Client:
    """A connection, and its packets."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self.version = 4

    def no_properties(self) -> bytes:
        return b"\x00" if self.version == 5 else b""

    def send(self, first: int, body: bytes) -> None:
        with self._sending:
            self._connection.sendall(bytes([first]) + _length(len(body)) + body)

    def packet(self) -> tuple[int, bytes]:
        first = self._read(1)[0]
        length = shift = 0
        while True:
            part = self._read(1)[0]
            length |= (part & 127) << shift
            shift += 7
            if not part & 128:
                return first, self._read(length)

    def close(self) -> None:
        with suppress(OSError):  # it may be closed at the other end
            self._connection.shutdown(socket.SHUT_RDWR)

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            more = self._connection.recv(size - len(found))
            if not more:
                raise OSError("closed")
            found += more
        return found


def _text(text: str) -> bytes:
    return struct.pack("!H", len(text.encode())) + text.encode()


def _length(number: int) -> bytes:
    found = b""
    while True:
        number, part = number >> 7, number & 127
        found += bytes([part | (128 if number else 0)])
        if not number:
            return found
