"""A file that grows, is rotated, truncated, or not there yet.

At the end of the file, look whether another file has its name now. If so, the old one is read on until it has not
changed for some seconds, because its writer may not have noticed yet; then come the files that were the current one in
the meantime, oldest first, and then the new one. After a restart, a file that was renamed or packed is found again
beside the new one, by its number in the file system and its first bytes.
"""

from __future__ import annotations

import os
from pathlib import Path

from lasing.connectors.files import PACKED, unreadable
from lasing.connectors.live.followed import QUIET, FollowedSource
from lasing.connectors.live.protocol import Arrivals, Position
from lasing.connectors.live.tailing import Mark, TailedFile
from lasing.errors import LasingError, fault
from lasing.timeline.clock import Clock


class FollowedFile(FollowedSource):
    """The lines of a file. Without `follow`, it ends at the end of the file."""

    def __init__(
        self,
        path: Path,
        follow: bool = True,
        header: bool = False,
        quiet: float = QUIET,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(follow, quiet, clock)
        self._path, self._header = path, header
        self._file: TailedFile | None = None
        self._size, self._since = -1, 0

    def start(self, position: Position | None) -> None:
        if os.path.isdir(self._path):
            raise unreadable(self._path, IsADirectoryError())
        if position is not None:
            self._switch(self._found(Mark.of(position)))
        elif os.path.exists(self._path):
            self._switch(TailedFile(self._path, self._header))
        elif self._follow:
            self.report(f"{self._path} does not exist yet", "waiting for it")
        else:
            raise unreadable(self._path, FileNotFoundError())

    def close(self) -> None:
        self._closed.set()
        if self._file is not None:
            self._file.close()
            self._file = None

    def look(self, most: int) -> Arrivals | None:
        if self._file is None:
            if not os.path.exists(self._path):
                return None
            self._switch(TailedFile(self._path, self._header))
        file = self._file
        assert file is not None
        if file.was_cut():
            self.report(f"{file.path} was cut or written over", "reading it from its beginning")
            file.begin_again()
        if found := file.take(most):
            return self._arrivals(file, found)
        if not self._follow:
            self._done = True
            return self._last_line(file)
        following = self._following(file)
        if following is None or not self._is_quiet(file):
            return None
        last = self._last_line(file)
        if last is None:
            self._switch(TailedFile(following, self._header))
            return self.look(most)
        return last

    def _arrivals(self, file: TailedFile, lines: list[bytes]) -> Arrivals:
        places = [f"{file.path}:{number}" for number in range(file.line - len(lines), file.line)]
        return Arrivals(lines, file.mark().as_position(), places, header=file.header)

    def _last_line(self, file: TailedFile) -> Arrivals | None:
        """A last line without an end, of a file that does not grow any more."""
        rest = file.rest()
        if not rest:
            return None
        file.skip_rest(rest)
        return self._arrivals(file, [rest.removesuffix(b"\r")])

    def _switch(self, file: TailedFile) -> None:
        if self._file is not None:
            self._file.close()
        self._file, self._size = file, -1

    def _is_quiet(self, file: TailedFile) -> bool:
        """Whether a file that has lost its name has not changed for a while."""
        now, size = self._clock.now(), file.size()
        if size != self._size or now < self._since:
            self._size, self._since = size, now
        return now - self._since >= self._quiet

    def _following(self, file: TailedFile) -> Path | None:
        """The file that comes after this one; None if it still has its name, or nothing has that name yet."""
        try:
            current = os.stat(self._path)
        except OSError:
            return None
        if (current.st_dev, current.st_ino) == file.identity:
            return None
        last = file.modified()
        between = []
        for path in self._siblings():
            try:
                found = os.stat(path)
            except OSError:
                continue  # renamed in this moment; the next look finds it
            if (found.st_dev, found.st_ino) != file.identity and found.st_mtime_ns > last:
                between.append((found.st_mtime_ns, path))
        for _, path in sorted(between):
            if not self._is_copy(path, file):
                return path
        return self._path

    def _is_copy(self, path: Path, file: TailedFile) -> bool:
        """Whether a packed file has the same text as the one that was read, or is still being made from another one."""
        mark = file.mark()
        if path.suffix.lower() != PACKED or not mark.head_length:
            return False
        try:
            packed = TailedFile(path, self._header)
        except LasingError:
            return True
        try:
            return packed.is_at(mark)
        finally:
            packed.close()

    def _siblings(self) -> list[Path]:
        """The names that files get when they are rotated: `x.csv.1`, `x.csv-20260101.gz`, `x-20260101.csv`."""
        stem, suffix = self._path.stem, self._path.suffix
        return [
            path
            for path in self._path.parent.iterdir()
            if path != self._path
            and path.is_file()
            and (
                path.name.startswith((f"{self._path.name}.", f"{self._path.name}-"))
                or (path.name.startswith((f"{stem}-", f"{stem}.")) and path.name.removesuffix(PACKED).endswith(suffix))
            )
        ]

    def _found(self, mark: Mark) -> TailedFile:
        """The file that was being read, wherever it is now."""
        candidates = [self._path, *self._siblings()] if self._path.parent.is_dir() else []
        candidates = [path for path in candidates if path.is_file()]
        for by_number in (True, False):
            for path in candidates:
                found = os.stat(path)
                same = (found.st_dev, found.st_ino) == mark.identity
                if same is not by_number or (not same and path.suffix.lower() != PACKED):
                    continue
                file = TailedFile(path, self._header)
                if file.is_at(mark):
                    file.close()
                    return TailedFile(path, self._header, mark)
                file.close()
        raise _lost(self._path, mark)


def _lost(path: Path, mark: Mark) -> LasingError:
    note = (
        f"it was read up to line {mark.line - 1}. If it was renamed, put it beside {path.name} as {path.name}.1;\n"
        "to go on without the lines that may be missing, begin with a new checkpoint"
    )
    return fault("E526", f"{path} is another file than the checkpoint knows, or is shorter", note=note)
