"""A cluster of Kafka for tests: the one that librdkafka has in itself, and a door to it that can be shut or locked."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

_PATIENCE = 600.0
_HOST = b"127.0.0.1"


class Cluster:
    """One broker. Topics come into being, with four partitions, when someone asks for them."""

    def __init__(self) -> None:
        self._producer: Any = Producer({"bootstrap.servers": "-", "test.mock.num.brokers": 1, "log_level": 0})
        (broker,) = self._producer.list_topics(timeout=_PATIENCE).brokers.values()
        self.port = int(broker.port)
        self.servers = f"127.0.0.1:{self.port}"

    def make(self, topic: str) -> None:
        """Make a topic without messages."""
        self._producer.list_topics(topic, timeout=_PATIENCE)

    def send(self, topic: str, *values: bytes, partition: int = 0, milliseconds: int = 0) -> None:
        """Add messages to a partition; all have the same timestamp, or that of now."""
        failed: list[Any] = []
        for value in values:
            more = {"timestamp": milliseconds} if milliseconds else {}
            self._producer.produce(
                topic, value, partition=partition, on_delivery=lambda error, _: failed.append(error), **more
            )
        assert self._producer.flush(_PATIENCE) == 0
        assert failed == [None] * len(values)

    def received(self, topic: str, count: int) -> list[Any]:
        """The messages of a topic, at least so many, in the order in which each partition has them."""
        consumer: Any = Consumer(
            {
                "bootstrap.servers": self.servers,
                "group.id": "test",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "log_level": 0,
            }
        )
        try:
            partitions = consumer.list_topics(topic, timeout=_PATIENCE).topics[topic].partitions
            consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
            found, ended, until = list[Any](), set[int](), monotonic() + _PATIENCE
            while len(found) < count or len(ended) < len(partitions):
                assert monotonic() < until, f"{count - len(found)} more should have come"
                for message in consumer.consume(1000, 0.2):
                    if message.error() is None:
                        found.append(message)
                    elif message.error().code() == KafkaError._PARTITION_EOF:
                        ended.add(message.partition())
            return found
        finally:
            consumer.close()


class Door:
    """A way to the broker of a cluster, on a port of its own: with TLS if there is a certificate. Nobody gets through
    while it is shut."""

    def __init__(self, cluster: Cluster, certificate: str | None = None) -> None:
        self._behind = cluster.port
        self._context = None
        if certificate is not None:
            self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self._context.load_cert_chain(certificate)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self.servers = f"127.0.0.1:{self.port}"
        self._is_shut = False
        self._closed = False
        threading.Thread(target=self._serve, daemon=True).start()

    def shut(self) -> None:
        with self._lock:
            self._is_shut = True
            for connection in self._open:
                _end(connection)
            self._open.clear()

    def reopen(self) -> None:
        with self._lock:
            self._is_shut = False

    def close(self) -> None:
        self._closed = True
        self.shut()
        self._server.close()

    def _serve(self) -> None:
        while not self._closed:
            try:
                client, _ = self._server.accept()
            except OSError:
                return  # it was closed
            threading.Thread(target=self._let_in, args=(client,), daemon=True).start()

    def _let_in(self, client: socket.socket) -> None:
        with suppress(OSError):  # whoever is behind notices when a side is gone
            if self._context is not None:
                client = self._context.wrap_socket(client, server_side=True)
            broker = socket.create_connection(("127.0.0.1", self._behind))
            with self._lock:
                if self._is_shut:
                    client.close()
                    broker.close()
                    return
                self._open |= {client, broker}
            there = threading.Thread(target=_pump, args=(client, broker, bytes), daemon=True)
            there.start()
            _pump(broker, client, self._renamed)
            there.join()
            broker.close()
        client.close()

    def _renamed(self, response: bytes) -> bytes:
        """A response that names this door in place of the broker."""
        return response.replace(_HOST + self._behind.to_bytes(4), _HOST + self.port.to_bytes(4))


def _pump(source: socket.socket, target: socket.socket, change: Callable[[bytes], bytes]) -> None:
    """Hand on whole messages, which begin with their length."""
    with suppress(OSError):
        while head := _exactly(source, 4):
            target.sendall(head + change(_exactly(source, int.from_bytes(head))))
    _end(source)
    _end(target)


def _exactly(source: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = source.recv(count - len(found))
        if not part:
            return b""
        found += part
    return found


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


@contextmanager
def door_to(cluster: Cluster, certificate: str | None = None) -> Iterator[Door]:
    door = Door(cluster, certificate)
    try:
        yield door
    finally:
        door.close()
