"""Disks that misbehave: a small one that fills up, and one that becomes read-only."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.campaign.cases import SkippedError


class SmallDisk:
    """A tmpfs that is mounted on a folder for the time of a `with`. Skips the case where nobody may mount one."""

    def __init__(self, folder: Path, size: str = "4m") -> None:
        self.folder = folder
        self._size = size

    def __enter__(self) -> Self:
        self.folder.mkdir()
        mount(self.folder, "-t", "tmpfs", "-o", f"size={self._size}", "none")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        unmount(self.folder)

    def fill(self, leave: int) -> None:
        """Fill the disk, except for some bytes."""
        with (self.folder / "ballast").open("wb") as file, suppress(OSError):
            while True:
                if os.write(file.fileno(), bytes(4096)) == 0:
                    break
        size = (self.folder / "ballast").stat().st_size
        os.truncate(self.folder / "ballast", max(0, size - leave))

    def free(self) -> None:
        """Make room again."""
        (self.folder / "ballast").unlink()


class ReadOnly:
    """Makes a folder read-only, for the time of a `with`, while others may have files in it open."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        mount(self._folder, "--bind", str(self._folder))
        mount(self._folder, "-o", "remount,bind,ro")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        unmount(self._folder)


def mount(folder: Path, *arguments: str) -> None:
    """Mount something on a folder. Skips the case where nobody may do so."""
    try:
        done = subprocess.run(["mount", *arguments, str(folder)], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SkippedError("there is no command mount here") from None
    if done.returncode:
        raise SkippedError(f"it takes the right to mount: {done.stderr.strip()}")


def unmount(folder: Path) -> None:
    """Undo the last mount on a folder, whoever still uses it."""
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
