"""A folder that gets new files, and files in it that grow.

Files are read in the order in which they were last written, and then by name. Hidden files (`.x`, `_x`) are left out,
so that a writer can rename a file when it is finished. Files that are renamed inside the folder, or packed (`x.1` to
`x.1.gz`), are not read twice. A position names every file that is in the folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from lasing.connectors.files import PACKED, unreadable
from lasing.connectors.live.followed import QUIET, FollowedSource
from lasing.connectors.live.protocol import Arrivals, Position
from lasing.connectors.live.tailing import Mark, TailedFile
from lasing.errors import LasingError, fault
from lasing.timeline.clock import Clock

_Identity = tuple[int, int]


class FollowedFolder(FollowedSource):
    """The lines of the files of a folder whose names fit a pattern."""

    def __init__(
        self,
        path: Path,
        pattern: str = "*",
        follow: bool = True,
        header: bool = False,
        quiet: float = QUIET,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(follow, quiet, clock)
        self._path, self._pattern, self._header = path, pattern, header
        self._marks: dict[_Identity, Mark] = {}
        self._file: TailedFile | None = None
        self._drained: dict[_Identity, tuple[int, int]] = {}
        """The size of a file whose whole lines were all taken, or that cannot be unpacked yet, and since when."""

    def start(self, position: Position | None) -> None:
        if not os.path.isdir(self._path):
            raise fault("E401", f"{self._path} is not a folder", note="for a single file, give its own name")
        if position is None:
            return
        if not isinstance(position, Mapping) or not isinstance(position.get("files"), list | tuple):
            raise fault("E526", f"{position!r} is not a position in a folder", note="was the source's format changed?")
        files = position["files"]
        assert isinstance(files, list | tuple)
        self._marks = {mark.identity: mark for mark in map(Mark.of, files)}

    def close(self) -> None:
        self._closed.set()
        self._let_go()

    def look(self, most: int) -> Arrivals | None:
        if self._file is not None:
            if (found := self._lines(self._file, most)) is not None:
                return found
            self._let_go()
        files = self._files()
        for path, status in files:
            is_newest = path == files[-1][0]
            if self._has_nothing_new(path, status, is_newest):
                continue
            file = self._opened(path, status)
            if file is None:
                continue
            if (found := self._lines(file, most)) is not None:
                return found
            finished = self._is_finished(path, status, is_newest)
            if finished and (rest := file.rest()):
                return self._last_line(file, rest)
            if file.packed:
                self._marks[file.identity] = replace(file.mark(), done=status.st_size)
            self._let_go()
        self._done = not self._follow
        return None

    def _files(self) -> list[tuple[Path, os.stat_result]]:
        """The files of the folder, oldest first."""
        found: list[tuple[Path, os.stat_result]] = []
        try:
            with os.scandir(self._path) as entries:
                for entry in entries:
                    if entry.name[0] not in "._" and fnmatch(entry.name, self._pattern) and entry.is_file():
                        found.append((Path(entry.path), os.stat(entry.path)))
        except FileNotFoundError:
            if not os.path.isdir(self._path):
                raise fault("E526", f"the folder {self._path} is gone") from None
            return self._files()  # a file was renamed in this moment
        except OSError as error:
            raise unreadable(self._path, error) from None
        present = {(status.st_dev, status.st_ino): path.name for path, status in found}
        for identity, name in present.items():
            if identity in self._marks and self._marks[identity].name != name:
                self._marks[identity] = replace(self._marks[identity], name=name)
        names = {path.name for path, _ in found}
        for identity in [known for known in self._marks if known not in present]:
            if self._marks[identity].name + PACKED not in names:  # else it is being packed
                del self._marks[identity]
        self._drained = {identity: seen for identity, seen in self._drained.items() if identity in present}
        return sorted(found, key=lambda one: (one[1].st_mtime_ns, one[0].name))

    def _has_nothing_new(self, path: Path, status: os.stat_result, is_newest: bool) -> bool:
        """Whether there is no need to open a file."""
        identity = status.st_dev, status.st_ino
        mark = self._marks.get(identity)
        if mark is not None and status.st_size == (mark.done if _is_packed(path) else mark.offset):
            return True
        size, _ = self._drained.get(identity, (-1, 0))
        return size == status.st_size and not self._is_finished(path, status, is_newest)

    def _opened(self, path: Path, status: os.stat_result) -> TailedFile | None:
        identity = status.st_dev, status.st_ino
        mark = self._marks.get(identity) or self._packed_mark(path, identity)
        try:
            self._file = TailedFile(path, self._header, mark)
        except LasingError:
            if not os.path.exists(path):
                return None  # renamed in this moment
            if not _is_packed(path) or not self._follow or self._unchanged(identity, status.st_size):
                raise
            return None  # it may still be being packed
        return self._file

    def _packed_mark(self, path: Path, identity: _Identity) -> Mark | None:
        """Where we were in a file that was packed in the meantime."""
        if not _is_packed(path):
            return None
        for known, mark in self._marks.items():
            if mark.name + PACKED == path.name and known != identity:
                return replace(mark, name=path.name, device=identity[0], inode=identity[1])
        return None

    def _lines(self, file: TailedFile, most: int) -> Arrivals | None:
        if file.was_cut():
            self.report(f"{file.path} was cut or written over", "reading it from its beginning")
            file.begin_again()
        found = file.take(most)
        self._marks[file.identity] = file.mark()
        if not found:
            return None
        self._drained.pop(file.identity, None)
        places = [f"{file.path}:{number}" for number in range(file.line - len(found), file.line)]
        return Arrivals(found, self._position(), places, header=file.header)

    def _is_finished(self, path: Path, status: os.stat_result, is_newest: bool) -> bool:
        """Whether a last line without an end is complete: the file is packed, or a newer one has followed and it has
        not changed for a while."""
        unchanged = self._unchanged((status.st_dev, status.st_ino), status.st_size)
        return not self._follow or _is_packed(path) or (unchanged and not is_newest)

    def _unchanged(self, identity: _Identity, size: int) -> bool:
        """Whether a file has had this size for a while."""
        now = self._clock.now()
        seen, since = self._drained.get(identity, (-1, now))
        if seen != size or now < since:
            since = now
            self._drained[identity] = size, now
        return now - since >= self._quiet

    def _last_line(self, file: TailedFile, rest: bytes) -> Arrivals:
        number = file.line
        file.skip_rest(rest)
        self._marks[file.identity] = file.mark()
        return Arrivals([rest.removesuffix(b"\r")], self._position(), [f"{file.path}:{number}"], header=file.header)

    def _position(self) -> Position:
        return {"files": [mark.as_position() for mark in self._marks.values()]}

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == PACKED
