"""Whole lines of one file that may still grow, from an offset on."""

from __future__ import annotations

import gzip
import os
import shutil
import zlib
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO
from zlib import crc32

from lasing.connectors.files import LONGEST_LINE, PACKED, unreadable
from lasing.connectors.live.protocol import Position
from lasing.errors import Place, fault

_BLOCK = 1 << 18
_HEAD = 1024
"""A file is recognized by its number in the file system, and by as many of its first bytes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where reading is in a file: which file, the offset and number of the next line, and what the file begins with."""

    name: str
    device: int
    inode: int
    offset: int = 0
    line: int = 1
    head_length: int = 0
    head_checksum: int = 0
    done: int = -1
    """The size of a packed file that was read to its end."""

    def as_position(self) -> list[Position]:
        head = self.head_length, self.head_checksum
        return [self.name, self.device, self.inode, self.offset, self.line, *head, self.done]

    @classmethod
    def of(cls, position: Any) -> Mark:
        match position:
            case [str(), int(), int(), int(), int(), int(), int(), int()]:
                return cls(*position)
        raise fault("E526", f"{position!r} is not a position in a file", note="was the source's format changed?")

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode


class TailedFile:
    """An open file and the place in it. A file that ends in .gz is unpacked; offsets are those of its text.

    With `header`, the first line belongs to all others and is not one of them.
    """

    def __init__(self, path: Path, header: bool, mark: Mark | None = None) -> None:
        self.path, self.packed = path, path.suffix.lower() == PACKED
        self.header: bytes | None = None
        self._has_header = header
        try:
            self._file: BinaryIO = path.open("rb")
            found = os.fstat(self._file.fileno())
            self.identity = found.st_dev, found.st_ino
            self._modified = found.st_mtime_ns
            if self.packed:
                self._file = _unpacked(self._file, path)
        except OSError as error:
            raise unreadable(path, error) from None
        self._lines: deque[bytes] = deque()
        self.offset, self.line = (0, 1) if mark is None else (mark.offset, mark.line)
        self._next = self.offset
        self._head = b""
        self._seen = -1
        if mark is not None and not self.is_at(mark):
            self.begin_again()

    def is_at(self, mark: Mark) -> bool:
        """Whether this file begins as the marked one did, and is long enough."""
        head = self._read(0, mark.head_length)
        if len(head) < mark.head_length or crc32(head) != mark.head_checksum:
            return False
        return self.size() >= mark.offset

    def mark(self) -> Mark:
        """Continue here."""
        head = self._read(0, min(_HEAD, self.offset)) if len(self._head) < min(_HEAD, self.offset) else self._head
        self._head = head
        return Mark(self.path.name, *self.identity, self.offset, self.line, len(head), crc32(head))

    def was_cut(self) -> bool:
        """Whether the file is shorter than before, or was written over from its beginning."""
        if self.packed:
            return False
        size = self.size()
        return size < self._next or (size != self._seen and self._read(0, len(self._head)) != self._head)

    def begin_again(self) -> None:
        """Read it from its beginning."""
        self.offset = self._next = 0
        self.line, self._head, self._seen, self.header = 1, b"", -1, None
        self._lines.clear()

    def size(self) -> int:
        """How many bytes of text it has."""
        return os.fstat(self._file.fileno()).st_size

    def modified(self) -> int:
        """When it was last written, in nanoseconds."""
        return self._modified if self.packed else os.fstat(self._file.fileno()).st_mtime_ns

    def take(self, most: int) -> list[bytes]:
        """The next whole lines."""
        if not self._lines:
            self._fill()
        found = [self._lines.popleft() for _ in range(min(most, len(self._lines)))]
        self.offset += sum(map(len, found)) + len(found)
        self.line += len(found)
        return [line.removesuffix(b"\r") for line in found]

    def rest(self) -> bytes:
        """What is there of a last line without an end."""
        return b"" if self._lines else self._read(self._next, LONGEST_LINE)

    def skip_rest(self, rest: bytes) -> None:
        """The last line was complete after all."""
        self.offset = self._next = self._next + len(rest)
        self.line += 1
        self._seen = -1

    def close(self) -> None:
        self._file.close()

    def _fill(self) -> None:
        size = self.size()
        if size == self._seen:
            return  # nothing has come since
        if self._has_header and self.header is None and not self._read_header():
            return
        length = _BLOCK
        while True:
            raw = self._read(self._next, length)
            end = raw.rfind(b"\n") + 1
            if end or len(raw) < length:
                break
            if length > LONGEST_LINE:
                message = f"this line is longer than {LONGEST_LINE // 2**20} MiB"
                raise fault("E507", message, Place(str(self.path), self.line, 1), "is this the right file?")
            length *= 4
        if end:
            self._lines.extend(raw[: end - 1].split(b"\n"))
            self._next += end
            if self._next <= _HEAD or len(self._head) < _HEAD:
                self._head = self._read(0, min(_HEAD, self._next))
        elif len(raw) < length:
            self._seen = size

    def _read_header(self) -> bool:
        """Whether the line of names is there."""
        raw = self._read(0, _BLOCK)
        line, end, _ = raw.partition(b"\n")
        if not end:
            return False
        self.header = line.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\r")
        if self._next == 0:
            self.offset = self._next = len(line) + 1
            self.line = 2
        return True

    def _read(self, offset: int, length: int) -> bytes:
        try:
            return os.pread(self._file.fileno(), length, offset)
        except OSError as error:
            raise unreadable(self.path, error) from None


def _unpacked(file: BinaryIO, path: Path) -> BinaryIO:
    """The text of a packed file, in a temporary file. So nothing of a file that is not whole is read."""
    text: Any = TemporaryFile(prefix="lasing-")  # noqa: SIM115 -- closed with the file
    try:
        with file, gzip.GzipFile(fileobj=file) as packed:
            shutil.copyfileobj(packed, text, _BLOCK)
        text.flush()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        text.close()
        note = "is it complete, and made by gzip? Put packed files in place by renaming them"
        raise fault("E401", f"{path} cannot be unpacked: {error}", note=note) from None
    except BaseException:
        text.close()
        raise
    unpacked: BinaryIO = text
    return unpacked
