"""Messages of a broker: acknowledged when they are in the journal, and again after every loss of the connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.journal import Journal, MemoryJournal, Received
from lasing.connectors.live.mqtt_connection import MqttAddress
from lasing.connectors.live.mqtt_sink import MqttSink
from lasing.connectors.live.mqtt_source import MqttSource
from lasing.connectors.live.secrets import Secret
from lasing.connectors.live.tls import TlsSettings
from lasing.errors import LasingError
from tests.broker import Broker
from tests.certificates import Certificates
from tests.unit.connectors.live.gathering import arriving, gather, started, wait_until, warned


@contextmanager
def serving(**settings: Any) -> Iterator[Broker]:
    broker = Broker(**settings)
    try:
        yield broker
    finally:
        broker.close()


def quick() -> Backoff:
    return Backoff(first=0.01, longest=0.05)


def address(broker: Broker, topic: str = "temp/#", **more: Any) -> MqttAddress:
    return MqttAddress("127.0.0.1", topic, broker.port, **more)


def source_of(broker: Broker, journal: Received, **more: Any) -> MqttSource:
    return MqttSource(address(broker, **more), journal, "test", quick())


def test_a_message_is_acknowledged_when_it_is_in_the_journal(tmp_path: Path) -> None:
    with serving() as broker, started(source_of(broker, Journal(tmp_path))) as source:
        broker.send("temp/1", b"zero")
        broker.send("temp/1", b"one", 1)
        broker.wait_for(lambda: not broker.unacknowledged)
        with started(source_of(broker, Journal(tmp_path / "copy"))):
            pass
        (arrivals, *more) = arriving(source, 2)
        assert [p for one in (arrivals, *more) for p in one.payloads] == [b"zero", b"one"]
        assert arrivals.places[0] == "mqtt message 1"


def test_nothing_is_acknowledged_that_the_journal_has_no_room_for(tmp_path: Path) -> None:
    with serving() as broker:
        journal = Journal(tmp_path, most_bytes=100)
        with started(source_of(broker, journal)) as source:
            broker.send("temp/1", b"x" * 100, 1)
            broker.wait_for(lambda: not broker.unacknowledged)
            broker.send("temp/1", b"y", 1)
            wait_until(lambda: len(source._pending) == 1 or not journal.has_room(0))  # type: ignore[attr-defined]
            assert broker.unacknowledged
            assert gather(source, 2) == [b"x" * 100, b"y"]
            broker.wait_for(lambda: not broker.unacknowledged)


def test_a_connection_that_is_lost_comes_back(tmp_path: Path) -> None:
    with serving() as broker, warned() as warnings, started(source_of(broker, Journal(tmp_path))) as source:
        broker.send("temp/1", b"one", 1)
        assert gather(source, 1) == [b"one"]
        broker.wait_for(lambda: not broker.unacknowledged)
        broker.drop_clients()
        broker.send("temp/1", b"two", 1)
        assert gather(source, 1) == [b"two"]
        assert broker.subscriptions == 1, "the broker has remembered it"
    assert "W212" in "".join(warnings)


def test_a_broker_that_comes_late_and_goes_and_comes_back(tmp_path: Path) -> None:
    with serving() as broker:
        port = broker.port
    there = MqttAddress("127.0.0.1", "temp", port)
    with warned() as warnings, started(MqttSource(there, Journal(tmp_path), "test", quick())) as source:
        assert source.take(1, 0.1) is None
        for message in (b"one", b"two"):
            with serving(port=port) as broker:
                broker.send("temp", message)
                assert gather(source, 1) == [message]
    assert "cannot be reached: Connection refused" in warnings[0]


def test_what_came_while_we_were_away(tmp_path: Path) -> None:
    with serving() as broker:
        with started(source_of(broker, Journal(tmp_path))) as source:
            broker.send("temp/1", b"one", 1)
            (arrivals,) = arriving(source, 1)
            broker.wait_for(lambda: not broker.unacknowledged)
        broker.drop_clients()
        broker.send("temp/1", b"two", 1)
        with started(source_of(broker, Journal(tmp_path)), arrivals.position) as source:
            assert gather(source, 1) == [b"two"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"password": "right"}, r"(?s)E520.*refuses the user u: .*are user and password right"),
        ({"answer": 5}, r"E520.*refuses the user u"),
        ({"answer": 2}, r"E520.*refuses the connection"),
        ({"topic_answer": 0x80}, r"E520.*refuses the topic temp/#"),
    ],
)
def test_refusals_are_errors(settings: dict[str, Any], message: str) -> None:
    with serving(**settings) as broker:
        source = source_of(broker, MemoryJournal(), user="u", password=Secret("hunter2"))
        with started(source), pytest.raises(LasingError, match=message) as raised:
            gather(source, 1)
    assert "hunter2" not in str(raised.value)


def test_a_broker_that_is_busy_is_tried_again() -> None:
    with serving(answer=3) as broker, warned() as warnings, started(source_of(broker, MemoryJournal())) as source:
        broker._answer = 0
        broker.send("temp/1", b"one")
        assert gather(source, 1) == [b"one"]
    assert all("refuses for now" in warning for warning in warnings)


def test_the_right_password_and_tls(certificates: Certificates) -> None:
    with serving(password="right", certificate=certificates.certificate) as broker:
        trusting = TlsSettings(ca=certificates.ca)
        source = source_of(broker, MemoryJournal(), user="u", password=Secret("right"), tls=trusting)
        with started(source):
            broker.send("temp/1", b"one")
            assert gather(source, 1) == [b"one"]
        source = source_of(broker, MemoryJournal(), tls=TlsSettings(ca=certificates.other_ca))
        with started(source), pytest.raises(LasingError, match=r"E521.*certificate is not accepted"):
            gather(source, 1)


def test_tls_to_a_server_without_it_is_an_error(certificates: Certificates) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = MqttAddress("127.0.0.1", "temp", server.getsockname()[1], tls=TlsSettings(ca=certificates.ca))
        with started(MqttSource(there, MemoryJournal())) as source, server.accept()[0] as connection:
            connection.sendall(b"this is not TLS")
            with pytest.raises(LasingError, match=r"(?s)E521.*does the other side speak TLS"):
                gather(source, 1)


def test_settings() -> None:
    found, findings = MqttAddress.of({"host": "broker.example.org", "topic": "t", "port": "1"}, "sources.s")
    assert (str(found), findings) == ("mqtts://broker.example.org:1/t", [])
    assert MqttAddress("broker.example.org", "t").real_port == 8883
    assert MqttAddress("localhost", "t").real_port == 1883
    _, findings = MqttAddress.of({"host": "broker.example.org", "topic": "t", "tls": False}, "sources.s")
    assert [d.code for d in findings] == ["W213"]
    with pytest.raises(LasingError, match=r"E524.*a password needs a user"):
        MqttAddress.of({"host": "h", "topic": "t", "password": "x"}, "sources.s")
    with pytest.raises(LasingError, match=r"E524.*ca is for TLS, but tls = false"):
        MqttAddress.of({"host": "h", "topic": "t", "tls": False, "ca": "x"}, "sources.s")
    assert "hunter2" not in repr(MqttAddress("h", "t", password=Secret("hunter2")))


@pytest.mark.parametrize("version", [3, 5])
def test_a_sink_publishes_with_ids(version: int) -> None:
    with serving() as broker:
        sink = MqttSink(address(broker, "alarms"), "hot", version, backoff=quick())
        with closing(sink):
            sink.start(None)
            sink.write(3, [b'{"a": 1}', b"1,2"])
            assert sink.flush() is None
        (first, second) = broker.published
    assert first.topic == "alarms"
    if version == 3:
        assert first.payload == b'{"message_id": "hot-3-0", "a": 1}'
        assert second.payload == b"hot-3-1,1,2"
    else:
        assert (first.payload, second.payload) == (b'{"a": 1}', b"1,2")
        assert b"message_id" in first.properties
        assert b"hot-3-0" in first.properties


def test_a_sink_publishes_again_what_was_not_acknowledged() -> None:
    with serving() as broker, warned() as warnings:
        broker.acknowledges = False
        sink = MqttSink(address(broker, "alarms"), "hot", backoff=quick())
        with closing(sink):
            sink.start(None)
            sink.write(0, [b"one"])
            broker.wait_for(lambda: len(broker.published) == 1)
            flushing = threading.Thread(target=sink.flush)
            flushing.start()
            broker.acknowledges = True
            broker.drop_clients()
            flushing.join()
        assert [message.payload for message in broker.published] == [b"one", b"one"]
        assert broker.published[0].properties == broker.published[1].properties
    assert "W212" in "".join(warnings)


def test_a_sink_gives_up() -> None:
    with serving() as broker:
        broker.acknowledges = False
        sink = MqttSink(address(broker, "alarms"), "hot", patience=0.1)
        with closing(sink):
            sink.start(None)
            sink.write(0, [b"one"])
            with pytest.raises(LasingError, match=r"E525.*has acknowledged nothing"):
                sink.flush()
    with serving(password="right") as broker:
        sink = MqttSink(address(broker, "alarms", user="u", password=Secret("wrong")), "hot")
        with closing(sink):
            sink.start(None)
            wait_until(lambda: sink._failure is not None)
            with pytest.raises(LasingError, match=r"E520.*refuses the user u"):
                sink.flush()
    with pytest.raises(LasingError, match=r"E524.*no wildcards"):
        MqttSink(MqttAddress("h", "a/#"), "hot")
