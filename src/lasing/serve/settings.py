"""What the command line decides about the page: files, limits, who may open it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from lasing.connectors.live.secrets import Secret

MB = 10**6


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much one page may use. Whatever takes more is refused, or its worker process is killed."""

    text: int = 200_000
    """The longest program, in bytes."""
    stream: int = 16 * MB
    """The largest stream that a page can send, in bytes."""
    seconds: float = 10.0
    """How long one request may compute. Compiling kernels does not count; it has a bound of its own."""
    compiling: float = 240.0
    memory: int = 1_000 * MB
    """How much memory a worker process may take, in bytes."""
    sessions: int = 8
    """How many pages can run something at the same time."""
    silence: float = 20.0
    """After how many seconds a session without a listening page ends."""
    check_seconds: float = 10.0
    """How long reading a program may take while somebody types."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A stream that the command line named: how it is shown, and the argument with an absolute path."""

    shown: str
    argument: str


@dataclass(frozen=True, slots=True)
class Given:
    """What every program of the page gets, because the command line named it. Workers receive it as JSON."""

    folder: str = ""
    """The folder in which the command was called: relative names are looked up there."""
    program: str = ""
    """The file in the editor at first; empty if there is none."""
    language: str = "lars"
    readable: tuple[str, ...] = ()
    """The files that programs may include or name: those that the file itself includes or names."""
    allow: tuple[str, ...] = ()
    streams: tuple[NamedFile, ...] = ()
    time: str = "time"
    mappings: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    entail: tuple[str, ...] = ()
    functions: str = ""
    constants: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Given:
        lists: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
        }
        lists["streams"] = tuple(NamedFile(**one) for one in content["streams"])
        return cls(**lists)


@dataclass(frozen=True, slots=True)
class Address:
    """Where the page is served, and what a browser must know to open it."""

    host: str = "127.0.0.1"
    port: int = 8765
    token: Secret | None = None
    certificate: str = ""
    key: str = ""

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"

    @property
    def netloc(self) -> str:
        """The host and port as in a URL. An address that stands for all of a machine's is shown as its loopback."""
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 -- shown, not bound
        return f"[{shown}]:{self.port}" if ":" in shown else f"{shown}:{self.port}"

    @property
    def url(self) -> str:
        query = "" if self.token is None else f"?token={self.token.reveal()}"
        return f"{self.scheme}://{self.netloc}/{query}"


@dataclass(frozen=True, slots=True)
class Settings:
    """All of it."""

    bounds: Bounds = field(default_factory=Bounds)
    given: Given = field(default_factory=Given)
    address: Address = field(default_factory=Address)
