"""A webhook, and a sink that POSTs: what is answered with 2xx has arrived, and refusals are clear."""

from __future__ import annotations

import http.client
import json
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lasing.connectors.live import http_source
from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.http_sink import HttpSink, HttpTarget
from lasing.connectors.live.http_source import HttpAddress, Webhook
from lasing.connectors.live.journal import Journal, MemoryJournal, Received
from lasing.connectors.live.secrets import Secret
from lasing.connectors.live.tls import TlsSettings
from lasing.errors import LasingError
from lasing.timeline.clock import TurnedClock
from tests.certificates import Certificates
from tests.unit.connectors.live.gathering import arriving, gather, started, wait_until, warned

LINES = "application/x-ndjson"


def webhook(journal: Received | None = None, token: str | None = None, **more: Any) -> Webhook:
    secret = None if token is None else Secret(token)
    return Webhook(HttpAddress("127.0.0.1", 0, "/in", secret, **more), journal or MemoryJournal(), 1000)


def post(source: Webhook, body: bytes, kind: str = LINES, **headers: str) -> tuple[int, Any, http.client.HTTPMessage]:
    with connected(source) as connection:
        connection.request("POST", headers.pop("path", "/in"), body, {"Content-Type": kind, **headers})
        response = connection.getresponse()
        return response.status, json.loads(response.read()), response.headers


def connected(source: Webhook) -> AbstractContextManager[http.client.HTTPConnection]:
    return closing(http.client.HTTPConnection("127.0.0.1", source.port, timeout=900))


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("application/json", b'{\n  "a": 1\n}\n', [b'{\n  "a": 1\n}']),
        ("application/json; charset=utf-8", b'{"a": 1}', [b'{"a": 1}']),
        (LINES, b'{"a": 1}\n{"a": 2}\n', [b'{"a": 1}', b'{"a": 2}']),
        ("text/csv", b"1,2\r\n\r\n3,4", [b"1,2", b"3,4"]),
        ("text/csv; header=present", b"a,b\r\n1,2\r\n", [b"1,2"]),
        ("text/plain", b"p(1) at 3.\n", [b"p(1) at 3."]),
    ],
)
def test_bodies(kind: str, body: bytes, expected: list[bytes]) -> None:
    source = webhook()
    with started(source):
        status, answer, _ = post(source, body, kind)
        assert (status, answer) == (202, {"accepted": len(expected)})
        assert gather(source, len(expected)) == expected


def test_refusals() -> None:
    source = webhook(token="open sesame")
    right = {"Authorization": "Bearer open sesame"}
    with started(source):
        assert post(source, b"x")[0] == 401
        assert post(source, b"x", Authorization="Bearer wrong")[0] == 401
        assert post(source, b"x", Authorization="Basic open sesame")[0] == 401
        assert post(source, b"x", path="/other", **right)[0] == 404
        assert post(source, b"x" * 1001, **right)[0] == 413
        assert post(source, b"[1]", "application/json", **right)[0] == 400
        assert post(source, b'{"a"', "application/json", **right)[0] == 400
        assert post(source, b"[" * 900, "application/json", **right)[0] == 400
        with connected(source) as connection:
            connection.request("GET", "/in")
            assert connection.getresponse().status == 405
        with connected(source) as connection:
            connection.request("POST", "/in", iter([b"x"]), right, encode_chunked=True)
            assert connection.getresponse().status == 411
        assert source.take(5, 0) is None
        assert post(source, b"x", **right)[0] == 202
        assert gather(source, 1) == [b"x"]
    assert "sesame" not in repr(source.address)


def test_a_client_that_is_still_sending_sees_why_it_was_refused() -> None:
    source = webhook(token="open sesame")
    with started(source):
        for headers, expected in ({}, 401), ({"Authorization": "Bearer open sesame"}, 413):
            assert post(source, b"x" * 8_000_000, **headers)[0] == expected  # more than a connection holds on the way


RIGHT = "Authorization: Bearer open sesame\r\n"


@pytest.mark.parametrize(
    ("request_line", "headers", "expected"),
    [
        ("POST /in HTTP/1.1", "Content-Length: 9000000\r\n", 401),
        ("POST /elsewhere HTTP/1.1", RIGHT + "Content-Length: 9000000\r\n", 404),
        ("PUT /in HTTP/1.1", RIGHT + "Content-Length: 9000000\r\n", 405),
        ("POST /in HTTP/1.1", RIGHT + "Transfer-Encoding: chunked\r\n", 411),
        ("POST /in HTTP/1.1", RIGHT + "Content-Length: 9000000\r\n", 413),
        ("POST /in HTTP/1.1", RIGHT + "Content-Length: " + 5000 * "9" + "\r\n", 413),
        ("PROPFIND /in HTTP/1.1", RIGHT + "Content-Length: 9000000\r\n", 501),
        ("POST /in HTTP/7.0", RIGHT + "Content-Length: 9000000\r\n", 505),
        ("POST /in with more HTTP/1.1", "", 400),
        ("POST /" + 70_000 * "x" + " HTTP/1.1", "", 414),
        ("POST /in HTTP/1.1", 200 * "X: y\r\n", 431),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_client_that_goes_on_sending_after_any_refusal_can_still_read_it(
    request_line: str, headers: str, expected: int
) -> None:
    source = webhook(token="open sesame")
    with started(source), socket.create_connection(("127.0.0.1", source.port), 900) as client:
        client.sendall(f"{request_line}\r\n{headers}\r\n".encode())
        select.select([client], [], [], 900)  # the refusal is there, and is not read yet
        for _ in range(200):  # more than a connection holds on the way
            client.sendall(bytes(40_000))
        client.shutdown(socket.SHUT_WR)
        with client.makefile("rb") as answer:
            assert answer.readline().split()[1] == str(expected).encode()
            assert b'{"error": ' in answer.read()


def send_without_end(client: socket.socket) -> None:
    while True:
        client.sendall(bytes(1000))


def test_a_refused_client_that_never_stops_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_source, "_LONGEST_LINGER", 0.2)
    source = webhook()
    with started(source), socket.create_connection(("127.0.0.1", source.port), 900) as client:
        client.sendall(b"POST /in HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            send_without_end(client)


def test_a_refused_client_that_keeps_silent_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_source, "_LINGER", 0.1)
    source = webhook()
    with started(source), socket.create_connection(("127.0.0.1", source.port), 900) as client:
        client.sendall(b"GET /in HTTP/1.1\r\n\r\n")
        wait_until(lambda: source._server is not None and not source._server._open)
        with client.makefile("rb") as answer:
            assert answer.readline().split()[1] == b"405"


def test_a_client_that_asks_first_is_refused_before_it_sends() -> None:
    source = webhook(token="open sesame")
    asks = "POST /in HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-continue\r\n"
    with started(source):
        for headers, expected in ("", [b"401"]), (RIGHT, [b"100", b"202"]):
            with socket.create_connection(("127.0.0.1", source.port), 900) as client, client.makefile("rb") as answer:
                client.sendall(f"{asks}{headers}\r\n".encode())
                came = [answer.readline().split()[1]]
                if came == [b"100"]:
                    assert answer.readline() == b"\r\n"
                    client.sendall(b"x")
                    came.append(answer.readline().split()[1])
                assert came == expected
        assert gather(source, 1) == [b"x"]


def test_clients_beyond_the_most_are_asked_to_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_source, "_MOST_CLIENTS", 1)
    monkeypatch.setattr(http_source, "_WAIT_FOR_TURN", 0.01)
    source = webhook()
    with started(source):
        with connected(source) as first:
            first.request("POST", "/in", b"x")
            assert first.getresponse().read() == b'{"accepted": 1}\n'
            with connected(source) as second:
                second.request("POST", "/in", b"y")
                response = second.getresponse()
                assert (response.status, response.headers["Retry-After"]) == (503, "2")
        wait_until(lambda: post(source, b"z")[0] == 202)  # the first one has gone


def test_a_webhook_that_closes_leaves_no_connection_open() -> None:
    source = webhook()
    with socket.socket() as client:
        with started(source):
            client.connect(("127.0.0.1", source.port))
            client.sendall(b"POST /in HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")
            assert client.recv(12) == b"HTTP/1.1 202"
        server = source._server
        assert server is not None
        assert not server._open
        client.settimeout(900)
        while client.recv(1000):  # to the end
            pass


def test_without_room_the_client_is_asked_to_wait() -> None:
    source = webhook(MemoryJournal(most_bytes=100))
    with started(source):
        assert post(source, b"x" * 200)[0] == 202
        status, _, headers = post(source, b"y")
        assert (status, headers["Retry-After"]) == (503, "2")
        assert gather(source, 1) == [b"x" * 200]
        assert post(source, b"y")[0] == 202


def test_what_was_accepted_survives_a_kill(tmp_path: Path) -> None:
    source = webhook(Journal(tmp_path))
    with started(source):
        assert post(source, b"1\n2\n3")[0] == 202
        with started(webhook(Journal(tmp_path))) as again:
            (arrivals,) = arriving(again, 3)
    assert arrivals.payloads == [b"1", b"2", b"3"]
    assert arrivals.places[2].endswith("/in message 3")


def test_a_client_that_goes_away_in_the_middle_sends_nothing() -> None:
    source = webhook()
    with started(source):
        with socket.create_connection(("127.0.0.1", source.port)) as client:
            client.sendall(b"POST /in HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf")
        with socket.create_connection(("127.0.0.1", source.port)) as client:
            client.sendall(b"\x00\x01nonsense\r\n\r\n")
            assert client.recv(100)
        assert post(source, b"x")[0] == 202
        assert gather(source, 1) == [b"x"]


def test_listening_for_others_needs_tls_and_a_token() -> None:
    with pytest.raises(LasingError, match=r"(?s)E524.*needs a certificate.*tls = false"):
        Webhook(HttpAddress("0.0.0.0", 0), MemoryJournal()).start(None)  # noqa: S104
    source = Webhook(HttpAddress("0.0.0.0", 0, tls=TlsSettings(tls=False)), MemoryJournal())  # noqa: S104
    with warned() as warnings, started(source):
        pass
    assert ["W213" in warning for warning in warnings] == [True, True]
    assert "without a token" in warnings[1]


@contextmanager
def server(answers: list[tuple[int, dict[str, str]]]) -> Iterator[tuple[int, list[tuple[str, bytes, str]]]]:
    """A server that gives these answers one by one, and then 200. It keeps what came: key, body, authorization."""
    came: list[tuple[str, bytes, str]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            came.append((self.headers["Idempotency-Key"], body, self.headers.get("Authorization", "")))
            status, headers = answers.pop(0) if answers else (200, {})
            self.send_response(status)
            for name, value in {"Content-Length": "0", **headers}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None: ...  # noqa: A002

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield listening.server_address[1], came
        finally:
            listening.shutdown()
            thread.join()


def quick() -> Backoff:
    return Backoff(first=0.01, longest=0.02)


def test_a_batch_is_sent_again_with_the_same_key_until_it_arrives() -> None:
    with server([(503, {}), (429, {"Retry-After": "0"}), (500, {})]) as (port, came), warned() as warnings:
        sink = HttpSink(HttpTarget("127.0.0.1", port, "/x", token=Secret("sesame")), "alarms", backoff=quick())
        with closing(sink):
            sink.start(None)
            sink.write(7, [b"1", b"2"])
            sink.write(8, [b"3"])
            assert sink.flush() is None
    assert came == [("alarms-7-0", b"1\n2\n", "Bearer sesame")] * 4 + [("alarms-8-0", b"3\n", "Bearer sesame")]
    assert len(warnings) == 1
    assert "answers 503" in warnings[0]


def test_retry_after_is_respected() -> None:
    clock = TurnedClock()
    with server([(503, {"Retry-After": "30"})]) as (port, came), warned():
        sink = HttpSink(HttpTarget("127.0.0.1", port), "alarms", backoff=Backoff(clock, first=1.0))
        with closing(sink):
            sink.start(None)
            writing = threading.Thread(target=sink.write, args=(0, [b"1"]))
            writing.start()
            wait_until(lambda: sink._backoff.failures == 1)
            clock.turn_to(29_000_000)
            assert len(came) == 1
            while writing.is_alive():
                clock.turn_to(clock.now() + 30_000_000)
    assert len(came) == 2


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (401, {}, r"E520.*refuses: 401"),
        (404, {}, r"(?s)E520.*404.*is the path right"),
        (301, {"Location": "http://elsewhere/"}, r"(?s)E520.*301: http://elsewhere/.*redirections are not followed"),
        (422, {}, r"E520.*422"),
    ],
)
def test_a_refusal_is_an_error_at_once(status: int, headers: dict[str, str], message: str) -> None:
    with server([(status, headers)]) as (port, came):
        sink = HttpSink(HttpTarget("127.0.0.1", port, token=Secret("sesame")), "alarms", backoff=quick())
        with closing(sink):
            sink.start(None)
            with pytest.raises(LasingError, match=message) as raised:
                sink.write(0, [b"1"])
    assert len(came) == 1
    assert "sesame" not in str(raised.value)


def test_a_server_that_never_comes_back_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    sink = HttpSink(HttpTarget("127.0.0.1", port), "alarms", patience=0.1, backoff=quick())
    with closing(sink):
        sink.start(None)
        with warned() as warnings, pytest.raises(LasingError, match=r"E525.*cannot be reached: Connection refused"):
            sink.write(0, [b"1"])
    assert len(warnings) == 1


def test_a_webhook_and_a_sink_with_tls(certificates: Certificates) -> None:
    source = webhook(token="sesame", tls=TlsSettings(certificate=certificates.certificate))
    with warned(), started(source):
        trusting = TlsSettings(ca=certificates.ca)
        sink = HttpSink(HttpTarget("localhost", source.port, "/in", token=Secret("sesame"), tls=trusting), "alarms")
        with closing(sink):
            sink.start(None)
            sink.write(0, [b'{"a": 1}'])
        assert gather(source, 1) == [b'{"a": 1}']
        distrusting = TlsSettings(ca=certificates.other_ca)
        sink = HttpSink(HttpTarget("localhost", source.port, "/in", tls=distrusting), "alarms")
        with closing(sink):
            sink.start(None)
            with pytest.raises(LasingError, match=r"(?s)E521.*certificate is not accepted.*ca = "):
                sink.write(0, [b"x"])


def test_a_large_batch_is_sent_in_parts() -> None:
    with server([]) as (port, came):
        sink = HttpSink(HttpTarget("127.0.0.1", port), "alarms")
        with closing(sink):
            sink.start(None)
            sink.write(1, [b"x" * 2**19] * 3)
    assert [(key, len(body)) for key, body, _ in came] == [("alarms-1-0", 2**20 + 2), ("alarms-1-2", 2**19 + 1)]


def test_without_tls_a_sink_for_another_machine_is_warned_about() -> None:
    with warned() as warnings:
        HttpSink(HttpTarget("example.org", 80, tls=TlsSettings(tls=False)), "alarms").start(None)
    assert "W213" in warnings[0]
    assert str(HttpTarget("example.org", 443)) == "https://example.org:443/"
