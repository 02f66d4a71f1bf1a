"""Files that rotate: `alarms.jsonl` becomes `alarms.000001.jsonl`, `alarms.000002.jsonl`, … by size or by time.

Each line comes exactly once: the position is the number of the current file and its length. When a run starts again,
what a killed run wrote after that is cut off, half lines too, and the files after it are deleted. So what is after the
last checkpoint can still be taken back; files before the current one of a checkpoint never change again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from errno import ENOSPC
from pathlib import Path

from lasing.connectors.files import unwritable
from lasing.connectors.live.protocol import Position
from lasing.errors import LasingError, fault
from lasing.timeline.clock import Clock, WallClock


class RotatingFile:
    """Lines into files. `most_bytes` and `most_seconds` say when the next file begins; without both there is only one,
    `path` itself. With `keep`, only that many files stay. `header` is the first line of each file."""

    def __init__(
        self,
        path: Path,
        most_bytes: int | None = None,
        most_seconds: float | None = None,
        keep: int | None = None,
        header: bytes | None = None,
        clock: Clock | None = None,
    ) -> None:
        for name, bound in (("most_bytes", most_bytes), ("most_seconds", most_seconds), ("keep", keep)):
            if bound is not None and bound <= 0:
                raise fault("E524", f"{path}: {name} must be more than 0")
        self._path, self._header = path, header
        self._most_bytes, self._most_seconds, self._keep = most_bytes, most_seconds, keep
        self._rotates = most_bytes is not None or most_seconds is not None
        self._clock = clock or WallClock()
        self._number = self._length = self._begun = self._flushed = 0
        self._file: int | None = None

    def start(self, position: Position | None) -> Position:
        try:
            if position is None:
                self._number = max(self._numbers(), default=0) + 1 if self._rotates else 0
                if not self._rotates and os.path.exists(self._path) and os.path.getsize(self._path):
                    note = "move it away, so that nothing is lost; a run with a checkpoint continues its own file"
                    raise fault("E403", f"{self._path} exists already", note=note)
                self._begin()
            else:
                self._cut_back(position)
            return self.flush()
        except OSError as error:
            raise _failed(self._current(), error) from None

    def write(self, batch: int, lines: Sequence[bytes]) -> None:  # noqa: ARG002 -- a file needs no numbers of batches
        """A line that does not fit begins the next file; so each file has at least one line, however long."""
        try:
            if self._is_old():
                self._rotate()
            part: list[bytes] = []
            size = 0
            for line in lines:
                has_lines = bool(part) or self._length > self._header_length()
                if has_lines and self._is_full(size + len(line) + 1):
                    self._append(part)
                    self._rotate()
                    part, size = [], 0
                part.append(line)
                size += len(line) + 1
            self._append(part)
        except OSError as error:
            raise _failed(self._current(), error) from None

    def flush(self) -> Position:
        try:
            if self._file is not None:
                os.fsync(self._file)
            for number in self._numbers() if self._keep is not None else ():
                # the checkpoint of this flush is not saved yet: a killed run continues in the file of the one before
                if number <= self._number - (self._keep or 0) and number < self._flushed:
                    self._named(number).unlink(missing_ok=True)
            self._flushed = self._number
        except OSError as error:
            raise _failed(self._current(), error) from None
        return {"file": self._number, "length": self._length, "begun": self._begun}

    def give_up(self) -> None:
        """A file is written, or it is not: there is nothing to wait for."""

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _is_full(self, more: int) -> bool:
        return self._most_bytes is not None and self._length + more > self._most_bytes

    def _is_old(self) -> bool:
        age = self._clock.now() - self._begun
        return (
            self._most_seconds is not None
            and self._length > self._header_length()
            and (age >= self._most_seconds * 1e6 or age < 0)
        )

    def _header_length(self) -> int:
        return 0 if self._header is None else len(self._header) + 1

    def _append(self, lines: list[bytes]) -> None:
        if not lines:
            return
        raw = memoryview(b"\n".join([*lines, b""]))
        assert self._file is not None
        done = 0
        while done < len(raw):  # the system may take only a part at a time
            done += os.write(self._file, raw[done:])
        self._length += len(raw)

    def _rotate(self) -> None:
        assert self._file is not None
        os.fsync(self._file)
        self.close()
        self._number += 1
        self._begin()

    def _begin(self) -> None:
        """Begin the file with the current number."""
        self._file = os.open(self._current(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._length, self._begun = 0, self._clock.now()
        if self._header is not None:
            self._append([self._header])

    def _cut_back(self, position: Position) -> None:
        match position:
            case {"file": int(number), "length": int(length), "begun": int(begun)} if (number > 0) is self._rotates:
                self._number, self._length, self._begun = number, length, begun
            case _:
                note = "were the settings of the sink changed? Begin with a new checkpoint"
                raise fault("E526", f"{self._path}: {position!r} is not a position of this sink", note=note)
        path = self._current()
        size = os.path.getsize(path) if os.path.exists(path) else -1
        if size < length:
            state = "is gone" if size < 0 else f"has {size:,} bytes"
            note = "put it back as it was, or begin with a new checkpoint"
            raise fault("E526", f"{path} {state}, but the checkpoint has written {length:,} bytes to it", note=note)
        for later in self._numbers():
            if later > number:
                self._named(later).unlink()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
        os.ftruncate(self._file, length)

    def _current(self) -> Path:
        return self._named(self._number)

    def _named(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.stem}.{number:06d}{self._path.suffix}") if number else self._path

    def _numbers(self) -> list[int]:
        """The numbers of the files that exist."""
        if not self._rotates:
            return []
        form = re.compile(rf"{re.escape(self._path.stem)}\.([0-9]{{6,}}){re.escape(self._path.suffix)}")
        found = (form.fullmatch(name) for name in os.listdir(self._path.parent))
        return sorted(int(match[1]) for match in found if match)


def _failed(path: Path, error: OSError) -> LasingError:
    if error.errno == ENOSPC:
        note = "make room, and start again: it continues at the last checkpoint"
        return fault("E615", f"the disk is full: {path} cannot be written", note=note)
    return unwritable(path, error)
