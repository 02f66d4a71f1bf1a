"""Live streams by address: they are answered as they come, like standard input."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.broker import Broker
from tests.command import COMMAND, lasing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prog.lars").write_text("q(X) :- p(X) in [1].\n", encoding="utf-8")
    return tmp_path


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=900)


def read(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline().rstrip() for _ in range(count)]


@pytest.mark.parametrize("more", [[], ["--delay", "1", "--idle", "600s"]])
def test_lines_of_a_server(folder: Path, more: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with running(folder, f"tcp://127.0.0.1:{port}", "--bad-rows", "skip", *more) as process:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"p(a) at 1.\np( at 2.\np(b) at 4.\n")
                assert read(process, 2) == ["q(a) at 1.", "q(a) at 2."]


def test_messages_of_a_broker(folder: Path) -> None:
    broker = Broker()
    with running(folder, f"p=mqtt://127.0.0.1:{broker.port}/rooms/#", "--input-format", "jsonl") as process:
        broker.send("rooms/1", b'{"time": 1,\n "x": "a"}', 1)
        broker.send("rooms/1", b'{"time": 3, "x": "b"}', 1)
        assert read(process, 2) == ["q(a) at 1.", "q(a) at 2."]
    broker.close()


def test_a_file_that_grows_and_is_rotated(folder: Path) -> None:
    path = folder / "p.csv"
    path.write_text("time,x\n1,a\n3,b\n", encoding="utf-8")
    with running(folder, "p.csv", "--follow") as process:
        assert read(process, 2) == ["q(a) at 1.", "q(a) at 2."]
        path.rename(folder / "p.csv.1")
        path.write_text("time,x\n5,c\n", encoding="utf-8")
        assert read(process, 2) == ["q(b) at 3.", "q(b) at 4."]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mqtt://me:hunter2@h/t", "a password does not belong in an address"),
        ("mqtt://h", "the topic is missing"),
        ("tcp://h", "port is missing"),
        ("tcp://h:x", "Port could not be cast"),
        ("tcp://", "the host is missing"),
        ("unix://s", "a Unix socket has a path and no host"),
        ("tcp://127.0.0.1:1?tls=maybe", "tls must be true or false"),
        ("http://0.0.0.0:1/", "listening with TLS needs a certificate"),
        ("mqtt://u@127.0.0.1/t?password_env=NO_SUCH_VARIABLE", "NO_SUCH_VARIABLE is not set"),
    ],
)
def test_wrong_addresses(folder: Path, address: str, message: str) -> None:
    done = lasing("run", "prog.lars", address, folder=folder)
    assert done.returncode == 1
    assert message in done.stderr
    assert "hunter2" not in done.stderr


def test_a_packed_file_cannot_be_followed(folder: Path) -> None:
    done = lasing("run", "prog.lars", "p.csv.gz", "--follow", folder=folder)
    assert done.returncode == 2
    assert "cannot be followed" in done.stderr
