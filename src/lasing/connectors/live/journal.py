"""A journal: messages that were received and must not be lost, in files, until a checkpoint covers them.

A journal is a folder of segments. The name of a segment is the number of its first message. A segment is a line that
says what it is, and then frames. Each call of `append` writes one frame, and syncs it before it returns:

    mark   length   checksum | first    arrived   count   count lengths   payloads
    4      u32      u32      | u64      i64       u32     u32 each        length bytes in all, from `first` on

What a kill leaves behind is a prefix of what was written: the frame at the end may be torn, and is cut off when the
journal is opened. It was never acknowledged, because that comes after the sync. A frame that is wrong but has sound
ones after it was damaged in another way: that is an error, because messages would be lost.
"""

from __future__ import annotations

import os
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from errno import ENOSPC
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Protocol
from zlib import crc32

from lasing.connectors.files import unwritable
from lasing.errors import LasingError, fault

HEADER = b"lasing journal 1\n"
_MARK = b"\xf5LJ\x01"
_FRAME = struct.Struct("<4sII")
_BODY = struct.Struct("<QqI")
_ENDING = ".journal"

SEGMENT_BYTES = 16 * 2**20
MOST_BYTES = 64 * 2**20
"""How many bytes may wait before a source stops receiving."""

Sync = Literal["always", "never"]
"""When to sync: `always` survives a power failure; `never` survives only the end of the process, and is faster."""


sync_data: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)  # macOS has only fsync


class Entry(NamedTuple):
    """A message, and when it came, in microseconds from 1970."""

    payload: bytes
    arrived: int


class Received(Protocol):
    """Messages with numbers from 0, appended by one thread and read by another."""

    def append(self, payloads: Sequence[bytes]) -> None:
        """Keep messages. When this returns, they may be acknowledged."""

    def seek(self, number: int | None) -> None:
        """Read from this message on; None is the first one that is there."""

    def read(self, most: int, wait: float) -> tuple[int, list[Entry]]:
        """The next messages, after at most `wait` seconds, and the number of the first of them."""

    def forget(self, number: int) -> None:
        """Messages before this number are no longer needed."""

    def has_room(self, wait: float) -> bool:
        """Whether less is waiting to be read than the bound allows; waits for that."""

    def waiting(self) -> int:
        """How many messages are waiting to be read."""

    def wake(self) -> None:
        """Let whoever waits in `read` or `has_room` return."""

    def close(self) -> None: ...


def _now() -> int:
    return time.time_ns() // 1_000


class MemoryJournal:
    """Messages in memory, for a run that does not start again."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._entries: deque[Entry] = deque()
        self._next = self._bytes = 0
        self._changed = threading.Condition()

    def append(self, payloads: Sequence[bytes]) -> None:
        now = _now()
        with self._changed:
            self._entries.extend(Entry(payload, now) for payload in payloads)
            self._bytes += sum(map(_weight, payloads))
            self._changed.notify_all()

    def seek(self, number: int | None) -> None:
        if number is not None and number != self._next:
            note = "a journal in memory ends with the process; give the run a folder for checkpoints"
            raise fault("E523", f"message {number + 1} is not in the journal", note=note)

    def read(self, most: int, wait: float) -> tuple[int, list[Entry]]:
        with self._changed:
            if not self._entries:
                self._changed.wait(wait)
            found = [self._entries.popleft() for _ in range(min(most, len(self._entries)))]
            first, self._next = self._next, self._next + len(found)
            self._bytes -= sum(_weight(entry.payload) for entry in found)
            self._changed.notify_all()
        return first, found

    def forget(self, number: int) -> None:
        """What was read is forgotten already."""

    def has_room(self, wait: float) -> bool:
        with self._changed:
            if self._bytes >= self._most_bytes:
                self._changed.wait(wait)
            return self._bytes < self._most_bytes

    def waiting(self) -> int:
        return len(self._entries)

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        self.wake()


def _weight(payload: bytes) -> int:
    return len(payload) + 32  # an empty message needs memory too


@dataclass(slots=True)
class _Frame:
    """A frame as it was read: the number of its first message, its messages, and where it ends."""

    first: int
    entries: list[Entry]
    end: int


@dataclass(slots=True)
class _Reader:
    """Where the reading thread is: in which segment, at which offset, and the messages of the frame that it is in."""

    segment: int
    offset: int = len(HEADER)
    left: deque[Entry] = field(default_factory=deque)
    file: BinaryIO | None = None

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


class Journal:
    """Messages in the segments of a folder."""

    def __init__(
        self,
        folder: Path,
        sync: Sync = "always",
        segment_bytes: int = SEGMENT_BYTES,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._folder, self._sync = folder, sync
        self._segment_bytes, self._most_bytes = segment_bytes, most_bytes
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._broken = False
        self._bytes = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._segments = sorted(int(p.stem) for p in folder.glob(f"*{_ENDING}") if p.stem.isdigit())
            self._end = self._open()
        except OSError as error:
            raise _unusable(folder, error) from None
        self._next = self._segments[0]
        self._reader = _Reader(self._next)

    @property
    def first(self) -> int:
        """The number of the first message that is still there."""
        return self._segments[0]

    @property
    def end(self) -> int:
        """The number of the next message to come."""
        return self._end

    def append(self, payloads: Sequence[bytes]) -> None:
        if not payloads:
            return
        with self._writing:
            if self._broken:
                raise fault("E523", f"the journal in {self._folder} could not be written before", note=_AGAIN)
            begin = self._file.tell()
            try:
                if begin > self._segment_bytes:
                    self._begin_segment(self._end)
                    begin = self._file.tell()
                self._file.write(_packed(self._end, payloads, _now()))
                self._file.flush()
                if self._sync == "always":
                    sync_data(self._file.fileno())
            except OSError as error:
                self._broken = True  # what reached the disk is not known; opening the journal again finds out
                raise _unusable(self._folder, error) from None
            with self._changed:
                self._end += len(payloads)
                self._bytes += sum(map(_weight, payloads))
                self._changed.notify_all()

    def seek(self, number: int | None) -> None:
        target = self._segments[0] if number is None else number
        if not self._segments[0] <= target <= self._end:
            note = (
                f"it has the messages {self._segments[0] + 1} to {self._end}; do the checkpoint and it belong together?"
            )
            raise fault("E523", f"message {target + 1} is not in the journal in {self._folder}", note=note)
        if target < self._next:
            raise ValueError("a journal is read once; open it again to read from an earlier message")
        begin = max(segment for segment in self._segments if segment <= target)
        if begin > self._next:
            self._bytes -= sum(
                _weight(e.payload) for s in self._segments if self._next <= s < begin for e in self._all(s)
            )
            self._reader.close()
            self._reader, self._next = _Reader(begin), begin
        while self._next < target:
            self.read(target - self._next, 0)

    def read(self, most: int, wait: float) -> tuple[int, list[Entry]]:
        with self._changed:
            if self._next >= self._end:
                self._changed.wait(wait)
            available = min(most, self._end - self._next)
        found: list[Entry] = []
        while len(found) < available:
            left = self._reader.left
            if not left:
                self._reader.left = left = deque(self._next_frame(self._next + len(found)).entries)
            taken = min(available - len(found), len(left))
            found += [left.popleft() for _ in range(taken)]
        with self._changed:
            first, self._next = self._next, self._next + len(found)
            self._bytes -= sum(_weight(entry.payload) for entry in found)
            self._changed.notify_all()
        return first, found

    def forget(self, number: int) -> None:
        with self._changed:
            done = [s for s, following in zip(self._segments, self._segments[1:], strict=False) if following <= number]
            self._segments = self._segments[len(done) :]
        for segment in done:
            if segment == self._reader.segment:
                raise ValueError("messages that nobody has read cannot be forgotten")
            self._path(segment).unlink(missing_ok=True)

    def has_room(self, wait: float) -> bool:
        with self._changed:
            if self._bytes >= self._most_bytes:
                self._changed.wait(wait)
            return self._bytes < self._most_bytes

    def waiting(self) -> int:
        return self._end - self._next

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        self.wake()
        with self._writing:
            self._broken = True
            self._file.close()
        self._reader.close()

    def _path(self, segment: int) -> Path:
        return self._folder / f"{segment:020d}{_ENDING}"

    def _open(self) -> int:
        """Check all segments, cut off a torn end, and get ready to append. Returns the number of the next message."""
        expected = self._segments[0] if self._segments else 0
        while self._segments:
            segment = self._segments[-1]  # a segment that was begun and has no whole header has no messages
            if self._path(segment).stat().st_size >= len(HEADER) or len(self._segments) == 1:
                break
            self._path(segment).unlink()
            self._segments.pop()
        for segment in self._segments:
            if segment != expected:
                raise _damaged(self._path(segment), expected, "messages before it are missing")
            expected = self._check(segment, expected, last=segment == self._segments[-1])
        if not self._segments:
            self._begin_segment(0, known=False)
        else:
            self._file = self._path(self._segments[-1]).open("ab")
        return expected

    def _check(self, segment: int, expected: int, last: bool) -> int:
        """Go through a segment; the number of the message after it."""
        path = self._path(segment)
        with path.open("rb+") as file:
            raw = file.read()
            if last and len(raw) < len(HEADER) and HEADER.startswith(raw):
                file.seek(0)
                file.write(HEADER)
                os.fsync(file.fileno())
                return expected
            if not raw.startswith(HEADER):
                raise _damaged(path, expected, "it is no journal of this version")
            offset = len(HEADER)
            while offset < len(raw):
                frame = _frame_at(raw, offset)
                if frame is None or frame.first != expected:
                    if not last or _sound_after(raw, offset + 1, expected):
                        raise _damaged(path, expected, f"the bytes at {offset} are wrong")
                    file.truncate(offset)
                    os.fsync(file.fileno())
                    break
                self._bytes += sum(_weight(entry.payload) for entry in frame.entries)
                expected += len(frame.entries)
                offset = frame.end
        return expected

    def _begin_segment(self, number: int, known: bool = True) -> None:
        if known:
            self._file.close()
        self._file = self._path(number).open("wb")
        self._file.write(HEADER)
        self._file.flush()
        os.fsync(self._file.fileno())
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        with self._changed:
            self._segments = [*self._segments, number]

    def _next_frame(self, number: int) -> _Frame:
        """The frame that begins with this message, for the reading thread."""
        reader = self._reader
        try:
            if number in self._segments and number != reader.segment:
                reader.close()
                self._reader = reader = _Reader(number)
            if reader.file is None:
                reader.file = self._path(reader.segment).open("rb")
            reader.file.seek(reader.offset)
            head = reader.file.read(_FRAME.size)
            length = _FRAME.unpack(head)[1] if len(head) == _FRAME.size else 0
            raw = head + reader.file.read(length)
        except OSError as error:
            raise _unusable(self._folder, error) from None
        frame = _frame_at(raw, 0)
        if frame is None or frame.first != number:
            raise _damaged(self._path(reader.segment), number, f"the bytes at {reader.offset} are wrong")
        reader.offset += frame.end
        return frame

    def _all(self, segment: int) -> list[Entry]:
        """All messages of a segment that has been checked."""
        raw, offset = self._path(segment).read_bytes(), len(HEADER)
        found: list[Entry] = []
        while offset < len(raw):
            frame = _frame_at(raw, offset)
            if frame is None:
                raise _damaged(self._path(segment), segment + len(found), f"the bytes at {offset} are wrong")
            found += frame.entries
            offset = frame.end
        return found


_AGAIN = "start again: what was acknowledged is still there"


def _packed(first: int, payloads: Sequence[bytes], arrived: int) -> bytes:
    lengths = struct.pack(f"<{len(payloads)}I", *map(len, payloads))
    body = b"".join((_BODY.pack(first, arrived, len(payloads)), lengths, *payloads))
    return _FRAME.pack(_MARK, len(body), crc32(body)) + body


def _frame_at(raw: bytes, offset: int) -> _Frame | None:
    """The frame at an offset; None if it is not whole, or its checksum is wrong."""
    if len(raw) - offset < _FRAME.size + _BODY.size:
        return None
    mark, length, checksum = _FRAME.unpack_from(raw, offset)
    begin = offset + _FRAME.size
    end = begin + length
    if mark != _MARK or length < _BODY.size or end > len(raw) or crc32(raw[begin:end]) != checksum:
        return None
    first, arrived, count = _BODY.unpack_from(raw, begin)
    lengths = struct.unpack_from(f"<{count}I", raw, begin + _BODY.size)
    entries: list[Entry] = []
    at = begin + _BODY.size + 4 * count
    for size in lengths:
        entries.append(Entry(raw[at : at + size], arrived))
        at += size
    return _Frame(first, entries, end)


def _sound_after(raw: bytes, offset: int, expected: int) -> bool:
    """Whether a sound frame with a later message begins somewhere after an offset. Payloads may contain the mark by
    chance, or a frame of another journal; the number tells them apart from frames of this one."""
    at = raw.find(_MARK, offset)
    while at >= 0:
        frame = _frame_at(raw, at)
        if frame is not None and frame.first > expected:
            return True
        at = raw.find(_MARK, at + 1)
    return False


def _damaged(path: Path, number: int, why: str) -> LasingError:
    note = (
        "the disk, or a program other than lasing, has changed it. To go on without the messages that are lost,\n"
        "move the journal's folder away and start from a checkpoint that does not need it"
    )
    return fault("E523", f"{path} is damaged at message {number + 1}: {why}", note=note)


def _unusable(folder: Path, error: OSError) -> LasingError:
    if error.errno == ENOSPC:
        note = "nothing that was acknowledged is lost; make room, and start again"
        return fault("E615", f"the disk is full: the journal in {folder} cannot be written", note=note)
    return unwritable(folder, error)
