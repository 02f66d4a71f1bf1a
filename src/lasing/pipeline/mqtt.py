"""Messages of an MQTT broker as a Spark source.

A broker does not keep the messages it has sent, but Spark may ask for a batch again. So each message is written to a
file when it comes, one per line, and is read from there. Messages are numbered by line, counted from the first one.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from lasing.connectors.live.mqtt_connection import MqttAddress, mqtt_client
from lasing.connectors.live.sockets import reason
from lasing.connectors.live.tls import tls_failure
from lasing.errors import fault

_PATIENCE = 10.0
"""How many seconds to wait for the broker before giving up with an error."""


_spools: dict[str, Spool] = {}
_clients: dict[str, Any] = {}
"""The open spools and clients of this process, by folder. Spark pickles readers, so they cannot hold these."""


class MqttSource(DataSource):
    """Options: `spool`, the folder for received messages, and the keys of the source in the pipeline's file. So Spark
    sees only where a password is, and not the password itself."""

    @classmethod
    def name(cls) -> str:
        return "lasing_mqtt"

    def schema(self) -> str:
        return "value string, timestamp timestamp, number bigint"

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:  # noqa: ARG002, N802 -- Spark's names
        return MqttReader(dict(self.options))


class MqttReader(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):
    """Runs beside the driver for as long as the query runs."""

    def __init__(self, options: dict[str, str]) -> None:
        self._options = options

    @property
    def _spool(self) -> Spool:
        folder = self._options["spool"]
        if folder not in _spools:
            _spools[folder] = Spool(Path(folder))
        return _spools[folder]

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """The messages available now are those that the broker sends at once, because it retained or queued them."""
        self._connect()
        time.sleep(1.0)

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        return {"messages": 0}

    def read(self, start: dict[str, int]) -> tuple[Iterator[tuple[str, datetime, int]], dict[str, int]]:
        self._connect()
        end = {"messages": max(start["messages"], self._spool.length)}
        return self.readBetweenOffsets(start, end), end

    def readBetweenOffsets(  # noqa: N802
        self, start: dict[str, int], end: dict[str, int]
    ) -> Iterator[tuple[str, datetime, int]]:
        return iter(list(self._spool.between(start["messages"], end["messages"])))  # Spark pickles it

    def commit(self, end: dict[str, int]) -> None:
        self._spool.forget(end["messages"])

    def _connect(self) -> None:
        if self._options["spool"] in _clients:
            return
        options: dict[str, Any] = {**self._options}
        if "tls" in options:
            options["tls"] = options["tls"].lower() == "true"
        address, _ = MqttAddress.of(options, options.get("where", "mqtt"))
        name = f"lasing-{sha256(repr((options['spool'], options['topic'])).encode()).hexdigest()[:12]}"
        client = mqtt_client(address, name, clean=False)
        connected = threading.Event()
        refused: list[str] = []

        def on_connect(client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
            if reason.is_failure:
                refused.append(str(reason))
            else:
                client.subscribe(options["topic"], qos=1)
            connected.set()

        spool = self._spool

        def on_message(_client: Any, _data: Any, message: Any) -> None:
            spool.add(message.payload)

        client.on_connect, client.on_message = on_connect, on_message
        try:
            client.connect(address.host, address.real_port)
        except ssl.SSLError as error:
            failure = tls_failure(error, str(address))
            raise (failure or fault("E613", f"no MQTT broker at {address.broker}: {reason(error)}")) from None
        except OSError as error:
            raise fault("E613", f"no MQTT broker at {address.broker}: {error.strerror or error}") from None
        client.loop_start()
        if not connected.wait(_PATIENCE) or refused:
            client.loop_stop()
            why = refused[0] if refused else f"no answer within {_PATIENCE:.0f} s"
            raise fault("E613", f"the MQTT broker at {address.broker} refused the connection: {why}")
        _clients[options["spool"]] = client


class Spool:
    """A file of numbered messages. The first line has the number of the first message that is still there."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "messages.jsonl"
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._first, self._lines = 0, []
        self._file: IO[str] | None = None
        if self._path.exists():
            head, *lines = self._path.read_text(encoding="utf-8").splitlines()
            self._first, self._lines = int(head), [line for line in lines if line.endswith("]")]
        self._rewrite()

    @property
    def length(self) -> int:
        """How many messages have come so far, including those no longer stored."""
        with self._lock:
            return self._first + len(self._lines)

    def add(self, payload: bytes) -> None:
        """Store a message. It is in the file before the broker gets the acknowledgement."""
        line = json.dumps([time.time(), payload.decode("utf-8", errors="replace")])
        with self._lock:
            self._lines.append(line)
            print(line, file=self._file, flush=True)

    def between(self, start: int, end: int) -> Iterator[tuple[str, datetime, int]]:
        """The messages from `start` to just before `end`, with their times of arrival and their numbers."""
        with self._lock:
            lines = self._lines[start - self._first : end - self._first]
        for number, (at, text) in enumerate(map(json.loads, lines), start):
            yield text, datetime.fromtimestamp(at, UTC), number

    def forget(self, end: int) -> None:
        """Drop messages before this number, which will not be requested again."""
        with self._lock:
            done = end - self._first
            if done < 10_000:  # rewriting the file has a cost
                return
            self._first, self._lines = end, self._lines[done:]
            self._rewrite()

    def _rewrite(self) -> None:
        unfinished = self._path.with_suffix(".new")
        unfinished.write_text("\n".join([str(self._first), *self._lines]) + "\n", encoding="utf-8")
        unfinished.replace(self._path)
        self.close()
        self._file = self._path.open("a", encoding="utf-8")

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
