"""The ids of messages: the same when a message is sent again, so that a receiver can drop what it has already."""

from __future__ import annotations

import json

ID_KEY = "message_id"


def message_id(name: str, batch: int, number: int) -> str:
    """The id of a line: the sink, the batch, and the number of the line in it.

    >>> message_id("alarms", 12, 3)
    'alarms-12-3'
    """
    return f"{name}-{batch}-{number}"


def with_id(line: bytes, identity: str, key: str | None = ID_KEY) -> bytes:
    """A line that carries its id: as a key of a JSON object, or else as a first column. Without a key, the line itself.

    >>> with_id(b'{"a": 1}', "alarms-12-3")
    b'{"message_id": "alarms-12-3", "a": 1}'
    >>> with_id(b"1,2", "alarms-12-3")
    b'alarms-12-3,1,2'
    """
    if key is None:
        return line
    if line.startswith(b"{"):
        rest = line[1:].lstrip()
        pair = f"{json.dumps(key)}: {json.dumps(identity)}".encode()
        return b"{" + pair + (rest if rest.startswith(b"}") else b", " + rest)
    return identity.encode() + b"," + line
