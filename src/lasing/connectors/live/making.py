"""Live sources and sinks from settings: the keys of a table in a pipeline's file.

`SOURCE_KEYS` and `SINK_KEYS` have the keys of each kind, beside `format` and what the runner itself understands. The
runner checks types and names; contradictions between keys are found here, and are errors with the code E524.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lasing.connectors.live.followed_file import FollowedFile
from lasing.connectors.live.followed_folder import FollowedFolder
from lasing.connectors.live.http_sink import HttpSink, HttpTarget
from lasing.connectors.live.http_source import HttpAddress, Webhook
from lasing.connectors.live.ids import ID_KEY
from lasing.connectors.live.journal import Journal, MemoryJournal, Received
from lasing.connectors.live.kafka_address import KafkaAddress
from lasing.connectors.live.mqtt_connection import MqttAddress
from lasing.connectors.live.protocol import LiveSink, LiveSource
from lasing.connectors.live.rotating import RotatingFile
from lasing.connectors.live.secrets import secret_from
from lasing.connectors.live.socket_sink import SocketSink
from lasing.connectors.live.socket_source import SocketServer, SocketSource
from lasing.connectors.live.sockets import SocketAddress
from lasing.connectors.live.standard_input import StandardInput
from lasing.connectors.live.tls import TLS_KEYS, TlsSettings
from lasing.errors import fault, similar, warn

Keys = dict[str, tuple[type, ...]]

_JOURNAL: Keys = {"sync": (str,), "most_waiting_bytes": (int,)}
_SOCKET: Keys = {"host": (str,), "port": (int,), **TLS_KEYS}
_MQTT: Keys = {
    "host": (str,),
    "port": (int,),
    "topic": (str,),
    "user": (str,),
    "password": (str,),
    "password_env": (str,),
    "password_file": (str,),
    "client_id": (str,),
    **TLS_KEYS,
}
_KAFKA: Keys = {
    **dict.fromkeys(("servers", "topic", "user", "password", "password_env", "password_file", "mechanism"), (str,)),
    **TLS_KEYS,
}
_TOKEN: Keys = {"token_env": (str,), "token_file": (str,)}

SOURCE_KEYS: dict[str, Keys] = {
    "file": {"path": (str,), "follow": (bool,), "header": (bool,), "pattern": (str,), "quiet": (int, float)},
    "stdin": {**_JOURNAL},
    "socket": {**_SOCKET, "listen": (bool,), "reconnect": (bool,), **_JOURNAL},
    "unix": {"path": (str,), "listen": (bool,), "reconnect": (bool,), **_JOURNAL},
    "http": {
        "host": (str,),
        "port": (int,),
        "path": (str,),
        "most_body_bytes": (int,),
        **_TOKEN,
        **TLS_KEYS,
        **_JOURNAL,
    },
    "mqtt": {**_MQTT, **_JOURNAL},
    "kafka": {**_KAFKA, "from": (str,), "most_waiting_bytes": (int,)},
}
"""The keys of a source by format. A `file` is a file or a folder."""

SINK_KEYS: dict[str, Keys] = {
    "file": {"path": (str,), "most_bytes": (int,), "most_seconds": (int, float), "keep": (int,)},
    "socket": {**_SOCKET, "ids": (bool,), "patience": (int, float)},
    "unix": {"path": (str,), "ids": (bool,), "patience": (int, float)},
    "http": {"host": (str,), "port": (int,), "path": (str,), **_TOKEN, **TLS_KEYS, "patience": (int, float)},
    "mqtt": {**_MQTT, "version": (int,), "ids": (bool,), "patience": (int, float)},
    "kafka": {**_KAFKA, "patience": (int, float)},
}
"""The keys of a sink by format."""

NEEDED = {
    "file": ("path",),
    "stdin": (),
    "socket": ("host", "port"),
    "unix": ("path",),
    "http": ("host", "port"),
    "mqtt": ("host", "topic"),
    "kafka": ("servers", "topic"),
}
"""The keys that a source or a sink must have."""


def live_source(settings: Mapping[str, Any], where: str, folder: Path | None, name: str = "") -> LiveSource:
    """The source that settings describe. `where` is the place of the settings, for messages. The journal is in
    `folder`, or in memory if there is none. `name` is the same after a restart and differs between pipelines: an MQTT
    broker knows us by it."""
    form = _checked(settings, SOURCE_KEYS, where)
    if form == "file":
        path = Path(settings["path"])
        options = {key: settings[key] for key in ("follow", "header", "quiet") if key in settings}
        if path.is_dir() or "pattern" in settings:
            return FollowedFolder(path, settings.get("pattern", "*"), **options)
        return FollowedFile(path, **options)
    if form == "stdin":
        return StandardInput(_journal(settings, where, folder))
    if form in ("socket", "unix"):
        address = _socket_address(settings, form, where)
        if settings.get("listen", False):
            if "reconnect" in settings:
                raise fault("E524", f"{where}: reconnect is for a source that connects, and this one listens")
            return SocketServer(address, _journal(settings, where, folder))
        return SocketSource(address, _journal(settings, where, folder), settings.get("reconnect", True))
    if form == "http":
        token, findings = secret_from(settings, "token", where)
        warn(findings)
        tls = TlsSettings.of(settings, where)
        there = HttpAddress(settings["host"], settings["port"], _path(settings, where), token, tls)
        bound = {"most_body_bytes": settings["most_body_bytes"]} if "most_body_bytes" in settings else {}
        return Webhook(there, _journal(settings, where, folder), **bound)
    if form == "kafka":
        from lasing.connectors.live.kafka_source import KafkaSource

        cluster, findings = KafkaAddress.of(settings, where)
        warn(findings)
        most = {"most_bytes": settings["most_waiting_bytes"]} if "most_waiting_bytes" in settings else {}
        return KafkaSource(cluster, settings.get("from", "earliest"), **most)
    from lasing.connectors.live.mqtt_source import MqttSource

    broker, findings = MqttAddress.of(settings, where)
    warn(findings)
    return MqttSource(broker, _journal(settings, where, folder), name)


def live_sink(
    settings: Mapping[str, Any], where: str, name: str, header: bytes | None = None, content_type: str = ""
) -> LiveSink:
    """The sink that settings describe. Ids of messages begin with `name`. Files begin with `header`, if there is one;
    `content_type` is for HTTP."""
    form = _checked(settings, SINK_KEYS, where)
    patience = {"patience": settings["patience"]} if "patience" in settings else {}
    id_key = ID_KEY if settings.get("ids", True) else None
    if form == "file":
        bounds = {key: settings[key] for key in ("most_bytes", "most_seconds", "keep") if key in settings}
        return RotatingFile(Path(settings["path"]), header=header, **bounds)
    if form in ("socket", "unix"):
        return SocketSink(_socket_address(settings, form, where), name, id_key, **patience)
    if form == "http":
        token, findings = secret_from(settings, "token", where)
        warn(findings)
        tls = TlsSettings.of(settings, where)
        kind = content_type or "application/x-ndjson"
        target = HttpTarget(settings["host"], settings["port"], _path(settings, where), kind, token, tls)
        return HttpSink(target, name, **patience)
    if form == "kafka":
        from lasing.connectors.live.kafka_sink import KafkaSink

        cluster, findings = KafkaAddress.of(settings, where)
        warn(findings)
        return KafkaSink(cluster, name, **patience)
    from lasing.connectors.live.mqtt_sink import MqttSink

    broker, findings = MqttAddress.of(settings, where)
    warn(findings)
    return MqttSink(broker, name, settings.get("version", 5), id_key, **patience)


def _checked(settings: Mapping[str, Any], known: Mapping[str, Keys], where: str) -> str:
    """The format of settings whose keys are known, complete and of the right types."""
    form = settings.get("format")
    if not isinstance(form, str) or form not in known:
        raise fault("E524", f"{where}: unknown format {form!r}", note=f"formats are {', '.join(known)}")
    keys = known[form]
    for key, value in settings.items():
        if key == "format":
            continue
        if key not in keys:
            note = similar(key, keys) or f"keys are {', '.join(keys)}"
            raise fault("E524", f"{where}: {form} has no key {key}", note=note)
        if not isinstance(value, keys[key]) or (isinstance(value, bool) and bool not in keys[key]):
            raise fault("E524", f"{where}: {key} must be {' or '.join(_KINDS[kind] for kind in keys[key])}")
    for key in NEEDED[form]:
        if key not in settings:
            raise fault("E524", f"{where}: {key} is missing")
    return form


_KINDS: dict[type, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _journal(settings: Mapping[str, Any], where: str, folder: Path | None) -> Received:
    sync = settings.get("sync", "always")
    if sync not in ("always", "never"):
        raise fault("E524", f'{where}: sync is "always" or "never"', note=_SYNC)
    bound = {"most_bytes": settings["most_waiting_bytes"]} if "most_waiting_bytes" in settings else {}
    return MemoryJournal(**bound) if folder is None else Journal(folder, sync, **bound)


_SYNC = '"always" survives a power failure; "never" survives only the end of the process, and is faster'


def _socket_address(settings: Mapping[str, Any], form: str, where: str) -> SocketAddress:
    if form == "unix":
        return SocketAddress(path=settings["path"])
    return SocketAddress(settings["host"], settings["port"], tls=TlsSettings.of(settings, where))


def _path(settings: Mapping[str, Any], where: str) -> str:
    path = settings.get("path", "/")
    if not path.startswith("/") or not path.isascii() or any(sign.isspace() for sign in path):
        raise fault("E524", f"{where}: path must begin with / and have no spaces")
    return str(path)
