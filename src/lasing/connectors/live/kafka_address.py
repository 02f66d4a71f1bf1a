"""A topic of a Kafka cluster, and how to reach it, for sources and sinks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lasing.connectors.live.secrets import Secret, secret_from
from lasing.connectors.live.tls import TlsSettings, client_context, is_loopback, unprotected, uses_tls
from lasing.errors import Diagnostic, LasingError, fault

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_PORT = 9092
_LONGEST_PAUSE_MS = 60_000
_QUIET = 0
"""The log level of librdkafka: it prints nothing by itself, because what it says also comes as events."""


@dataclass(frozen=True, slots=True)
class KafkaAddress:
    """Some servers of a cluster, a topic, and who we are."""

    servers: tuple[str, ...]
    topic: str
    user: str | None = None
    password: Secret | None = None
    mechanism: str = "PLAIN"
    tls: TlsSettings = field(default_factory=TlsSettings)

    @classmethod
    def of(cls, settings: Mapping[str, Any], where: str) -> tuple[KafkaAddress, list[Diagnostic]]:
        """The address in settings, and warnings about them."""
        password, findings = secret_from(settings, "password", where)
        user = settings.get("user")
        if (password is None) != (user is None):
            missing, note = ("password", 'password_env = "NAME"') if password is None else ("user", 'user = "NAME"')
            raise fault("E524", f"{where}: a user and a password belong together: the {missing} is missing", note=note)
        mechanism = settings.get("mechanism", MECHANISMS[0])
        if mechanism not in MECHANISMS:
            raise fault("E524", f"{where}: mechanism is {mechanism!r}", note=f"it is one of {', '.join(MECHANISMS)}")
        if "mechanism" in settings and user is None:
            raise fault("E524", f"{where}: mechanism says how a user logs in, and there is none", note='user = "NAME"')
        topic = str(settings["topic"])
        if not topic or "," in topic or topic.startswith("^"):
            raise fault("E524", f"{where}: topic is {topic!r}", note="a source or a sink has one topic, by its name")
        servers = tuple(_with_port(server, where) for server in str(settings["servers"]).split(","))
        found = cls(servers, topic, user, password, mechanism, TlsSettings.of(settings, where))
        return found, [*findings, *unprotected(found.farthest, found.tls, where)]

    @property
    def farthest(self) -> str:
        """The host of a server on another machine, if there is one."""
        hosts = [server.rpartition(":")[0] for server in self.servers]
        return next((host for host in hosts if not is_loopback(host)), hosts[0])

    @property
    def uses_tls(self) -> bool:
        return uses_tls(self.farthest, self.tls)

    def __str__(self) -> str:
        return f"{'kafkas' if self.uses_tls else 'kafka'}://{','.join(self.servers)}/{self.topic}"

    def configuration(self) -> dict[str, Any]:
        """The settings of a client of librdkafka."""
        found: dict[str, Any] = {
            "bootstrap.servers": ",".join(self.servers),
            "client.id": "lasing",
            "security.protocol": f"{'SASL_' if self.user is not None else ''}{'SSL' if self.uses_tls else 'PLAINTEXT'}",
            "reconnect.backoff.ms": 200,
            "reconnect.backoff.max.ms": _LONGEST_PAUSE_MS,
            "log_level": _QUIET,
        }
        if self.user is not None:
            assert self.password is not None, "they belong together"
            found |= {
                "sasl.mechanism": self.mechanism,
                "sasl.username": self.user,
                "sasl.password": self.password.reveal(),
            }
        files = {
            "ssl.ca.location": self.tls.ca,
            "ssl.certificate.location": self.tls.certificate,
            "ssl.key.location": self.tls.key or self.tls.certificate,
        }
        return found | {name: file for name, file in files.items() if file is not None}

    def client(self, kind: str, more: Mapping[str, Any]) -> Any:
        """A `Consumer` or a `Producer`. It connects by itself, and comes back when a connection is lost."""
        try:
            import confluent_kafka
        except ImportError:
            raise fault("E602", "confluent-kafka is not installed", note="pip install 'lasing[kafka]'") from None
        if self.uses_tls:
            client_context(self.tls, str(self))  # says what is wrong with a file; librdkafka has a context of its own
        try:
            return getattr(confluent_kafka, kind)({**self.configuration(), **more})
        except confluent_kafka.KafkaException as error:
            reason = str(error.args[0].str())
            raise fault("E524", f"{self}: the settings cannot be used: {reason}") from None

    def refusal(self, error: Any) -> LasingError | None:
        """The error for something that Kafka says; None if another attempt may succeed. `error` is a `KafkaError`."""
        from confluent_kafka import KafkaError

        said = str(error.str())
        match error.code():
            case KafkaError._AUTHENTICATION | KafkaError.SASL_AUTHENTICATION_FAILED:
                who = f"the user {self.user}" if self.user is not None else "a client without a user"
                note = (
                    "are user, password and mechanism right?" if self.user else 'user = "NAME" and password_env = "V"'
                )
                return fault("E520", f"{self} refuses {who}: {said}", note=note)
            case KafkaError._SSL if "verif" in said.lower() or "certificate" in said.lower():
                note = 'if its certificate is your own, name whoever signed it: ca = "FILE"'
                return fault("E521", f"{self}: TLS failed: {said}", note=note)
            case KafkaError.TOPIC_AUTHORIZATION_FAILED | KafkaError.CLUSTER_AUTHORIZATION_FAILED:
                return fault("E520", f"{self} refuses: {said}", note="may this user read or write this topic?")
            case KafkaError.MSG_SIZE_TOO_LARGE | KafkaError.RECORD_LIST_TOO_LARGE | KafkaError.INVALID_RECORD:
                note = "how large may messages of this topic be? (max.message.bytes)"
                return fault("E520", f"{self} refuses a message: {said}", note=note)
            case KafkaError.TOPIC_EXCEPTION:
                return fault("E520", f"{self} refuses: {said}", note="is the name of the topic right?")
        return None


def _with_port(server: str, where: str) -> str:
    """A server with its port: 9092, unless another is given."""
    text = server.strip()
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):  # a name, or an address of IPv6 in brackets
        host, port = text, str(_PORT)
    if not host or not port.isdecimal():
        note = "such as 127.0.0.1:9092, or several with commas between them"
        raise fault("E524", f"{where}: {server!r} is not a server", note=note)
    return f"{host}:{port}"
