"""Publish lines to an MQTT broker, with QoS 1.

With MQTT 5, each message has its id as a user property, `message_id`; with MQTT 3, the id is in the line. What the
broker has not acknowledged is published again when the connection is back, and after a restart.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from secrets import token_hex
from time import monotonic
from typing import Any

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.ids import ID_KEY, message_id, with_id
from lasing.connectors.live.mqtt_connection import MqttAddress, MqttConnection, mqtt_client
from lasing.connectors.live.protocol import GAVE_UP, Position
from lasing.errors import Diagnostic, LasingError, fault, warn

_MOST_OPEN = 1000
_PATIENCE = 10.0


class MqttSink:
    """Publishes to a topic. `write` waits while too many messages are open; `flush` waits for all of them."""

    def __init__(
        self,
        address: MqttAddress,
        name: str,
        version: int = 5,
        id_key: str | None = ID_KEY,
        patience: float = 600.0,
        backoff: Backoff | None = None,
    ) -> None:
        if any(sign in address.topic for sign in "+#") or not address.topic:
            raise fault("E524", f"{address}: a topic to publish to has no wildcards")
        if version not in (3, 5):
            raise fault("E524", f"{address}: MQTT has the versions 3 and 5")
        self._address, self._name, self._version, self._id_key = address, name, version, id_key
        self._patience = patience
        self._backoff = backoff or Backoff()
        self._changed = threading.Condition()
        self._open: set[int] = set()
        self._early: set[int] = set()
        """Messages that were acknowledged before `publish` has returned their number."""
        self._failure: LasingError | None = None
        self._findings: deque[Diagnostic] = deque()
        self._thread: threading.Thread | None = None
        self._given_up = False

    def start(self, position: Position | None) -> Position:
        client_id = self._address.client_id or f"lasing-{token_hex(6)}"
        self._client = mqtt_client(self._address, client_id, clean=True, version=self._version)
        self._client.on_publish = self._on_publish
        self._connection = MqttConnection(self._address, self._client, lambda *_: None, self._report, self._backoff)
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"publishes to {self._address}")
        self._thread.start()
        return position

    def write(self, batch: int, lines: Sequence[bytes]) -> None:
        for number, line in enumerate(lines):
            self._wait(_MOST_OPEN - 1)
            identity = message_id(self._name, batch, number)
            if self._version == 5:
                properties = _properties(identity)
                info = self._client.publish(self._address.topic, line, qos=1, properties=properties)
            else:
                info = self._client.publish(self._address.topic, with_id(line, identity, self._id_key), qos=1)
            with self._changed:
                if info.mid in self._early:
                    self._early.remove(info.mid)
                else:
                    self._open.add(info.mid)

    def flush(self) -> Position:
        self._wait(0)
        return None

    def give_up(self) -> None:
        with self._changed:
            self._given_up = True
            self._changed.notify_all()

    def close(self) -> None:
        self._backoff.stop()
        if self._thread is not None:
            self._thread.join(_PATIENCE)

    def _wait(self, most: int) -> None:
        """Wait until at most so many messages are open."""
        with self._changed:
            begun, before = monotonic(), len(self._open)
            while len(self._open) > most and self._failure is None:
                self._changed.wait(0.2)
                if len(self._open) < before:
                    begun, before = monotonic(), len(self._open)
                if self._given_up:
                    message = f"{self._address} has not acknowledged {len(self._open):,} messages"
                    raise fault("E525", message, note=GAVE_UP)
                if monotonic() - begun > self._patience:
                    message = f"{self._address} has acknowledged nothing for {self._patience:.0f} s"
                    raise fault("E525", message, note=GAVE_UP)
        while self._findings:
            warn([self._findings.popleft()])
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            self._connection.run()
        except LasingError as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _report(self, code: str, message: str, note: str) -> None:
        self._findings.append(Diagnostic(code, message, note=note))

    def _on_publish(self, _client: Any, _data: Any, number: int, answer: Any, _properties: Any) -> None:
        with self._changed:
            if answer.is_failure:
                message = (
                    f"the MQTT broker at {self._address.broker} refuses a message to {self._address.topic}: {answer}"
                )
                self._failure = fault("E520", message, note="may this user publish to this topic?")
            if number in self._open:
                self._open.remove(number)
            else:
                self._early.add(number)
            self._changed.notify_all()


def _properties(identity: str) -> Any:
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.properties import Properties

    make: Any = Properties  # paho has no types for it
    found = make(PacketTypes.PUBLISH)
    found.UserProperty = (ID_KEY, identity)
    return found
