"""Checkpoints of a pipeline in one process: everything from which it can continue, in one file.

A checkpoint has the raw window of the engine with the facts that wait, the position of each source, the position of
each sink, and what has been handed to sinks that cannot be cut back. It is written under another name, made durable
and renamed, so it is there as a whole or not at all. The folder of a pipeline:

    lock                      held by the process that runs the pipeline
    checkpoints/000000000012  the last few of them, by number
    journal/SOURCE            what network sources have received

A file is a line with its version, a digest of all that follows, and parts: a header in JSON, then bytes.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Self

from lasing.errors import LasingError, fault
from lasing.pipeline.local.disk import UNFINISHED, Disk, refused
from lasing.spark.state import ShardState

Position = Any
"""A JSON value that says where a source or a sink is."""

_VERSION = b"lasing checkpoint 1\n"
_KIND = b"lasing checkpoint "
_DIGEST = 16
_DIGITS = 12
_OF_SPARK = ("offsets", "commits", "metadata")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A moment of a pipeline from which it can continue."""

    number: int
    work: str
    """A hash that is equal for pipelines that can continue from each other's checkpoints."""
    program: str
    """The program's text, in the language's own notation."""
    state: ShardState
    """The raw window, the facts that wait, what is remembered, and how far time has got."""
    sources: Mapping[str, Position] = field(default_factory=dict)
    sinks: Mapping[str, Position] = field(default_factory=dict)
    sent: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    """The lines since the checkpoint before, for sinks that cannot be cut back: they are delivered once it is saved,
    and again by a run that continues from it."""
    written: int = 0
    """When it was written, in microseconds from 1970-01-01 UTC."""

    def to_bytes(self) -> bytes:
        """The checkpoint as a file."""
        parts = [self.state.to_bytes(), *(b"\n".join(lines) for lines in self.sent.values())]
        header = {
            "number": self.number,
            "work": self.work,
            "program": self.program,
            "written": self.written,
            "sources": self.sources,
            "sinks": self.sinks,
            "sent": {name: len(lines) for name, lines in self.sent.items()},
            "sizes": [len(part) for part in parts],
        }
        text = json.dumps(header).encode()
        content = b"".join((len(text).to_bytes(8, "big"), text, *parts))
        return b"".join((_VERSION, _digest(content), content))

    @classmethod
    def from_bytes(cls, stored: bytes, name: str) -> Checkpoint:
        """The checkpoint in a file, checked before any part of it is used; `name` is for messages."""
        if not stored.startswith(_VERSION):
            if stored.startswith(_KIND):
                note = "start with a new checkpoint"
                raise fault("E608", f"{name} was written by another version of lasing", note=note)
            raise damaged(name, "it does not start like a checkpoint")
        content = memoryview(stored)[len(_VERSION) + _DIGEST :]
        if stored[len(_VERSION) : len(_VERSION) + _DIGEST] != _digest(content):
            raise damaged(name, "its checksum is wrong")
        try:
            length = int.from_bytes(content[:8], "big")
            header = json.loads(bytes(content[8 : 8 + length]))
            parts, at = [], 8 + length
            for size in header["sizes"]:
                parts.append(content[at : at + size])
                at += size
            state = ShardState.from_bytes(bytes(parts[0]))
            sent = {
                sink: bytes(part).split(b"\n") if count else []
                for (sink, count), part in zip(header["sent"].items(), parts[1:], strict=True)
            }
            known = {key: header[key] for key in ("number", "work", "program", "sources", "sinks", "written")}
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise damaged(name, str(error)) from None
        return cls(**known, state=state, sent=sent)


class Checkpoints:
    """The checkpoints of a folder."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        self.folder = folder / "checkpoints"
        self._disk = disk or Disk()

    def numbers(self) -> list[int]:
        """The numbers of all checkpoints, in order."""
        if not self.folder.is_dir():
            return []
        return sorted(int(path.name) for path in self.folder.iterdir() if path.name.isdigit())

    def open(self, number: int) -> Checkpoint:
        """A checkpoint by its number. Raises E618 if it is damaged, and E608 if another version has written it."""
        path = self._path(number)
        try:
            stored = path.read_bytes()
        except OSError as error:
            raise damaged(str(path), error.strerror or str(error)) from None
        return Checkpoint.from_bytes(stored, str(path))

    def newest(self) -> Checkpoint | None:
        """The last checkpoint; None if there is none."""
        numbers = self.numbers()
        return self.open(numbers[-1]) if numbers else None

    def save(self, checkpoint: Checkpoint, keep: int) -> int:
        """Write a checkpoint, and remove all but the last `keep`. Returns its size in bytes."""
        self._disk.make_folder(self.folder)
        stored = checkpoint.to_bytes()
        self._disk.write(self._path(checkpoint.number), stored)
        for number in self.numbers()[:-keep]:
            self._disk.remove(self._path(number))
        return len(stored)

    def clear_unfinished(self) -> None:
        """Remove what a killed run did not finish writing."""
        if self.folder.is_dir():
            for path in self.folder.glob(f".*{UNFINISHED}"):
                self._disk.remove(path)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:0{_DIGITS}}"


def damaged(name: str, why: str) -> LasingError:
    """The error for a checkpoint that differs from what was written."""
    note = "remove this file to continue from the checkpoint before it, or start with a new checkpoint"
    return fault("E618", f"the checkpoint {name} is damaged: {why}", note=note)


def check_not_of_spark(folder: Path) -> None:
    """Fail with E608 if Spark has written a checkpoint here."""
    if all((folder / name).exists() for name in _OF_SPARK):
        note = 'use a new checkpoint, or engine = "spark"'
        raise fault("E608", f"the checkpoint {folder} was written by Spark", note=note)


def check_not_local(folder: Path) -> None:
    """Fail with E608 if a pipeline in one process has written a checkpoint here."""
    if (folder / "checkpoints").is_dir() and (folder / "lock").exists():
        note = 'use a new checkpoint, or engine = "local"'
        raise fault("E608", f'the checkpoint {folder} was written with engine = "local"', note=note)


class Lock:
    """Keeps other processes from using a folder. The system releases it when the process ends, however that happens."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        self._folder = folder
        self._disk = disk or Disk()
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        self._disk.make_folder(self._folder)
        path = self._folder / "lock"
        try:
            self._file = path.open("a+", encoding="utf-8")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._file.truncate(0)
            self._file.write(str(os.getpid()))
            self._file.flush()
        except BlockingIOError:
            assert self._file is not None
            self._file.seek(0)
            owner = self._file.read().strip()
            self._file.close()
            note = "stop it first, or give this pipeline a checkpoint of its own"
            shown = f", process {owner}," if owner else ""
            raise fault("E616", f"another pipeline{shown} uses the checkpoint {self._folder}", note=note) from None
        except OSError as error:
            raise refused(path, error) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _digest(content: bytes | memoryview) -> bytes:
    return blake2b(content, digest_size=_DIGEST).digest()
