"""Endless sources: sockets, clocks and brokers."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from lasing.errors import LasingError
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.mqtt import Spool
from lasing.pipeline.progress import Progress
from lasing.pipeline.run import run_pipeline
from tests.broker import Broker
from tests.spark.test_pipeline import found

pytestmark = pytest.mark.usefixtures("spark")

TEXT = """
program = "hot.lars"
view = "changes"
checkpoint = "state"
trigger = "300 ms"
shards = 1
[sources.temp]
{source}
[sinks.hot]
format = "parquet"
path = "out"
"""
MESSAGES = [{"time": t, "s": f"s{t % 2}", "v": 20 + 5 * t} for t in range(6)]
HOT = "hot(S) :- temp(S, V) in [1], V > 30."
WANTED = [(3, 1, "s1"), (4, 1, "s0")]


def run_until(folder: Path, source: str, program: str, enough: Callable[[Progress], bool]) -> None:
    """Run a pipeline until it has done enough."""
    (folder / "hot.lars").write_text(program)
    (folder / "hot.toml").write_text(TEXT.format(source=source))
    described = read_pipeline(folder / "hot.toml")
    stop = Event()
    with Progress(described.program, quiet=True) as progress:

        def watch() -> None:
            deadline = time.monotonic() + 1800  # only a hang takes that long
            while not enough(progress) and time.monotonic() < deadline:
                time.sleep(0.05)
            stop.set()

        threading.Thread(target=watch, daemon=True).start()
        run_pipeline(described, progress, stop)
        assert enough(progress), "it took too long"


def test_lines_of_a_socket(tmp_path: Path) -> None:
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]

    done = Event()

    def serve() -> None:
        client, _ = server.accept()
        with client:
            client.sendall("".join(json.dumps(m) + "\n" for m in MESSAGES).encode())
            done.wait()

    serving = threading.Thread(target=serve, daemon=True)
    serving.start()
    source = f'format = "socket"\nhost = "127.0.0.1"\nport = {port}\nschema = "time bigint, s string, v bigint"'
    run_until(tmp_path, source, HOT, lambda progress: progress.total.events == len(MESSAGES))
    done.set()
    serving.join()
    server.close()
    assert found(tmp_path / "out") == WANTED


def test_messages_of_a_broker(tmp_path: Path) -> None:
    broker = Broker()
    source = (
        f'format = "mqtt"\nhost = "127.0.0.1"\nport = {broker.port}\ntopic = "temp/#"\n'
        'schema = "time bigint, s string, v bigint"'
    )

    def serve() -> None:
        for message in MESSAGES:
            broker.send("temp/1", json.dumps(message).encode())

    serving = threading.Thread(target=serve, daemon=True)
    serving.start()
    try:
        run_until(tmp_path, source, HOT, lambda progress: progress.total.events == len(MESSAGES))
    finally:
        broker.close()
        serving.join()
    assert found(tmp_path / "out") == WANTED


def test_no_broker_is_an_error_that_says_so(tmp_path: Path) -> None:
    source = 'format = "mqtt"\nhost = "127.0.0.1"\nport = 1\ntopic = "t"\nschema = "time bigint, s string, v bigint"'
    with pytest.raises(LasingError, match=r"E613.*no MQTT broker at 127.0.0.1:1"):
        run_until(tmp_path, source, HOT, lambda _: False)


def test_kafka_without_its_jar_says_what_is_missing(tmp_path: Path) -> None:
    source = 'format = "kafka"\nservers = "localhost:9092"\ntopic = "t"\nschema = "time bigint, s string, v bigint"'
    with pytest.raises(LasingError, match=r"E613.*no connector for Kafka"):
        run_until(tmp_path, source, HOT, lambda _: False)


def test_a_clock_in_seconds(tmp_path: Path) -> None:
    source = 'format = "rate"\nrows_per_second = 20\nfact = "temp(value)"'
    program = "#tick 100 ms.  hot(V) :- temp(V), V mod 10 = 0."
    run_until(tmp_path, source, program, lambda progress: progress.total.rows.get("hot", 0) >= 2)
    assert {0, 10} <= {value for _, sign, value in found(tmp_path / "out") if sign > 0}


def test_a_spool_keeps_messages_until_they_are_done(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    for i in range(12_000):
        spool.add(str(i).encode())
    assert [text for text, _, _ in spool.between(10, 12)] == ["10", "11"]
    spool.forget(11_000)
    spool.close()
    again = Spool(tmp_path)
    assert again.length == 12_000
    assert [text for text, _, _ in again.between(11_998, 12_000)] == ["11998", "11999"]
    again.close()
    with (tmp_path / "messages.jsonl").open("a") as file:
        file.write('[1.0, "cut o')
    once_more = Spool(tmp_path)
    assert once_more.length == 12_000
    once_more.close()
