"""Write lines to a topic of Kafka, each with its id.

The producer is idempotent and waits for all replicas, so Kafka drops what it sends twice by itself. After a restart,
lines are sent again with the same ids: as the key of the message, by which a compacted topic drops duplicates, and as
the header `message_id`.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from lasing.connectors.live.ids import ID_KEY, message_id
from lasing.connectors.live.kafka_address import KafkaAddress
from lasing.connectors.live.protocol import GAVE_UP, Position
from lasing.errors import Diagnostic, LasingError, fault, warn

_MOST_OPEN = 20_000
_A_MOMENT = 0.1
_TRYING = "trying again, with growing pauses"


class KafkaSink:
    """Writes to a topic. `write` waits while too many messages are open; `flush` waits for all of them."""

    def __init__(
        self, address: KafkaAddress, name: str, patience: float = 600.0, more: Mapping[str, Any] | None = None
    ) -> None:
        self._address, self._name, self._patience = address, name, patience
        self._more = dict(more or {})
        self._open = 0
        self._lost = False
        self._failure: LasingError | None = None
        self._findings: deque[Diagnostic] = deque()
        self._given_up = threading.Event()
        self._producer: Any = None

    def start(self, position: Position | None) -> Position:
        self._producer = self._address.client("Producer", {"error_cb": self._on_error, **self._more, **_PRODUCER})
        return position

    def write(self, batch: int, lines: Sequence[bytes]) -> None:
        for number, line in enumerate(lines):
            if self._open >= _MOST_OPEN:
                self._wait(_MOST_OPEN - 1)
            self._produce(line, message_id(self._name, batch, number))
        self._producer.poll(0)

    def _produce(self, line: bytes, identity: str) -> None:
        from confluent_kafka import KafkaException

        headers = [(ID_KEY, identity)]
        try:
            self._producer.produce(self._address.topic, line, identity, headers=headers, on_delivery=self._on_delivery)
        except KafkaException as error:  # such as a line that is too long
            raise self._refused(error.args[0]) from None
        self._open += 1

    def flush(self) -> Position:
        self._wait(0)
        return None

    def give_up(self) -> None:
        self._given_up.set()

    def close(self) -> None:
        self._given_up.set()
        if self._producer is not None:
            self._producer.purge(in_queue=True, in_flight=True, blocking=False)
            self._producer.poll(0)

    def _wait(self, most: int) -> None:
        """Wait until at most so many messages are open."""
        begun, before = monotonic(), self._open
        while self._open > most and self._failure is None:
            self._producer.poll(_A_MOMENT)
            while self._findings:
                warn([self._findings.popleft()])
            if self._open < before:
                begun, before = monotonic(), self._open
            if self._given_up.is_set():
                raise fault("E525", f"{self._address} has not acknowledged {self._open:,} messages", note=GAVE_UP)
            if monotonic() - begun > self._patience:
                message = f"{self._address} has acknowledged nothing for {self._patience:.0f} s"
                raise fault("E525", message, note=GAVE_UP)
        if self._failure is not None:
            raise self._failure

    def _on_delivery(self, error: Any, _message: Any) -> None:
        self._open -= 1
        if error is None:
            self._lost = False
        elif self._failure is None:
            self._failure = self._refused(error)

    def _refused(self, error: Any) -> LasingError:
        message = f"{self._address} refuses a message: {error.str()}"
        return self._address.refusal(error) or fault("E520", message, note="does the topic exist?")

    def _on_error(self, error: Any) -> None:
        refusal = self._address.refusal(error)
        if refusal is not None:
            self._failure = self._failure or refusal
        elif not self._lost:
            self._lost = True
            self._findings.append(Diagnostic("W212", f"{self._address}: {error.str()}", note=_TRYING))


_PRODUCER: dict[str, Any] = {
    "enable.idempotence": True,
    "message.timeout.ms": 0,  # patience is counted here, from the last message that arrived
    "linger.ms": 5,
    "compression.type": "lz4",
}
