"""A connection to an MQTT broker that comes back by itself, for sources and sinks."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lasing.connectors.live.backoff import Backoff
from lasing.connectors.live.secrets import Secret, secret_from
from lasing.connectors.live.sockets import reason
from lasing.connectors.live.tls import TlsSettings, client_context, tls_failure, unprotected, uses_tls
from lasing.errors import Diagnostic, LasingError, fault

_PLAIN_PORT, _TLS_PORT = 1883, 8883
_KEEP_ALIVE = 60
_A_MOMENT = 0.2
_HANDSHAKE_WITHIN = 10.0
_TRY_AGAIN = ("Server unavailable", "Server busy", "Quota exceeded", "Connection rate exceeded", "Unspecified error")


@dataclass(frozen=True, slots=True)
class MqttAddress:
    """A broker, a topic, and who we are."""

    host: str
    topic: str
    port: int | None = None
    user: str | None = None
    password: Secret | None = None
    tls: TlsSettings = field(default_factory=TlsSettings)
    client_id: str | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any], where: str) -> tuple[MqttAddress, list[Diagnostic]]:
        """The address in settings, and warnings about them."""
        password, findings = secret_from(settings, "password", where)
        if password is not None and settings.get("user") is None:
            raise fault("E524", f"{where}: a password needs a user", note='user = "NAME"')
        tls = TlsSettings.of(settings, where)
        port = None if settings.get("port") is None else int(settings["port"])
        found = cls(
            str(settings["host"]),
            str(settings["topic"]),
            port,
            settings.get("user"),
            password,
            tls,
            settings.get("client_id"),
        )
        return found, [*findings, *unprotected(found.host, tls, where)]

    @property
    def real_port(self) -> int:
        return self.port or (_TLS_PORT if uses_tls(self.host, self.tls) else _PLAIN_PORT)

    @property
    def broker(self) -> str:
        return f"{self.host}:{self.real_port}"

    def __str__(self) -> str:
        scheme = "mqtts" if uses_tls(self.host, self.tls) else "mqtt"
        return f"{scheme}://{self.broker}/{self.topic}"


def mqtt_client(address: MqttAddress, client_id: str, clean: bool, version: int = 3) -> Any:
    """A client of paho-mqtt with its user, its password and its TLS, not connected yet."""
    try:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
    except ImportError:
        raise fault("E602", "paho-mqtt is not installed", note="pip install 'lasing[mqtt]'") from None
    use_tls = uses_tls(address.host, address.tls)
    context = client_context(address.tls, str(address)) if use_tls else None

    class ClosingClient(Client):
        """Closes what paho leaves open: the socket if the handshake of TLS fails, and its own pair of sockets."""

        def close_sockets(self) -> None:
            self._reset_sockets()

        def _ssl_wrap_socket(self, connection: Any) -> Any:
            assert context is not None
            connection.settimeout(_HANDSHAKE_WITHIN)
            return context.wrap_socket(connection, server_hostname=address.host)

    kind = CallbackAPIVersion.VERSION2
    if version == 5:
        client = ClosingClient(kind, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5)
    else:
        client = ClosingClient(kind, client_id=client_id, clean_session=clean)
    if address.user is not None:
        client.username_pw_set(address.user, None if address.password is None else address.password.reveal())
    if context is not None:
        client.tls_set_context(context)
    return client


class MqttConnection:
    """Connects, serves the connection in the thread that calls `run`, and connects again when it is lost.

    `connected` is called after each connection, with the client and whether the broker remembers us.
    """

    def __init__(
        self,
        address: MqttAddress,
        client: Any,
        connected: Callable[[Any, bool], None],
        report: Callable[[str, str, str], None],
        backoff: Backoff,
    ) -> None:
        self._address, self._client = address, client
        self._connected, self._report, self._backoff = connected, report, backoff
        self._refusal: LasingError | None = None
        self._lost = ""
        self.is_connected = False
        client.on_connect, client.on_disconnect = self._on_connect, self._on_disconnect

    def run(self) -> None:
        """Until `stop`. Raises a refusal for good."""
        try:
            while not self._backoff.stopped:
                why = self._connect_and_serve()
                if self._refusal is not None:
                    raise self._refusal
                if self._backoff.stopped:
                    break
                if self._backoff.failures == 0:
                    self._report("W212", f"{self._address} {why}", "trying again, with growing pauses")
                self._backoff.pause()
        finally:  # also after a refusal, or the broker would keep a connection that nobody serves
            self._client.disconnect()
            self._client.close_sockets()

    def stop(self) -> None:
        self._backoff.stop()

    def refuse(self, error: LasingError) -> None:
        """The broker has refused what we need."""
        self._refusal = error

    def _connect_and_serve(self) -> str:
        """Returns why the connection has ended."""
        address, self._lost = self._address, ""
        try:
            self._client.connect(address.host, address.real_port, _KEEP_ALIVE)
        except ssl.SSLError as error:
            if (failure := tls_failure(error, str(address))) is not None:
                raise failure from None
            return f"cannot be reached: {reason(error)}"
        except OSError as error:
            return f"cannot be reached: {reason(error)}"
        while not self._backoff.stopped and self._refusal is None:
            if self._client.loop(_A_MOMENT) != 0:
                break
        self.is_connected = False
        return self._lost or "has lost the connection"

    def _on_connect(self, client: Any, _data: Any, flags: Any, answer: Any, _properties: Any) -> None:
        if not answer.is_failure:
            self._backoff.succeeded()
            self.is_connected = True
            self._connected(client, bool(flags.session_present))
        elif any(words in str(answer) for words in _TRY_AGAIN):
            self._lost = f"refuses for now: {answer}"
        else:
            self._refusal = self._refused(str(answer))

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, answer: Any, _properties: Any) -> None:
        self.is_connected = False
        if not self._lost:
            self._lost = f"has lost the connection: {answer}"

    def _refused(self, answer: str) -> LasingError:
        address = self._address
        if "user name" in answer.lower() or "authori" in answer.lower():
            who = f"the user {address.user}" if address.user is not None else "a client without a user"
            note = "are user and password right?" if address.user else 'user = "NAME" and password_env = "NAME"'
            return fault("E520", f"the MQTT broker at {address.broker} refuses {who}: {answer}", note=note)
        return fault("E520", f"the MQTT broker at {address.broker} refuses the connection: {answer}")
