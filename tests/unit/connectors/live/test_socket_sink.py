"""Lines to sockets: with ids, and again from the last flush on when a connection was lost."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.journal import MemoryJournal
from lasing.connectors.live.socket_sink import SocketSink
from lasing.connectors.live.socket_source import SocketServer, SocketSource
from lasing.connectors.live.sockets import SocketAddress
from lasing.connectors.live.tls import TlsSettings
from lasing.errors import LasingError
from tests.certificates import Certificates
from tests.unit.connectors.live.gathering import gather, started, warned


def quick() -> Backoff:
    return Backoff(first=0.01, longest=0.02)


def test_lines_arrive_with_ids(tmp_path: Path) -> None:
    address = SocketAddress(path=str(tmp_path / "s"))
    with started(SocketServer(address, MemoryJournal())) as source:
        sink = SocketSink(address, "hot")
        with closing(sink):
            sink.start(None)
            sink.write(4, [b'{"a": 1}', b"1,2"])
            sink.write(5, [])
            assert sink.flush() is None
        assert gather(source, 2) == [b'{"message_id": "hot-4-0", "a": 1}', b"hot-4-1,1,2"]


def test_a_lost_connection_gets_everything_since_the_last_flush_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, warned() as warnings:
        address = SocketAddress("127.0.0.1", server.getsockname()[1])
        with closing(SocketSink(address, "hot", id_key=None, backoff=quick())) as sink:
            sink.start(None)
            sink.write(1, [b"one"])
            with server.accept()[0] as first:
                sink.flush()
                sink.write(2, [b"two"])
                assert first.recv(100).startswith(b"one")
            flushing = Thread(target=sink.flush)
            flushing.start()
            with server.accept()[0] as second, second.makefile("rb") as lines:
                assert lines.readline() == b"two\n"
                flushing.join()
    assert "W212" in warnings[0]


def test_nobody_there_for_too_long_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        address = SocketAddress("127.0.0.1", reserved.getsockname()[1])
    sink = SocketSink(address, "hot", patience=0.1, backoff=quick())
    with closing(sink):
        sink.start(None)
        with warned(), pytest.raises(LasingError, match=r"E525.*cannot be reached: Connection refused"):
            sink.write(0, [b"x"])


def test_sockets_with_tls(certificates: Certificates) -> None:
    listening = SocketAddress("127.0.0.1", 0, tls=TlsSettings(tls=True, certificate=certificates.certificate))
    source = SocketServer(listening, MemoryJournal())
    with warned() as warnings, started(source):
        sink = SocketSink(SocketAddress("localhost", source.port, tls=TlsSettings(ca=certificates.ca)), "hot")
        with closing(sink):
            sink.start(None)
            sink.write(0, [b"1"])
            sink.flush()
            assert gather(source, 1) == [b"hot-0-0,1"]
        wrong = SocketAddress("localhost", source.port, tls=TlsSettings(ca=certificates.other_ca))
        with started(SocketSource(wrong, MemoryJournal())) as reading, pytest.raises(LasingError, match="E521"):
            gather(reading, 1)
    assert "a client was turned away" in "".join(warnings)


def test_files_of_tls_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("")
    for name in ("empty.pem", "missing.pem"):
        settings = TlsSettings.of({"tls": True, "certificate": str(tmp_path / name)}, "sources.s")
        listening = SocketServer(SocketAddress("127.0.0.1", 0, tls=settings), MemoryJournal())
        with pytest.raises(LasingError, match=r"E521.*cannot be used"):
            listening.start(None)
