"""Lines from sockets: servers that go and come back, clients, lines that are cut off, and back-pressure."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.journal import Journal, MemoryJournal
from lasing.connectors.live.socket_source import SocketServer, SocketSource
from lasing.connectors.live.sockets import SocketAddress
from lasing.connectors.live.standard_input import StandardInput
from lasing.errors import LasingError
from tests.unit.connectors.live.gathering import arriving, gather, started, wait_until, warned


def quick() -> Backoff:
    return Backoff(first=0.01, longest=0.05)


def test_lines_of_a_server_that_goes_and_comes_back() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        source = SocketSource(SocketAddress("127.0.0.1", port), MemoryJournal(), backoff=quick())
        with warned() as warnings, started(source):
            with server.accept()[0] as connection:
                connection.sendall(b"one\r\ntwo\nthr")
                assert gather(source, 2) == [b"one", b"two"]
                server.close()
            with socket.create_server(("127.0.0.1", port)) as again, again.accept()[0] as connection:
                connection.sendall(b"four\n")
                (arrivals,) = arriving(source, 1)
    assert arrivals.payloads == [b"four"]
    assert arrivals.places == [f"tcp://127.0.0.1:{port} line 3"]
    assert arrivals.position == 3
    assert "has closed the connection" in "".join(warnings)
    assert "a line was cut off after 3 bytes" in "".join(warnings)


def test_a_server_that_is_not_there_yet() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    with (
        warned() as warnings,
        started(SocketSource(SocketAddress("127.0.0.1", port), MemoryJournal(), backoff=quick())) as source,
    ):
        assert source.take(5, 0.1) is None
        with socket.create_server(("127.0.0.1", port)) as server, server.accept()[0] as connection:
            connection.sendall(b"at last\n")
            assert gather(source, 1) == [b"at last"]
    assert "W212" in warnings[0]
    assert "cannot be reached yet: Connection refused" in warnings[0]


def test_without_reconnecting_the_end_of_the_connection_is_the_end() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = SocketAddress("127.0.0.1", server.getsockname()[1])
        with started(SocketSource(address, MemoryJournal(), reconnect=False)) as source:
            with server.accept()[0] as connection:
                connection.sendall(b"one\n")
            assert gather(source, 1) == [b"one"]
            wait_until(source.finished)
            assert source.take(5, 10) is None


def test_clients_of_a_listening_source() -> None:
    source = SocketServer(SocketAddress("127.0.0.1", 0), MemoryJournal())
    with started(source):
        for name in (b"a", b"b"):
            with socket.create_connection(("127.0.0.1", source.port)) as client:
                client.sendall(name + b"1\n" + name + b"2\n")
            assert gather(source, 2) == [name + b"1", name + b"2"]


def test_unix_sockets(tmp_path: Path) -> None:
    address = SocketAddress(path=str(tmp_path / "s"))
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(address.path)
    with started(SocketServer(address, MemoryJournal())) as source, socket.socket(socket.AF_UNIX) as client:
        client.connect(address.path)
        client.sendall(b"hello\n")
        assert gather(source, 1) == [b"hello"]
        with pytest.raises(LasingError, match=r"E524.*someone else listens"):
            SocketServer(address, MemoryJournal()).start(None)


def test_a_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = SocketServer(SocketAddress("127.0.0.1", server.getsockname()[1]), MemoryJournal())
        with pytest.raises(LasingError, match=r"E524.*cannot listen there: Address already in use"):
            source.start(None)


def test_a_path_that_is_too_long_is_an_error(tmp_path: Path) -> None:
    source = SocketSource(SocketAddress(path=str(tmp_path / ("x" * 200))), MemoryJournal())
    with started(source), pytest.raises(LasingError, match=r"E520.*too long"):
        gather(source, 1)


@pytest.mark.parametrize("settings", [{"host": "h", "port": 70_000}, {"host": ""}, {"host": "h", "path": "/p"}])
def test_a_wrong_address_is_an_error(settings: dict[str, object]) -> None:
    with pytest.raises(LasingError, match="E524"):
        SocketAddress(**settings)  # type: ignore[arg-type]


def test_a_line_without_end_does_not_take_all_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.connectors.live.lines.Lines.__init__.__defaults__", (1000,))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = SocketAddress("127.0.0.1", server.getsockname()[1])
        with started(SocketSource(address, MemoryJournal())) as source, server.accept()[0] as connection:
            connection.sendall(b"x" * 2000)
            with pytest.raises(LasingError, match="E507"):
                gather(source, 1)


def test_a_source_that_nobody_takes_from_stops_reading() -> None:
    bound, lines = 10_000, [b"%06d" % i + b"x" * 1000 for i in range(10_000)]
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as afterwards:
        journal = MemoryJournal(bound)
        with started(SocketSource(SocketAddress("127.0.0.1", server.getsockname()[1]), journal)) as source:
            # closed after the source, which would report that it has lost the connection
            connection = afterwards.enter_context(server.accept()[0])
            sender = Thread(target=connection.sendall, args=(b"\n".join(lines) + b"\n",))
            sender.start()
            wait_until(lambda: not journal.has_room(0))
            found: list[bytes] = []
            while len(found) < len(lines):
                assert journal.waiting() * 1000 < bound + 2 * 2**16, "at most a block more than the bound"
                found += gather(source, 1)
            sender.join()
    assert found == lines


def test_what_was_received_survives_a_kill(tmp_path: Path) -> None:
    """A source is started again on the journal of one that was never closed."""
    source = SocketServer(SocketAddress("127.0.0.1", 0), Journal(tmp_path))
    with started(source), socket.create_connection(("127.0.0.1", source.port)) as client:
        client.sendall(b"one\ntwo\nthree\n")
        wait_until(lambda: source._journal.waiting() == 3)
        (first,) = arriving(source, 1)
        for position, expected in ((None, [b"one", b"two", b"three"]), (first.position, [b"two", b"three"])):
            with started(SocketServer(SocketAddress("127.0.0.1", 0), Journal(tmp_path)), position) as again:
                assert gather(again, len(expected)) == expected


def test_a_position_of_another_source_is_an_error() -> None:
    with pytest.raises(LasingError, match=r"E523.*is not a position of this source"):
        SocketServer(SocketAddress("127.0.0.1", 0), MemoryJournal()).start({"offset": 3})


def test_standard_input_ends_and_its_last_line_needs_no_end() -> None:
    read, write = os.pipe()
    with started(StandardInput(MemoryJournal(), read)) as source:
        os.write(write, b"one\ntw")
        (arrivals,) = arriving(source, 1)
        assert (arrivals.payloads, arrivals.places) == ([b"one"], ["standard input:1"])
        os.write(write, b"o")
        os.close(write)
        assert gather(source, 1) == [b"two"]
        wait_until(source.finished)
    os.close(read)
