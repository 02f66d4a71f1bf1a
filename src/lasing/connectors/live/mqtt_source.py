"""Messages of an MQTT broker. One is acknowledged when it is in the journal, and not before.

The session is persistent, so the broker keeps what comes while we are away. If nobody takes messages, none are
acknowledged, and the broker stops sending when as many are open as it allows. A message whose acknowledgement was lost
comes again: at least once, in the terms of MQTT.
"""

from __future__ import annotations

import threading
from hashlib import sha256
from secrets import token_hex
from typing import Any

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.journal import Journal, Received
from lasing.connectors.live.mqtt_connection import MqttAddress, MqttConnection, mqtt_client
from lasing.connectors.live.received import ReceivingSource
from lasing.errors import fault

_MOST_PENDING = 10_000
"""How many messages may wait for the journal. A broker that waits for acknowledgements never sends as many."""


class MqttSource(ReceivingSource):
    """Subscribes to a topic, which may have wildcards, with QoS 1."""

    def __init__(self, address: MqttAddress, journal: Received, name: str = "", backoff: Backoff | None = None) -> None:
        super().__init__("mqtt message ", journal)
        self._address = address
        self._lasting = isinstance(journal, Journal)
        self._own_id = address.client_id is None
        self._client_id = address.client_id or _client_id(address, name if self._lasting else token_hex(8))
        self._backoff = backoff or Backoff()
        self._connection: MqttConnection | None = None
        self._pending: list[tuple[bytes, int, int]] = []
        self._changed = threading.Condition()

    def connect(self) -> None:
        client = mqtt_client(self._address, self._client_id, clean=not self._lasting)
        client.manual_ack_set(True)
        client.on_message, client.on_subscribe = self._on_message, self._on_subscribe
        self._connection = MqttConnection(self._address, client, self._subscribe, self.report, self._backoff)
        self.in_thread(self._connection.run, f"reads {self._address}")
        self.in_thread(lambda: self._keep(client), f"keeps messages of {self._address}")

    def disconnect(self) -> None:
        if self._connection is not None:
            self._connection.stop()
        with self._changed:
            self._changed.notify_all()

    def _subscribe(self, client: Any, remembered: bool) -> None:
        if not (remembered and self._own_id):  # subscribing again would bring the retained messages again
            client.subscribe(self._address.topic, qos=1)

    def _on_subscribe(self, _client: Any, _data: Any, _number: int, answers: Any, _properties: Any) -> None:
        refused = [answer for answer in answers if answer.is_failure]
        if refused and self._connection is not None:
            address = self._address
            note = "may this user read this topic?"
            message = f"the MQTT broker at {address.broker} refuses the topic {address.topic}: {refused[0]}"
            self._connection.refuse(fault("E520", message, note=note))

    def _on_message(self, _client: Any, _data: Any, message: Any) -> None:
        with self._changed:
            while len(self._pending) >= _MOST_PENDING and not self._closed.is_set():
                self._changed.wait(1.0)
            self._pending.append((bytes(message.payload), message.mid, message.qos))
            self._changed.notify_all()

    def _keep(self, client: Any) -> None:
        """Write messages to the journal, as many as have come, and acknowledge them."""
        while self.wait_for_room():
            with self._changed:
                if not self._pending:
                    self._changed.wait(0.2)
                taken, self._pending = self._pending, []
                self._changed.notify_all()
            if taken:
                self.receive([payload for payload, _, _ in taken])
                for _, number, quality in taken:
                    client.ack(number, quality)


def _client_id(address: MqttAddress, name: str) -> str:
    """The same after a restart, so that the broker knows us again; and another for each source."""
    return f"lasing-{sha256(repr((name, address.topic)).encode()).hexdigest()[:12]}"
