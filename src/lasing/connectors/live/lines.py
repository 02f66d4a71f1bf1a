"""Bytes that come bit by bit, as lines."""

from __future__ import annotations

from lasing.connectors.files import LONGEST_LINE
from lasing.errors import fault


class Lines:
    """Cuts bytes into lines. The end of the last one waits.

    >>> lines = Lines("tcp://127.0.0.1:9000")
    >>> lines.add(b"one\\r\\ntwo\\nth"), lines.add(b"ree\\n")
    ([b'one', b'two'], [b'three'])
    """

    def __init__(self, name: str, longest: int = LONGEST_LINE) -> None:
        self._name, self._longest = name, longest
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, raw: bytes) -> list[bytes]:
        """The lines that are complete now."""
        end = raw.rfind(b"\n") + 1
        if not end:
            self._keep(raw)
            return []
        whole = b"".join((*self._parts, raw[: end - 1]))
        self._parts, self._size = [], 0
        self._keep(raw[end:])
        return [line.removesuffix(b"\r") for line in whole.split(b"\n")]

    def rest(self) -> bytes:
        """The last line, which has no end."""
        return b"".join(self._parts)

    def _keep(self, raw: bytes) -> None:
        self._size += len(raw)
        if self._size > self._longest:
            message = f"{self._name}: a line is longer than {self._longest // 2**20} MiB"
            raise fault("E507", message, note="are these lines of text?")
        if raw:
            self._parts.append(raw)
