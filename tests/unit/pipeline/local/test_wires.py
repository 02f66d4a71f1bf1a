"""Pipelines in this process from and to the network, from end to end, with a restart in between."""

from __future__ import annotations

import io
import json
import os
import socket
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lasing.pipeline.local import run as running
from lasing.pipeline.local.checkpoints import Checkpoints
from tests.broker import Broker
from tests.kafka import Cluster
from tests.unit.pipeline.local.pipelines import HEAD, LIVE, PATIENCE, InThread, json_rows, run, written

HOT = "hot(S, C) :- temp(S, C), C > 30."
SCHEMA = 'schema = "time bigint, sensor string, celsius bigint"\n'
OUT = '[sinks.hot]\nformat = "json"\npath = "out"\n'
Row = dict[str, Any]
Send = Callable[[list[bytes]], None]


def readings(first: int, last: int) -> list[Row]:
    return [{"time": t, "sensor": f"s{t % 3}", "celsius": 25 + t % 11} for t in range(first, last)]


def hot(rows: list[Row]) -> list[Row]:
    return [{"time": r["time"], "S": r["sensor"], "C": r["celsius"]} for r in rows if r["celsius"] > 30]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


# -- sources -----------------------------------------------------------------------------------------------------------


@contextmanager
def _connected_tcp(_: Path) -> Iterator[tuple[str, Send]]:
    """A server of ours that the pipeline connects to, again after a restart."""
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as accepted:
        server.settimeout(PATIENCE)

        def send(lines: list[bytes]) -> None:
            connection = accepted.enter_context(server.accept()[0])
            connection.sendall(b"".join(line + b"\n" for line in lines))

        yield f'format = "socket"\nhost = "127.0.0.1"\nport = {server.getsockname()[1]}\n', send


@contextmanager
def _listening_tcp(_: Path) -> Iterator[tuple[str, Send]]:
    port = free_port()

    def send(lines: list[bytes]) -> None:
        with _patient(lambda: socket.create_connection(("127.0.0.1", port))) as connection:
            connection.sendall(b"".join(line + b"\n" for line in lines))

    yield f'format = "socket"\nhost = "127.0.0.1"\nport = {port}\nlisten = true\n', send


@contextmanager
def _listening_unix(folder: Path) -> Iterator[tuple[str, Send]]:
    def connected() -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        try:
            made.connect(str(folder / "wire"))
        except OSError:
            made.close()
            raise
        return made

    def send(lines: list[bytes]) -> None:
        with _patient(connected) as connection:
            connection.sendall(b"".join(line + b"\n" for line in lines))

    yield 'format = "unix"\npath = "wire"\nlisten = true\n', send


@contextmanager
def _webhook(_: Path) -> Iterator[tuple[str, Send]]:
    port = free_port()

    def send(lines: list[bytes]) -> None:
        for body, kind in ((lines[0], "application/json"), (b"\n".join(lines[1:]), "application/x-ndjson")):
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/in", body, {"Content-Type": kind})
            with _patient(partial(urllib.request.urlopen, asked, timeout=PATIENCE)) as answer:
                assert answer.status == 202

    yield f'format = "http"\nhost = "127.0.0.1"\nport = {port}\npath = "/in"\n', send


@contextmanager
def _subscribed(_: Path) -> Iterator[tuple[str, Send]]:
    pytest.importorskip("paho.mqtt.client")
    broker = Broker()

    def send(lines: list[bytes]) -> None:
        for line in lines:
            broker.send("rooms/1", line, quality=1)

    yield f'format = "mqtt"\nhost = "127.0.0.1"\nport = {broker.port}\ntopic = "rooms/#"\n', send
    broker.close()


@contextmanager
def _of_kafka(_: Path) -> Iterator[tuple[str, Send]]:
    cluster = Cluster()

    def send(lines: list[bytes]) -> None:
        for number, line in enumerate(lines):  # in all partitions, each of which has later messages than the last
            cluster.send("rooms", line, partition=number % 4, milliseconds=json.loads(line)["time"])

    yield f'format = "kafka"\nservers = "{cluster.servers}"\ntopic = "rooms"\n', send


def _patient(connect: Callable[[], Any]) -> Any:
    """A connection, as soon as someone listens."""
    done = threading.Event()
    for _ in range(PATIENCE * 100):
        try:
            return connect()
        except OSError:
            done.wait(0.01)
    raise AssertionError("nobody listens")


@pytest.mark.parametrize("wire", [_connected_tcp, _listening_tcp, _listening_unix, _webhook, _subscribed, _of_kafka])
@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # the other side may come a moment later
def test_sources(tmp_path: Path, wire: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a Unix socket must be short
    with wire(Path()) as (keys, send):
        path = written(Path(), LIVE + f"[sources.temp]\n{keys}{SCHEMA}" + OUT, HOT)
        for first, last in ((1, 30), (30, 60)):
            with InThread(path) as runs:
                send([json.dumps(row).encode() for row in readings(first, last)])
                runs.wait_until(lambda last=last: json_rows(Path("out")) == hot(readings(1, last - 1)))  # type: ignore[misc]
    assert json_rows(Path("out")) == hot(readings(1, 59))


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = f'[sources.temp]\nformat = "stdin"\npayload = "csv"\n{SCHEMA}'
    path = written(tmp_path, LIVE + source + OUT, HOT)
    for first, last in ((1, 30), (30, 60)):
        reading, writing = os.pipe()
        with os.fdopen(reading) as given, os.fdopen(writing, "wb") as file:
            monkeypatch.setattr(sys, "stdin", given)
            for row in readings(first, last):
                file.write(",".join(map(str, row.values())).encode() + b"\n")
            file.close()
            run(path)  # it ends with its input
        assert json_rows(tmp_path / "out") == hot(readings(1, last))


# -- sinks -------------------------------------------------------------------------------------------------------------


@contextmanager
def _lines_taken(server: socket.socket) -> Iterator[list[bytes]]:
    """The lines that connections to a server bring."""
    found: list[bytes] = []

    def take() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:  # the test is over
                return
            with connection, connection.makefile("rb") as lines:
                found.extend(lines)

    taking = threading.Thread(target=take)
    taking.start()
    with server:
        try:
            yield found
        finally:
            server.shutdown(socket.SHUT_RDWR)
            taking.join(PATIENCE)


@contextmanager
def _to_tcp(_: Path) -> Iterator[tuple[str, Callable[[], list[Row]]]]:
    server = socket.create_server(("127.0.0.1", 0))
    keys = f'format = "socket"\nhost = "127.0.0.1"\nport = {server.getsockname()[1]}\n'
    with _lines_taken(server) as found:
        yield keys, lambda: [json.loads(line) for line in found]


@contextmanager
def _to_unix(_: Path) -> Iterator[tuple[str, Callable[[], list[Row]]]]:
    server = socket.socket(socket.AF_UNIX)
    server.bind("wire")
    server.listen()
    with _lines_taken(server) as found:
        yield 'format = "unix"\npath = "wire"\n', lambda: [json.loads(line) for line in found]


@contextmanager
def _to_http(_: Path) -> Iterator[tuple[str, Callable[[], list[Row]]]]:
    found: list[Row] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            key = self.headers["Idempotency-Key"].rpartition("-")[0]
            found.extend({"message_id": f"{key}-{at}", **json.loads(s)} for at, s in enumerate(io.BytesIO(body)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f'format = "http"\nhost = "127.0.0.1"\nport = {server.server_port}\npath = "/in"\n', lambda: found
        finally:
            server.shutdown()
            serving.join(PATIENCE)


@contextmanager
def _to_mqtt(_: Path) -> Iterator[tuple[str, Callable[[], list[Row]]]]:
    pytest.importorskip("paho.mqtt.client")
    broker = Broker()

    def taken() -> list[Row]:
        assert {message.topic for message in broker.published} == {"alarms"}
        return [json.loads(message.payload) for message in broker.published]

    yield f'format = "mqtt"\nhost = "127.0.0.1"\nport = {broker.port}\ntopic = "alarms"\nversion = 3\n', taken
    broker.close()


@contextmanager
def _to_kafka(_: Path) -> Iterator[tuple[str, Callable[[], list[Row]]]]:
    cluster = Cluster()
    cluster.make("alarms")

    def taken() -> list[Row]:
        rows = [{"message_id": m.key().decode(), **json.loads(m.value())} for m in cluster.received("alarms", 0)]
        return sorted(rows, key=lambda row: row["time"])  # by partition

    yield f'format = "kafka"\nservers = "{cluster.servers}"\ntopic = "alarms"\n', taken


def _append(path: Path, rows: list[Row]) -> None:
    with path.open("a") as file:
        file.writelines(",".join(map(str, row.values())) + "\n" for row in rows)


def _from_file(folder: Path, sink: str) -> Path:
    (folder / "in.csv").write_text("time,sensor,celsius\n")
    source = f'[sources.temp]\nformat = "csv"\npath = "in.csv"\n{SCHEMA}'
    return written(folder, HEAD + source + f"[sinks.hot]\n{sink}", HOT)


@pytest.mark.parametrize("wire", [_to_tcp, _to_unix, _to_http, _to_mqtt, _to_kafka])
def test_sinks(tmp_path: Path, wire: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with wire(Path()) as (keys, taken):
        path = _from_file(Path(), keys)
        for first, last in ((1, 30), (30, 60)):
            _append(Path("in.csv"), readings(first, last))
            run(path)
            _patient(lambda last=last: _all_there(taken(), hot(readings(1, last))))  # type: ignore[misc]
        ids = [row["message_id"] for row in taken()]
    assert len(set(ids)) == len(ids)
    assert all(name.startswith("join-hot-") for name in ids)


def _all_there(taken: list[Row], wanted: list[Row]) -> None:
    """A socket may bring the last lines a moment later."""
    if len(taken) < len(wanted):
        raise OSError
    assert [{key: value for key, value in row.items() if key != "message_id"} for row in taken] == wanted


def test_files_that_rotate(tmp_path: Path) -> None:
    path = _from_file(tmp_path, 'format = "file"\npath = "log/hot.jsonl"\nmost_bytes = 100\n')
    for first, last in ((1, 30), (30, 60)):
        _append(tmp_path / "in.csv", readings(first, last))
        run(path)
        files = sorted((tmp_path / "log").iterdir())
        with files[-1].open("a") as file:
            file.write('{"time":59,"S":"killed before the checkp')
        assert [file.name for file in files] == [f"hot.{number:06}.jsonl" for number in range(1, len(files) + 1)]
        assert all(file.stat().st_size <= 100 + 40 for file in files)
    run(path)
    assert json_rows(tmp_path / "log") == hot(readings(1, 60))


# -- stopping ----------------------------------------------------------------------------------------------------------


def _to_a_server_that_is_gone() -> str:
    return f'format = "socket"\nhost = "127.0.0.1"\nport = {free_port()}\n'


def _to_a_server_that_does_not_answer(listens: socket.socket) -> str:
    return f'format = "http"\nhost = "127.0.0.1"\nport = {listens.getsockname()[1]}\n'


@pytest.mark.parametrize("is_gone", [True, False])
@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
def test_a_sink_that_cannot_deliver_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_gone: bool
) -> None:
    monkeypatch.setattr(running, "_GRACE", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as listens:
        keys = _to_a_server_that_is_gone() if is_gone else _to_a_server_that_does_not_answer(listens)
        path = _from_file(tmp_path, keys)
        _append(tmp_path / "in.csv", readings(1, 30))
        stop = threading.Event()
        asking = threading.Thread(target=_stop_when_saved, args=(tmp_path / "state", stop))
        asking.start()
        progress = run(path, stop=stop)
        asking.join()
    (warning,) = (d for d in progress.diagnostics() if d.code == "W214")
    assert "lines for hot" in warning.message
    with _to_tcp(tmp_path) as (other, taken):  # the same pipeline, to someone who listens
        path.write_text(path.read_text().partition("[sinks.hot]")[0] + f"[sinks.hot]\n{other}")
        run(path)
        _patient(lambda: _all_there(taken(), hot(readings(1, 30))))


def _stop_when_saved(state: Path, stop: threading.Event) -> None:
    """Ask to stop when a checkpoint has lines that wait for a sink."""
    known = Checkpoints(state)
    waiting = threading.Event()
    while not any(known.open(number).sent for number in known.numbers()):
        waiting.wait(0.01)
    stop.set()
