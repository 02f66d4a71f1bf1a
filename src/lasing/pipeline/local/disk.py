"""Writing to disk so that a kill at any moment leaves something from which to continue.

A new file is written under another name, made durable, and renamed. A file that grows is cut back after a kill. Every
system call that changes something is announced by `about_to`, so that tests can end a run before any of them.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

from lasing.errors import LasingError, fault

UNFINISHED = ".unfinished"
"""How the name of a file ends until it is complete."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


class Disk:
    """The operations of a pipeline on its files. They raise E615 if the disk is full, and E617 if they are refused."""

    def about_to(self, what: str, path: Path) -> None:
        """Called before each change."""

    def put(self, file: BinaryIO, data: bytes) -> None:
        """Write bytes to an open file."""
        file.write(data)

    def make_folder(self, path: Path) -> None:
        """Make a folder and those above it, unless they exist."""
        if path.is_dir():
            return
        try:
            self.about_to("make", path)
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refused(path, error) from None

    def write(self, path: Path, data: bytes) -> None:
        """Write a whole file: afterwards it is durable, and until then it does not exist under its name."""
        unfinished = path.with_name(f".{path.name}{UNFINISHED}")
        try:
            self.about_to("write", path)
            with unfinished.open("wb") as file:
                self.put(file, data)
                file.flush()
                self.about_to("sync", path)
                os.fsync(file.fileno())
            self.about_to("rename", path)
            unfinished.rename(path)
            self.sync_folder(path.parent)
        except OSError as error:
            raise refused(path, error) from None

    def append(self, path: Path, data: bytes) -> None:
        """Write bytes at the end of a file."""
        try:
            self.about_to("append", path)
            with path.open("ab", buffering=0) as file:
                self.put(file, data)
        except OSError as error:
            raise refused(path, error) from None

    def sync(self, path: Path) -> None:
        """Make what was appended durable."""
        try:
            self.about_to("sync", path)
            with path.open("rb") as file:
                os.fsync(file.fileno())
            self.sync_folder(path.parent)
        except OSError as error:
            raise refused(path, error) from None

    def cut(self, path: Path, size: int) -> None:
        """Cut a file back to a size."""
        try:
            self.about_to("cut", path)
            with path.open("r+b") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        except OSError as error:
            raise refused(path, error) from None

    def remove(self, path: Path) -> None:
        """Remove a file, unless it is gone already."""
        try:
            self.about_to("remove", path)
            path.unlink(missing_ok=True)
        except OSError as error:
            raise refused(path, error) from None

    def sync_folder(self, folder: Path) -> None:
        """Make the names in a folder durable."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def refused(path: Path, error: OSError) -> LasingError:
    """The error for something that cannot be written."""
    if error.errno in _FULL:
        return fault("E615", f"the disk is full: {path} could not be written", note=AGAIN)
    return fault("E617", f"{path} cannot be written: {error.strerror or error}", note=AGAIN)


AGAIN = "once that is fixed, run it again: it continues from its last checkpoint"
