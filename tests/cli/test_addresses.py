"""Live streams by address: they are answered as they come, like standard input."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.broker import Broker
from tests.command import COMMAND, lasing
from tests.kafka import Cluster


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
        reading = running(folder, f"tcp://127.0.0.1:{port}", "--bad-rows", "skip", *more)
        with reading as process, server.accept()[0] as connection:
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
    ("argument", "header", "begin"),
    [("p", "time,x\n", "p.csv"), ("p=in", "time,x\n", "a.csv"), ("in", "time,predicate,arg1\n", "a.csv")],
)
def test_a_folder_to_which_files_are_added(folder: Path, argument: str, header: str, begin: str) -> None:
    place = folder / argument.removeprefix("p=")
    place.mkdir()
    middle = "p," if "predicate" in header else ""
    (place / begin).write_text(f"{header}1,{middle}a\n3,{middle}b\n", encoding="utf-8")
    with running(folder, argument, "--follow") as process:
        assert read(process, 2) == ["q(a) at 1.", "q(a) at 2."]
        (place / ".next").write_text(f"{header}5,{middle}c\n", encoding="utf-8")
        (place / ".next").rename(place / "z.csv")
        assert read(process, 2) == ["q(b) at 3.", "q(b) at 4."]


def test_a_folder_that_is_empty_at_first(folder: Path) -> None:
    (folder / "p").mkdir()
    with running(folder, "p", "--follow", "--input-format", "jsonl") as process:
        (folder / "p" / "a.jsonl").write_text('{"time": 1, "x": "a"}\n{"time": 3, "x": "b"}\n', encoding="utf-8")
        assert read(process, 2) == ["q(a) at 1.", "q(a) at 2."]


def test_folders_that_cannot_be_followed(folder: Path) -> None:
    (folder / "p").mkdir()
    (folder / "p" / "a.csv").write_text("time,x\n1,a\n", encoding="utf-8")
    (folder / "p" / "b.facts").write_text("p(a) at 1.\n", encoding="utf-8")
    assert "it has files of csv, facts" in lasing("run", "prog.lars", "p", "--follow", folder=folder).stderr
    assert "--follow reads the files of a folder" in lasing("run", "prog.lars", "p", folder=folder).stderr


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mqtt://me:hunter2@h/t", "a password does not belong in an address"),
        ("mqtt://me:hunter2@h:99999/t", "a password does not belong in an address"),
        ("mqtt://me:x/hunter2@h/t", "a password does not belong in an address"),
        ("mqtt://me@h/t?password=hunter2", "add ?password_env=NAME"),
        ("mqtt://me@h/t?passwort=hunter2", "a secret does not belong in an address"),
        ("http://h:1/t?token=hunter2", "add ?token_env=NAME"),
        ("mqtt://h", "the topic is missing"),
        ("tcp://h", "port is missing"),
        ("tcp://h:x", "the port is not a number from 0 to 65535"),
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


@pytest.mark.parametrize("address", ["ftp://me:hunter2@h/t", "tpc://127.0.0.1:1"])
def test_unknown_kinds_of_addresses(folder: Path, address: str) -> None:
    (folder / "p.facts").write_text(STREAM, encoding="utf-8")
    for arguments in (["run", "prog.lars", address], ["run", "prog.lars", "p.facts", "--output", address]):
        done = lasing(*arguments, folder=folder)
        assert done.returncode in (1, 2)
        assert "is no kind of address that is known" in done.stderr
        assert "tcp" in done.stderr
        assert "hunter2" not in done.stderr


def test_a_packed_file_cannot_be_followed(folder: Path) -> None:
    done = lasing("run", "prog.lars", "p.csv.gz", "--follow", folder=folder)
    assert done.returncode == 2
    assert "cannot be followed" in done.stderr


def test_messages_of_kafka(folder: Path) -> None:
    cluster = Cluster()
    cluster.send("p", b'{"time": 1, "x": "a"}', b'{"time": 3, "x": "b"}', milliseconds=1)
    with running(folder, f"p=kafka://{cluster.servers}/p", "--input-format", "jsonl") as process:
        assert read(process, 2) == ["q(a) at 1.", "q(a) at 2."]


# -- output ------------------------------------------------------------------------------------------------------------

STREAM = "p(a) at 1.\np(b) at 3.\n"
ROWS = [{"time": 1, "x": "a"}, {"time": 2, "x": "a"}, {"time": 3, "x": "b"}]


def sent(line: bytes) -> tuple[str, dict[str, Any]]:
    """The id of a line, and the row."""
    row = json.loads(line)
    return row.pop("message_id", ""), {"time": row["time"], "x": row["args"][0]}


def test_lines_to_a_server(folder: Path) -> None:
    (folder / "p.facts").write_text(STREAM, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        for more, wanted in (
            ([], [json.dumps(row) for row in ROWS]),
            (["--format", "text"], [f"q({row['x']}) at {row['time']}." for row in ROWS]),
        ):
            process = subprocess.Popen(
                [*COMMAND, "run", "prog.lars", "p.facts", "-q", "-o", address, *more], cwd=folder
            )
            with server.accept()[0] as connection, connection.makefile("rb") as lines:
                came = list(lines)
            assert process.wait(900) == 0
            if more:
                assert [line.decode().rstrip() for line in came] == wanted
            else:
                ids, rows = zip(*map(sent, came), strict=True)
                assert [json.dumps(row) for row in rows] == wanted
                assert len(set(ids)) == 3
                assert all(name.startswith("run-") for name in ids)


def test_messages_to_brokers(folder: Path) -> None:
    (folder / "p.facts").write_text(STREAM, encoding="utf-8")
    broker, cluster = Broker(), Cluster()
    cluster.make("alarms")
    mqtt, kafka = f"mqtt://127.0.0.1:{broker.port}/alarms", f"kafka://{cluster.servers}/alarms"
    for address in (f"{mqtt}?version=3", kafka):
        done = lasing("run", "prog.lars", "p.facts", "-q", "--output", address, folder=folder)
        assert done.returncode == 0, done.stderr
    assert [sent(message.payload)[1] for message in broker.published] == ROWS
    rows = [sent(message.value())[1] for message in cluster.received("alarms", 3)]
    assert sorted(rows, key=lambda row: row["time"]) == ROWS
    broker.close()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-o", "tcp://127.0.0.1:9", "--format", "csv"], "csv cannot be sent to tcp://127.0.0.1:9"),
        (["-o", "tcp-listen://127.0.0.1:9"], "results are sent to someone who listens"),
        (["-o", "kafka://127.0.0.1"], "the topic is missing"),
        (["-o", "tcp://127.0.0.1:9?reconnect=true"], "socket has no key reconnect"),
    ],
)
def test_output_that_cannot_be_sent(folder: Path, more: list[str], message: str) -> None:
    (folder / "p.facts").write_text(STREAM, encoding="utf-8")
    done = lasing("run", "prog.lars", "p.facts", *more, folder=folder)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.replace("│", "").split())


def test_a_server_that_is_gone_ends_the_run_with_an_error(folder: Path) -> None:
    (folder / "p.facts").write_text(STREAM, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    done = lasing("run", "prog.lars", "p.facts", "-o", f"tcp://127.0.0.1:{port}?patience=0.1", folder=folder)
    assert done.returncode == 1
    assert "E525" in done.stderr
    assert "a run does not keep what is not delivered" in done.stderr
