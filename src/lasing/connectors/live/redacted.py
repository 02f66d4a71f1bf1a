"""An address as it may be printed: without the secrets that someone has written into it."""

from __future__ import annotations

import re

_PORTS = r"\d+(?:,[^/?#@]*)?(?:[/?#]|$)"
_BEFORE_HOST = re.compile(rf"(?<=://)([^:/?#]*):(?!{_PORTS}).*@")
_SETTING = re.compile(r"([?&]([^=&]*)=)[^&]*")
_SECRET = re.compile(r"(?!.*_(?:env|file)$).*(?:pass|pwd|token|secret)", re.IGNORECASE)


def redacted(address: str) -> str:
    """The address without its passwords and tokens.

    >>> redacted("mqtt://me:hunter2@host/t?token=hunter2&user=me")
    'mqtt://me:…@host/t?token=…&user=me'
    >>> redacted("mqtt://host:1883/rooms@home")
    'mqtt://host:1883/rooms@home'
    """
    without = _BEFORE_HOST.sub(r"\1:…@", address)
    return _SETTING.sub(lambda m: f"{m[1]}…" if is_secret(m[2]) else m[0], without)


def is_secret(key: str) -> bool:
    """Whether the value of a setting would be a secret, also if its name is misspelt.

    >>> is_secret("passwort"), is_secret("password_env"), is_secret("topic")
    (True, False, False)
    """
    return _SECRET.match(key) is not None
