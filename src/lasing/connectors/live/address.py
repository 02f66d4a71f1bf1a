"""Live streams by their addresses, for the command line: `tcp://127.0.0.1:9000`, `mqtt://host/topic`, …"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from lasing.connectors.live.paths import LivePath
from lasing.connectors.live.redacted import is_secret, redacted
from lasing.errors import fault, similar

if TYPE_CHECKING:  # loaded for those who name a live stream: they bring HTTP and TLS
    from lasing.connectors.live.making import Keys
    from lasing.connectors.live.protocol import LiveSink, LiveSource

SCHEMES = ("tcp", "tcp-listen", "unix", "unix-listen", "http", "https", "mqtt", "mqtts", "kafka", "kafkas")
_SECRETS = "add ?password_env=NAME"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+")
_AT_ONCE = 1024
_A_WHILE = 0.5


def live_path(url: str) -> LivePath:
    """The live stream at an address, as a path. It keeps what it has received in memory."""
    from lasing.connectors.live.making import live_source

    return LivePath(redacted(url), lambda: _lines(live_source(settings_of(url), url, None)))


def sink_at(url: str, name: str, content_type: str, is_json: bool = True) -> LiveSink:
    """The sink at an address. Ids of messages begin with `name`; `content_type` is for HTTP. Lines that are not JSON
    get no ids, unless the address asks for them: they would be another column."""
    from lasing.connectors.live.making import SINK_KEYS, live_sink

    if urlsplit(url).scheme.lower().endswith("-listen"):
        shown = redacted(url)
        note = f"such as {shown.replace('-listen', '', 1)}"
        raise fault("E524", f"{shown}: results are sent to someone who listens, so name where", note=note)
    settings = settings_of(url, SINK_KEYS)
    settings.pop("listen", None)
    if not is_json and "ids" in SINK_KEYS[settings["format"]]:
        settings.setdefault("ids", False)
    return live_sink(settings, url, name, content_type=content_type)


def followed_path(path: Path, header: bool) -> LivePath:
    """A file that grows, as a path. With `header`, its first line has the names of its columns."""
    from lasing.connectors.live.followed_file import FollowedFile

    return LivePath(str(path), lambda: _lines(FollowedFile(path, header=header)), path)


def followed_folder(path: Path, header: bool) -> LivePath:
    """A folder to which files are added, as a path. With `header`, the first line of each has the names of columns."""
    from lasing.connectors.live.followed_folder import FollowedFolder

    return LivePath(str(path), lambda: _lines(FollowedFolder(path, header=header)), path)


def is_address(text: str) -> bool:
    """Whether a text is the address of a live stream, and not the name of a file.

    >>> is_address("tcp://127.0.0.1:9000"), is_address("temp.csv"), is_address("c:/temp.csv")
    (True, False, False)
    """
    return _scheme(text) in SCHEMES


def refuse_unknown_address(text: str) -> None:
    """Fail if a text is an address of a kind that there is not. It would be taken for the name of a file."""
    scheme = _scheme(text)
    if scheme and scheme not in SCHEMES:
        note = similar(scheme, SCHEMES) or f"addresses begin with {', '.join(f'{known}://' for known in SCHEMES)}"
        raise fault("E524", f"{redacted(text)}: {scheme}:// is no kind of address that is known", note=note)


def _scheme(text: str) -> str:
    scheme, colon, _ = text.partition("://")
    return scheme.lower() if colon and _SCHEME.fullmatch(scheme) else ""


def settings_of(url: str, known: Mapping[str, Keys] | None = None) -> dict[str, Any]:
    """The settings that an address stands for; those without a place in it follow a `?`. `known` has the keys of
    sinks; without it, the address is that of a source.

    >>> settings_of("mqtt://me@127.0.0.1:1884/rooms/#?password_env=SECRET&tls=false") == {
    ...     "format": "mqtt", "user": "me", "host": "127.0.0.1", "port": 1884, "topic": "rooms/#",
    ...     "password_env": "SECRET", "tls": False}
    True
    """
    from lasing.connectors.live.making import SOURCE_KEYS

    shown = redacted(url)
    try:
        parts = urlsplit(url.replace("#", "%23"))
    except ValueError:
        raise fault("E524", f"{shown}: this is not an address", note="such as tcp://127.0.0.1:9000") from None
    if parts.password is not None:
        raise fault("E524", f"{shown}: a password does not belong in an address", note=_SECRETS)
    several = parts.scheme in ("kafka", "kafkas")  # servers, of which urllib reads only one
    try:
        host, port = parts.hostname or "", None if several else parts.port
    except ValueError:
        if "…@" in shown:  # a password with a slash
            raise fault("E524", f"{shown}: a password does not belong in an address", note=_SECRETS) from None
        message = f"{shown}: the port is not a number from 0 to 65535"
        raise fault("E524", message, note=f"such as {parts.scheme}://127.0.0.1:9000") from None
    found = _by_scheme(shown, parts, host, port)
    keys = (SOURCE_KEYS if known is None else known)[found["format"]]
    for key, text in parse_qsl(parts.query, keep_blank_values=True):
        if is_secret(key):
            secrets = [known for known in keys if known.endswith("_env")]
            note = f"add ?{secrets[0]}=NAME" if secrets else ""
            raise fault("E524", f"{shown}: a secret does not belong in an address", note=note)
        value: Any = text
        if bool in keys.get(key, ()) and text in ("true", "false"):
            value = text == "true"
        elif int in keys.get(key, ()) and text.isdecimal():
            value = int(text)
        elif float in keys.get(key, ()) and text.replace(".", "", 1).isdecimal():
            value = float(text)
        found[key] = value
    return found


def _by_scheme(url: str, parts: SplitResult, host: str, port: int | None) -> dict[str, Any]:
    path = unquote(parts.path)
    scheme, _, listen = parts.scheme.partition("-")
    if scheme == "unix":
        if host or not path:
            raise fault("E524", f"{url}: a Unix socket has a path and no host", note="such as unix:///run/sensors")
        return {"format": "unix", "path": path, "listen": bool(listen)}
    if not host:
        raise fault("E524", f"{url}: the host is missing", note=f"such as {parts.scheme}://127.0.0.1:9000")
    found: dict[str, Any] = {"host": host} if port is None else {"host": host, "port": port}
    if scheme == "tcp":
        return {"format": "socket", **found, "listen": bool(listen)}
    if scheme in ("http", "https"):
        default = 443 if scheme == "https" else 80
        secure = {"tls": True} if scheme == "https" else {}
        return {"format": "http", "port": default, **found, "path": path or "/", **secure}
    user = {} if parts.username is None else {"user": unquote(parts.username)}
    secure = {"tls": True} if scheme in ("mqtts", "kafkas") else {}
    topic = path.removeprefix("/")
    if not topic:
        example = "rooms" if scheme in ("kafka", "kafkas") else "rooms/#"
        raise fault("E524", f"{url}: the topic is missing", note=f"such as {parts.scheme}://{host}/{example}")
    if scheme in ("kafka", "kafkas"):
        servers = parts.netloc.rpartition("@")[2]
        return {"format": "kafka", **user, "servers": servers, "topic": topic, **secure}
    return {"format": "mqtt", **user, **found, "topic": topic, **secure}


def _lines(source: LiveSource) -> Iterator[bytes]:
    """What comes, as whole lines. The header of a file comes first, and only once."""
    header: bytes | None = None
    try:
        source.start(None)
        while not source.finished():
            arrivals = source.take(_AT_ONCE, _A_WHILE)
            if arrivals is None:
                continue
            lines = [_in_one_line(payload) for payload in arrivals.payloads]
            if arrivals.header is not None and arrivals.header != header:
                if header is not None:
                    message = f"{arrivals.places[0]}: the file has other columns than the one before"
                    raise fault("E505", message, note=f"before: {header.decode(errors='replace')}")
                header = arrivals.header
                lines.insert(0, header)
            if lines:
                yield b"".join(line + b"\n" for line in lines)
    finally:
        source.close()


def _in_one_line(payload: bytes) -> bytes:
    """A JSON object that was sent in several lines, in one."""
    return payload.replace(b"\n", b" ") if payload.lstrip().startswith(b"{") else payload
