"""Topics of Kafka: read from a position, merged by time, and written with ids."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from confluent_kafka import KafkaError

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.kafka_address import KafkaAddress
from lasing.connectors.live.kafka_sink import KafkaSink
from lasing.connectors.live.kafka_source import KafkaSource
from lasing.connectors.live.making import live_sink, live_source
from lasing.connectors.live.tls import TlsSettings
from lasing.errors import LasingError
from tests.certificates import Certificates
from tests.kafka import Cluster, Door, door_to
from tests.unit.connectors.live.gathering import arriving, gather, started, wait_until, warned

QUICK = {"reconnect.backoff.ms": 10, "reconnect.backoff.max.ms": 50, "retry.backoff.ms": 10}
"""Reconnects without long pauses."""


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return Cluster()


def address(there: Cluster | Door, topic: str, **more: Any) -> KafkaAddress:
    return KafkaAddress((there.servers,), topic, **more)


def source_of(there: Cluster | Door, topic: str, beginning: str = "earliest", **more: Any) -> KafkaSource:
    tls = TlsSettings(ca=more.pop("ca", None))
    backoff = Backoff(first=0.01, longest=0.05)
    return KafkaSource(address(there, topic, tls=tls), beginning, backoff=backoff, more=QUICK, **more)


# -- sources -----------------------------------------------------------------------------------------------------------


def test_partitions_are_merged_by_the_times_of_their_messages(cluster: Cluster) -> None:
    for partition, times in enumerate([(1, 4, 9), (2, 3), (5,)]):
        for time in times:
            cluster.send("merged", b"%d" % time, partition=partition, milliseconds=time)
    with started(source_of(cluster, "merged")) as source:
        found = arriving(source, 6, 2)
    assert [payload for one in found for payload in one.payloads] == [b"1", b"2", b"3", b"4", b"5", b"9"]
    assert found[0].places[0] == "kafka merged/0:0"
    assert [when for one in found for when in one.arrived or ()] == [1000, 2000, 3000, 4000, 5000, 9000]


def test_a_position_is_the_next_offset_of_each_partition(cluster: Cluster) -> None:
    cluster.send("again", b"a", b"b", milliseconds=1)
    cluster.send("again", b"c", partition=2, milliseconds=2)
    with started(source_of(cluster, "again")) as source:
        first, *_ = arriving(source, 1, 1)
        *_, second = arriving(source, 2, 2)
    assert first.position == {"topic": "again", "offsets": {"0": 1}}
    assert second.position == {"topic": "again", "offsets": {"0": 2, "2": 1}}
    with started(source_of(cluster, "again"), first.position) as source:
        assert gather(source, 2) == [b"b", b"c"]


def test_from_now_on_begins_at_the_end_also_after_a_restart(cluster: Cluster) -> None:
    cluster.send("latest", b"old")
    with started(source_of(cluster, "latest", "latest")) as source:
        begun = None
        while begun is None:
            begun = source.take(10, 1.0)
        assert begun.payloads == []
        assert begun.position == {"topic": "latest", "offsets": {"0": 1, "1": 0, "2": 0, "3": 0}}
    cluster.send("latest", b"new")
    with started(source_of(cluster, "latest", "latest"), begun.position) as source:
        assert gather(source, 1) == [b"new"]


def test_what_is_there_and_no_more(cluster: Cluster) -> None:
    cluster.send("bounded", *(b"%d" % i for i in range(50)), partition=1, milliseconds=1)
    source = source_of(cluster, "bounded")
    source.until_now()
    with started(source):
        assert gather(source, 1000) == [b"%d" % i for i in range(50)]
        assert source.finished()
    cluster.make("nothing_there")
    nothing = source_of(cluster, "nothing_there")
    nothing.until_now()
    with started(nothing):
        wait_until(lambda: nothing.take(1, 0.1) is None and nothing.finished())
    wrong = source_of(cluster, "not a topic")
    wrong.until_now()
    with started(wrong), pytest.raises(LasingError, match=r"E520.*does not exist"):
        gather(wrong, 1)


def test_a_partition_that_is_far_ahead_is_not_read_for_a_while(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lasing.connectors.live.kafka_source._MOST_AHEAD", 10)
    ahead = [b"%d" % i for i in range(1000)]
    cluster.send("ahead", *ahead, partition=0, milliseconds=7)
    cluster.send("ahead", b"first", partition=1, milliseconds=1)
    with started(source_of(cluster, "ahead", most_bytes=100)) as source:
        assert gather(source, 1001) == [b"first", *ahead]


def test_a_message_without_a_value_is_an_empty_line(cluster: Cluster) -> None:
    cluster.send("deleted", b"")
    with started(source_of(cluster, "deleted")) as source:
        assert gather(source, 1) == [b""]


def test_a_cluster_that_goes_and_comes_back(cluster: Cluster) -> None:
    cluster.send("gone", b"one")
    with door_to(cluster) as door, warned() as warnings:
        door.shut()
        with started(source_of(door, "gone")) as source:
            assert source.take(1, 0.2) is None
            door.reopen()
            assert gather(source, 1) == [b"one"]
            door.shut()
            cluster.send("gone", b"two")
            assert source.take(1, 0.5) is None
            door.reopen()
            assert gather(source, 1) == [b"two"]
    assert warnings
    assert all("W212" in text and f"kafka://{door.servers}/gone: " in text for text in warnings)


def test_messages_that_were_deleted_are_an_error(cluster: Cluster) -> None:
    cluster.send("short", b"one")
    position: Any = {"topic": "short", "offsets": {"0": 1000}}
    with started(source_of(cluster, "short"), position) as source, pytest.raises(LasingError, match=r"E530.*1000"):
        gather(source, 1)


@pytest.mark.parametrize("position", [7, {"topic": "another", "offsets": {"0": 1}}])
def test_the_position_of_another_source_is_refused(cluster: Cluster, position: Any) -> None:
    with pytest.raises(LasingError, match=r"E523.*not a position in this topic"):
        source_of(cluster, "this").start(position)


# -- sinks -------------------------------------------------------------------------------------------------------------


def sink_of(there: Cluster | Door, topic: str, **more: Any) -> KafkaSink:
    return KafkaSink(address(there, topic), "alarms", more=QUICK, **more)


def test_messages_have_their_ids(cluster: Cluster) -> None:
    sink = sink_of(cluster, "out")
    with closing(sink):
        sink.start(None)
        sink.write(3, [b'{"a": 1}', b'{"a": 2}'])
        assert sink.flush() is None
    found = {(m.value(), m.key(), tuple(m.headers())) for m in cluster.received("out", 2)}
    assert found == {
        (b'{"a": 1}', b"alarms-3-0", (("message_id", b"alarms-3-0"),)),
        (b'{"a": 2}', b"alarms-3-1", (("message_id", b"alarms-3-1"),)),
    }


def test_what_a_lost_connection_held_up_arrives_once(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.connectors.live.kafka_sink._MOST_OPEN", 10)
    lines = [b"%d" % i for i in range(100)]
    with door_to(cluster) as door, warned() as warnings:
        sink = sink_of(door, "held up")
        with closing(sink):
            sink.start(None)
            sink.write(0, lines[:50])
            sink.flush()
            door.shut()
            sink.write(1, lines[50:55])
            door.reopen()
            sink.write(2, lines[55:])
            sink.flush()
    assert sorted(int(m.value()) for m in cluster.received("held up", 100)) == list(range(100))
    assert all("W212" in text for text in warnings)


def test_a_sink_gives_up_when_it_is_told_to_or_has_no_patience_left(cluster: Cluster) -> None:
    with door_to(cluster) as door, warned():
        door.shut()
        impatient = sink_of(door, "never", patience=0.2)
        impatient.start(None)
        impatient.write(0, [b"one"])
        with pytest.raises(LasingError, match=r"(?s)E525.*for 0 s.*nothing is lost"):
            impatient.flush()
        impatient.close()
        told = sink_of(door, "never")
        told.start(None)
        told.write(0, [b"one"])
        told.give_up()
        with pytest.raises(LasingError, match=r"(?s)E525.*1 messages.*nothing is lost"):
            told.flush()
        told.close()


def test_a_line_that_is_too_long_is_refused(cluster: Cluster) -> None:
    sink = sink_of(cluster, "long")
    with closing(sink):
        sink.start(None)
        with pytest.raises(LasingError, match=r"(?s)E520.*how large may messages"):
            sink.write(0, [b"x" * 2_000_000])


# -- who we are, and whom we trust -------------------------------------------------------------------------------------


def test_tls(cluster: Cluster, certificates: Certificates) -> None:
    cluster.send("tls", b"one")
    with door_to(cluster, certificates.certificate) as door:
        with started(source_of(door, "tls", ca=certificates.ca)) as source:
            assert gather(source, 1) == [b"one"]
        with (
            warned(),
            started(source_of(door, "tls", ca=certificates.other_ca)) as source,
            pytest.raises(LasingError, match=r"(?s)E521.*certificate verify failed.*name whoever signed it"),
        ):
            gather(source, 1)


def test_settings_of_librdkafka(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hunter2")
    settings = {"servers": "a.example.org, [::1]:9093", "topic": "t", "user": "me", "password_env": "SECRET"}
    found, warnings = KafkaAddress.of({**settings, "mechanism": "SCRAM-SHA-512", "ca": "ca.pem"}, "here")
    assert not warnings
    assert str(found) == "kafkas://a.example.org:9092,[::1]:9093/t"
    assert "hunter2" not in repr(found)
    known = found.configuration()
    assert known["bootstrap.servers"] == "a.example.org:9092,[::1]:9093"
    assert known["security.protocol"] == "SASL_SSL"
    assert known["sasl.mechanism"] == "SCRAM-SHA-512"
    assert (known["sasl.username"], known["sasl.password"]) == ("me", "hunter2")
    assert known["ssl.ca.location"] == "ca.pem"
    plain, warnings = KafkaAddress.of({"servers": "a.example.org", "topic": "t", "tls": False}, "here")
    assert plain.configuration()["security.protocol"] == "PLAINTEXT"
    assert warnings[0].code == "W213"
    here, _ = KafkaAddress.of({"servers": "localhost", "topic": "t"}, "here")
    assert here.configuration()["security.protocol"] == "PLAINTEXT"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (KafkaError._AUTHENTICATION, r"(?s)E520.*refuses the user me.*are user, password and mechanism right"),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, r"(?s)E520.*may this user read or write this topic"),
        (KafkaError.MSG_SIZE_TOO_LARGE, r"(?s)E520.*how large may messages"),
        (KafkaError.TOPIC_EXCEPTION, r"(?s)E520.*is the name of the topic right"),
    ],
)
def test_refusals_are_errors(code: int, message: str) -> None:
    refusal = KafkaAddress(("a:9092",), "t", "me").refusal(KafkaError(code))
    assert refusal is not None
    with pytest.raises(LasingError, match=message):
        raise refusal
    assert KafkaAddress(("a:9092",), "t").refusal(KafkaError(KafkaError._TRANSPORT)) is None


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"user": "me"}, r"(?s)the password is missing.*password_env"),
        ({"password_env": "PATH"}, "the user is missing"),
        ({"mechanism": "SCRAM-SHA-256"}, "there is none"),
        ({"user": "me", "password_env": "PATH", "mechanism": "MD5"}, r"(?s)'MD5'.*one of PLAIN"),
        ({"servers": "a:b"}, "'a:b' is not a server"),
        ({"servers": ""}, "'' is not a server"),
        ({"topic": "a,b"}, r"(?s)'a,b'.*one topic"),
        ({"from": "yesterday"}, r"(?s)'yesterday'.*earliest, latest"),
        ({"ca": "/there/is/no/such.pem"}, "E521"),
    ],
)
def test_settings_that_do_not_fit(more: dict[str, Any], message: str) -> None:
    settings = {"format": "kafka", "servers": "127.0.0.1", "topic": "t", **more}
    with pytest.raises(LasingError, match=message):
        live_source(settings, "here", None).start(None)


def test_a_sink_has_no_beginning() -> None:
    with pytest.raises(LasingError, match="kafka has no key from"):
        live_sink({"format": "kafka", "servers": "a", "topic": "t", "from": "latest"}, "here", "x")
