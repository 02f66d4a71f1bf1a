"""Sources and sinks from the settings of a pipeline's file; mistakes in them are errors before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lasing.connectors.live.making import SINK_KEYS, SOURCE_KEYS, live_sink, live_source
from lasing.errors import LasingError
from tests.unit.connectors.live.gathering import gather, started, warned

HTTP = {"format": "http", "host": "127.0.0.1", "port": 0}


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"format": "file", "path": "x.csv", "header": True}, "FollowedFile"),
        ({"format": "file", "path": "."}, "FollowedFolder"),
        ({"format": "file", "path": "later", "pattern": "*.csv"}, "FollowedFolder"),
        ({"format": "stdin"}, "StandardInput"),
        ({"format": "socket", "host": "localhost", "port": 9}, "SocketSource"),
        ({"format": "socket", "host": "localhost", "port": 9, "listen": True, "sync": "never"}, "SocketServer"),
        ({"format": "unix", "path": "run/s", "listen": True}, "SocketServer"),
        ({**HTTP, "path": "/in", "token_env": "TOKEN"}, "Webhook"),
        ({"format": "mqtt", "host": "h", "topic": "t", "user": "u", "password_env": "TOKEN"}, "MqttSource"),
    ],
)
def test_sources(settings: dict[str, Any], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hunter2")
    for folder in (None, tmp_path):
        source = live_source(settings, "sources.s", folder, "demo")
        assert type(source).__name__ == kind
        if hasattr(source, "_journal"):
            source._journal.close()


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"format": "file", "path": "x.csv", "most_bytes": 10, "keep": 3}, "RotatingFile"),
        ({"format": "socket", "host": "localhost", "port": 9, "ids": False, "patience": 3}, "SocketSink"),
        ({"format": "unix", "path": "run/s"}, "SocketSink"),
        ({**HTTP, "path": "/in", "token_env": "TOKEN"}, "HttpSink"),
        ({"format": "mqtt", "host": "h", "topic": "t", "version": 3}, "MqttSink"),
    ],
)
def test_sinks(settings: dict[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hunter2")
    assert type(live_sink(settings, "outputs.o", "demo")).__name__ == kind


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "carrier pigeon"}, r"(?s)unknown format 'carrier pigeon'.*file, stdin"),
        ({}, "unknown format None"),
        ({"format": "mqtt", "host": "h", "topik": "t"}, r"(?s)mqtt has no key topik.*did you mean topic"),
        ({"format": "mqtt", "host": "h"}, "topic is missing"),
        ({"format": "socket", "host": "h", "port": "9"}, "port must be a whole number"),
        ({"format": "socket", "host": "h", "port": True}, "port must be a whole number"),
        ({"format": "socket", "host": "h", "port": 9, "listen": True, "reconnect": True}, "this one listens"),
        ({"format": "socket", "host": "h", "port": 9, "sync": "sometimes"}, 'sync is "always" or "never"'),
        ({**HTTP, "path": "in"}, "path must begin with /"),
        ({**HTTP, "key": "k.pem"}, "a key needs its certificate"),
    ],
)
def test_mistakes(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(LasingError, match=message) as raised:
        live_source(settings, "sources.s", None)
    assert raised.value.diagnostics[0].code == "E524"
    assert "sources.s" in str(raised.value)


def test_a_password_in_the_file_is_warned_about() -> None:
    with warned() as warnings:
        live_source({"format": "mqtt", "host": "h", "topic": "t", "user": "u", "password": "x"}, "sources.s", None)
    assert ["W213" in warning for warning in warnings] == [True]


def test_a_source_from_settings_delivers(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    settings = {"format": "file", "path": str(tmp_path / "x.csv"), "follow": False, "header": True}
    with started(live_source(settings, "sources.s", None)) as source:
        assert gather(source, 1) == [b"1"]


def test_no_key_takes_a_token_itself() -> None:
    keys = {key for table in (SOURCE_KEYS, SINK_KEYS) for each in table.values() for key in each}
    assert "token" not in keys
